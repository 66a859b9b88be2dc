//! Watch events: what the server tells a client unasked.

use std::borrow::Cow;

use bytes::BytesMut;

use super::frame::{begin_frame, end_frame};
use super::header::{NOTIFICATION_XID, ReplyHeader};
use super::record::{Reader, Record, WireError, put_string};

/// The state every event on the wire carries: connected.
pub const SYNC_CONNECTED: i32 = 3;

/// What happened to the watched path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
pub enum EventKind {
    /// The node came into being.
    NodeCreated = 1,
    /// The node is gone.
    NodeDeleted = 2,
    /// Its data was written, even if with the same bytes.
    NodeDataChanged = 3,
    /// A child was created or deleted.
    NodeChildrenChanged = 4,
}

impl EventKind {
    /// Every kind that exists on the wire.
    pub const ALL: [EventKind; 4] = [
        EventKind::NodeCreated,
        EventKind::NodeDeleted,
        EventKind::NodeDataChanged,
        EventKind::NodeChildrenChanged,
    ];

    /// The number on the wire.
    pub fn as_i32(self) -> i32 {
        self as i32
    }
}

impl TryFrom<i32> for EventKind {
    type Error = WireError;

    fn try_from(value: i32) -> Result<Self, WireError> {
        EventKind::ALL
            .into_iter()
            .find(|kind| kind.as_i32() == value)
            .ok_or(WireError::Value(value))
    }
}

/// The body of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WatchedEvent<'a> {
    /// What happened.
    pub kind: EventKind,
    /// [`SYNC_CONNECTED`] from every server.
    pub state: i32,
    /// The full path on the server.
    pub path: Cow<'a, str>,
}

impl<'a> Record<'a> for WatchedEvent<'a> {
    const MIN_LEN: usize = 12;

    fn read(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let kind = EventKind::try_from(reader.read::<i32>()?)?;
        Ok(WatchedEvent {
            kind,
            state: reader.read()?,
            path: reader.text()?,
        })
    }

    fn write(&self, out: &mut BytesMut) {
        self.kind.as_i32().write(out);
        self.state.write(out);
        put_string(out, &self.path);
    }
}

/// Appends a whole notification frame. `zxid` is the transaction that caused it (-1 from servers before 3.9).
pub fn put_event(out: &mut BytesMut, zxid: i64, kind: EventKind, path: &str) {
    let frame = begin_frame(out);
    ReplyHeader {
        xid: NOTIFICATION_XID,
        zxid,
        err: 0,
    }
    .write(out);
    kind.as_i32().write(out);
    SYNC_CONNECTED.write(out);
    put_string(out, path);
    end_frame(out, frame);
}
