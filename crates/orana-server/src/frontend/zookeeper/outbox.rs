//! What one connection still has to say, in the order in which it is to be said. Shared by the connection's
//! task, which writes it to the socket, and the task that applies commands, which puts replies and events in.
//! Decides order and the zxid of each header; knows neither socket nor state.
//!
//! ```text
//!  ready:     shared · shared · tail          bytes that may leave now
//!  deferred:  write(pending) · read · write   requests whose turn has not come, in their order
//!  held:      child events that may still be joined; told before anything at or above their zxid
//! ```

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use orana_node::{Event, EventKind};
use orana_state::{Identities, Outcome, Zxid, path};
use orana_wire::zookeeper::ErrorCode;
use orana_wire::zookeeper::event::{self, EventKind as WireEvent};
use orana_wire::zookeeper::frame::{begin_frame, end_frame};
use orana_wire::zookeeper::response::{frame_prefix, put_header_frame, reply_header};

use super::unread::{Part, Unread};
use super::write::Shape;

/// Bodies from this size on are shared instead of copied.
const SHARED_FROM: usize = 2048;
/// While so many bytes wait for a client, nothing more is read from it and no more of its requests are answered.
pub(super) const PAUSE_FROM: usize = 1 << 20;

/// A request whose turn has not come.
pub(super) enum Deferred {
    /// A write that was submitted.
    Write {
        xid: i32,
        shape: Shape,
        since: Instant,
        resolution: Option<Resolution>,
    },
    /// A read behind a write: the frame as it came, with who asked.
    Read {
        frame: Box<[u8]>,
        identities: Identities,
        since: Instant,
    },
    /// A reply that needs nothing but its turn; afterwards the connection may have to end.
    Ready { frame: Bytes, then_close: bool },
}

/// What became of a write.
pub(super) enum Resolution {
    Applied(Outcome),
    Failed(Option<ErrorCode>),
}

/// How the connection is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// Not yet.
    Open,
    /// When what is queued has left.
    AfterFlush,
    /// At once.
    Now,
}

/// Bytes that leave as they are.
pub(super) struct Piece {
    pub(super) bytes: Bytes,
    /// True if they are in memory for others as well.
    pub(super) shared: bool,
}

pub(super) struct Outbox {
    ready: Vec<Piece>,
    tail: BytesMut,
    /// Bytes that are not written to the socket yet, those that the task has taken included.
    pub(super) queued: usize,
    /// Those of them that nobody shares, told to all connections' sum as well.
    own: usize,
    part: Part,
    pub(super) deferred: VecDeque<Deferred>,
    /// Tag of the first deferred request.
    pub(super) first_tag: u64,
    /// Reads among the deferred.
    pub(super) deferred_reads: usize,
    held: Vec<Held>,
    pub(super) hold_until: Option<Instant>,
    last_zxid: i64,
    pub(super) ending: Ending,
    /// True if the task was or will be woken for what is in here.
    pub(super) told: bool,
    pub(super) limit: usize,
    pub(super) overflowed: bool,
    pub(super) identities: Identities,
    pub(super) joined: u64,
    pub(super) events: u64,
    /// Replies and events since the task looked last, and in all.
    pub(super) sent: u64,
    pub(super) sent_in_all: u64,
    /// Something waits for the task to let the queue go on: a write failed without a look at the state, or the client
    /// has to read first.
    pub(super) stuck: bool,
    /// The session is over; the connection ends when what can be answered is answered.
    pub(super) ends_when_drained: bool,
}

struct Held {
    path: Box<str>,
    zxid: Zxid,
}

impl Outbox {
    pub(super) fn new(identities: Identities, limit: usize, unread: Arc<Unread>) -> Outbox {
        Outbox {
            ready: Vec::new(),
            tail: BytesMut::new(),
            queued: 0,
            own: 0,
            part: Part::of(unread),
            deferred: VecDeque::new(),
            first_tag: 0,
            deferred_reads: 0,
            held: Vec::new(),
            hold_until: None,
            last_zxid: 0,
            ending: Ending::Open,
            told: false,
            limit,
            overflowed: false,
            identities,
            joined: 0,
            events: 0,
            sent: 0,
            sent_in_all: 0,
            stuck: false,
            ends_when_drained: false,
        }
    }

