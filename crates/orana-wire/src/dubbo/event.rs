//! Frames that are no calls: heartbeats, and a provider's word that it is about to leave.

use bytes::{BufMut, BytesMut};

use super::foreign::fastjson2_text;
use super::frame::{begin_frame, end_frame};
use super::header::{Direction, Header, Serialization, Status};
use crate::hessian::{Decoder, Encoder, Kind};

/// Java reads no more of an event than this.
const EVENT_MAX: usize = 64;

/// What an event says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// "Are you there?", or the answer to it.
    Heartbeat,
    /// No more calls on this connection, please; those under way will be answered.
    ReadOnly,
    /// Calls are welcome again.
    Writeable,
    /// Something newer than this. Not to be answered, unless it asks for an answer.
    Other,
}

impl Event {
    /// What the body of an event frame says. One that is not understood is [`Other`](Event::Other).
    pub fn read(header: &Header, body: &[u8]) -> Event {
        let text = match header.serialization {
            _ if body.len() > EVENT_MAX => return Event::Other,
            // A heartbeat has no text in any serialization, and an answer is always to a heartbeat.
            _ if matches!(header.direction, Direction::Response { .. }) => return Event::Heartbeat,
            Serialization::HESSIAN2 => {
                let mut decoder = Decoder::new(body);
                match decoder.peek() {
                    Ok(Kind::Text) => decoder.text().ok().map(|text| text.into_owned()),
                    Ok(Kind::Null) => None,
                    _ if body.is_empty() => None,
                    _ => return Event::Other,
                }
            }
            Serialization::FASTJSON2 => fastjson2_text(body),
            // Announcements are one-way; nothing but a heartbeat wants an answer.
            _ if header.wants_answer() => None,
            _ => return Event::Other,
        };
        match text.as_deref() {
            None => Event::Heartbeat,
            Some("R") => Event::ReadOnly,
            Some("W") => Event::Writeable,
            Some(_) => Event::Other,
        }
    }
}

fn put(header: &Header, out: &mut BytesMut, body: impl FnOnce(&mut BytesMut)) {
    let frame = begin_frame(header, out);
    body(out);
    // An event is a few bytes long, or as long as one that has been read.
    let _ = end_frame(out, frame, usize::MAX);
}

/// Appends a heartbeat that wants an answer.
pub fn put_heartbeat(id: i64, out: &mut BytesMut) {
    let header = Header {
        event: true,
        ..Header::request(id, true)
    };
    put(&header, out, |out| Encoder::new(out).null());
}

/// Appends the answer to an event that wants one. Its body is sent back as it came, in whatever serialization, which
/// is right for every peer.
pub fn put_heartbeat_answer(asked: &Header, body: &[u8], out: &mut BytesMut) {
    let header = Header {
        event: true,
        serialization: asked.serialization,
        ..Header::response(asked.id, Status::OK)
    };
    put(&header, out, |out| out.put_slice(body));
}

/// Appends the announcement that no more calls are wanted, or that they are again.
pub fn put_read_only(id: i64, read_only: bool, out: &mut BytesMut) {
    let header = Header {
        event: true,
        ..Header::request(id, false)
    };
    put(&header, out, |out| {
        Encoder::new(out).text(if read_only { "R" } else { "W" })
    });
}
