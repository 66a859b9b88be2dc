//! What each decoder promises for any bytes at all. The fuzz targets try to break it; `tests/corpus.rs` runs every
//! seed and every input that once broke it.
//!
//! Beside not panicking: what was read, written again, reads as the same.

use std::collections::BTreeMap;

use bytes::BytesMut;
use orana_core::{ServiceUrl, UrlPool};
use orana_wire::dubbo::request::{BodyError, put_request};
use orana_wire::dubbo::response::{error_text, put_response};
use orana_wire::dubbo::{self, Direction, Event, Invocation, Response, Step};
use orana_wire::hessian::java::{BigDecimal, BigInteger, Throwable, Uuid, ZonedDateTime};
use orana_wire::hessian::{DecodeError, Decoder, Encoder, Value, from_bytes};
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

/// A URL in either text form: what was written once stays as it is from then on, in a pool and out of it.
pub(crate) fn url(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let pool = UrlPool::new();
    assert_eq!(ServiceUrl::from_node_name(text), pool.from_node_name(text));
    let url = match ServiceUrl::parse(text) {
        Ok(url) => url,
        Err(error) => return assert_eq!(pool.parse(text), Err(error)),
    };
    assert_eq!(pool.parse(text).as_ref(), Ok(&url));
    assert_eq!(url.edit().build(), url);
    for (key, value) in url.parameters() {
        assert!(!key.is_empty());
        assert_eq!(url.parameter(key), Some(value));
    }
    let written = url.full_text();
    // An escape is longer than what it stands for, so the text may have become too long.
    let Ok(again) = ServiceUrl::parse(&written) else {
        return assert!(written.len() > ServiceUrl::MAX_BYTES);
    };
    assert_eq!(again.full_text(), written);
    assert_eq!(again.parameters().count(), url.parameters().count());
    assert_eq!((again.protocol(), again.port()), (url.protocol(), url.port()));
    assert_eq!(ServiceUrl::from_node_name(&url.to_node_name()).as_ref(), Ok(&again));
    if url.category_name() == "providers" && url.flag_or("enabled", true) {
        assert!(url.subscribes_to(&url));
    }
    let _ = (
        url.service_key(),
        url.addresses(),
        url.to_string(),
        url.try_millis("timeout"),
    );
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

/// A stream of Hessian values; then the same bytes as values of various types.
pub(crate) fn hessian(bytes: &[u8]) {
    let (mut decoder, mut skipping) = (Decoder::new(bytes), Decoder::new(bytes));
    let mut values = Vec::new();
    while let Ok(value) = decoder.value() {
        assert_eq!(skipping.skip(), Ok(()));
        assert_eq!(skipping.rest().len(), decoder.rest().len());
        values.push(value);
    }
    let mut again = BytesMut::new();
    let mut encoder = Encoder::new(&mut again);
    for value in &values {
        assert_eq!(encoder.value(value), Ok(()));
    }
    let mut decoder = Decoder::new(&again);
    for value in &values {
        assert_eq!(decoder.value().as_ref(), Ok(value));
    }
    assert!(decoder.rest().is_empty());
    let _ = from_bytes::<Vec<Option<String>>>(bytes);
    let _ = from_bytes::<BTreeMap<String, Vec<u8>>>(bytes);
    let _ = from_bytes::<Vec<Vec<Vec<i64>>>>(bytes);
    let _ = from_bytes::<Vec<BigDecimal>>(bytes);
    let _ = from_bytes::<Vec<BigInteger>>(bytes).map(|numbers| format!("{numbers:?}"));
    let _ = from_bytes::<Vec<Uuid>>(bytes);
    let _ = from_bytes::<ZonedDateTime>(bytes);
    let _ = from_bytes::<Throwable>(bytes);
}

/// A stream of dubbo frames with their bodies.
pub(crate) fn dubbo_frame(bytes: &[u8]) {
    let mut frames = dubbo::Frames::new(LIMIT);
    let mut rest = bytes;
    loop {
        let consumed = match frames.next(rest) {
            Ok(Step::Frame { header, body, consumed }) => {
                assert!(body.len() <= LIMIT);
                dubbo_body(&header, body);
                consumed
            }
            Ok(Step::Oversized { header, consumed }) => {
                assert!(header.length as usize > LIMIT);
                consumed
            }
            Ok(Step::More { .. }) | Err(_) => return,
        };
        rest = rest.get(consumed..).unwrap_or_else(|| panic!("a frame beyond the end"));
    }
}

fn dubbo_body(header: &dubbo::Header, body: &[u8]) {
    let mut again = BytesMut::new();
    match header.direction {
        _ if header.event => {
            let _ = Event::read(header, body);
        }
        Direction::Request { two_way } => {
            let Ok(asked) = Invocation::read(header, body) else {
                return;
            };
            let header = dubbo::Header::request(header.id, two_way);
            let Invocation {
                head,
                arguments,
                attachments,
            } = &asked;
            let written = put_request(&header, head, attachments, usize::MAX, &mut again, |out| {
                arguments.iter().try_for_each(|argument| out.value(argument))
            });
            assert_eq!(written, Ok(()));
            let (header, body) = dubbo_frame_of(&again);
            match Invocation::read(&header, body) {
                // Of two attachments of one name the first is gone; what the second shared with it is written where the second
                // has it, and may then be beyond a limit.
                Err(BodyError::Malformed(DecodeError::Depth | DecodeError::Count | DecodeError::Bytes)) => {}
                read => assert_eq!(read.as_ref(), Ok(&asked)),
            }
        }
        Direction::Response { status } if status.is_ok() => {
            let Ok(answer) = Response::<Value>::read(header, body) else {
                return;
            };
            assert_eq!(put_response(header.id, &answer, true, usize::MAX, &mut again), Ok(()));
            let (header, body) = dubbo_frame_of(&again);
            match Response::<Value>::read(&header, body) {
                // An exception that refers to itself is written out once more, and may then be beyond a limit.
                Err(BodyError::Malformed(DecodeError::Depth | DecodeError::Count | DecodeError::Bytes)) => {}
                read => assert_eq!(read.map(|read| read.outcome), Ok(answer.outcome)),
            }
        }
        Direction::Response { .. } => {
            let _ = error_text(header, body);
        }
    }
}

fn dubbo_frame_of(bytes: &[u8]) -> (dubbo::Header, &[u8]) {
    match dubbo::Frames::new(usize::MAX).next(bytes) {
        Ok(Step::Frame { header, body, consumed }) if consumed == bytes.len() => (header, body),
        other => panic!("what was written is not one frame: {other:?}"),
    }
}

fn body_of(frame: &[u8]) -> &[u8] {
    match next_frame(frame, usize::MAX) {
        Ok(Some((body, consumed))) if consumed == frame.len() => body,
        other => panic!("what was written is not one frame: {other:?}"),
    }
}
