//! A place for one connection to a provider: it is opened, watched, and opened again for as long as somebody holds it.
//!
//! The task of a link ends when its last holder lets go, after what was to be sent has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orana_core::RpcError;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::channel::{Channel, ChannelOptions, Trust, lost};

/// The pauses between attempts to connect: the first, and what doubling it ends at.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(3);

/// The same for a provider that can be connected to, speaks, and answers no calls.
const MUTE_PAUSE: Duration = Duration::from_secs(1);
const MUTE_PAUSE_MAX: Duration = Duration::from_secs(10);

/// A connection that is lost again and again is told of no more often than this.
const QUIET: Duration = Duration::from_secs(10);

/// How long what waits to be sent has to leave when nobody holds the link any more.
const FAREWELL: Duration = Duration::from_millis(500);

/// Where a link leads and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LinkOptions {
    /// `host:port`
    pub(super) address: Arc<str>,
    /// How long an attempt to connect may take.
    pub(super) connect: Duration,
    /// Whether the connection is opened at the first call only.
    pub(super) lazy: bool,
    /// Whether a connection that was lost is opened again.
    pub(super) reconnect: bool,
    pub(super) channel: ChannelOptions,
}

/// One connection, or the attempt at one. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct Link {
    /// When this is gone the task that sends ends.
    state: watch::Receiver<State>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: LinkOptions,
    /// The number of the attempt that somebody wants to be made now: the first call of a lazy connection, or who looks whether the
    /// provider is back.
    wanted: AtomicU64,
    asked: Notify,
}

#[derive(Clone, Debug, Default)]
struct State {
    channel: Option<Arc<Channel>>,
    /// How many attempts have ended.
    attempts: u64,
    /// Why there is no connection.
    reason: Option<RpcError>,
}

impl Link {
    /// Begins to connect, unless that is for the first call to do.
    pub(super) fn new(options: LinkOptions) -> Link {
        let (sender, state) = watch::channel(State::default());
        let shared = Arc::new(Shared {
            options,
            wanted: AtomicU64::new(0),
            asked: Notify::new(),
        });
        tokio::spawn(keep(Arc::clone(&shared), sender));
        Link { state, shared }
    }

    /// Waits for the connection; an attempt is made now. The error is that of the attempt.
    pub(super) async fn connected(&self) -> Result<(), RpcError> {
        let seen = {
            let state = self.state.borrow();
            if state.channel.is_some() {
                return Ok(());
            }
            state.attempts
        };
        self.shared.want(seen);
        let ended = |state: &State| state.channel.is_some() || state.attempts > seen;
        self.settled(ended).await.map(drop)
    }

    /// The connection that calls go over. Waits only for the first one, until `deadline`.
    pub(super) async fn channel(&self, deadline: Instant) -> Result<Arc<Channel>, RpcError> {
        let seen = {
            let state = self.state.borrow();
            if let Some(channel) = &state.channel {
                return Ok(Arc::clone(channel));
            }
            if let Some(reason) = &state.reason {
                return Err(reason.clone());
            }
            state.attempts
        };
        self.shared.want(seen);
        let ended = |state: &State| state.channel.is_some() || state.reason.is_some();
        match timeout_at(deadline, self.settled(ended)).await {
            Ok(channel) => channel,
            Err(_) => Err(lost("no connection within the time of the call")),
        }
    }

    async fn settled(&self, ended: impl FnMut(&State) -> bool) -> Result<Arc<Channel>, RpcError> {
        let mut state = self.state.clone();
        let state = state
            .wait_for(ended)
            .await
            .map_err(|_| lost("the connection was given up"))?;
        match (&state.channel, &state.reason) {
            (Some(channel), _) => Ok(Arc::clone(channel)),
            (None, Some(reason)) => Err(reason.clone()),
            (None, None) => Err(lost("not connected")),
        }
    }

    /// Whether a call has a chance now. A lazy link that was never used has one.
    pub(super) fn is_available(&self) -> bool {
        let state = self.state.borrow();
        match &state.channel {
            Some(channel) => channel.is_available(),
            None => self.shared.options.lazy && state.attempts == 0,
        }
    }
}

impl Shared {
    /// Asks for an attempt after the first `ended`.
    fn want(&self, ended: u64) {
        self.wanted.fetch_max(ended + 1, Ordering::AcqRel);
        self.asked.notify_one();
    }

