//! What the two sides of a connection share: its task, which reads and writes the socket, and the task that
//! applies commands. Here a connection is told what came of its writes, what happened to what it watches, and
//! that its session has ended.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use bytes::Bytes;
use orana_node::{Alarm, Completion, Event, Holder, NodeError, Observer, Told, Wakes, Watcher};
use orana_state::acl::permits;
use orana_state::{Effect, Identities, Outcome, Permission, Refusal, State};
use orana_wire::zookeeper::request::decode_request;
use orana_wire::zookeeper::{ErrorCode, Request};
use parking_lot::Mutex;

use super::auth;
use super::error::failure;
use super::face::Face;
use super::outbox::{Deferred, Ending, Outbox, Resolution};
use super::outlet::Outlet;
use super::read::Reader;
use super::session::{self, Session};
use super::stats::{Latency, Stats};
use super::write::{self, Shape};

pub(super) struct Conversation {
    /// Itself, to be named as the holder of its session.
    me: Weak<Conversation>,
    pub(super) number: u64,
    pub(super) peer: SocketAddr,
    pub(super) face: Arc<Face>,
    pub(super) outbox: Mutex<Outbox>,
    /// Locked before the outbox, where both are.
    pub(super) outlet: Mutex<Outlet>,
    pub(super) alarm: Alarm,
    pub(super) session: OnceLock<Session>,
    /// Taken away when the connection ends, so that the watches end with it.
    watcher: Mutex<Option<Watcher>>,
    pub(super) established: std::time::SystemTime,
    pub(super) seen: Seen,
    /// Since when a request of it is not whole, in milliseconds of the face; 0 if there is none.
    unfinished_since_ms: AtomicU64,
    /// Set if it has to go because it is in the way of others.
    pub(super) evicted: OnceLock<Eviction>,
    local_port: u16,
}

/// Why a connection has to make room for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eviction {
    /// Too much of all requests is not whole, and its one is the oldest.
    Unfinished,
    /// Too much of all that was said is not read, and most of it by this one.
    Unread,
}

/// What the four-letter words tell about a connection.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) received: AtomicU64,
    pub(super) last_op: AtomicI32,
    pub(super) last_xid: AtomicI64,
    pub(super) latency: Latency,
    pub(super) last_latency_us: AtomicU64,
    pub(super) last_reply_at_ms: AtomicU64,
}

impl Conversation {
    pub(super) fn new(face: Arc<Face>, peer: SocketAddr, local_port: u16, outlet: Outlet) -> Arc<Conversation> {
        let identities = auth::by_address(peer.ip());
        let (limit, unread) = (face.config.max_out_queue, face.unread.clone());
        let conversation = Arc::new_cyclic(|me| Conversation {
            me: me.clone(),
            number: face.next_number(),
            peer,
            outbox: Mutex::new(Outbox::new(identities, limit, unread)),
            outlet: Mutex::new(outlet),
            alarm: Alarm::default(),
            session: OnceLock::new(),
            watcher: Mutex::new(None),
            established: std::time::SystemTime::now(),
            seen: Seen::default(),
            unfinished_since_ms: AtomicU64::new(0),
            evicted: OnceLock::new(),
            local_port,
            face,
        });
        let watcher = conversation.face.centre.watch(conversation.clone());
        *conversation.watcher.lock() = Some(watcher);
        conversation
    }

    /// Ends the watches and lets go of the socket. Called once, by the connection's task when it ends.
    pub(super) fn end(&self) {
        self.outlet.lock().close();
        let watcher = self.watcher.lock().take();
        drop(watcher);
        self.outbox.lock().discard();
    }

    pub(super) fn note_unfinished(&self, since: Option<Instant>) {
        let ms = since.map_or(0, |since| {
            since.saturating_duration_since(self.face.started).as_millis() as u64 + 1
        });
        self.unfinished_since_ms.store(ms, Ordering::Relaxed);
    }

    pub(super) fn unfinished_since_ms(&self) -> Option<u64> {
        Some(self.unfinished_since_ms.load(Ordering::Relaxed)).filter(|ms| *ms > 0)
    }

