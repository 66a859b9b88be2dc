//! One connection of a server: requests arrive, calls are performed, answers leave in the order in which they are ready.
//!
//! A call runs here up to its first pause, as most never pause; only one that does becomes a task of its own. A method that
//! was seen to take long without pausing is begun on a thread for such work, so that it keeps nobody waiting.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use orana_core::{Attachments, Reply, ReplyShape};
use orana_wire::dubbo::event::put_heartbeat_answer;
use orana_wire::dubbo::frame::oversize;
use orana_wire::dubbo::{Direction, Event, Header, Status};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until};

use super::inbox::{Inbox, Incoming};
use super::line::{Busy, Line};
use super::outbox::{Leave, Outbox};
use super::request::{self, Asked, Call, Memory, Refusal};
use super::response::Envelope;
use super::server::Shared;
use super::serving::Serving;
use crate::pace::Place;

/// While so many bytes wait for a consumer that does not read, no more of its requests are read or begun.
const BACKLOG: usize = 8 << 20;

/// So many times is read before others get their turn.
const READS: usize = 8;

/// To copy an answer of so many bytes takes a noticeable part of [`LONG`](super::serving::LONG).
const LARGE: usize = 32 << 10;

/// How long a connection that is being closed waits for the other side to close.
pub(super) const LINGER: Duration = Duration::from_millis(500);

/// The task of a connection. Dropping it closes the connection and gives up its calls.
pub(super) struct Connection {
    shared: Arc<Shared>,
    number: u64,
    peer: SocketAddr,
    state: State,
    inbox: Inbox,
    memory: Memory,
    /// The calls that have paused.
    calls: JoinSet<()>,
    timer: Pin<Box<Sleep>>,
    /// When something was last read or written.
    active: Instant,
    /// When the requests that are being served were read.
    arrived: Instant,
    /// How much had been written when that was last looked at.
    sent: u64,
    /// Requests that have been read wait to be begun until answers have been read.
    held: bool,
    deferred: bool,
}

/// How far a connection has come.
enum State {
    /// Requests are read and answered.
    Open(Arc<Line>),
    /// Our side is closed, and the other has a little time to close its own.
    Closing,
    /// The other side is gone. Calls that it began are performed to their end, as a Java provider does.
    Gone,
}

impl Connection {
    /// Serves `peer` over that socket.
    pub(super) fn new(shared: Arc<Shared>, socket: TcpStream, peer: SocketAddr) -> Connection {
        let (read, write) = socket.into_split();
        let outbox = Outbox::new(write, shared.options.queued.max(BACKLOG));
        let line = Arc::new(Line::new(outbox));
        let number = shared.enter(&line);
        let now = Instant::now();
        Connection {
            inbox: Inbox::new(read, shared.options.payload),
            timer: Box::pin(sleep_until(now + look(shared.options.idle))),
            memory: Memory::default(),
            calls: JoinSet::new(),
            state: State::Open(line),
            active: now,
            arrived: now,
            sent: 0,
            held: false,
            deferred: false,
            shared,
            number,
            peer,
        }
    }

    /// Reads and serves what has come, as long as the consumer reads what it is answered.
    fn read(&mut self, line: &Arc<Line>, cx: &mut Context<'_>) -> Step {
        for _ in 0..READS {
            if self.held || line.outbox.len() > BACKLOG {
                match self.serve_read(line, Instant::now(), cx) {
                    Step::Wait => {}
                    step => return step,
                }
            }
            match self.inbox.poll_read(cx) {
                Poll::Pending => return Step::Wait,
                Poll::Ready(Ok(0)) => return Step::End("closed by the consumer".into()),
                Poll::Ready(Err(error)) => return Step::End(format!("broken: {error}")),
                Poll::Ready(Ok(_)) => {}
            }
            let now = Instant::now();
            self.active = now;
            self.arrived = now;
            match self.serve_read(line, now, cx) {
                Step::Wait => {}
                step => return step,
            }
            if let Poll::Ready(Err(error)) = line.outbox.poll_flush(cx) {
                return Step::End(format!("broken: {error}"));
            }
        }
        cx.waker().wake_by_ref();
        Step::Wait
    }

