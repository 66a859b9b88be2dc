//! One connection of a client while it lasts: requests leave, answers are given to those who wait, heartbeats go both
//! ways.
//!
//! Knows nothing of how it came to be and of what comes after it; see [`link`](super::link).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use orana_core::{RpcError, RpcErrorCode};
use orana_wire::dubbo::event::{put_heartbeat, put_heartbeat_answer};
use orana_wire::dubbo::response::put_error;
use orana_wire::dubbo::{Direction, Event, Header, Status};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::calls::{Answer, Calls, Failure, Unanswered};
use super::inbox::{Inbox, Incoming};
use super::outbox::{Leave, Outbox};

/// When a call got no answer and nothing else has come either, a heartbeat has so long to be answered.
const PROBE: Duration = Duration::from_secs(3);

/// What a channel is told when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChannelOptions {
    /// The most bytes of a body, either way.
    pub(super) payload: usize,
    /// After so long without a word from the provider it is asked for one.
    pub(super) heartbeat: Duration,
    /// After so long without one the connection counts as lost.
    pub(super) silence: Duration,
    /// How many calls may wait at once.
    pub(super) outstanding: usize,
    /// How many bytes may wait to be written.
    pub(super) queued: usize,
    /// The connection counts as lost after so many calls without an answer to any,
    pub(super) unanswered: u32,
    /// the oldest of which began so long ago.
    pub(super) unanswered_for: Duration,
}

/// What is thought of a provider when a connection to it is opened, after what became of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Calls may go at once.
    Full,
    /// A word from it comes first: the kernel of a process that stands still accepts connections all the same.
    WordFirst,
    /// It speaks, and answers no calls: after a word one call goes, and others once that is answered.
    OneCall,
}

/// What callers hold of a connection.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) outbox: Outbox,
    pub(super) calls: Arc<Calls>,
    pub(super) options: ChannelOptions,
    /// The provider wants no more calls.
    read_only: AtomicBool,
    /// Calls get no answers, and whether the provider still lives is being found out.
    suspect: AtomicBool,
    /// The provider has said a word.
    spoken: AtomicBool,
    /// A call is still to show whether it answers any.
    on_trial: AtomicBool,
    /// It has spoken and answered no calls, and that is why the connection was lost.
    mute: AtomicBool,
}

/// What the connection's task holds. Polled until the connection is lost; the output says why. Dropping it closes the
/// connection and fails what waits.
pub(super) struct ChannelTask {
    channel: Arc<Channel>,
    inbox: Inbox,
    timer: Pin<Box<Sleep>>,
    /// When something was last read.
    heard: Instant,
    /// When that was a word, which is whatever only somebody says who speaks the protocol: an event, a request, an answer to a
    /// call that was made.
    said: Instant,
    /// When the provider was last asked for a word, if it has not said one since.
    asked: Option<Instant>,
    /// The connection counts as lost then, unless a word comes.
    patience: Option<Instant>,
    /// Something has changed on which it depends what is to be done now.
    look_again: bool,
    heartbeats: u32,
    /// Others that are ready have been let go first, so that their requests leave with those that wait.
    deferred: bool,
    answers: Vec<(i64, Result<Answer, Failure>)>,
    wake: Vec<Waker>,
}

impl Channel {
    /// A channel over a socket that is connected. The task must be polled for anything to happen.
    pub(super) fn open(
        socket: TcpStream,
        options: ChannelOptions,
        now: Instant,
        trust: Trust,
    ) -> (Arc<Channel>, ChannelTask) {
        let (read, write) = socket.into_split();
        let suspect = trust != Trust::Full;
        let channel = Arc::new(Channel {
            outbox: Outbox::new(write, options.queued),
            calls: Arc::new(Calls::new(options.outstanding)),
            read_only: AtomicBool::new(false),
            suspect: AtomicBool::new(suspect),
            spoken: AtomicBool::new(false),
            on_trial: AtomicBool::new(trust == Trust::OneCall),
            mute: AtomicBool::new(false),
            options,
        });
        let first_look = if suspect {
            Duration::ZERO
        } else {
            channel.options.heartbeat
        };
        let task = ChannelTask {
            inbox: Inbox::new(read, channel.options.payload),
            timer: Box::pin(sleep_until(now + first_look)),
            heard: now,
            said: now,
            asked: None,
            patience: None,
            look_again: false,
            heartbeats: 0,
            deferred: false,
            answers: Vec::new(),
            wake: Vec::new(),
            channel: Arc::clone(&channel),
        };
        (channel, task)
    }

    /// Whether calls are welcome and have a chance.
    pub(super) fn is_available(&self) -> bool {
        let tried = self.on_trial.load(Ordering::Relaxed) && self.calls.open() > 0;
        !self.read_only.load(Ordering::Relaxed) && !self.is_suspect() && !tried
    }