    /// Queues a request behind those that wait; returns its tag.
    pub(super) fn defer(&mut self, request: Deferred) -> u64 {
        self.deferred_reads += usize::from(matches!(request, Deferred::Read { .. }));
        self.deferred.push_back(request);
        self.first_tag + self.deferred.len() as u64 - 1
    }

    /// Takes the first deferred request.
    pub(super) fn pop(&mut self) -> Option<Deferred> {
        let request = self.deferred.pop_front()?;
        self.first_tag += 1;
        self.deferred_reads -= usize::from(matches!(request, Deferred::Read { .. }));
        Some(request)
    }

    /// Notes what became of a write.
    pub(super) fn resolve(&mut self, tag: u64, with: Resolution) {
        let at = tag.checked_sub(self.first_tag).and_then(|at| usize::try_from(at).ok());
        if let Some(Deferred::Write { resolution, .. }) = at.and_then(|at| self.deferred.get_mut(at)) {
            *resolution = Some(with);
        }
    }

    /// A reply with a body of its own.
    pub(super) fn reply(&mut self, xid: i32, zxid: i64, body: impl FnOnce(&mut BytesMut)) {
        self.precede(zxid);
        let before = self.tail.len();
        let frame = begin_frame(&mut self.tail);
        reply_header(&mut self.tail, xid, zxid, ErrorCode::Ok.as_i32());
        body(&mut self.tail);
        end_frame(&mut self.tail, frame);
        self.count(self.tail.len() - before, 0);
    }

    /// A reply whose body is shared with others.
    pub(super) fn reply_shared(&mut self, xid: i32, zxid: i64, body: Bytes) {
        self.precede(zxid);
        let prefix = frame_prefix(xid, zxid, ErrorCode::Ok.as_i32(), body.len());
        self.tail.extend_from_slice(&prefix);
        if body.len() < SHARED_FROM {
            self.tail.extend_from_slice(&body);
            self.count(prefix.len() + body.len(), 0);
        } else {
            self.close_tail();
            self.count(prefix.len(), body.len());
            self.ready.push(Piece {
                bytes: body,
                shared: true,
            });
        }
    }

    /// A reply without a body, or an error.
    pub(super) fn reply_code(&mut self, xid: i32, zxid: i64, code: ErrorCode) {
        self.precede(zxid);
        put_header_frame(&mut self.tail, xid, zxid, code.as_i32());
        self.count(20, 0);
    }

    /// An error that has a body all the same (only multis do).
    pub(super) fn reply_code_with(&mut self, xid: i32, zxid: i64, code: ErrorCode, body: &[u8]) {
        self.precede(zxid);
        let prefix = frame_prefix(xid, zxid, code.as_i32(), body.len());
        self.tail.extend_from_slice(&prefix);
        self.tail.extend_from_slice(body);
        self.count(prefix.len() + body.len(), 0);
    }

    /// A frame that is ready as it is (a connect response, a reply without a zxid).
    pub(super) fn raw(&mut self, frame: &[u8]) {
        self.tail.extend_from_slice(frame);
        self.count(frame.len(), 0);
    }

    /// An event. One that may be joined is held; any other one is preceded by those that are held.
    pub(super) fn event(&mut self, event: &Event<'_>) {
        if let Some(until) = event.hold_until {
            self.held.push(Held {
                path: event.path.into(),
                zxid: event.zxid,
            });
            self.hold_until = Some(self.hold_until.map_or(until, |earlier| earlier.min(until)));
            self.joined += 1;
            return;
        }
        self.release();
        self.put_event(event.zxid, event.kind, event.path);
    }

    fn put_event(&mut self, zxid: Zxid, kind: EventKind, path: &str) {
        let before = self.tail.len();
        event::put_event(&mut self.tail, zxid.0, wire_kind(kind), path);
        self.events += 1;
        self.count(self.tail.len() - before, 0);
    }

    /// A catch-up event of `setWatches`, which has no command of its own.
    pub(super) fn catch_up(&mut self, zxid: Zxid, kind: EventKind, path: &str) {
        self.release();
        self.put_event(zxid, kind, path);
    }

