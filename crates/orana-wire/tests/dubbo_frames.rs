//! Frames that Dubbo's Java encoder made, read and written again; and the answers to frames that nobody can read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use bytes::BytesMut;
use orana_wire::dubbo::event::{put_heartbeat, put_heartbeat_answer, put_read_only};
use orana_wire::dubbo::frame::{DEFAULT_LIMIT, oversize};
use orana_wire::dubbo::request::{BodyError, WriteError, open, put_request};
use orana_wire::dubbo::response::{error_text, put_error, put_response};
use orana_wire::dubbo::version::reads_response_attachments;
use orana_wire::dubbo::*;
use orana_wire::hessian::java::Throwable;
use orana_wire::hessian::{FromHessian, Limits, ToHessian, Value};

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn frame_of(bytes: &[u8]) -> (Header, &[u8]) {
    match Frames::new(DEFAULT_LIMIT).next(bytes) {
        Ok(Step::Frame { header, body, consumed }) if consumed == bytes.len() => (header, body),
        other => panic!("not one frame: {other:?}"),
    }
}

/// A request as Java wrote it.
type Captured = (
    &'static str,
    i64,
    &'static str,
    &'static str,
    Vec<Value>,
    Vec<(&'static str, &'static str)>,
);

/// Frames with id, method, descriptor, arguments and attachments; all of them to `demo.Hi`.
fn requests() -> Vec<Captured> {
    let hi = ("path", "demo.Hi");
    let echo = "dabbc20000000000000000050000003f05322e302e320764656d6f2e486905302e302e3005246563686f124c6a6176612f6c616e672f4f626a6563743b026f6b4804706174680764656d6f2e48695a";
    vec![
        (
            "dabbc20000000000000000010000006b05322e302e320764656d6f2e486905302e302e3003736179124c6a6176612f6c616e672f537472696e673b03626f624804706174680764656d6f2e486909696e746572666163650764656d6f2e48690776657273696f6e05302e302e300774696d656f757404313030305a",
            1,
            "say",
            "Ljava/lang/String;",
            vec!["bob".into()],
            vec![hi, ("interface", "demo.Hi"), ("version", "0.0.0"), ("timeout", "1000")],
        ),
        (
            "dabbc20000000000000000020000002905322e302e320764656d6f2e486905302e302e300470696e67004804706174680764656d6f2e48695a",
            2,
            "ping",
            "",
            vec![],
            vec![hi],
        ),
        (echo, 5, "$echo", "Ljava/lang/Object;", vec!["ok".into()], vec![hi]),
        (
            "dabbc20000000000000000060000009d05322e302e320764656d6f2e486905302e302e300724696e766f6b6530384c6a6176612f6c616e672f537472696e673b5b4c6a6176612f6c616e672f537472696e673b5b4c6a6176612f6c616e672f4f626a6563743b0373617971075b737472696e67106a6176612e6c616e672e537472696e6771075b6f626a65637403626f624804706174680764656d6f2e48690767656e6572696304747275655a",
            6,
            "$invoke",
            "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;",
            vec![
                "say".into(),
                Value::typed_list("[string", ["java.lang.String".into()]),
                Value::typed_list("[object", ["bob".into()]),
            ],
            vec![hi, ("generic", "true")],
        ),
    ]
}

#[test]
fn javas_requests_read_as_what_they_are_and_are_written_the_same() {
    for (hex, id, method, descriptor, arguments, attachments) in requests() {
        let bytes = bytes_of(hex);
        let (header, body) = frame_of(&bytes);
        assert_eq!((header.id, header.wants_answer(), header.event), (id, true, false));
        let head = InvocationHead::new("demo.Hi", None, method, Descriptor::parse(descriptor).unwrap());
        let expected = Invocation {
            head,
            arguments,
            attachments: attachments.into_iter().collect(),
        };
        assert_eq!(Invocation::read(&header, body).as_ref(), Ok(&expected), "{method}");
        let mut out = BytesMut::new();
        let Invocation {
            head,
            arguments,
            attachments,
        } = &expected;
        put_request(
            &Header::request(id, true),
            head,
            attachments,
            DEFAULT_LIMIT,
            &mut out,
            |out| arguments.iter().try_for_each(|argument| out.value(argument)),
        )
        .unwrap();
        assert_eq!(out, bytes, "{method}");
    }
}