    /// Whether the provider owes a word.
    pub(super) fn is_suspect(&self) -> bool {
        self.suspect.load(Ordering::Relaxed)
    }

    /// Whether the provider has said anything that can be understood.
    pub(super) fn has_spoken(&self) -> bool {
        self.spoken.load(Ordering::Relaxed)
    }

    /// Whether the provider has, on a connection for that, answered the call that was to show whether it answers any, or
    /// is as good as any other.
    pub(super) fn is_proven(&self) -> bool {
        !self.on_trial.load(Ordering::Relaxed) && !self.mute.load(Ordering::Relaxed)
    }

    /// Once the channel is lost: what is thought of the provider after that.
    pub(super) fn trust(&self) -> Trust {
        // One that accepts and hangs up need not be there either.
        let silent = self.is_suspect() || !self.has_spoken();
        match self.is_proven() {
            true if silent => Trust::WordFirst,
            true => Trust::Full,
            false => Trust::OneCall,
        }
    }
}

impl ChannelTask {
    /// Reads all that has come. An error is the end.
    fn read(&mut self, cx: &mut Context<'_>) -> Result<(), RpcError> {
        loop {
            match self.inbox.poll_read(cx) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(0)) => return Err(lost("the provider closed the connection")),
                Poll::Ready(Err(error)) => return Err(lost(format!("the connection broke: {error}")).because(error)),
                Poll::Ready(Ok(_)) => {}
            }
            self.heard = Instant::now();
            let heard = self.heard;
            let mut word = false;
            let broken = loop {
                match self.inbox.next(|| heard) {
                    Ok(Some(incoming)) => word |= self.take(incoming),
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            if !self.answers.is_empty() {
                let settled = self.channel.calls.settle(self.answers.drain(..), &mut self.wake);
                if settled.strays > 0 {
                    tracing::trace!(settled.strays, "answers that nobody waits for");
                }
                if settled.known > 0 {
                    word = true;
                    self.channel.on_trial.store(false, Ordering::Relaxed);
                }
                self.wake.drain(..).for_each(Waker::wake);
            }
            if word {
                self.said = heard;
                self.asked = None;
                // Whether it lives was in question, and is not any more; whether it answers calls may be.
                self.look_again |= self.patience.take().is_some();
                self.channel.suspect.store(false, Ordering::Relaxed);
                self.channel.spoken.store(true, Ordering::Relaxed);
            } else if self.inbox.is_within_a_frame() {
                // It may be a word once it is whole; whether it gets there in time is looked after elsewhere.
                self.patience = self.patience.map(|patience| patience.max(heard + PROBE));
            }
            if let Some(error) = broken {
                // That was no word.
                self.channel.suspect.store(true, Ordering::Relaxed);
                return Err(lost(format!("the provider does not speak dubbo: {error}")).because(error));
            }
        }
    }

    /// Takes a frame, and says whether it is a word; of an answer that is seen later.
    fn take(&mut self, incoming: Incoming) -> bool {
        let (header, answer) = match incoming {
            Incoming::Frame(header, body) if header.event => {
                self.take_event(&header, &body);
                return true;
            }
            Incoming::Frame(header, body) => (header, Ok(Answer { header, body })),
            Incoming::Oversized(header) => (header, Err(Failure::Oversized(header))),
        };
        match header.direction {
            Direction::Response { .. } => {
                self.answers.push((header.id, answer));
                false
            }
            Direction::Request { two_way } => {
                self.refuse(&header, two_way);
                true
            }
        }
    }

    fn take_event(&mut self, header: &Header, body: &Bytes) {
        match Event::read(header, body) {
            Event::Heartbeat | Event::Other if header.wants_answer() => {
                let put = |out: &mut _| put_heartbeat_answer(header, body, out);
                let _ = self.channel.outbox.put(Leave::OnFlush, put);
            }
            Event::Heartbeat | Event::Other => {}
            Event::ReadOnly => self.channel.read_only.store(true, Ordering::Relaxed),
            Event::Writeable => self.channel.read_only.store(false, Ordering::Relaxed),
        }
    }

    /// Answers a provider that calls back: nothing here can be called.
    fn refuse(&mut self, header: &Header, two_way: bool) {
        if two_way {
            let _ = self.channel.outbox.put(Leave::OnFlush, |out| {
                put_error(header.id, Status::BAD_REQUEST, "this consumer takes no calls", out);
            });
        }
    }