    /// Ends the connection, because it is in the way of others; false if it is ending anyway.
    pub(super) fn evict(&self, why: Eviction) -> bool {
        let mut out = self.outbox.lock();
        if out.ending == Ending::Now {
            return false;
        }
        // Only the first reason is told.
        let first = self.evicted.set(why).is_ok();
        out.end(Ending::Now);
        drop(out);
        self.alarm.ring();
        first
    }

    /// The port that the client connected to.
    pub(super) fn local_port(&self) -> u16 {
        self.local_port
    }

    /// The watched paths, sorted.
    pub(super) fn watched(&self) -> Vec<Arc<str>> {
        self.watcher.lock().as_ref().map(Watcher::paths).unwrap_or_default()
    }

    /// Answers the requests that stand first in the outbox and whose turn has come.
    /// Stops while the client has much to read; its task goes on once that was read.
    pub(super) fn advance(&self, state: &State, out: &mut Outbox) {
        while out.ending == Ending::Open {
            match out.deferred.front() {
                None | Some(Deferred::Write { resolution: None, .. }) => {
                    if out.ends_when_drained {
                        out.end(Ending::AfterFlush);
                    }
                    return;
                }
                // Its answer may be large; that of a write is not.
                Some(Deferred::Read { .. }) if out.is_ahead() => {
                    out.stuck = true;
                    return;
                }
                Some(_) => {}
            }
            match out.pop() {
                Some(Deferred::Write {
                    xid,
                    shape,
                    since,
                    resolution: Some(resolution),
                }) => {
                    self.settle(state, out, xid, &shape, resolution);
                    self.took(since.elapsed(), 1);
                }
                Some(Deferred::Read {
                    frame,
                    identities,
                    since,
                }) => {
                    self.read_deferred(state, out, &frame, &identities);
                    self.took(since.elapsed(), 1);
                }
                Some(Deferred::Ready { frame, then_close }) => {
                    out.release();
                    out.raw(&frame);
                    if then_close {
                        out.end(Ending::AfterFlush);
                    }
                }
                Some(Deferred::Write { resolution: None, .. }) | None => return,
            }
        }
    }

    fn settle(&self, state: &State, out: &mut Outbox, xid: i32, shape: &Shape, resolution: Resolution) {
        let outcome = match resolution {
            Resolution::Applied(outcome) => outcome,
            // An error code means nothing to a client that waits for its session: it shall try again.
            Resolution::Failed(_) if matches!(shape, Shape::Session { .. }) => return out.end(Ending::Now),
            Resolution::Failed(Some(code)) => {
                let zxid = out.zxid_for(state.zxid(), None);
                return out.reply_code(xid, zxid, code);
            }
            // The client must learn that it does not know.
            Resolution::Failed(None) => return out.end(Ending::Now),
        };
        match (shape, &outcome.result) {
            (Shape::Session { timeout_ms, read_only }, Ok(Effect::Granted(lease))) => {
                let clock = self.face.centre.lease(*lease);
                let secret = state.lease(*lease).map(|lease| lease.secret);
                let (Some(clock), Some(secret)) = (clock, secret) else {
                    return out.end(Ending::Now);
                };
                let session = Session {
                    lease: *lease,
                    clock,
                    timeout_ms: *timeout_ms,
                };
                session::take_up(&session, self.me.clone(), Instant::now());
                out.raw(&session::response(*lease, secret, *timeout_ms, *read_only));
                // Set once: a connection opens one session.
                let _ = self.session.set(session);
            }
            (Shape::Session { .. }, _) => out.end(Ending::Now),
            (Shape::Close, _) => {
                out.reply_code(xid, outcome.zxid.0, ErrorCode::Ok);
                out.end(Ending::AfterFlush);
            }
            // The session ended before its turn came: a real server drops such a request and closes.
            (_, Err(Refusal::LeaseGone)) => out.end(Ending::AfterFlush),
            _ => write::reply(out, xid, shape, &outcome),
        }
    }

    fn read_deferred(&self, state: &State, out: &mut Outbox, frame: &[u8], identities: &Identities) {
        let Some((header, record)) = super::request::split(frame) else {
            return;
        };
        let request = decode_request(header.op, record);
        let request = request.as_ref().map_err(|_| ErrorCode::MarshallingError);
        self.answer(state, out, header.xid, request, identities);
    }