#[test]
fn attachments_can_be_read_before_the_arguments_are() {
    let bytes = bytes_of(requests()[0].0);
    let (header, body) = frame_of(&bytes);
    let mut input = open(&header, body).unwrap();
    let head = InvocationHead::read(&mut input).unwrap();
    let attachments = head.peek_attachments(&mut input).unwrap();
    assert_eq!(attachments.text("timeout"), Some("1000"));
    assert_eq!(String::from_hessian(&mut input).unwrap(), "bob");
    assert_eq!(Attachments::read(&mut input), Ok(attachments));
    assert!(input.rest().is_empty());
}

#[test]
fn javas_answers_read_as_what_they_are_and_are_written_the_same() {
    let hi = || Outcome::Value("hi bob".to_owned());
    for (hex, id, outcome, with_attachments) in [
        (
            "dabb02140000000000000001000000169406686920626f62480564756262 6f05322e302e325a",
            1,
            hi(),
            true,
        ),
        (
            "dabb021400000000000000020000000f954805647562626f05322e302e325a",
            2,
            Outcome::Null,
            true,
        ),
        ("dabb02140000000000000001000000089106686920626f62", 1, hi(), false),
    ] {
        let bytes = bytes_of(&hex.replace(' ', ""));
        let (header, body) = frame_of(&bytes);
        assert_eq!(header.direction, Direction::Response { status: Status::OK });
        let read = Response::<String>::read(&header, body).unwrap();
        assert_eq!((header.id, &read.outcome), (id, &outcome));
        assert_eq!(read.attachments.text("dubbo"), with_attachments.then_some("2.0.2"));
        let mut out = BytesMut::new();
        put_response(id, &read, with_attachments, DEFAULT_LIMIT, &mut out).unwrap();
        assert_eq!(out, bytes);
    }
}

#[test]
fn all_six_kinds_of_result_are_read_and_what_follows_is_ignored() {
    let header = Header::response(1, Status::OK);
    let exception = Throwable::new("java.lang.RuntimeException", "mini");
    let thrown = b"\x43\x1ajava.lang.RuntimeException\x91\x0ddetailMessage\x60\x04mini";
    let map = b"\x48\x01k\x01v\x5a";
    let read = |parts: &[&[u8]]| Response::<i32>::read(&header, &parts.concat()).unwrap();
    for (with, without, outcome) in [
        (
            &[b"\x93", &thrown[..], map, b"N"],
            &[b"\x90", &thrown[..]],
            Outcome::Exception(Box::new(exception)),
        ),
        (
            &[b"\x94", &b"\x97"[..], map, b"N"],
            &[b"\x91", &b"\x97"[..]],
            Outcome::Value(7),
        ),
        (&[b"\x95", &b""[..], map, b"N"], &[b"\x92", &b"N"[..]], Outcome::Null),
    ] {
        assert_eq!(read(with).outcome, outcome);
        assert_eq!(read(with).attachments.text("k"), Some("v"));
        assert_eq!(
            read(without),
            Response {
                outcome,
                attachments: Attachments::EMPTY
            }
        );
    }
    assert_eq!(Response::<i32>::read(&header, b"\x96"), Err(BodyError::Outcome(6)));
    // A null value is nothing, whatever the type.
    assert_eq!(read(&[b"\x91N"]).outcome, Outcome::Null);
}

#[test]
fn an_exception_that_is_none_still_says_something() {
    let header = Header::response(1, Status::OK);
    let read = Response::<i32>::read(&header, b"\x90\x04oops").unwrap();
    let Outcome::Exception(throwable) = read.outcome else {
        panic!("not an exception");
    };
    assert_eq!(throwable.message.as_deref(), Some("oops"));
    let read = Response::<i32>::read(&header, b"\x93\x48\x01a\x91\x5a\x48\x01k\x01v\x5a").unwrap();
    assert!(matches!(read.outcome, Outcome::Exception(_)));
    assert_eq!(read.attachments.text("k"), Some("v"));
}

