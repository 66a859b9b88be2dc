//! Whole conversations of real consumers and providers: each frame reads as what it is and is written the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::PathBuf;

use bytes::BytesMut;
use orana_wire::dubbo::frame::DEFAULT_LIMIT;
use orana_wire::dubbo::request::{put_frame, put_request};
use orana_wire::dubbo::response::error_text;
use orana_wire::dubbo::*;
use orana_wire::hessian::{Decoder, Value};

const PEERS: [&str; 2] = ["dubbo-3.3.6", "dubbo-2.7.23"];

/// A frame with what was being done.
struct Spoken {
    doing: String,
    by_consumer: bool,
    bytes: Vec<u8>,
}

impl Spoken {
    fn frame(&self) -> (Header, &[u8]) {
        match Frames::new(DEFAULT_LIMIT).next(&self.bytes) {
            Ok(Step::Frame { header, body, consumed }) if consumed == self.bytes.len() => (header, body),
            other => panic!("not one frame: {other:?}"),
        }
    }
}

fn conversation(peer: &str) -> Vec<Spoken> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/dubbo/{peer}.txt"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut doing = String::new();
    let mut spoken = Vec::new();
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').unwrap();
        if mark == "#" {
            rest.clone_into(&mut doing);
            continue;
        }
        let digits = rest.as_bytes().chunks(2);
        let bytes = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
        spoken.push(Spoken {
            doing: doing.clone(),
            by_consumer: mark == ">",
            bytes: bytes.collect(),
        });
    }
    spoken
}

/// The calls of a conversation and what they came to, by what was being done.
fn call(peer: &str, doing: &str) -> (Invocation, Header, Vec<u8>) {
    let spoken = conversation(peer);
    let mut frames = spoken
        .iter()
        .filter(|frame| frame.doing == doing && !frame.frame().0.event);
    let (header, body) = frames.next().unwrap().frame();
    assert!(header.wants_answer());
    let asked = Invocation::read(&header, body).unwrap();
    let (answer, body) = frames.next().unwrap().frame();
    assert_eq!(answer.id, header.id);
    (asked, answer, body.to_vec())
}

fn outcome(peer: &str, doing: &str) -> (Invocation, Response<Value>) {
    let (asked, header, body) = call(peer, doing);
    (asked, Response::read(&header, &body).unwrap())
}

#[test]
fn every_frame_is_written_again_byte_by_byte() {
    for peer in PEERS {
        let spoken = conversation(peer);
        assert!(spoken.len() > 20);
        for frame in spoken {
            let (header, body) = frame.frame();
            let mut decoder = Decoder::new(body);
            let mut values = Vec::new();
            while !decoder.rest().is_empty() {
                values.push(decoder.value().unwrap());
            }
            let mut out = BytesMut::new();
            put_frame(&header, DEFAULT_LIMIT, &mut out, |out| {
                values.iter().try_for_each(|value| out.value(value))
            })
            .unwrap();
            assert_eq!(out, frame.bytes, "{peer}: {}", frame.doing);
            if let (Direction::Request { .. }, false) = (header.direction, header.event) {
                assert!(frame.by_consumer);
                let Invocation {
                    head,
                    arguments,
                    attachments,
                } = Invocation::read(&header, body).unwrap();
                out.clear();
                put_request(&header, &head, &attachments, DEFAULT_LIMIT, &mut out, |out| {
                    arguments.iter().try_for_each(|argument| out.value(argument))
                })
                .unwrap();
                assert_eq!(out, frame.bytes, "{peer}: {}", frame.doing);
            }
        }
    }
}

