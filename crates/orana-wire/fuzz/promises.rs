//! What each decoder promises for any bytes at all. The fuzz targets try to break it; `tests/corpus.rs` runs every
//! seed and every input that once broke it.
//!
//! Beside not panicking: what was read, written again, reads as the same.

use bytes::BytesMut;
use orana_wire::zookeeper::frame::next_frame;
use orana_wire::zookeeper::record::{Reader, Record};
use orana_wire::zookeeper::*;

const LIMIT: usize = 1 << 16;

/// The stream is cut into frames that lie one behind the other in it.
pub(crate) fn frame(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((body, consumed))) = next_frame(rest, LIMIT) {
        assert_eq!(consumed, body.len() + 4);
        assert!(body.len() <= LIMIT);
        rest = rest.get(consumed..).unwrap_or_else(|| panic!("a frame beyond the end"));
    }
}

/// Both halves of the handshake.
pub(crate) fn connect(bytes: &[u8]) {
    let mut again = BytesMut::new();
    if let Ok(request) = ConnectRequest::decode(bytes) {
        request.encode(&mut again);
        assert_eq!(ConnectRequest::decode(body_of(&again)), Ok(request));
    }
    again.clear();
    if let Ok(response) = ConnectResponse::decode(bytes) {
        response.encode(&mut again);
        assert_eq!(ConnectResponse::decode(body_of(&again)), Ok(response));
    }
}

/// A header and any request.
pub(crate) fn request(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let Ok(header) = reader.read::<RequestHeader>() else {
        return;
    };
    let Ok(request) = decode_request(header.op, reader.rest()) else {
        return;
    };
    assert_eq!(request.op().as_i32(), header.op);
    let mut again = BytesMut::new();
    request.encode(header.xid, &mut again);
    let mut reader = Reader::new(body_of(&again));
    assert_eq!(reader.read(), Ok(header));
    assert_eq!(decode_request(header.op, reader.rest()), Ok(request));
}

/// The operation that was asked (one byte, an index), a header, and any reply or event.
pub(crate) fn reply(bytes: &[u8]) {
    let Some((asked, bytes)) = bytes.split_first() else {
        return;
    };
    let Some(op) = OpCode::ALL.get(usize::from(*asked) % OpCode::ALL.len()) else {
        return;
    };
    let mut reader = Reader::new(bytes);
    let Ok(header) = reader.read::<ReplyHeader>() else {
        return;
    };
    let mut again = BytesMut::new();
    if let Ok(event) = WatchedEvent::read(&mut reader.clone()) {
        event.write(&mut again);
        assert_eq!(WatchedEvent::read(&mut Reader::new(&again)), Ok(event));
    }
    again.clear();
    if let Ok(reply) = Reply::decode(*op, reader.rest()) {
        reply.encode(header.xid, header.zxid, &mut again);
        let mut reader = Reader::new(body_of(&again));
        assert_eq!(reader.read(), Ok(ReplyHeader { err: 0, ..header }));
        assert_eq!(Reply::decode(*op, reader.rest()), Ok(reply));
    }
}

fn body_of(frame: &[u8]) -> &[u8] {
    match next_frame(frame, usize::MAX) {
        Ok(Some((body, consumed))) if consumed == frame.len() => body,
        other => panic!("what was written is not one frame: {other:?}"),
    }
}