    /// Answers a read now.
    pub(super) fn answer(
        &self,
        state: &State,
        out: &mut Outbox,
        xid: i32,
        request: Result<&Request<'_>, ErrorCode>,
        identities: &Identities,
    ) {
        let watcher = self.watcher.lock();
        let (Some(watcher), Some(session)) = (watcher.as_ref(), self.session.get()) else {
            return;
        };
        let reader = Reader {
            state,
            answers: &self.face.answers,
            watcher,
            lease: session.lease,
            identities,
            max_watches: self.face.config.max_watches,
        };
        match request {
            Ok(request) => reader.answer(xid, request, out),
            Err(code) => reader.refuse(xid, code, out),
        }
    }

    pub(super) fn took(&self, took: std::time::Duration, requests: u64) {
        self.face.stats.latency.record(took, requests);
        self.seen.latency.record(took, requests);
        self.seen
            .last_latency_us
            .store(took.as_micros() as u64, Ordering::Relaxed);
        let at = self.face.started.elapsed();
        self.seen
            .last_reply_at_ms
            .store(at.as_millis() as u64, Ordering::Relaxed);
    }

    /// Queues a reply that needs no look at the state.
    pub(super) fn ready(&self, frame: Bytes, then_close: bool) {
        self.outbox.lock().defer(Deferred::Ready { frame, then_close });
    }

    /// Sees to it that the task looks at the outbox.
    fn tell(&self, out: &mut Outbox, wakes: &mut Wakes) {
        let news = out.has_output() || out.hold_until.is_some() || out.ending != Ending::Open;
        if news {
            self.remember(out, wakes);
        }
    }

    fn remember(&self, out: &mut Outbox, wakes: &mut Wakes) {
        // Nobody is left to be told once the last reference is going.
        if !std::mem::replace(&mut out.told, true)
            && let Some(me) = self.me.upgrade()
        {
            wakes.push(me);
        }
    }
}

impl Told for Conversation {
    fn wake(&self) {
        self.alarm.ring();
    }

    fn act_in_crowd(&self) {
        // Whoever holds the outlet may have looked into the outbox already, and has to do it again.
        let passed_on = self
            .outlet
            .try_lock()
            .is_some_and(|mut outlet| outlet.pass_on(&self.outbox, &self.face.stats));
        if !passed_on {
            self.wake();
        }
    }
}

impl Completion for Conversation {
    fn applied(&self, tag: u64, state: &State, outcome: Outcome, wakes: &mut Wakes) {
        let mut out = self.outbox.lock();
        out.resolve(tag, Resolution::Applied(outcome));
        self.advance(state, &mut out);
        self.tell(&mut out, wakes);
    }

    fn failed(&self, tag: u64, error: &NodeError, wakes: &mut Wakes) {
        let mut out = self.outbox.lock();
        out.resolve(tag, Resolution::Failed(failure(error)));
        // The reply may need the state, which may not be looked at here: the task does it.
        out.stuck = true;
        self.remember(&mut out, wakes);
    }
}

impl Observer for Conversation {
    fn notify(&self, event: &Event<'_>, wakes: &mut Wakes) {
        let mut out = self.outbox.lock();
        // From 3.8.4 and 3.9.2 on nobody is told of what he may not read.
        if out.ending != Ending::Open
            || event
                .acl
                .is_some_and(|acl| !permits(acl, Permission::Read, &out.identities))
        {
            return;
        }
        out.event(event);
        Stats::add(&self.face.stats.events, 1);
        if event.hold_until.is_some() {
            Stats::add(&self.face.stats.events_joined, 1);
        }
        self.tell(&mut out, wakes);
    }
}

impl Holder for Conversation {
    fn ended(&self, wakes: &mut Wakes) {
        let mut out = self.outbox.lock();
        if out.is_held_up() {
            // What was asked before the end is still answered, once the client has read what it has.
            out.ends_when_drained = true;
        } else {
            out.end(Ending::AfterFlush);
        }
        self.tell(&mut out, wakes);
    }

    fn displaced(&self) {
        self.outbox.lock().end(Ending::Now);
        self.alarm.ring();
    }
}

/// The clock of a deferred request starts when it arrived.
pub(super) fn deferred_write(xid: i32, shape: Shape, since: Instant) -> Deferred {
    Deferred::Write {
        xid,
        shape,
        since,
        resolution: None,
    }
}
