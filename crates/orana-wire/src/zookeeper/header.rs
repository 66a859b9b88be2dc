//! What stands in front of every record after the handshake, and the request numbers with a meaning of their own.

use super::record::record;

/// Number of a frame that nobody asked for: a watch event.
pub const NOTIFICATION_XID: i32 = -1;
/// Number of every ping reply, whatever the ping itself carried.
pub const PING_XID: i32 = -2;
/// Number that most clients give to an auth request.
pub const AUTH_XID: i32 = -4;
/// Number that some clients give to setWatches.
pub const SET_WATCHES_XID: i32 = -8;

record! {
    /// In front of each request.
    pub struct RequestHeader {
        /// The client's number, repeated in the reply.
        pub xid: i32,
        /// The operation, known ([`OpCode`](super::OpCode)) or not.
        pub op: i32,
    }
}

record! {
    /// In front of each reply and each watch event.
    pub struct ReplyHeader {
        /// The request's number, or one of the constants of this module.
        pub xid: i32,
        /// The last transaction that the answering server had applied.
        pub zxid: i64,
        /// 0, or an [`ErrorCode`](super::ErrorCode); then there is no body, except after a multi.
        pub err: i32,
    }
}
