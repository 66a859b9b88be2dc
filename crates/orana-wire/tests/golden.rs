//! Every frame captured from a real peer reads as the value it stands for, and that value writes the same bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use bytes::BytesMut;
use orana_wire::zookeeper::event::{SYNC_CONNECTED, put_event};
use orana_wire::zookeeper::frame::{DEFAULT_LIMIT, next_frame};
use orana_wire::zookeeper::record::{Reader, Record};
use orana_wire::zookeeper::request::*;
use orana_wire::zookeeper::response::put_header_frame;
use orana_wire::zookeeper::*;

/// The value a captured frame stands for.
enum Frame {
    Connect(ConnectRequest<'static>),
    Connected(ConnectResponse),
    Asked(i32, Request<'static>),
    Answered(i32, i64, OpCode, Reply<'static>),
    Error(i32, i64, ErrorCode),
    Event(EventKind, &'static str),
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn frames_of(name: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(directory().join(name)).unwrap();
    let lines = text.lines().filter(|line| line.starts_with(['<', '>']));
    lines.map(|line| bytes_of(&line[1..])).collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).unwrap())
        .collect();
    digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap())
        .collect()
}

fn check(name: &str, captured: &[u8], expected: &Frame) {
    let (body, consumed) = next_frame(captured, DEFAULT_LIMIT).unwrap().expect("a whole frame");
    assert_eq!(consumed, captured.len(), "{name}: length");
    let mut written = BytesMut::new();
    match expected {
        Frame::Connect(request) => {
            assert_eq!(&ConnectRequest::decode(body).unwrap(), request, "{name}");
            request.encode(&mut written);
        }
        Frame::Connected(response) => {
            assert_eq!(&ConnectResponse::decode(body).unwrap(), response, "{name}");
            response.encode(&mut written);
        }
        Frame::Asked(xid, request) => {
            let mut reader = Reader::new(body);
            let header: RequestHeader = reader.read().unwrap();
            assert_eq!((header.xid, header.op), (*xid, request.op().as_i32()), "{name}");
            assert_eq!(&decode_request(header.op, reader.rest()).unwrap(), request, "{name}");
            request.encode(*xid, &mut written);
        }
        Frame::Answered(xid, zxid, op, reply) => {
            let mut reader = Reader::new(body);
            let header: ReplyHeader = reader.read().unwrap();
            assert_eq!(
                header,
                ReplyHeader {
                    xid: *xid,
                    zxid: *zxid,
                    err: 0
                },
                "{name}"
            );
            assert_eq!(&Reply::decode(*op, reader.rest()).unwrap(), reply, "{name}");
            reply.encode(*xid, *zxid, &mut written);
        }
        Frame::Error(xid, zxid, code) => {
            let mut reader = Reader::new(body);
            let header: ReplyHeader = reader.read().unwrap();
            assert_eq!(
                header,
                ReplyHeader {
                    xid: *xid,
                    zxid: *zxid,
                    err: code.as_i32()
                },
                "{name}"
            );
            assert!(reader.rest().is_empty(), "{name}: an error has no body");
            put_header_frame(&mut written, *xid, *zxid, code.as_i32());
        }
        Frame::Event(kind, path) => {
            let mut reader = Reader::new(body);
            let header: ReplyHeader = reader.read().unwrap();
            assert_eq!(
                header,
                ReplyHeader {
                    xid: -1,
                    zxid: -1,
                    err: 0
                },
                "{name}"
            );
            let event = WatchedEvent::read(&mut reader).unwrap();
            assert_eq!(
                (event.kind, event.state, &*event.path),
                (*kind, SYNC_CONNECTED, *path),
                "{name}"
            );
            put_event(&mut written, -1, *kind, path);
        }
    }
    assert_eq!(&written[..], captured, "{name}: written bytes");
}

fn path(path: &'static str) -> Path<'static> {
    Some(path.into())
}

fn paths(paths: &[&'static str]) -> Option<Vec<Path<'static>>> {
    Some(paths.iter().map(|one| Some((*one).into())).collect())
}

fn expected() -> Vec<(&'static str, Vec<Frame>)> {
    use Frame::*;
    let password = |hex: &str| <[u8; 16]>::try_from(bytes_of(hex)).unwrap();
    let a_before = Stat {
        czxid: 2,
        mzxid: 2,
        ctime: 0x1a2_2e03_1151,
        mtime: 0x1a2_2e03_1151,
        cversion: 2,
        num_children: 2,
        data_length: 2,
        pzxid: 4,
        ..Stat::default()
    };
    let a_after = Stat {
        mzxid: 15,
        mtime: 0x1a2_2e03_1190,
        version: 1,
        data_length: 3,
        ..a_before
    };
    let e1 = Stat {
        czxid: 4,
        mzxid: 4,
        ctime: 0x1a2_2e03_116c,
        mtime: 0x1a2_2e03_116c,
        ephemeral_owner: 0x0100_000b_0932_0000,
        pzxid: 4,
        ..Stat::default()
    };
    vec![
        (
            "01-connect-new.hex",
            vec![
                Connect(ConnectRequest {
                    protocol_version: 0,
                    last_zxid_seen: 0,
                    timeout_ms: 30_000,
                    session_id: 0,
                    password: Some(&[0; 16]),
                    read_only: Some(false),
                }),
                Connected(ConnectResponse {
                    timeout_ms: 30_000,
                    session_id: 0x0100_000b_0932_0000,
                    password: password("fcbb93dfd9a3b08d3a8577e94a1eb07c"),
                    read_only: Some(false),
                }),
            ],
        ),
        (
            "02-connect-without-read-only.hex",
            vec![Connected(ConnectResponse {
                timeout_ms: 10_000,
                session_id: 0x0100_000c_75ca_0003,
                password: password("11d73d4741e5aa1cad7ec659bfbd5896"),
                read_only: None,
            })],
        ),
        (
            "03-connect-refused.hex",
            vec![Connected(ConnectResponse::refused(Some(false)))],
        ),
        (
            "04-create-ephemeral.hex",
            vec![
                Asked(2, Request::Create(create("/x", Some(b"1"), 1, None))),
                Answered(2, 0x1_0000_0002, OpCode::Create, Reply::Path(path("/x"))),
            ],
        ),
        (
            "05-create-sequential.hex",
            vec![Answered(2, 3, OpCode::Create, Reply::Path(path("/a/e-0000000000")))],
        ),
        (
            "06-create2.hex",
            vec![
                Asked(3, Request::Create2(create("/a/e1", None, 1, None))),
                Answered(3, 4, OpCode::Create2, Reply::PathStat("/a/e1".into(), e1)),
            ],
        ),
        (
            "07-get-children2.hex",
            vec![
                Asked(
                    14,
                    Request::GetChildren2(PathAndWatch {
                        path: path("/a"),
                        watch: true,
                    }),
                ),
                Answered(
                    14,
                    14,
                    OpCode::GetChildren2,
                    Reply::ChildrenStat(vec!["e-0000000000".into(), "e1".into()], a_before),
                ),
            ],
        ),
        (
            "08-event-children-changed.hex",
            vec![Event(EventKind::NodeChildrenChanged, "/a")],
        ),
        (
            "09-set-data.hex",
            vec![
                Asked(
                    18,
                    Request::SetData(SetData {
                        path: path("/a"),
                        data: Some(b"new"),
                        version: 0,
                    }),
                ),
                Event(EventKind::NodeDataChanged, "/a"),
                Answered(18, 15, OpCode::SetData, Reply::Stat(a_after)),
            ],
        ),
        (
            "10-ping.hex",
            vec![Asked(-2, Request::Ping), Answered(-2, 17, OpCode::Ping, Reply::Empty)],
        ),
        ("11-error-node-exists.hex", vec![Error(4, 5, ErrorCode::NodeExists)]),
        (
            "12-multi-failed.hex",
            vec![
                Asked(
                    14,
                    Request::Multi(vec![
                        MultiOp::Check(PathAndVersion {
                            path: path("/j"),
                            version: -1,
                        }),
                        MultiOp::Delete(PathAndVersion {
                            path: path("/nonexist"),
                            version: -1,
                        }),
                    ]),
                ),
                Answered(
                    14,
                    0x27e3,
                    OpCode::Multi,
                    Reply::Multi(vec![MultiResult::Error(0), MultiResult::Error(-101)]),
                ),
            ],
        ),
        (
            "13-multi.hex",
            vec![Answered(
                13,
                0x27d3,
                OpCode::Multi,
                Reply::Multi(vec![
                    MultiResult::Check,
                    MultiResult::Create { path: "/kz/t".into() },
                    MultiResult::Delete,
                ]),
            )],
        ),
        (
            "14-set-watches.hex",
            vec![
                Asked(
                    8,
                    Request::SetWatches(SetWatches {
                        relative_zxid: 0x27e2,
                        data: paths(&["/zookeeper/config", "/j"]),
                        exist: paths(&["/j/none"]),
                        child: paths(&["/j"]),
                    }),
                ),
                Answered(8, 0x27e2, OpCode::SetWatches, Reply::Empty),
            ],
        ),
        (
            "15-set-watches2.hex",
            vec![Asked(
                -8,
                Request::SetWatches2(SetWatches2 {
                    one_shot: SetWatches {
                        relative_zxid: 0x6b,
                        data: paths(&[]),
                        exist: paths(&[]),
                        child: paths(&[]),
                    },
                    persistent: paths(&["/w/r4"]),
                    recursive: paths(&["/w"]),
                }),
            )],
        ),
        (
            "16-add-watch.hex",
            vec![
                Asked(
                    11,
                    Request::AddWatch(AddWatch {
                        path: path("/w"),
                        mode: 1,
                    }),
                ),
                Answered(11, 0x60, OpCode::AddWatch, Reply::Number(0)),
            ],
        ),
        (
            "17-remove-watches.hex",
            vec![
                Asked(
                    10,
                    Request::RemoveWatches(WatchesOf {
                        path: path("/w/n"),
                        kind: 3,
                    }),
                ),
                Error(10, 0x60, ErrorCode::NoWatcher),
            ],
        ),
        (
            "18-auth.hex",
            vec![
                Asked(
                    -4,
                    Request::Auth(Auth {
                        kind: 0,
                        scheme: path("digest"),
                        auth: Some(b"bob:secret"),
                    }),
                ),
                Answered(-4, 0, OpCode::Auth, Reply::Empty),
                Error(-4, 0, ErrorCode::AuthFailed),
            ],
        ),
        (
            "19-create-ttl.hex",
            vec![Asked(34, Request::CreateTtl(create("/ttl", Some(b""), 5, Some(5000))))],
        ),
        ("20-unknown-op.hex", vec![Error(1, -1, ErrorCode::Unimplemented)]),
        (
            "21-close-session.hex",
            vec![
                Asked(0x30, Request::CloseSession),
                Answered(0x30, 0x1c, OpCode::CloseSession, Reply::Empty),
            ],
        ),
        (
            "22-read-only.hex",
            vec![Connected(ConnectResponse {
                timeout_ms: 10_000,
                session_id: 0x0300_0011_771f_0000,
                password: password("13541b57a40f456ca9cca5708d42e6bb"),
                read_only: Some(true),
            })],
        ),
        (
            "22-read-only-create.hex",
            vec![Error(2, 0x2_0000_0003, ErrorCode::NotReadOnly)],
        ),
        (
            "23-get-ephemerals.hex",
            vec![Answered(
                16,
                0x27e3,
                OpCode::GetEphemerals,
                Reply::Paths(vec!["/j/c".into()]),
            )],
        ),
        (
            "24-who-am-i.hex",
            vec![Answered(
                1,
                0x78,
                OpCode::WhoAmI,
                Reply::Identities(vec![
                    Identity {
                        scheme: path("digest"),
                        user: path("bob"),
                    },
                    Identity {
                        scheme: path("ip"),
                        user: path("127.0.0.1"),
                    },
                ]),
            )],
        ),
        (
            "25-sync.hex",
            vec![
                Asked(15, Request::Sync(path("/"))),
                Answered(15, 0x27e3, OpCode::Sync, Reply::Path(path("/"))),
            ],
        ),
    ]
}

fn create(at: &'static str, data: Option<&'static [u8]>, flags: i32, ttl: Option<i64>) -> Create<'static> {
    Create {
        path: path(at),
        data,
        acl: Some(vec![Acl::open()]),
        flags,
        ttl,
    }
}

#[test]
fn captured_frames_read_and_write_as_what_they_stand_for() {
    for (name, values) in expected() {
        let frames = frames_of(name);
        assert_eq!(frames.len(), values.len(), "{name}: number of frames");
        for (captured, value) in frames.iter().zip(&values) {
            check(name, captured, value);
        }
    }
}

#[test]
fn no_captured_file_is_left_unread() {
    let known: BTreeSet<String> = expected().into_iter().map(|(name, _)| name.to_owned()).collect();
    let present: BTreeSet<String> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".hex"))
        .collect();
    assert_eq!(known, present);
}
