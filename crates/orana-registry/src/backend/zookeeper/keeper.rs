//! Keeps a session with ZooKeeper: connects, serves the session until it ends, connects again; as long as the back-end
//! lives, on a thread of its own.
//!
//! The thread is there for the client: its own task and ours wait for one another, and when a runtime of several threads
//! shuts down, one of them may be dropped while the other runs, which the client takes as a reason to panic. Here one
//! thread runs both. It also lets a session be closed in an orderly way while the program's runtime goes.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use zookeeper_client::{Client, Error};

use super::arming::Style;
use super::connection::{Connection, End};
use super::settings::{Member, Settings};
use crate::backend::Link;
use crate::error::{RegistryError, RegistryErrorKind};

/// The longest silence of a server that is not yet taken for its death, if the session allows it. The client asks for a
/// sign of life after three eighths of it.
const SILENCE: Duration = Duration::from_secs(8);

/// How long a member may take to accept a connection.
const ACCEPT: Duration = Duration::from_secs(3);

/// The pause after a failed attempt: first, and at most. Jitter is added.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// The pause after the server has refused us: nothing changes there unless somebody changes it.
const REFUSED_PAUSE: Duration = Duration::from_secs(30);

/// How long a session may take to be closed in an orderly way.
const CLOSE: Duration = Duration::from_secs(3);

/// How many orders may wait; whoever orders more waits with them.
const ORDERS: usize = 256;

/// How often the members are named to the client at least. It goes through them once without a pause, and then doubles its
/// pause with every round, up to half a minute, but hardly pauses within one. A list of this length keeps it at about a
/// third of the time for which the server was away, for the price of as many attempts at once at the beginning.
const ROUND: usize = 16;

/// What is done with a session while it lasts.
pub(crate) trait Service: Send + 'static {
    /// What a back-end may ask for.
    type Order: Send + 'static;

    /// Serves orders until the session ends, or until nobody can order any more. `told` is told how the connection is: at
    /// once if it is there, and at each change.
    async fn serve(
        &self,
        client: Client,
        style: Style,
        orders: mpsc::Receiver<Self::Order>,
        told: impl FnMut(Connection),
    ) -> End;
}

/// A session that can be used; `O` is what it can be asked for.
pub(crate) struct Live<O> {
    pub(crate) client: Client,
    pub(crate) orders: mpsc::Sender<O>,
}

/// Where the keeper says how things are.
pub(super) struct Board<O> {
    pub(super) link: watch::Sender<Link>,
    pub(super) live: watch::Sender<Option<Live<O>>>,
}

impl<O> Clone for Live<O> {
    fn clone(&self) -> Live<O> {
        Live {
            client: self.client.clone(),
            orders: self.orders.clone(),
        }
    }
}

impl<O> Board<O> {
    fn up(&self, live: Live<O>, epoch: u64) {
        // The session first: whoever sees the link up may use it.
        self.live.send_replace(Some(live));
        self.link.send_replace(Link::Up { epoch });
    }

    fn down(&self, reason: impl Into<Arc<str>>) {
        self.live.send_replace(None);
        self.link.send_replace(Link::Down { reason: reason.into() });
    }

    fn refused(&self, reason: impl Into<Arc<str>>) {
        self.live.send_replace(None);
        self.link.send_replace(Link::Refused { reason: reason.into() });
    }
}

/// Starts the thread.
///
/// # Errors
/// [`RegistryErrorKind::Failed`] when the system gives us none.
pub(super) fn start<S: Service>(
    settings: Arc<Settings>,
    service: S,
    board: Board<S::Order>,
    closing: watch::Receiver<bool>,
) -> Result<(), RegistryError> {
    let address = Arc::clone(&settings.address);
    let failed = |error: std::io::Error| {
        let what = "the system has no thread for the connection";
        RegistryError::new(RegistryErrorKind::Failed, address, what).because(error)
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Err(failed(error)),
    };
    std::thread::Builder::new()
        .name("zookeeper".into())
        .spawn(move || runtime.block_on(keep(settings, service, board, closing)))
        .map(drop)
        .map_err(failed)
}