    /// Serves the frames that have been read; what is over the backlog stays where it is.
    fn serve_read(&mut self, line: &Arc<Line>, mut now: Instant, cx: &mut Context<'_>) -> Step {
        loop {
            self.held = line.outbox.len() > BACKLOG;
            if self.held {
                // One that reads is not made to wait.
                match line.outbox.poll_flush(cx) {
                    Poll::Ready(Err(error)) => return Step::End(format!("broken: {error}")),
                    _ if line.outbox.len() > BACKLOG => return Step::Full,
                    _ => {}
                }
            }
            match self.inbox.next(|| now) {
                Ok(Some(incoming)) => now = self.take(line, incoming, now, cx),
                Ok(None) => {
                    self.held = false;
                    return Step::Wait;
                }
                Err(error) => {
                    // Whoever it was is told what was ready, and nothing more.
                    let _ = line.outbox.poll_flush(cx);
                    return Step::End(error.to_string());
                }
            }
        }
    }

    /// Serves one frame, and says what time it is then.
    fn take(&mut self, line: &Arc<Line>, incoming: Incoming, now: Instant, cx: &mut Context<'_>) -> Instant {
        match incoming {
            Incoming::Frame(header, body) if header.event => {
                self.take_event(line, &header, &body);
                now
            }
            Incoming::Frame(header, body) => match header.direction {
                Direction::Request { two_way } => self.serve(line, &header, two_way, &body, now, cx),
                // To a question that nobody here asks.
                Direction::Response { .. } => now,
            },
            Incoming::Oversized(header) => {
                if header.wants_answer() {
                    let text = oversize(header.length, self.shared.options.payload);
                    line.refuse(header.id, &Refusal::new(Status::BAD_REQUEST, text));
                }
                now
            }
        }
    }

    fn take_event(&self, line: &Line, header: &Header, body: &Bytes) {
        if header.wants_answer() && matches!(Event::read(header, body), Event::Heartbeat | Event::Other) {
            let _ = line
                .outbox
                .put(Leave::OnFlush, |out| put_heartbeat_answer(header, body, out));
        }
    }

    fn serve(
        &mut self,
        line: &Arc<Line>,
        header: &Header,
        two_way: bool,
        body: &Bytes,
        now: Instant,
        cx: &mut Context<'_>,
    ) -> Instant {
        let shared = &self.shared;
        shared.arrivals.fetch_add(1, Ordering::Relaxed);
        let arrived = self.arrived.into_std();
        let request = request::read(header, body, &shared.exporter, &mut self.memory, arrived);
        let request = match request {
            Ok(request) => request,
            Err(refusal) => {
                if two_way {
                    line.refuse(header.id, &refusal);
                } else {
                    tracing::debug!(peer = %self.peer, refusal.text, "a one-way call was refused");
                }
                return now;
            }
        };
        let envelope = Envelope {
            id: header.id,
            with_attachments: request.with_attachments,
            limit: shared.options.payload,
        };
        let call = match request.asked {
            Asked::Call(call) => call,
            Asked::Echo(argument) => {
                let echo = match &argument[..] == b"N" {
                    true => Reply::null(),
                    false => Reply::new(ReplyShape::Value, argument),
                };
                line.answer(envelope, two_way, (Ok(echo), Attachments::new()), Leave::OnFlush);
                return now;
            }
        };
        if shared.busy.load(Ordering::Relaxed) >= shared.options.calls {
            if two_way {
                let text = format!("{} calls are being performed, which is the limit", shared.options.calls);
                line.refuse(header.id, &Refusal::new(Status::SERVER_THREADPOOL_EXHAUSTED, text));
            }
            return now;
        }
        self.begin(line, call, envelope, two_way, now, cx)
    }

    /// Performs a call, here if it does not pause and is not known to take long.
    fn begin(
        &mut self,
        line: &Arc<Line>,
        call: Call,
        envelope: Envelope,
        two_way: bool,
        now: Instant,
        cx: &mut Context<'_>,
    ) -> Instant {
        let mut serving = Serving::new(call, self.peer, envelope.limit);
        if let Some(expired) = serving.expired(now.into_std()) {
            line.answer(envelope, two_way, expired, Leave::OnFlush);
            return now;
        }
        let mut now = now;
        let place = serving.place();
        if place != Place::Apart {
            let polled = Pin::new(&mut serving).poll(cx);
            let after = Instant::now();
            serving.ran(place, after.saturating_duration_since(now));
            now = after;
            if let Poll::Ready(served) = polled {
                let large = served.0.as_ref().is_ok_and(|reply| reply.bytes().len() > LARGE);
                line.answer(envelope, two_way, served, Leave::OnFlush);
                // To copy a large answer takes time as well, which is not the next call's.
                return if large { Instant::now() } else { now };
            }
        }
        let busy = Busy::new(&self.shared, line);
        self.calls.spawn(async move {
            let served = match place {
                Place::Apart => serving.apart().await,
                Place::Here | Place::Probe => serving.await,
            };
            // The last one need not wait for others.
            let leave = match busy.line.busy() {
                1 => Leave::Now,
                _ => Leave::Together,
            };
            busy.line.answer(envelope, two_way, served, leave);
            drop(busy);
        });
        now
    }