    /// Waits until somebody wants an attempt after the first `ended`; who asked for one of those has had it.
    async fn wanted(&self, ended: u64) {
        while self.wanted.load(Ordering::Acquire) <= ended {
            self.asked.notified().await;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Connects, looks after the connection, and begins again, until nobody holds the link.
async fn keep(shared: Arc<Shared>, state: watch::Sender<State>) {
    let options = &shared.options;
    let address = &*options.address;
    if options.lazy && while_held(&state, shared.wanted(0)).await.is_none() {
        return;
    }
    let mut attempts = 0;
    let mut failures = 0;
    let mut trust = Trust::Full;
    let mut told: Option<Instant> = None;
    loop {
        let Some(connected) = while_held(&state, connect(options)).await else {
            return;
        };
        attempts += 1;
        match connected {
            Ok(socket) => {
                tracing::debug!(address, "connected");
                let (channel, mut task) = Channel::open(socket, options.channel.clone(), Instant::now(), trust);
                state.send_modify(|state| {
                    state.channel = Some(Arc::clone(&channel));
                    state.attempts = attempts;
                });
                let Some(reason) = while_held(&state, &mut task).await else {
                    // Calls that want no answer have been said to be sent.
                    let _ = timeout(FAREWELL, task.farewell()).await;
                    return;
                };
                let before = std::mem::replace(&mut trust, channel.trust());
                // One that accepts and closes is not there either, and of one that answers nothing others have more.
                if channel.has_spoken() && channel.is_proven() {
                    failures = 0;
                }
                let no_news = before != Trust::Full && before == trust;
                if no_news || told.is_some_and(|told| told.elapsed() < QUIET) {
                    tracing::debug!(address, %reason, "connection lost");
                } else {
                    told = Some(Instant::now());
                    tracing::info!(address, %reason, "connection lost");
                }
                state.send_modify(|state| {
                    state.channel = None;
                    state.reason = Some(reason);
                });
            }
            Err(reason) => {
                if failures == 0 {
                    tracing::info!(address, %reason, "not connected, trying on");
                }
                state.send_modify(|state| {
                    state.attempts = attempts;
                    state.reason = Some(reason);
                });
            }
        }
        if !options.reconnect {
            // Whoever asks for a connection nevertheless gets an attempt.
            match while_held(&state, shared.wanted(attempts)).await {
                Some(()) => continue,
                None => return,
            }
        }
        let pause = match trust {
            Trust::OneCall => pause(failures, MUTE_PAUSE, MUTE_PAUSE_MAX, jitter(address)),
            Trust::Full | Trust::WordFirst => pause(failures, PAUSE, PAUSE_MAX, jitter(address)),
        };
        failures += 1;
        tokio::select! {
            () = state.closed() => return,
            () = sleep(pause) => {}
            () = shared.wanted(attempts) => {}
        }
    }
}

/// What comes of `future`, unless the link is let go before.
async fn while_held<F: Future>(state: &watch::Sender<State>, future: F) -> Option<F::Output> {
    tokio::select! {
        () = state.closed() => None,
        output = future => Some(output),
    }
}

async fn connect(options: &LinkOptions) -> Result<TcpStream, RpcError> {
    let attempt = timeout(options.connect, TcpStream::connect(&*options.address));
    let socket = match attempt.await {
        Ok(Ok(socket)) => socket,
        Ok(Err(error)) => return Err(lost(format!("not connected: {error}")).because(error)),
        Err(_) => return Err(lost(format!("not connected within {:?}", options.connect))),
    };
    socket
        .set_nodelay(true)
        .map_err(|error| lost(format!("not connected: {error}")).because(error))?;
    Ok(socket)
}

/// How long to wait after so many failed attempts: twice as long each time, and up to half as long again by chance, so
/// that the consumers of a provider that is back do not come all at once.
fn pause(failures: u32, first: Duration, most: Duration, jitter: f64) -> Duration {
    let pause = first.saturating_mul(1 << failures.min(10)).min(most);
    pause.mul_f64(1.0 + jitter / 2.0)
}

/// From 0 to 1.
fn jitter(address: &str) -> f64 {
    f64::from(u16::try_from(ahash::RandomState::new().hash_one(address) & 0xffff).unwrap_or(0)) / 65536.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit_and_are_spread() {
        let pause = |failures, jitter| pause(failures, PAUSE, PAUSE_MAX, jitter);
        assert_eq!(pause(0, 0.0), Duration::from_millis(100));
        assert_eq!(pause(2, 0.0), Duration::from_millis(400));
        assert_eq!(pause(99, 0.0), PAUSE_MAX);
        assert_eq!(pause(99, 1.0), PAUSE_MAX.mul_f64(1.5));
        assert!((0..100).all(|_| (0.0..1.0).contains(&jitter("h:1"))));
    }
}