/// Runs until `closing` says so, or nobody can say so any more.
async fn keep<S: Service>(
    settings: Arc<Settings>,
    service: S,
    board: Board<S::Order>,
    mut closing: watch::Receiver<bool>,
) {
    let mut epoch = 0;
    let mut pause = PAUSE.0;
    loop {
        let connecting = async {
            let client = connect(&settings).await?;
            let style = Style::of(&client, &settings).await?;
            Ok::<_, Failure>((client, style))
        };
        let connected = tokio::select! {
            connected = connecting => connected,
            _ = closing.wait_for(|closing| *closing) => break,
        };
        let wait = match connected {
            Ok((client, style)) => {
                pause = PAUSE.0;
                epoch += 1;
                tracing::info!(registry = &*settings.address, epoch, ?style, "a session has begun");
                let states = client.state_watcher();
                let ended = tokio::select! {
                    end = serve(&service, &board, client, style, epoch) => Some(end),
                    _ = closing.wait_for(|closing| *closing) => None,
                };
                match ended {
                    None => {
                        // Without the last of its clients the session closes; what it owns goes with it.
                        board.down("it was closed");
                        closed(states).await;
                        break;
                    }
                    Some(End::Refused) => {
                        board.refused("the credentials are not accepted any more");
                        REFUSED_PAUSE
                    }
                    Some(end) => {
                        tracing::warn!(registry = &*settings.address, epoch, ?end, "the session has ended");
                        board.down(match end {
                            End::Expired => "the session has expired",
                            End::Abandoned => "the connection is cut, and too much is watched to keep the session",
                            _ => "the session was closed",
                        });
                        Duration::ZERO
                    }
                }
            }
            Err(Failure::Refused(reason)) => {
                tracing::error!(registry = &*settings.address, reason, "the registry refuses us");
                board.refused(reason);
                REFUSED_PAUSE
            }
            Err(Failure::Unreachable(reason)) => {
                tracing::debug!(registry = &*settings.address, reason, "no connection");
                board.down(reason);
                let wait = pause;
                pause = (pause * 2).min(PAUSE.1);
                wait
            }
        };
        tokio::select! {
            () = sleep(wait.mul_f64(0.75 + fastrand::f64() / 2.0)) => {}
            _ = closing.wait_for(|closing| *closing) => break,
        }
    }
    board.down("it was closed");
}

/// One session from its beginning to its end.
async fn serve<S: Service>(service: &S, board: &Board<S::Order>, client: Client, style: Style, epoch: u64) -> End {
    let (order, orders) = mpsc::channel(ORDERS);
    let live = Live {
        client: client.clone(),
        orders: order,
    };
    service
        .serve(client, style, orders, |connection| match connection {
            Connection::Mended => board.up(live.clone(), epoch),
            Connection::Cut => board.down("the connection is cut"),
        })
        .await
}

/// Waits until a session is closed, or could not be.
async fn closed(mut states: zookeeper_client::StateWatcher) {
    let ended = async {
        let mut state = states.state();
        while !state.is_terminated() {
            state = states.changed().await;
        }
    };
    if timeout(CLOSE, ended).await.is_err() {
        tracing::warn!("the session could not be closed in time; it ends when it expires");
    }
}

/// Why there is no session.
enum Failure {
    Refused(String),
    Unreachable(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::AuthFailed => Failure::Refused(error.to_string()),
            error => Failure::Unreachable(error.to_string()),
        }
    }
}

async fn connect(settings: &Settings) -> Result<Client, Failure> {
    // The client tries in silence for as long as a session lasts: that nobody listens is worth knowing at once.
    reach(&settings.members).await?;
    let silence = SILENCE.min(settings.session * 2 / 5);
    let mut connector = Client::connector()
        .with_session_timeout(settings.session)
        .with_connection_timeout(silence)
        .with_fail_eagerly();
    if let Some(credentials) = &settings.credentials {
        connector = connector.with_auth("digest", credentials.as_bytes());
    }
    let rounds = ROUND.div_ceil(settings.members.len());
    let cluster = vec![&*settings.address; rounds].join(",");
    match timeout(silence * 2, connector.connect(&cluster)).await {
        Ok(client) => Ok(client?),
        Err(_) => Err(Failure::Unreachable(
            "it accepts connections and does not answer".into(),
        )),
    }
}

/// Whether any member accepts a connection.
async fn reach(members: &[Member]) -> Result<(), Failure> {
    let mut reasons = Vec::new();
    for member in members {
        let reason = match timeout(ACCEPT, TcpStream::connect((&*member.host, member.port))).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".to_owned(),
        };
        reasons.push(format!("{member}: {reason}"));
    }
    Err(Failure::Unreachable(reasons.join("; ")))
}
