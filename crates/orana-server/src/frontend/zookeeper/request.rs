//! Bytes of a connection → what to do about them: reads are looked up together, writes are submitted without
//! awaiting one another, everything keeps its place in the order of the connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use orana_node::Completion;
use orana_state::{Action, Command, Refusal};
use orana_wire::zookeeper::frame::{FrameError, next_frame};
use orana_wire::zookeeper::record::Reader as Bytes2Record;
use orana_wire::zookeeper::request::{Auth, DecodeError, decode_request};
use orana_wire::zookeeper::response::put_header_frame;
use orana_wire::zookeeper::{ConnectRequest, ErrorCode, OpCode, Request, RequestHeader};

use super::auth;
use super::conversation::{Conversation, deferred_write};
use super::outbox::{Deferred, Ending, Outbox};
use super::session::{self, Opening};
use super::stats::Stats;
use super::write::{self, Shape};

/// Reads that may wait behind a write. They run while the state is held, so there must not be many.
const MAX_DEFERRED_READS: usize = 64;

/// Why a connection has to end without an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("a frame of {0} bytes is too short for a header")]
    Short(usize),
    #[error("the first frame is no connect request: {0}")]
    NoConnect(String),
    #[error("an authentication packet that ends early")]
    Auth,
}

/// A read that is answered together with its neighbours.
struct Look<'b> {
    xid: i32,
    request: Result<Request<'b>, ErrorCode>,
    frame: &'b [u8],
}

/// A frame as header and record; `None` if it is too short.
pub(super) fn split(frame: &[u8]) -> Option<(RequestHeader, &[u8])> {
    let mut reader = Bytes2Record::new(frame);
    let header = reader.read::<RequestHeader>().ok()?;
    Some((header, reader.rest()))
}

impl Conversation {
    /// How many more requests may be taken now.
    pub(super) fn room(&self, out: &Outbox) -> usize {
        if out.ending != Ending::Open
            || out.ends_when_drained
            || out.is_ahead()
            || out.deferred_reads >= MAX_DEFERRED_READS
        {
            return 0;
        }
        let in_flight = self.face.config.max_in_flight.saturating_sub(out.deferred.len());
        // Only what already waits counts: a burst of reads with nothing before it is answered at once.
        if out.deferred.is_empty() {
            usize::MAX
        } else {
            in_flight.min(MAX_DEFERRED_READS - out.deferred_reads)
        }
    }

    /// Takes the connect request. Returns the bytes used; nothing more may be read until there is a session.
    pub(super) fn greet(self: &Arc<Self>, bytes: &[u8], now: Instant) -> Result<usize, Fault> {
        let Some((body, used)) = next_frame(bytes, self.face.config.max_request)? else {
            return Ok(0);
        };
        let asked = ConnectRequest::decode(body).map_err(|error| Fault::NoConnect(error.to_string()))?;
        Stats::add(&self.face.stats.received, 1);
        self.seen.received.fetch_add(1, Ordering::Relaxed);
        match session::open(&self.face.centre, &self.face.config, &asked) {
            Opening::Ahead => {
                tracing::info!(peer = %self.peer, zxid = asked.last_zxid_seen, "client has seen a later zxid: closed");
                self.outbox.lock().end(Ending::Now);
            }
            refused @ (Opening::Refused | Opening::Stranger) => {
                if matches!(refused, Opening::Stranger) {
                    self.complain(format_args!("wrong password for session 0x{:x}", asked.session_id));
                }
                let mut out = self.outbox.lock();
                out.raw(&session::refusal(asked.read_only));
                out.end(Ending::AfterFlush);
            }
            Opening::Resumed(session) => {
                let (lease, timeout_ms) = (session.lease, session.timeout_ms);
                // The connection that held the session until now is closed before this one hears of it.
                let holder: std::sync::Weak<dyn orana_node::Holder> = Arc::downgrade(self) as _;
                session::take_up(&session, holder, now);
                let _ = self.session.set(session);
                let secret = self
                    .face
                    .centre
                    .read(|state| state.lease(lease).map(|lease| lease.secret));
                let mut out = self.outbox.lock();
                match secret {
                    Some(secret) => out.raw(&session::response(lease, secret, timeout_ms, asked.read_only)),
                    // It ended between two looks.
                    None => {
                        out.raw(&session::refusal(asked.read_only));
                        out.end(Ending::AfterFlush);
                    }
                }
            }
            Opening::New { grant, timeout_ms } => {
                let shape = Shape::Session {
                    timeout_ms,
                    read_only: asked.read_only,
                };
                self.submit(None, 0, grant, shape, used, now);
            }
        }
        Ok(used)
    }

