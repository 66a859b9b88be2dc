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

use super::calls::{Answer, Calls, Failure};
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
    /// A frame has come over it.
    spoken: AtomicBool,
}

/// What the connection's task holds. Polled until the connection is lost; the output says why. Dropping it closes the
/// connection and fails what waits.
pub(super) struct ChannelTask {
    channel: Arc<Channel>,
    inbox: Inbox,
    timer: Pin<Box<Sleep>>,
    heard: Instant,
    /// When the provider was last asked for a word, if it has not said one since.
    asked: Option<Instant>,
    /// The connection counts as lost then, unless a word comes.
    patience: Option<Instant>,
    heartbeats: u32,
    /// Others that are ready have been let go first, so that their requests leave with those that wait.
    deferred: bool,
    answers: Vec<(i64, Result<Answer, Failure>)>,
    wake: Vec<Waker>,
}

impl Channel {
    /// A channel over a socket that is connected. The task must be polled for anything to happen. A `suspect` one is asked
    /// for a word first: the kernel of a process that stands still accepts connections all the same.
    pub(super) fn open(
        socket: TcpStream,
        options: ChannelOptions,
        now: Instant,
        suspect: bool,
    ) -> (Arc<Channel>, ChannelTask) {
        let (read, write) = socket.into_split();
        let channel = Arc::new(Channel {
            outbox: Outbox::new(write, options.queued),
            calls: Arc::new(Calls::new(options.outstanding)),
            read_only: AtomicBool::new(false),
            suspect: AtomicBool::new(suspect),
            spoken: AtomicBool::new(false),
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
            asked: None,
            patience: None,
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
        !self.read_only.load(Ordering::Relaxed) && !self.is_suspect()
    }

    /// Whether the provider owes a word; once the channel is lost, whether it was lost because of that, or because what came was none.
    pub(super) fn is_suspect(&self) -> bool {
        self.suspect.load(Ordering::Relaxed)
    }

    /// Whether the provider has said anything that can be understood.
    pub(super) fn has_spoken(&self) -> bool {
        self.spoken.load(Ordering::Relaxed)
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
            self.asked = None;
            self.patience = None;
            self.channel.suspect.store(false, Ordering::Relaxed);
            let heard = self.heard;
            let broken = loop {
                match self.inbox.next(|| heard) {
                    Ok(Some(incoming)) => self.take(incoming),
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            if !self.answers.is_empty() {
                let strays = self.channel.calls.settle(self.answers.drain(..), &mut self.wake);
                if strays > 0 {
                    tracing::trace!(strays, "answers that nobody waits for");
                }
                self.wake.drain(..).for_each(Waker::wake);
            }
            if let Some(error) = broken {
                // That was no word.
                self.channel.suspect.store(true, Ordering::Relaxed);
                return Err(lost(format!("the provider does not speak dubbo: {error}")).because(error));
            }
        }
    }

    fn take(&mut self, incoming: Incoming) {
        self.channel.spoken.store(true, Ordering::Relaxed);
        match incoming {
            Incoming::Frame(header, body) => match header.direction {
                _ if header.event => self.take_event(&header, &body),
                Direction::Response { .. } => self.answers.push((header.id, Ok(Answer { header, body }))),
                Direction::Request { two_way } => self.refuse(&header, two_way),
            },
            Incoming::Oversized(header) => match header.direction {
                Direction::Response { .. } => self.answers.push((header.id, Err(Failure::Oversized(header)))),
                Direction::Request { two_way } => self.refuse(&header, two_way),
            },
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
        // Not one byte since a call left that is late now: either it takes long, or nobody is there.
        let late_call = late.late_since.is_some_and(|since| since > self.heard);
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
        if woken || this.timer.is_elapsed() {
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