    /// Throws away what waits for a consumer that does not read, and closes.
    fn cut(&mut self, line: &Line, cx: &mut Context<'_>) -> Poll<()> {
        line.outbox.cut();
        self.state = State::Gone;
        self.finish(cx)
    }

    /// Waits for the calls that are left.
    fn finish(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(_done) = ready!(self.calls.poll_join_next(cx)) {}
        Poll::Ready(())
    }

    /// Our side is closed; waits a little for the other.
    fn linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.inbox.poll_read(cx) {
                Poll::Pending => break,
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(_)) => {
                    // What comes now comes too late; it is read so that the answers before it arrive.
                    while let Ok(Some(_)) = self.inbox.next(Instant::now) {}
                }
            }
        }
        self.timer.as_mut().poll(cx)
    }
}

/// How often it is looked at what depends on time.
fn look(idle: Duration) -> Duration {
    idle.min(Duration::from_secs(10)).max(Duration::from_millis(1))
}

/// How reading ended for now.
enum Step {
    /// All that came has been served.
    Wait,
    /// The rest must wait until the consumer has read some of its answers.
    Full,
    End(String),
}

impl Future for Connection {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let line = match &this.state {
            State::Open(line) => Arc::clone(line),
            State::Closing => return this.linger(cx),
            State::Gone => return this.finish(cx),
        };
        line.outbox.task().register(cx);
        while this.calls.try_join_next().is_some() {}
        // Others that are ready go first, so that their answers leave with those that wait.
        if !this.deferred && line.busy() > 0 && line.outbox.len() > 0 {
            this.deferred = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        this.deferred = false;
        if line.is_flooded() {
            this.shared.complain_of_slow(this.peer, line.outbox.len());
            return this.cut(&line, cx);
        }
        let full = match this.read(&line, cx) {
            Step::Wait => false,
            Step::Full => true,
            Step::End(reason) => {
                tracing::debug!(peer = %this.peer, reason, "connection ended");
                line.outbox.close();
                this.state = State::Gone;
                return this.finish(cx);
            }
        };
        let flushed = match line.outbox.poll_flush(cx) {
            Poll::Ready(Err(error)) => {
                tracing::debug!(peer = %this.peer, %error, "connection broke");
                line.outbox.close();
                this.state = State::Gone;
                return this.finish(cx);
            }
            Poll::Ready(Ok(())) => true,
            Poll::Pending => false,
        };
        let idle = line.busy() == 0 && line.outbox.len() == 0;
        if flushed && idle && line.is_closing() {
            this.state = State::Closing;
            this.timer.as_mut().reset(Instant::now() + LINGER);
            drop(line);
            return this.linger(cx);
        }
        if full && line.outbox.len() <= BACKLOG {
            // The consumer has read after all, and nothing else says when to go on.
            cx.waker().wake_by_ref();
        }
        while this.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            let limit = this.shared.options.idle;
            if full {
                this.inbox.excuse(now);
            }
            if this.inbox.dawdles(now) {
                tracing::debug!(peer = %this.peer, "connection closed: the rest of a request comes too slowly");
                return Poll::Ready(());
            }
            let (sent, waiting) = (line.outbox.sent(), line.outbox.len());
            if sent != this.sent || (!idle && waiting == 0) {
                this.sent = sent;
                this.active = now;
            }
            if now.saturating_duration_since(this.active) >= limit {
                if waiting > 0 {
                    this.shared.complain_of_slow(this.peer, waiting);
                    return this.cut(&line, cx);
                }
                tracing::debug!(peer = %this.peer, "connection closed: nothing came for a long time");
                return Poll::Ready(());
            }
            this.timer.as_mut().reset(now + look(limit));
        }
        Poll::Pending
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.leave(self.number);
        if let State::Open(line) = &self.state {
            line.outbox.close();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}
