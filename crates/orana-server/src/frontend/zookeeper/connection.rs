//! One socket, one task: bytes in, bytes out, in order, and the end of the connection. What the bytes mean is
//! not known here.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use orana_wire::zookeeper::frame::next_frame;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::time::Sleep;

use super::conversation::{Conversation, Eviction};
use super::face::Face;
use super::four_letter;
use super::outbox::{Ending, PAUSE_FROM};
use super::outlet::Outlet;
use super::request::Fault;
use super::stats::Stats;

/// Read at most so much at a time. One buffer per thread: an idle connection has none.
const CHUNK: usize = 64 * 1024;
/// How long a client may leave its answers unread while more than [`PAUSE_FROM`] bytes wait for it.
const STALL: Duration = Duration::from_secs(30);
/// How long a request may take from its first byte to its last.
const UNFINISHED: Duration = Duration::from_secs(30);
const TOO_MUCH_UNFINISHED: &str = "too many bytes of unfinished requests are waiting";
/// How long a closing connection waits for what is still to be sent.
const FLUSH: Duration = Duration::from_secs(2);

thread_local! {
    static SCRATCH: RefCell<Box<[u8]>> = RefCell::new(vec![0; CHUNK].into_boxed_slice());
}

/// Why a connection ends.
enum End {
    /// The client closed it, or it broke.
    Gone,
    /// Both sides had said all they wanted.
    Done,
    /// The client did what it must not.
    Fault(Fault),
    /// The client did not do what it must.
    Idle(&'static str),
    /// It left the most unread when all together left too much.
    Unread,
    /// The server stops.
    Stopping,
}

/// What the outbox said when it was last looked at.
struct Moment {
    ending: Ending,
    hold_until: Option<Instant>,
    /// More requests may be taken.
    room: bool,
    nothing_deferred: bool,
    /// So much waits for the client that it may not take its time.
    hurry: bool,
}

struct Connection {
    stream: OwnedReadHalf,
    conversation: Arc<Conversation>,
    face: Arc<Face>,
    /// What was received and not understood yet.
    partial: BytesMut,
    /// When the request began of which only a part was received.
    unfinished: Option<Instant>,
    greeted: bool,
    accepted: Instant,
    /// True if the socket had taken everything when this was written to it last.
    flushed: bool,
    /// When the socket took something last.
    progress: Instant,
    /// When it began to close.
    closing: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

/// Serves one client until it goes, misbehaves, or the server stops.
pub(super) async fn serve(stream: TcpStream, face: Arc<Face>) {
    let Ok(peer) = stream.peer_addr() else { return };
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "no-delay could not be set");
    }
    let now = Instant::now();
    let local_port = stream.local_addr().map_or(0, |address| address.port());
    let (stream, socket) = stream.into_split();
    let outlet = Outlet::new(socket, now);
    let conversation = Conversation::new(face.clone(), peer, local_port, outlet);
    face.conversations
        .lock()
        .insert(conversation.number, conversation.clone());
    let mut connection = Connection {
        stream,
        conversation,
        face,
        partial: BytesMut::new(),
        unfinished: None,
        greeted: false,
        accepted: now,
        flushed: true,
        progress: now,
        closing: None,
        timer: None,
    };
    let end = connection.run().await;
    connection.finish(end);
}

impl Connection {
    async fn run(&mut self) -> End {
        loop {
            let now = self.collect();
            if let Err(_gone) = self.write() {
                return End::Gone;
            }
            let flushed = self.flushed;
            match now.ending {
                Ending::Now => {
                    return match self.conversation.evicted.get() {
                        Some(Eviction::Unfinished) => End::Idle(TOO_MUCH_UNFINISHED),
                        Some(Eviction::Unread) => End::Unread,
                        None => End::Done,
                    };
                }
                Ending::AfterFlush if flushed => return End::Done,
                Ending::AfterFlush => _ = self.closing.get_or_insert_with(Instant::now),
                Ending::Open => {}
            }
            // What had to wait until the client has read more goes on.
            if now.hurry && self.conversation.outbox.lock().queued <= PAUSE_FROM {
                continue;
            }
            let stop_now = self.face.is_stopping();
            if stop_now && flushed && now.nothing_deferred {
                return End::Stopping;
            }
            // A request that had to wait for room may be whole already.
            if now.room && !stop_now && !self.partial.is_empty() {
                match self.understand_partial() {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(fault) => return self.fault(fault),
                }
            }
            if let Some(end) = self.wait(&now, stop_now).await {
                return end;
            }
        }
    }