#[test]
fn calls_read_with_their_arguments_and_results() {
    for peer in PEERS {
        let (asked, answer) = outcome(peer, "sayHello");
        assert_eq!(asked.head.path, "org.orana.interop.frames.Shop");
        assert_eq!(asked.head.protocol_version, "2.0.2");
        assert_eq!(
            (asked.head.version.as_str(), asked.head.method.as_str()),
            ("1.0.0", "sayHello")
        );
        assert_eq!(asked.head.descriptor.as_str(), "Ljava/lang/String;");
        assert_eq!(asked.attachments.text("group"), Some("east"));
        assert_eq!(asked.arguments, ["wörld 😀".into()]);
        assert_eq!(answer.outcome, Outcome::Value("Hello wörld 😀".into()));
        assert_eq!(answer.attachments.text("from"), Some("shop"));
        assert_eq!(answer.attachments.text("dubbo"), Some("2.0.2"));

        assert_eq!(outcome(peer, "attachments").0.attachments.text("trace"), Some("t-1"));
        assert_eq!(outcome(peer, "void").1.outcome, Outcome::Null);
        let (asked, answer) = outcome(peer, "null");
        assert_eq!(
            asked.head.descriptor.java_names().collect::<Vec<_>>(),
            ["long", "int[]"]
        );
        assert_eq!(asked.arguments[0], Value::Long(1 << 40));
        assert_eq!(answer.outcome, Outcome::Null);
        assert_eq!(outcome(peer, "echo").1.outcome, Outcome::Value("ok".into()));
        let (asked, answer) = outcome(peer, "generic");
        assert_eq!(asked.head.method, "$invoke");
        assert_eq!(answer.outcome, Outcome::Value("Hello generic".into()));
    }
}

#[test]
fn an_object_that_leads_to_itself_and_stands_twice_in_a_list_is_one_object() {
    for peer in PEERS {
        let (asked, answer) = outcome(peer, "objects");
        let order = &asked.arguments[0];
        assert!(order.get("before").unwrap().node().unwrap().is(&order.node().unwrap()));
        assert_eq!(order.get("id"), Some(&Value::Long(7)));
        let Outcome::Value(orders) = answer.outcome else {
            panic!("no value");
        };
        let items = &orders.as_list().unwrap().items;
        assert_eq!(items.len(), 2);
        assert!(items[0].node().unwrap().is(&items[1].node().unwrap()));
    }
}

#[test]
fn exceptions_declared_or_not_are_answers() {
    for peer in PEERS {
        let exception = |doing| match outcome(peer, doing).1.outcome {
            Outcome::Exception(throwable) => *throwable,
            other => panic!("no exception: {other:?}"),
        };
        let refused = exception("declared exception");
        assert_eq!(refused.class, "org.orana.interop.frames.Shop$Refused");
        assert_eq!(
            (refused.message.as_deref(), refused.get("code")),
            (Some("no"), Some(&Value::Int(7)))
        );
        let broken = exception("undeclared exception");
        assert_eq!(broken.class, "java.lang.IllegalStateException");
        assert_eq!((broken.message.as_deref(), broken.cause), (Some("broken"), None));
    }
}

#[test]
fn a_call_that_was_not_performed_has_a_text() {
    let (_, header, body) = call("dubbo-3.3.6", "no such method");
    assert_eq!(
        header.direction,
        Direction::Response {
            status: Status::SERVICE_ERROR
        }
    );
    let text = error_text(&header, &body).unwrap();
    assert!(text.contains("No such method"), "{text}");
}

#[test]
fn one_way_calls_heartbeats_and_the_end_are_told_apart() {
    for peer in PEERS {
        let spoken = conversation(peer);
        let of = |doing: &str| {
            spoken
                .iter()
                .filter(move |frame| frame.doing == doing)
                .collect::<Vec<_>>()
        };
        let told: Vec<Header> = of("one-way")
            .iter()
            .map(|frame| frame.frame().0)
            .filter(|header| !header.event)
            .collect();
        assert_eq!(told.len(), 1, "{peer}: it has no answer");
        assert_eq!(told[0].direction, Direction::Request { two_way: false });
        let beats: Vec<Event> = spoken
            .iter()
            .map(Spoken::frame)
            .filter(|(header, _)| header.event)
            .map(|(header, body)| Event::read(&header, body))
            .collect();
        assert!(beats.contains(&Event::Heartbeat), "{peer}");
        assert!(beats.contains(&Event::ReadOnly), "{peer}");
    }
}