    /// Takes as many whole requests as there is room for; returns the bytes used.
    pub(super) fn receive(self: &Arc<Self>, bytes: &[u8], now: Instant) -> Result<usize, Fault> {
        let mut room = self.room(&self.outbox.lock());
        let (mut used, mut taken) = (0, 0);
        let mut looks: Vec<Look<'_>> = Vec::new();
        let mut fault = None;
        while room > 0 {
            let frame = match next_frame(bytes.get(used..).unwrap_or_default(), self.face.config.max_request) {
                Ok(Some((frame, length))) => {
                    used += length;
                    frame
                }
                Ok(None) => break,
                Err(error) => {
                    fault = Some(error.into());
                    break;
                }
            };
            let Some((header, record)) = split(frame) else {
                fault = Some(Fault::Short(frame.len()));
                break;
            };
            taken += 1;
            room -= 1;
            self.seen.last_op.store(header.op, Ordering::Relaxed);
            self.seen.last_xid.store(i64::from(header.xid), Ordering::Relaxed);
            match self.route(header, record, frame, &mut looks, now) {
                Ok(true) => {
                    // A write went on its way: from here on everything behind it waits.
                    room = room.min(self.room(&self.outbox.lock()));
                }
                Ok(false) => {}
                Err(error) => {
                    fault = Some(error);
                    break;
                }
            }
        }
        self.look_up(&mut looks, now);
        Stats::add(&self.face.stats.received, taken);
        self.seen.received.fetch_add(taken, Ordering::Relaxed);
        fault.map_or(Ok(used), Err)
    }