    /// What was asked properly before the client went wrong is still answered, as far as the socket takes it.
    fn fault(&mut self, fault: Fault) -> End {
        self.collect();
        match self.write() {
            Ok(()) => End::Fault(fault),
            Err(_gone) => End::Gone,
        }
    }

    /// Takes what may be written, and learns what else there is to know.
    fn collect(&mut self) -> Moment {
        self.face.relieve();
        // Something may have failed without having been able to look at the state.
        let stuck = std::mem::take(&mut self.conversation.outbox.lock().stuck);
        if stuck {
            self.conversation.turn();
        }
        let mut outlet = self.conversation.outlet.lock();
        let mut out = self.conversation.outbox.lock();
        if out.hold_until.is_some_and(|until| until <= Instant::now()) {
            out.release();
        }
        outlet.load(&mut out, &self.face.stats);
        drop(outlet);
        let has_session = self.conversation.session.get().is_some();
        let room = (has_session || !self.greeted) && self.conversation.room(&out) > 0;
        Moment {
            ending: out.ending,
            hold_until: out.hold_until,
            room,
            nothing_deferred: out.deferred.is_empty(),
            hurry: out.queued > PAUSE_FROM,
        }
    }

    /// Waits until something can be done. `Some` if it is the end.
    async fn wait(&mut self, now: &Moment, stop_now: bool) -> Option<End> {
        let room = now.room && !stop_now;
        let centre = self.face.centre.clone();
        let mut full = (room && !centre.has_room()).then(|| Box::pin(async move { centre.room().await }));
        let reading = room && full.is_none() && now.ending == Ending::Open;
        self.set_timer(self.deadline(now));
        std::future::poll_fn(|context| {
            if self.conversation.alarm.poll_rung(context).is_ready() {
                return Poll::Ready(None);
            }
            if reading && let Poll::Ready(read) = self.poll_read(context) {
                return Poll::Ready(match read {
                    Ok(()) => None,
                    Err(End::Fault(fault)) => Some(self.fault(fault)),
                    Err(end) => Some(end),
                });
            }
            if !self.flushed && self.stream.as_ref().poll_write_ready(context).is_ready() {
                return Poll::Ready(None);
            }
            if full.as_mut().is_some_and(|room| room.as_mut().poll(context).is_ready()) {
                return Poll::Ready(None);
            }
            let rang = self
                .timer
                .as_mut()
                .is_some_and(|timer| timer.as_mut().poll(context).is_ready());
            if rang {
                Poll::Ready(self.too_late(now))
            } else {
                Poll::Pending
            }
        })
        .await
    }

    fn set_timer(&mut self, deadline: Option<Instant>) {
        match (deadline, &mut self.timer) {
            (None, timer) => *timer = None,
            (Some(deadline), Some(timer)) if timer.deadline() == deadline.into() && !timer.is_elapsed() => {}
            (Some(deadline), Some(timer)) => timer.as_mut().reset(deadline.into()),
            (Some(deadline), timer) => *timer = Some(Box::pin(tokio::time::sleep_until(deadline.into()))),
        }
    }

    /// The next moment at which time alone changes something.
    fn deadline(&self, now: &Moment) -> Option<Instant> {
        let handshake = (!self.greeted).then(|| self.accepted + self.face.config.handshake_timeout);
        let stalled = (now.hurry && !self.flushed).then_some(self.progress + STALL);
        let flush = (now.ending == Ending::AfterFlush).then_some(self.last_chance());
        // Only where it is the client that is waited for.
        let unfinished = self.unfinished.filter(|_| now.room).map(|since| since + UNFINISHED);
        [handshake, stalled, flush, unfinished, now.hold_until]
            .into_iter()
            .flatten()
            .min()
    }

    /// Until when a closing connection waits: for some time after it began to close, and then for as long as the
    /// client goes on reading.
    fn last_chance(&self) -> Instant {
        self.closing.map_or(self.progress, |closing| closing.max(self.progress)) + FLUSH
    }

    fn too_late(&self, moment: &Moment) -> Option<End> {
        let now = Instant::now();
        if !self.greeted && now >= self.accepted + self.face.config.handshake_timeout {
            return Some(End::Idle("nothing was said in time"));
        }
        if moment.ending == Ending::AfterFlush && now >= self.last_chance() {
            return Some(End::Idle("the last answers were not read"));
        }
        if moment.room && self.unfinished.is_some_and(|since| now >= since + UNFINISHED) {
            return Some(End::Idle("a request was not finished in time"));
        }
        let hurry = self.conversation.outbox.lock().queued > PAUSE_FROM;
        (hurry && !self.flushed && now >= self.progress + STALL).then_some(End::Idle("answers are not read"))
    }