#[test]
fn error_texts_are_read_in_both_serializations_that_java_sends() {
    let bytes = bytes_of("dabb022800000000000000010000000403626164");
    let (header, body) = frame_of(&bytes);
    assert_eq!(
        header.direction,
        Direction::Response {
            status: Status::BAD_REQUEST
        }
    );
    assert_eq!(error_text(&header, body).as_deref(), Some("bad"));
    let mut out = BytesMut::new();
    put_error(1, Status::BAD_REQUEST, "bad", &mut out);
    assert_eq!(out, bytes);
    let bytes = bytes_of("dabb1728000000000000000100000008000000044c626164");
    let (header, body) = frame_of(&bytes);
    assert_eq!(header.serialization, Serialization::FASTJSON2);
    assert_eq!(error_text(&header, body).as_deref(), Some("bad"));
    assert_eq!(error_text(&header, b"\xff\xff"), None);
}

#[test]
fn heartbeats_and_announcements_are_as_java_has_them() {
    let mut out = BytesMut::new();
    put_heartbeat(0, &mut out);
    assert_eq!(out, bytes_of("dabbe2000000000000000000000000014e"));
    let (asked, body) = frame_of(&out);
    assert_eq!(Event::read(&asked, body), Event::Heartbeat);
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&asked, body, &mut answer);
    assert_eq!(answer, bytes_of("dabb22140000000000000000000000014e"));
    let (header, body) = frame_of(&answer);
    assert!(!header.wants_answer());
    assert_eq!(Event::read(&header, body), Event::Heartbeat);

    for (hex, event) in [
        ("dabba2000000000000000004000000020152", Event::ReadOnly),
        ("dabba2000000000000000004000000020157", Event::Writeable),
        ("dabbb700000000000000000400000006000000024a52", Event::ReadOnly),
        ("dabba2000000000000000004000000020158", Event::Other),
    ] {
        let bytes = bytes_of(hex);
        let (header, body) = frame_of(&bytes);
        assert!(header.event && !header.wants_answer());
        assert_eq!(Event::read(&header, body), event, "{hex}");
    }
    out.clear();
    put_read_only(4, true, &mut out);
    assert_eq!(out, bytes_of("dabba2000000000000000004000000020152"));
}

#[test]
fn a_heartbeat_in_any_serialization_gets_its_own_bytes_back() {
    let bytes = bytes_of("dabbf700000000000000000900000005 00000001af".replace(' ', "").as_str());
    let (header, body) = frame_of(&bytes);
    assert_eq!(Event::read(&header, body), Event::Heartbeat);
    let mut out = BytesMut::new();
    put_heartbeat_answer(&header, body, &mut out);
    assert_eq!(out, bytes_of("dabb371400000000000000090000000500000001af"));
    // And one of a serialization that nobody here has heard of.
    let bytes = bytes_of("dabbff00000000000000000900000002abcd");
    let (header, body) = frame_of(&bytes);
    assert_eq!(Event::read(&header, body), Event::Heartbeat);
}

#[test]
fn a_request_in_an_unknown_serialization_is_refused_and_the_stream_stays_in_step() {
    let mut stream = bytes_of("dabbc6000000000000000007000000037b7d0a");
    stream.extend(bytes_of(requests()[1].0));
    let mut frames = Frames::new(DEFAULT_LIMIT);
    let Ok(Step::Frame { header, body, consumed }) = frames.next(&stream) else {
        panic!("no frame");
    };
    let refusal = Invocation::read(&header, body).unwrap_err();
    assert_eq!(refusal.to_string(), "Unrecognized serialize type from consumer: 6");
    let mut out = BytesMut::new();
    put_error(header.id, Status::BAD_REQUEST, &refusal.to_string(), &mut out);
    let (answer, text) = frame_of(&out);
    assert_eq!((answer.id, answer.is_hessian2()), (7, true));
    assert_eq!(error_text(&answer, text).unwrap(), refusal.to_string());
    let (header, body) = frame_of(&stream[consumed..]);
    assert_eq!(Invocation::read(&header, body).unwrap().head.method, "ping");
}