    /// Tells what is held.
    pub(super) fn release(&mut self) {
        if self.held.is_empty() {
            return;
        }
        self.hold_until = None;
        for held in std::mem::take(&mut self.held) {
            self.put_event(held.zxid, EventKind::ChildrenChanged, &held.path);
        }
    }

    /// The zxid for the header of a reply that shows the node at `path` (`None`: no node at all). While events
    /// are held it stays below them, unless the reply shows what they tell: then they are told first.
    pub(super) fn zxid_for(&mut self, current: Zxid, path: Option<&str>) -> i64 {
        let Some(first) = self.held.first() else {
            return current.0;
        };
        let below = first.zxid.0 - 1;
        let shows = path.is_some_and(|path| {
            let parent = path::parent(path);
            self.held
                .iter()
                .any(|held| &*held.path == path || &*held.path == parent)
        });
        if shows {
            self.release();
            return current.0;
        }
        below.max(self.last_zxid)
    }

    /// No header at or above a held event leaves before it.
    fn precede(&mut self, zxid: i64) {
        if self.held.first().is_some_and(|held| zxid >= held.zxid.0) {
            self.release();
        }
        self.last_zxid = self.last_zxid.max(zxid);
    }

    fn count(&mut self, own: usize, shared: usize) {
        self.sent += 1;
        self.sent_in_all += 1;
        self.queued += own + shared;
        self.own += own;
        self.part.set(self.own);
        if self.queued > self.limit {
            self.overflow();
        }
    }

    /// Ends the connection, whose client asks for more than can be kept for it.
    pub(super) fn overflow(&mut self) {
        self.overflowed = true;
        self.ending = Ending::Now;
    }

    /// True while so much waits for the client that nothing should be added.
    pub(super) fn is_ahead(&self) -> bool {
        self.queued > PAUSE_FROM
    }

    /// True if the first request could be answered and only its task has not come to it.
    pub(super) fn is_held_up(&self) -> bool {
        !matches!(
            self.deferred.front(),
            None | Some(Deferred::Write { resolution: None, .. })
        )
    }

    fn close_tail(&mut self) {
        if !self.tail.is_empty() {
            self.ready.push(Piece {
                bytes: self.tail.split().freeze(),
                shared: false,
            });
        }
    }

    /// Moves what may leave to the task.
    pub(super) fn take(&mut self, into: &mut VecDeque<Piece>) {
        self.close_tail();
        into.extend(self.ready.drain(..));
    }

    /// The socket has taken so many bytes, and among them so many that nobody shares.
    pub(super) fn written(&mut self, bytes: usize, own: usize) {
        self.queued = self.queued.saturating_sub(bytes);
        self.own = self.own.saturating_sub(own);
        self.part.set(self.own);
    }

    /// What waits for this client: bytes of its own and bytes that others share.
    pub(super) fn unread(&self) -> (usize, usize) {
        (self.own, self.queued.saturating_sub(self.own))
    }

    /// Drops everything, at the end of the connection.
    pub(super) fn discard(&mut self) {
        self.end(Ending::Now);
        self.deferred.clear();
        self.ready = Vec::new();
        self.tail = BytesMut::new();
        (self.queued, self.own) = (0, 0);
        self.part.set(0);
    }

    /// True if all there is to do is to write a few bytes.
    pub(super) fn only_has_output(&self, at_most: usize) -> bool {
        self.has_output()
            && self.queued <= at_most
            && self.ending == Ending::Open
            && self.hold_until.is_none()
            && !self.stuck
            && !self.ends_when_drained
    }

    /// True if there is something to write.
    pub(super) fn has_output(&self) -> bool {
        !self.tail.is_empty() || !self.ready.is_empty()
    }

    pub(super) fn end(&mut self, ending: Ending) {
        self.ending = self.ending.max(ending);
    }

    pub(super) fn last_zxid(&self) -> i64 {
        self.last_zxid
    }
}

fn wire_kind(kind: EventKind) -> WireEvent {
    match kind {
        EventKind::Created => WireEvent::NodeCreated,
        EventKind::Deleted => WireEvent::NodeDeleted,
        EventKind::DataChanged => WireEvent::NodeDataChanged,
        EventKind::ChildrenChanged => WireEvent::NodeChildrenChanged,
    }
}

#[cfg(test)]
mod tests;
