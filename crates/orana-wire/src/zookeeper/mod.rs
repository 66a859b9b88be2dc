//! The ZooKeeper client protocol, version 0: frames, records, requests, replies and watch events.
//!
//! In the order a conversation uses them: [`frame`] cuts the stream, [`connect`] opens a session, [`header`] and
//! [`request`] carry what the client asks, [`response`] and [`event`] what the server says. [`record`] is the
//! encoding beneath all of them. What an operation *means*, and which error wins, is not known here.

pub mod acl;
pub mod code;
pub mod connect;
pub mod event;
pub mod frame;
pub mod header;
pub mod multi;
pub mod op;
pub mod record;
pub mod reply;
pub mod request;
pub mod response;
pub mod stat;

pub use acl::{Acl, Identity};
pub use code::ErrorCode;
pub use connect::{ConnectRequest, ConnectResponse};
pub use event::{EventKind, WatchedEvent};
pub use header::{ReplyHeader, RequestHeader};
pub use multi::{MultiOp, MultiResult};
pub use op::OpCode;
pub use record::{Path, WireError};
pub use reply::Reply;
pub use request::{DecodeError, Request, decode_request};
pub use stat::Stat;
