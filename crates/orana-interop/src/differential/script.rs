//! What is done to a server: plain values, so that a script can be performed again, cut down and printed.

use std::fmt;

use bytes::BytesMut;
use orana_wire::zookeeper::{OpCode, Request, request::SetWatches};

use super::vocabulary::MUCH;

/// Stands for the episode's own node wherever a path begins with it; as long as what replaces it.
pub const ROOT: &str = "/episode";

/// Connections that a script may have at once.
pub const SLOTS: usize = 4;

/// One thing that happens; the next one happens when everybody has seen this one.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A connection is made in a slot; one that was there is hung up.
    Open {
        /// Where.
        slot: usize,
        /// With which session.
        how: How,
    },
    /// Requests in one write; then all their answers are waited for.
    Ask {
        /// By whom.
        slot: usize,
        /// What.
        asks: Vec<Ask>,
    },
    /// The connection is closed without a word; the session stays.
    HangUp {
        /// Whose.
        slot: usize,
    },
    /// The connection is closed without a word and the session's end is waited for.
    Expire {
        /// Whose.
        slot: usize,
    },
}

/// How a connection is opened. Sessions have numbers in the script, since their ids differ from server to server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum How {
    /// A new session.
    New {
        /// Its number from now on.
        session: usize,
        /// The time-out it asks for.
        timeout_ms: i32,
        /// The readOnly byte, or none.
        read_only: Option<bool>,
    },
    /// A session of before.
    Resume {
        /// Its number.
        session: usize,
        /// Whether the password is the right one.
        password: bool,
        /// Whether the client claims to have seen more than the server.
        ahead: bool,
        /// The time-out it asks for.
        timeout_ms: i32,
    },
}

/// One request, or something like it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Its number.
    pub xid: i32,
    /// What is asked.
    pub what: What,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A request as it should be.
    Whole(Request<'static>),
    /// A request that lacks its last bytes.
    Cut(Request<'static>, usize),
    /// A request with bytes behind it.
    Long(Request<'static>),
    /// An operation that there is not, or not for clients.
    Number(i32, &'static [u8]),
    /// Bytes that are no request at all.
    Bytes(&'static [u8]),
}

impl Step {
    /// The slot it is about.
    pub fn slot(&self) -> usize {
        match self {
            Step::Open { slot, .. } | Step::Ask { slot, .. } | Step::HangUp { slot } | Step::Expire { slot } => *slot,
        }
    }

    /// Whether a session ends in it, which removes several nodes in an order that nobody promises.
    pub fn ends_session(&self) -> bool {
        match self {
            Step::Expire { .. } => true,
            Step::Ask { asks, .. } => asks.iter().any(|ask| ask.op() == Some(OpCode::CloseSession)),
            Step::Open { .. } | Step::HangUp { .. } => false,
        }
    }
}

impl Ask {
    /// A request under a number.
    pub fn whole(xid: i32, request: Request<'static>) -> Ask {
        Ask {
            xid,
            what: What::Whole(request),
        }
    }

    /// The request, if it is one, whole or not.
    pub fn request(&self) -> Option<&Request<'static>> {
        match &self.what {
            What::Whole(request) | What::Cut(request, _) | What::Long(request) => Some(request),
            What::Number(..) | What::Bytes(_) => None,
        }
    }

    /// The operation, if it is one.
    pub fn op(&self) -> Option<OpCode> {
        self.request().map(Request::op)
    }

    /// Its name in the coverage.
    pub fn label(&self) -> &'static str {
        self.op().map_or("unknown", OpCode::name)
    }

    /// Whether the server closes the connection after it, whatever the answer.
    pub fn ends_connection(&self) -> bool {
        match &self.what {
            What::Number(..) | What::Bytes(_) => true,
            _ => self.op() == Some(OpCode::CloseSession),
        }
    }

    /// Appends its bytes. The zxid in a setWatches counts backwards from `newest`: -1 is the newest itself, -3 the one
    /// two before; 0 stays 0.
    pub fn encode(&self, newest: i64, out: &mut BytesMut) {
        let start = out.len();
        let since = |relative: i64| if relative == 0 { 0 } else { newest + 1 + relative };
        match &self.what {
            What::Whole(Request::SetWatches(watches)) => {
                let relative_zxid = since(watches.relative_zxid);
                Request::SetWatches(SetWatches {
                    relative_zxid,
                    ..watches.clone()
                })
                .encode(self.xid, out);
            }
            What::Whole(Request::SetWatches2(watches)) => {
                let mut watches = watches.clone();
                watches.one_shot.relative_zxid = since(watches.one_shot.relative_zxid);
                Request::SetWatches2(watches).encode(self.xid, out);
            }
            What::Whole(request) => request.encode(self.xid, out),
            What::Cut(request, missing) => {
                request.encode(self.xid, out);
                let record = out.len() - start - 12;
                out.truncate(out.len() - (*missing).min(record));
            }
            What::Long(request) => {
                request.encode(self.xid, out);
                out.extend_from_slice(b"more than was asked for");
            }
            What::Number(op, body) => {
                out.extend_from_slice(&[0; 4]);
                out.extend_from_slice(&self.xid.to_be_bytes());
                out.extend_from_slice(&op.to_be_bytes());
                out.extend_from_slice(body);
            }
            What::Bytes(bytes) => {
                out.extend_from_slice(bytes);
                return;
            }
        }
        let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
        out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Open { slot, how } => write!(out, "[{slot}] open {how:?}"),
            Step::HangUp { slot } => write!(out, "[{slot}] hang up"),
            Step::Expire { slot } => write!(out, "[{slot}] expire"),
            Step::Ask { slot, asks } => {
                let together = if asks.len() > 1 { "burst " } else { "" };
                for ask in asks {
                    let what = format!("{:?}", ask.what).replace(&format!("{MUCH:?}"), "much");
                    writeln!(out, "[{slot}] {together}#{} {what}", ask.xid)?;
                }
                Ok(())
            }
        }
    }
}