#[test]
fn a_request_over_the_limit_is_refused_and_the_stream_stays_in_step() {
    let stream = [bytes_of(requests()[3].0), bytes_of(requests()[1].0)].concat();
    let mut frames = Frames::new(100);
    let Ok(Step::Oversized { header, consumed }) = frames.next(&stream) else {
        panic!("not over the limit");
    };
    assert_eq!(header.id, 6);
    assert_eq!(
        oversize(header.length, 100),
        "Data length too large: 157, max payload: 100"
    );
    let Ok(Step::Frame { header, .. }) = frames.next(&stream[consumed..]) else {
        panic!("out of step");
    };
    assert_eq!(header.id, 2);
}

#[test]
fn what_cannot_be_sent_leaves_nothing_in_the_buffer() {
    let mut out = BytesMut::from(&b"before"[..]);
    let long = Response {
        outcome: Outcome::Value("x".repeat(100)),
        attachments: Attachments::EMPTY,
    };
    let refused = put_response(1, &long, false, 50, &mut out);
    assert_eq!(refused, Err(WriteError::TooLong { length: 103, limit: 50 }));
    let wrong = Response {
        outcome: Outcome::Value(u64::MAX),
        attachments: Attachments::EMPTY,
    };
    assert!(matches!(
        put_response(1, &wrong, false, 50, &mut out),
        Err(WriteError::Encode(_))
    ));
    assert_eq!(&out[..], b"before");
}

#[test]
fn broken_bodies_are_errors_of_that_frame_only() {
    let bytes = bytes_of(requests()[0].0);
    let (header, body) = frame_of(&bytes);
    for end in 0..body.len() {
        assert!(Invocation::read(&header, &body[..end]).is_err(), "cut at {end}");
    }
    let deep = [
        &b"\x052.0.2\x01s\0\x01m\x12Ljava/lang/Object;"[..],
        &[0x79; Limits::DEFAULT.depth + 1],
    ]
    .concat();
    assert!(matches!(Invocation::read(&header, &deep), Err(BodyError::Malformed(_))));
    let strange = b"\x052.0.2\x01s\0\x01m\x01X";
    assert!(matches!(
        Invocation::read(&header, strange),
        Err(BodyError::Descriptor(_))
    ));
}

#[test]
fn a_callbacks_request_may_have_no_version_and_a_call_no_attachments() {
    let header = Header::request(1, true);
    let read = Invocation::read(&header, b"\x052.0.2\x01sN\x01m\0N").unwrap();
    assert_eq!((read.head.version.as_str(), read.attachments), ("", Attachments::EMPTY));
    assert!(reads_response_attachments(&read.head.protocol_version));
}

#[test]
fn references_lead_from_one_argument_to_another_and_into_attachments() {
    let header = Header::request(1, true);
    let body = b"\x052.0.2\x01s\0\x01m\x24Ljava/lang/Object;Ljava/lang/Object;\x79\x91\x51\x90\x48\x01k\x51\x90\x5a";
    // 36 characters do not fit the one-byte form.
    assert!(Invocation::read(&header, body).is_err());
    let body =
        b"\x052.0.2\x01s\0\x01m\x30\x24Ljava/lang/Object;Ljava/lang/Object;\x79\x91\x51\x90\x48\x01k\x51\x90\x5a";
    let read = Invocation::read(&header, body).unwrap();
    let first = read.arguments[0].node().unwrap();
    assert!(read.arguments[1].node().unwrap().is(&first));
    assert!(read.attachments.get("k").unwrap().node().unwrap().is(&first));
    let mut out = BytesMut::new();
    put_request(&header, &read.head, &read.attachments, DEFAULT_LIMIT, &mut out, |out| {
        read.arguments.iter().try_for_each(|argument| argument.to_hessian(out))
    })
    .unwrap();
    assert_eq!(frame_of(&out).1, body);
}