    /// Reads what is there and understands it.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<(), End>> {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut buffer = ReadBuf::new(scratch);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(Err(End::Gone)),
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_gone)) => return Poll::Ready(Err(End::Gone)),
            }
            Poll::Ready(self.received(buffer.filled()))
        })
    }

    fn received(&mut self, fresh: &[u8]) -> Result<(), End> {
        let now = Instant::now();
        Stats::add(&self.face.stats.bytes_received, fresh.len() as u64);
        if let Some(session) = self.conversation.session.get() {
            session.clock.touch(now);
        }
        if self.partial.is_empty() {
            let used = self.understand(fresh, now).map_err(End::Fault)?;
            self.keep(fresh.get(used..).unwrap_or_default())?;
            self.note_unfinished(true);
            Ok(())
        } else {
            self.keep(fresh)?;
            self.understand_partial().map(drop).map_err(End::Fault)
        }
    }

    /// Keeps bytes for later, within what all connections together may keep.
    fn keep(&mut self, bytes: &[u8]) -> Result<(), End> {
        if bytes.is_empty() {
            return Ok(());
        }
        let all = self.face.buffered.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        self.partial.extend_from_slice(bytes);
        if all > self.face.config.max_buffered && !self.face.evict_slowest(&self.conversation) {
            return Err(End::Idle(TOO_MUCH_UNFINISHED));
        }
        Ok(())
    }

    /// Remembers since when a request is waited for; `fresh` if what was before it is understood.
    fn note_unfinished(&mut self, fresh: bool) {
        let waits =
            !self.partial.is_empty() && matches!(next_frame(&self.partial, self.face.config.max_request), Ok(None));
        self.unfinished = match self.unfinished {
            _ if !waits => None,
            Some(since) if !fresh => Some(since),
            _ => Some(Instant::now()),
        };
        self.conversation.note_unfinished(self.unfinished);
    }

    /// True if something was understood.
    fn understand_partial(&mut self) -> Result<bool, Fault> {
        let bytes = std::mem::take(&mut self.partial);
        let result = self.understand(&bytes, Instant::now());
        let used = *result.as_ref().unwrap_or(&0);
        self.partial = bytes;
        self.partial.advance(used);
        self.face.buffered.fetch_sub(used, Ordering::Relaxed);
        if self.partial.is_empty() {
            // An idle connection holds no buffer.
            self.partial = BytesMut::new();
        }
        self.note_unfinished(used > 0);
        result.map(|used| used > 0)
    }

    /// Understands as much as it may; returns the bytes used.
    fn understand(&mut self, bytes: &[u8], now: Instant) -> Result<usize, Fault> {
        let mut used = 0;
        if !self.greeted {
            if let Some(word) = four_letter::word(bytes) {
                self.greeted = true;
                four_letter::answer(&self.conversation, word);
                return Ok(bytes.len());
            }
            used = self.conversation.greet(bytes, now)?;
            self.greeted = used > 0;
        }
        if self.greeted && self.conversation.session.get().is_some() {
            used += self.conversation.receive(bytes.get(used..).unwrap_or_default(), now)?;
        }
        Ok(used)
    }

    /// Writes as much as the socket takes.
    fn write(&mut self) -> std::io::Result<()> {
        let mut outlet = self.conversation.outlet.lock();
        let result = outlet.write(&self.conversation.outbox, &self.face.stats);
        self.flushed = outlet.is_drained();
        self.progress = outlet.progress();
        result
    }

    fn finish(self, end: End) {
        let (face, conversation) = (self.face, self.conversation);
        face.conversations.lock().remove(&conversation.number);
        face.buffered.fetch_sub(self.partial.len(), Ordering::Relaxed);
        conversation.end();
        face.relieved_by(&conversation);
        let overflowed = conversation.outbox.lock().overflowed;
        let reason = match end {
            End::Fault(fault) => {
                Stats::add(&face.stats.malformed, 1);
                fault.to_string()
            }
            End::Idle(what) => what.to_owned(),
            End::Done if overflowed => {
                format!("more than {} bytes were waiting for it", face.config.max_out_queue)
            }
            End::Unread => {
                let limit = face.unread.limit();
                format!("more than {limit} bytes were waiting for all clients together, and most of them for it")
            }
            End::Gone | End::Done | End::Stopping => return,
        };
        Stats::add(&face.stats.connections_dropped, 1);
        face.complain(conversation.peer, format_args!("client disconnected: {reason}"));
    }
}