    /// True if the request was a write, which was submitted.
    fn route<'b>(
        self: &Arc<Self>,
        header: RequestHeader,
        record: &'b [u8],
        frame: &'b [u8],
        looks: &mut Vec<Look<'b>>,
        now: Instant,
    ) -> Result<bool, Fault> {
        let RequestHeader { xid, op } = header;
        let known = OpCode::try_from(op).ok();
        let request = match decode_request(op, record) {
            Ok(Request::Auth(auth)) => {
                self.look_up(looks, now);
                self.authenticate(xid, &auth);
                return Ok(false);
            }
            // Only inside a multi, or only of the server's own making.
            Ok(Request::Check(_) | Request::DeleteContainer(_) | Request::CreateSession(_)) => Err(None),
            Ok(request) => Ok(request),
            Err(DecodeError::Malformed(_)) if known == Some(OpCode::Auth) => return Err(Fault::Auth),
            Err(DecodeError::UnknownOp(_)) => Err(None),
            Err(_)
                if matches!(
                    known,
                    Some(OpCode::Check | OpCode::DeleteContainer | OpCode::CreateSession)
                ) =>
            {
                Err(None)
            }
            Err(_) => Err(Some(ErrorCode::MarshallingError)),
        };
        let request = match request {
            Ok(request) => request,
            Err(None) => {
                self.look_up(looks, now);
                Stats::add(&self.face.stats.malformed, 1);
                self.complain(format_args!("unknown operation {op}"));
                let mut reply = BytesMut::new();
                put_header_frame(&mut reply, xid, -1, ErrorCode::Unimplemented.as_i32());
                self.ready(reply.freeze(), true);
                self.turn();
                return Ok(false);
            }
            Err(Some(code)) => {
                Stats::add(&self.face.stats.malformed, 1);
                self.complain(format_args!("malformed request of operation {op}"));
                if known.is_some_and(write::takes_a_number) {
                    self.look_up(looks, now);
                    self.submit_for_session(
                        xid,
                        Action::Refuse(Refusal::Malformed),
                        Shape::Code(code),
                        frame.len(),
                        now,
                    );
                    return Ok(true);
                }
                looks.push(Look {
                    xid,
                    request: Err(code),
                    frame,
                });
                return Ok(false);
            }
        };
        if let Request::CloseSession = request {
            self.look_up(looks, now);
            if let Some(session) = self.session.get() {
                self.submit(
                    Some(session.lease),
                    xid,
                    Action::Revoke(session.lease),
                    Shape::Close,
                    frame.len(),
                    now,
                );
            }
            return Ok(true);
        }
        match write::translate(&request) {
            Some((action, shape)) => {
                self.look_up(looks, now);
                self.submit_for_session(xid, action, shape, frame.len(), now);
                Ok(true)
            }
            None => {
                looks.push(Look {
                    xid,
                    request: Ok(request),
                    frame,
                });
                Ok(false)
            }
        }
    }

    /// Answers reads now, or lets them wait: behind the writes that stand before them, or until the client has read
    /// what was answered already.
    fn look_up(&self, looks: &mut Vec<Look<'_>>, now: Instant) {
        if looks.is_empty() {
            return;
        }
        self.face.centre.read(|state| {
            let mut out = self.outbox.lock();
            let identities = out.identities.clone();
            let mut answered = 0;
            for look in looks.drain(..) {
                if out.ending != Ending::Open {
                    break;
                }
                if out.deferred.is_empty() && !out.is_ahead() {
                    self.answer(
                        state,
                        &mut out,
                        look.xid,
                        look.request.as_ref().map_err(|code| *code),
                        &identities,
                    );
                    answered += 1;
                } else {
                    // Where nothing but the client itself is waited for, its task has to go on with it.
                    out.stuck |= out.is_ahead();
                    out.defer(Deferred::Read {
                        frame: look.frame.into(),
                        identities: identities.clone(),
                        since: now,
                    });
                }
            }
            drop(out);
            if answered > 0 {
                self.took(now.elapsed(), answered);
            }
        });
    }

    fn submit_for_session(self: &Arc<Self>, xid: i32, action: Action, shape: Shape, bytes: usize, now: Instant) {
        if let Some(session) = self.session.get() {
            self.submit(Some(session.lease), xid, action, shape, bytes, now);
        }
    }

    fn submit(
        self: &Arc<Self>,
        issuer: Option<orana_state::LeaseId>,
        xid: i32,
        action: Action,
        shape: Shape,
        bytes: usize,
        now: Instant,
    ) {
        let (tag, identities) = {
            let mut out = self.outbox.lock();
            (out.defer(deferred_write(xid, shape, now)), out.identities.clone())
        };
        let command = Command {
            issuer,
            identities,
            action,
        };
        let completion: Arc<dyn Completion> = self.clone();
        self.face.centre.submit(command, bytes, completion, tag);
    }

    fn authenticate(&self, xid: i32, asked: &Auth<'_>) {
        let mut out = self.outbox.lock();
        let super_digest = self.face.config.super_digest.as_deref();
        let more = auth::authenticate(&out.identities, asked.scheme.as_deref(), asked.auth, super_digest);
        let mut reply = BytesMut::new();
        let then_close = match more {
            Some(identities) => {
                out.identities = identities;
                put_header_frame(&mut reply, xid, 0, ErrorCode::Ok.as_i32());
                false
            }
            None => {
                Stats::add(&self.face.stats.auth_failed, 1);
                self.complain(format_args!("an identity that could not be proved"));
                put_header_frame(&mut reply, xid, 0, ErrorCode::AuthFailed.as_i32());
                true
            }
        };
        out.defer(Deferred::Ready {
            frame: Bytes::from(reply),
            then_close,
        });
        drop(out);
        self.turn();
    }

    fn complain(&self, what: std::fmt::Arguments<'_>) {
        self.face.complain(self.peer, what);
    }

    /// Lets whatever stands first and needs no more waiting have its turn.
    pub(super) fn turn(&self) {
        self.face
            .centre
            .read(|state| self.advance(state, &mut self.outbox.lock()));
    }
}
