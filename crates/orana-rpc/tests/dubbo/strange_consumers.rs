//! A server and consumers that do not behave.

use std::time::Duration;

use bytes::BytesMut;
use orana_rpc::dubbo::ServerOptions;
use orana_wire::dubbo::event::{put_heartbeat, put_read_only};
use orana_wire::dubbo::{Header, Status};

use super::shop;
use super::wire::{self, Wire};

/// The server still serves others.
async fn is_well(served: &shop::Served) {
    assert_eq!(shop::echo(&*served.invoker("").await, "well").await.unwrap(), "well");
}

#[tokio::test]
async fn who_speaks_another_protocol_is_closed_at_once() {
    let served = shop::serve().await;
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"ls\r\n", b"\xda\x00", &[0xff; 100]] {
        let mut wire = Wire::connect(served.port()).await;
        wire.send(bytes).await;
        assert!(wire.frame().await.is_none());
    }
    is_well(&served).await;
}

#[tokio::test]
async fn what_was_right_before_the_garbage_is_answered() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut bytes = wire::request(1, "echo", "x");
    bytes.extend_from_slice(b"garbage");
    wire.send(&bytes).await;
    assert_eq!(wire.answer().await.unwrap().1, Status::OK);
    assert!(wire.frame().await.is_none());
}

#[tokio::test]
async fn lengths_beyond_reason_end_the_connection_and_take_no_memory() {
    let served = shop::serve().await;
    for length in [[0xff; 4], [0x7f, 0xff, 0xff, 0xff]] {
        let mut wire = Wire::connect(served.port()).await;
        let mut header = wire::request(1, "echo", "x");
        header[12..16].copy_from_slice(&length);
        wire.send(&header[..16]).await;
        assert!(wire.frame().await.is_none());
    }
    is_well(&served).await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_as_it_begins_and_skipped() {
    let mut options = ServerOptions::default();
    options.payload = 1000;
    let served = shop::serve_with(options, "").await;
    let mut wire = Wire::connect(served.port()).await;
    let large = wire::request(7, "echo", &"x".repeat(100_000));
    wire.send(&large[..16]).await;
    let (id, status, text) = wire.answer().await.unwrap();
    assert_eq!((id, status), (7, Status::BAD_REQUEST));
    assert!(text.starts_with("Data length too large: 100"), "{text}");
    wire.send(&large[16..]).await;
    wire.send(&wire::request(8, "echo", "x")).await;
    assert_eq!(wire.answer().await.unwrap(), (8, Status::OK, String::new()));
}

#[tokio::test]
async fn bodies_that_cannot_be_read_are_refused_and_the_next_request_is_served() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let good = wire::request(0, "echo", "x");
    let mut id = 0;
    for at in 16..good.len() {
        // Every byte is cut off once, and changed once.
        for change in [None, Some(0xff), Some(0x51)] {
            id += 1;
            let mut bytes = match change {
                None => BytesMut::from(&good[..at]),
                Some(byte) => {
                    let mut bytes = good.clone();
                    bytes[at] = byte;
                    bytes
                }
            };
            let length = u32::try_from(bytes.len() - 16).unwrap();
            bytes[4..12].copy_from_slice(&i64::from(id).to_be_bytes());
            bytes[12..16].copy_from_slice(&length.to_be_bytes());
            wire.send(&bytes).await;
            let (answered, status, _) = wire.answer().await.unwrap();
            assert_eq!(answered, i64::from(id));
            let known = [Status::OK, Status::BAD_REQUEST, Status::SERVICE_ERROR];
            assert!(known.contains(&status), "{status} for byte {at} as {change:?}");
        }
    }
    wire.send(&wire::request(-5, "echo", "x")).await;
    assert_eq!(wire.answer().await.unwrap(), (-5, Status::OK, String::new()));
}

#[tokio::test]
async fn a_serialization_that_is_not_spoken_is_refused_in_javas_words() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut request = wire::request(3, "echo", "x");
    request[2] = 0xc0 | 21;
    wire.send(&request).await;
    let (id, status, text) = wire.answer().await.unwrap();
    assert_eq!((id, status), (3, Status::BAD_REQUEST));
    assert_eq!(text, "Unrecognized serialize type from consumer: 21");
    wire.send(&wire::request(4, "echo", "x")).await;
    assert_eq!(wire.answer().await.unwrap().1, Status::OK);
}

#[tokio::test]
async fn a_heartbeat_is_answered_while_calls_are_being_performed() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut bytes = BytesMut::new();
    orana_wire::dubbo::request::put_frame(&Header::request(1, true), usize::MAX, &mut bytes, |out| {
        wire::put_head(out, "pause", "J");
        out.long(60_000);
        out.null();
        Ok(())
    })
    .unwrap();
    put_heartbeat(2, &mut bytes);
    // Announcements and answers are nobody's business here.
    put_read_only(3, true, &mut bytes);
    bytes.extend_from_slice(&wire::value(9, "answer to nothing"));
    wire.send(&bytes).await;
    let (header, body) = wire.frame().await.unwrap();
    assert!(header.event);
    assert_eq!((header.id, &body[..]), (2, &b"N"[..]));
    wire.send(&wire::request(4, "echo", "x")).await;
    assert_eq!(wire.answer().await.unwrap().0, 4);
}

#[tokio::test]
async fn a_request_that_comes_byte_by_byte_is_served() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    for byte in wire::request(1, "echo", "x") {
        wire.send(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(wire.answer().await.unwrap(), (1, Status::OK, String::new()));
}

#[tokio::test]
async fn many_requests_in_one_piece_are_all_answered() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut bytes = BytesMut::new();
    for id in 0..5000 {
        bytes.extend_from_slice(&wire::request(id, "echo", "x"));
    }
    wire.send(&bytes).await;
    let mut answered = Vec::new();
    while answered.len() < 5000 {
        let (id, status, _) = wire.answer().await.unwrap();
        assert_eq!(status, Status::OK);
        answered.push(id);
    }
    // In any order.
    answered.sort_unstable();
    assert!(answered.into_iter().eq(0..5000));
}

#[tokio::test]
async fn a_consumer_that_says_nothing_is_closed_after_a_while() {
    let mut options = ServerOptions::default();
    options.idle = Duration::from_millis(200);
    let served = shop::serve_with(options, "").await;
    let mut silent = Wire::connect(served.port()).await;
    let mut half = Wire::connect(served.port()).await;
    half.send(&wire::request(1, "echo", "x")[..20]).await;
    assert!(silent.frame().await.is_none());
    assert!(half.frame().await.is_none());
    is_well(&served).await;
}

#[tokio::test]
async fn a_caller_of_an_old_version_gets_no_attachments() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut out = BytesMut::new();
    orana_wire::dubbo::request::put_frame(&Header::request(1, true), usize::MAX, &mut out, |out| {
        for text in ["2.5.10", shop::INTERFACE, "0.0.0", "echo", shop::TEXT] {
            out.text(text);
        }
        out.text("x");
        out.null();
        Ok(())
    })
    .unwrap();
    wire.send(&out).await;
    let (_, body) = wire.frame().await.unwrap();
    assert_eq!(&body[..], b"\x91\x01x");
}