    /// Looks at whatever depends on time, and says when to look again.
    fn look(&mut self, now: Instant) -> Result<Instant, RpcError> {
        let channel = Arc::clone(&self.channel);
        let options = &channel.options;
        let late = self.channel.calls.look(now, &mut self.wake);
        self.wake.drain(..).for_each(Waker::wake);
        let silent = now.saturating_duration_since(self.heard);
        if silent >= options.silence {
            self.channel.suspect.store(true, Ordering::Relaxed);
            return Err(lost(format!("nothing was heard from the provider for {silent:.1?}")));
        }
        if self.inbox.dawdles(now) {
            return Err(lost("the provider sends the rest of an answer too slowly"));
        }
        if self.is_mute(&late.unanswered, now) {
            channel.mute.store(true, Ordering::Relaxed);
            let calls = late.unanswered.calls;
            return Err(lost(format!(
                "the provider speaks and answers no calls, {calls} in a row"
            )));
        }
        // Not a word since a call left that is late now: either it takes long, or nobody is there. A word may be on its way.
        let coming = self.inbox.is_within_a_frame() && now.saturating_duration_since(self.heard) < PROBE;
        let sign = if coming { self.heard } else { self.said };
        let late_call = late.late_since.is_some_and(|since| since > sign);
        if (late_call || channel.is_suspect()) && self.patience.is_none() {
            self.patience = Some(now + PROBE.min(options.silence));
            self.channel.suspect.store(true, Ordering::Relaxed);
            self.ask(now);
        }
        if self.patience.is_some_and(|patience| patience <= now) {
            return Err(lost("no heartbeat was answered, nor any call"));
        }
        let quiet_since = self.asked.unwrap_or(self.heard);
        if now.saturating_duration_since(quiet_since) >= options.heartbeat {
            self.ask(now);
        }
        let quiet_since = self.asked.unwrap_or(self.heard);
        let due = [
            Some(quiet_since + options.heartbeat),
            Some(self.heard + options.silence),
            self.patience,
            late.next,
        ];
        Ok(due.into_iter().flatten().min().unwrap_or(now + options.heartbeat))
    }

    /// Whether the provider has spoken since the oldest of those calls, and answered none of so many that it never will.
    fn is_mute(&self, unanswered: &Unanswered, now: Instant) -> bool {
        let options = &self.channel.options;
        let (calls, time) = match self.channel.on_trial.load(Ordering::Relaxed) {
            true => (1, Duration::ZERO),
            false => (options.unanswered, options.unanswered_for),
        };
        unanswered.since.is_some_and(|since| self.said > since) && unanswered.are(calls, time, now)
    }

    fn ask(&mut self, now: Instant) {
        self.asked = Some(now);
        self.heartbeats = self.heartbeats.wrapping_add(1);
        let id = i64::from(self.heartbeats);
        let _ = self.channel.outbox.put(Leave::OnFlush, |out| put_heartbeat(id, out));
    }
}

impl Future for ChannelTask {
    type Output = RpcError;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RpcError> {
        let polled = self.step(cx);
        if let Poll::Ready(reason) = &polled {
            // Whoever waits is told why, and not only that this was dropped.
            self.channel.outbox.close();
            self.channel.calls.close(reason);
        }
        polled
    }
}

impl ChannelTask {
    /// Goes on until all that waits to be sent has left or the connection is lost.
    pub(super) async fn farewell(mut self) {
        std::future::poll_fn(|cx| match Pin::new(&mut self).poll(cx) {
            Poll::Pending if self.channel.outbox.len() > 0 => Poll::Pending,
            _ => Poll::Ready(()),
        })
        .await;
    }

    /// Does all that can be done now.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<RpcError> {
        let this = self;
        let woken = this.channel.outbox.task().register(cx);
        if let Err(reason) = this.read(cx) {
            return Poll::Ready(reason);
        }
        // Somebody began a call that ends before the timer rings, or the timer has rung.
        if woken || std::mem::take(&mut this.look_again) || this.timer.is_elapsed() {
            let now = Instant::now();
            let due = match this.look(now) {
                Ok(due) => due,
                Err(reason) => return Poll::Ready(reason),
            };
            if this.timer.is_elapsed() || due < this.timer.deadline() {
                this.timer.as_mut().reset(due);
            }
        }
        if this.timer.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
        if !this.deferred && this.channel.outbox.len() > 0 && this.channel.calls.open() > 1 {
            this.deferred = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        this.deferred = false;
        match this.channel.outbox.poll_flush(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(lost(format!("the connection broke: {error}")).because(error)),
            _ => Poll::Pending,
        }
    }
}

/// Nothing may wait for a connection that nobody looks after.
impl Drop for ChannelTask {
    fn drop(&mut self) {
        self.channel.outbox.close();
        self.channel.calls.close(&lost("the connection was closed"));
    }
}

impl fmt::Debug for ChannelTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelTask").finish_non_exhaustive()
    }
}

pub(super) fn lost(message: impl Into<Box<str>>) -> RpcError {
    RpcError::new(RpcErrorCode::Network, message)
}
