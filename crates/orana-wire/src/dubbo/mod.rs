//! The protocol `dubbo://`, version 2: frames, what is called, what comes of it, and events.
//!
//! In the order a conversation uses them: [`frame`] cuts the stream, [`header`] says whose turn it is, [`request`]
//! and [`response`] carry calls, [`event`] heartbeats and the announcement of an end. Bodies are streams of
//! [`hessian`](crate::hessian) values; one body is one stream. Which service there is, and who may call it, is not
//! known here.

pub mod attachments;
pub mod descriptor;
pub mod event;
pub mod foreign;
pub mod frame;
pub mod header;
pub mod request;
pub mod response;
pub mod version;

pub use attachments::Attachments;
pub use descriptor::Descriptor;
pub use event::Event;
pub use frame::{FrameError, Frames, Step};
pub use header::{Direction, Header, Serialization, Status};
pub use request::{Invocation, InvocationHead};
pub use response::{Outcome, Response};
