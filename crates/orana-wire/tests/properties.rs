//! Whatever can be written reads back as itself, and no part of it reads as a whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::borrow::Cow;

use bytes::BytesMut;
use orana_wire::zookeeper::event::put_event;
use orana_wire::zookeeper::frame::next_frame;
use orana_wire::zookeeper::record::{Reader, Record};
use orana_wire::zookeeper::request::*;
use orana_wire::zookeeper::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// Buffers borrow, so they are cut out of something that lives for ever.
static POOL: [u8; 64] = [7; 64];

fn buffer() -> impl Strategy<Value = Option<&'static [u8]>> {
    proptest::option::of((0..64usize, 0..64usize).prop_map(|(a, b)| &POOL[a.min(b)..a.max(b)]))
}

fn text() -> impl Strategy<Value = Cow<'static, str>> {
    prop_oneof!["/[a-z/]{0,12}", any::<String>()].prop_map(Cow::Owned)
}

fn path() -> impl Strategy<Value = Path<'static>> {
    proptest::option::of(text())
}

fn paths() -> impl Strategy<Value = Option<Vec<Path<'static>>>> {
    proptest::option::of(vec(path(), 0..4))
}

fn acl() -> impl Strategy<Value = Acl<'static>> {
    (any::<i32>(), path(), path()).prop_map(|(perms, scheme, id)| Acl { perms, scheme, id })
}

fn stat() -> impl Strategy<Value = Stat> {
    (any::<[i64; 6]>(), any::<[i32; 5]>()).prop_map(|(long, short)| Stat {
        czxid: long[0],
        mzxid: long[1],
        ctime: long[2],
        mtime: long[3],
        version: short[0],
        cversion: short[1],
        aversion: short[2],
        ephemeral_owner: long[4],
        data_length: short[3],
        num_children: short[4],
        pzxid: long[5],
    })
}

fn create() -> impl Strategy<Value = Create<'static>> {
    (path(), buffer(), proptest::option::of(vec(acl(), 0..3)), any::<i32>()).prop_map(|(path, data, acl, flags)| {
        Create {
            path,
            data,
            acl,
            flags,
            ttl: None,
        }
    })
}

fn create_ttl() -> impl Strategy<Value = Create<'static>> {
    (create(), any::<i64>()).prop_map(|(create, ttl)| Create {
        ttl: Some(ttl),
        ..create
    })
}

fn versioned() -> impl Strategy<Value = PathAndVersion<'static>> {
    (path(), any::<i32>()).prop_map(|(path, version)| PathAndVersion { path, version })
}

fn watched() -> impl Strategy<Value = PathAndWatch<'static>> {
    (path(), any::<bool>()).prop_map(|(path, watch)| PathAndWatch { path, watch })
}

fn set_data() -> impl Strategy<Value = SetData<'static>> {
    (path(), buffer(), any::<i32>()).prop_map(|(path, data, version)| SetData { path, data, version })
}

fn set_watches() -> impl Strategy<Value = SetWatches<'static>> {
    (any::<i64>(), paths(), paths(), paths()).prop_map(|(relative_zxid, data, exist, child)| SetWatches {
        relative_zxid,
        data,
        exist,
        child,
    })
}

fn write_op() -> impl Strategy<Value = MultiOp<'static>> {
    prop_oneof![
        create().prop_map(MultiOp::Create),
        create().prop_map(MultiOp::Create2),
        create().prop_map(MultiOp::CreateContainer),
        create_ttl().prop_map(MultiOp::CreateTtl),
        versioned().prop_map(MultiOp::Delete),
        versioned().prop_map(MultiOp::Check),
        set_data().prop_map(MultiOp::SetData),
    ]
}

fn read_op() -> impl Strategy<Value = MultiOp<'static>> {
    prop_oneof![
        watched().prop_map(MultiOp::GetData),
        watched().prop_map(MultiOp::GetChildren)
    ]
}

fn request() -> impl Strategy<Value = Request<'static>> {
    let tree = prop_oneof![
        create().prop_map(Request::Create),
        create().prop_map(Request::Create2),
        create().prop_map(Request::CreateContainer),
        create_ttl().prop_map(Request::CreateTtl),
        versioned().prop_map(Request::Delete),
        versioned().prop_map(Request::Check),
        watched().prop_map(Request::Exists),
        watched().prop_map(Request::GetData),
        watched().prop_map(Request::GetChildren),
        watched().prop_map(Request::GetChildren2),
        set_data().prop_map(Request::SetData),
        (path(), proptest::option::of(vec(acl(), 0..3)), any::<i32>())
            .prop_map(|(path, acl, version)| Request::SetAcl(SetAcl { path, acl, version })),
        path().prop_map(Request::GetAcl),
        path().prop_map(Request::Sync),
        path().prop_map(Request::DeleteContainer),
        path().prop_map(Request::GetEphemerals),
        path().prop_map(Request::GetAllChildrenNumber),
        prop_oneof![vec(write_op(), 0..5), vec(read_op(), 0..5)].prop_map(Request::Multi),
        prop_oneof![vec(write_op(), 0..5), vec(read_op(), 0..5)].prop_map(Request::MultiRead),
    ];
    let connection = prop_oneof![
        Just(Request::Ping),
        Just(Request::WhoAmI),
        Just(Request::CloseSession),
        any::<i32>().prop_map(Request::CreateSession),
        buffer().prop_map(Request::Sasl),
        (any::<i32>(), path(), buffer()).prop_map(|(kind, scheme, auth)| Request::Auth(Auth { kind, scheme, auth })),
        (path(), any::<i32>()).prop_map(|(path, kind)| Request::CheckWatches(WatchesOf { path, kind })),
        (path(), any::<i32>()).prop_map(|(path, kind)| Request::RemoveWatches(WatchesOf { path, kind })),
        (path(), any::<i32>()).prop_map(|(path, mode)| Request::AddWatch(AddWatch { path, mode })),
        set_watches().prop_map(Request::SetWatches),
        (set_watches(), paths(), paths()).prop_map(|(one_shot, persistent, recursive)| {
            Request::SetWatches2(SetWatches2 {
                one_shot,
                persistent,
                recursive,
            })
        }),
        (path(), path(), path(), any::<i64>()).prop_map(|(joining, leaving, new_members, current_config)| {
            Request::Reconfig(Reconfig {
                joining,
                leaving,
                new_members,
                current_config,
            })
        }),
    ];
    prop_oneof![tree, connection]
}

fn result() -> impl Strategy<Value = MultiResult<'static>> {
    prop_oneof![
        text().prop_map(|path| MultiResult::Create { path }),
        (text(), stat()).prop_map(|(path, stat)| MultiResult::Create2 { path, stat }),
        Just(MultiResult::Delete),
        Just(MultiResult::Check),
        stat().prop_map(MultiResult::SetData),
        (buffer(), stat()).prop_map(|(data, stat)| MultiResult::GetData { data, stat }),
        vec(text(), 0..4).prop_map(MultiResult::GetChildren),
        any::<i32>().prop_map(MultiResult::Error),
    ]
}

/// A reply and an operation that it can answer.
fn reply() -> impl Strategy<Value = (OpCode, Reply<'static>)> {
    prop_oneof![
        Just((OpCode::Delete, Reply::Empty)),
        path().prop_map(|path| (OpCode::Sync, Reply::Path(path))),
        (text(), stat()).prop_map(|(path, stat)| (OpCode::CreateTtl, Reply::PathStat(path, stat))),
        stat().prop_map(|stat| (OpCode::Exists, Reply::Stat(stat))),
        (buffer(), stat()).prop_map(|(data, stat)| (OpCode::GetData, Reply::Data(data, stat))),
        (vec(acl(), 0..3), stat()).prop_map(|(acl, stat)| (OpCode::GetAcl, Reply::Acl(acl, stat))),
        vec(text(), 0..4).prop_map(|names| (OpCode::GetChildren, Reply::Children(names))),
        (vec(text(), 0..4), stat()).prop_map(|(names, stat)| (OpCode::GetChildren2, Reply::ChildrenStat(names, stat))),
        vec(result(), 0..4).prop_map(|results| (OpCode::MultiRead, Reply::Multi(results))),
        vec(text(), 0..4).prop_map(|paths| (OpCode::GetEphemerals, Reply::Paths(paths))),
        any::<i32>().prop_map(|number| (OpCode::GetAllChildrenNumber, Reply::Number(number))),
        vec((path(), path()), 0..3).prop_map(|identities| {
            let identities = identities.into_iter().map(|(scheme, user)| Identity { scheme, user });
            (OpCode::WhoAmI, Reply::Identities(identities.collect()))
        }),
        buffer().prop_map(|token| (OpCode::Sasl, Reply::Token(token))),
    ]
}

fn body_of(frame: &[u8]) -> &[u8] {
    let (body, consumed) = next_frame(frame, usize::MAX).unwrap().unwrap();
    assert_eq!(consumed, frame.len());
    body
}

proptest! {
    #[test]
    fn a_request_reads_back_as_itself_and_no_part_of_it_does(request in request(), xid: i32) {
        let mut frame = BytesMut::new();
        request.encode(xid, &mut frame);
        for end in 0..frame.len() {
            prop_assert_eq!(next_frame(&frame[..end], usize::MAX), Ok(None));
        }
        let mut reader = Reader::new(body_of(&frame));
        let header: RequestHeader = reader.read().unwrap();
        prop_assert_eq!(header, RequestHeader { xid, op: request.op().as_i32() });
        let record = reader.rest();
        prop_assert_eq!(decode_request(header.op, record), Ok(request));
        for end in 0..record.len() {
            prop_assert_eq!(decode_request(header.op, &record[..end]), Err(DecodeError::Malformed(WireError::Truncated)));
        }
    }

    #[test]
    fn bytes_behind_a_request_are_ignored(request in request(), extra in vec(any::<u8>(), 1..9)) {
        let mut frame = BytesMut::new();
        request.encode(1, &mut frame);
        let record = [&body_of(&frame)[8..], &extra].concat();
        prop_assert_eq!(decode_request(request.op().as_i32(), &record), Ok(request));
    }

    #[test]
    fn a_reply_reads_back_as_itself_and_no_part_of_it_does((op, reply) in reply(), xid: i32, zxid: i64) {
        let mut frame = BytesMut::new();
        reply.encode(xid, zxid, &mut frame);
        let mut reader = Reader::new(body_of(&frame));
        prop_assert_eq!(reader.read(), Ok(ReplyHeader { xid, zxid, err: 0 }));
        let body = reader.rest();
        prop_assert_eq!(Reply::decode(op, body), Ok(reply));
        for end in 0..body.len() {
            prop_assert_eq!(Reply::decode(op, &body[..end]), Err(WireError::Truncated));
        }
    }

    #[test]
    fn a_connect_request_reads_back_as_itself(
        numbers: (i32, i64, i32, i64), password in buffer(), read_only: Option<bool>,
    ) {
        let (protocol_version, last_zxid_seen, timeout_ms, session_id) = numbers;
        let request =
            ConnectRequest { protocol_version, last_zxid_seen, timeout_ms, session_id, password, read_only };
        let mut frame = BytesMut::new();
        request.encode(&mut frame);
        let body = body_of(&frame);
        let fixed = body.len() - usize::from(read_only.is_some());
        for end in 0..fixed {
            prop_assert_eq!(ConnectRequest::decode(&body[..end]), Err(WireError::Truncated));
        }
        prop_assert_eq!(ConnectRequest::decode(body), Ok(request));
    }

    #[test]
    fn a_connect_response_reads_back_as_itself(
        timeout_ms: i32, session_id: i64, password: [u8; 16], read_only: Option<bool>,
    ) {
        let response = ConnectResponse { timeout_ms, session_id, password, read_only };
        let mut frame = BytesMut::new();
        response.encode(&mut frame);
        prop_assert_eq!(ConnectResponse::decode(body_of(&frame)), Ok(response));
    }

    #[test]
    fn an_event_reads_back_as_itself(zxid: i64, kind in 0..4usize, path in text()) {
        let kind = EventKind::ALL[kind];
        let mut frame = BytesMut::new();
        put_event(&mut frame, zxid, kind, &path);
        let mut reader = Reader::new(body_of(&frame));
        prop_assert_eq!(reader.read(), Ok(ReplyHeader { xid: -1, zxid, err: 0 }));
        let body = reader.rest();
        prop_assert_eq!(WatchedEvent::read(&mut reader), Ok(WatchedEvent { kind, state: 3, path }));
        for end in 0..body.len() {
            prop_assert_eq!(WatchedEvent::read(&mut Reader::new(&body[..end])), Err(WireError::Truncated));
        }
    }

    #[test]
    fn any_bytes_read_as_something_or_as_an_error(op in -12..110i32, bytes in vec(any::<u8>(), 0..200)) {
        let _ = decode_request(op, &bytes);
        let _ = ConnectRequest::decode(&bytes);
        let _ = ConnectResponse::decode(&bytes);
        if let Ok(op) = OpCode::try_from(op) {
            let _ = Reply::decode(op, &bytes);
        }
    }
}

#[test]
fn a_multi_of_reads_and_writes_or_of_foreign_operations_is_refused() {
    let multi = |ops: &[MultiOp<'_>]| {
        let mut frame = BytesMut::new();
        Request::Multi(ops.to_vec()).encode(1, &mut frame);
        frame
    };
    let write = MultiOp::Check(PathAndVersion {
        path: Some("/a".into()),
        version: 1,
    });
    let read = MultiOp::GetData(PathAndWatch {
        path: Some("/a".into()),
        watch: false,
    });
    let mixed = multi(&[write.clone(), read]);
    assert_eq!(decode_request(14, &mixed[12..]), Err(DecodeError::MixedOps));

    let mut foreign = multi(&[write]);
    foreign[15] = OpCode::Sync as u8;
    assert_eq!(decode_request(14, &foreign[12..]), Err(DecodeError::ForeignOp(9)));
    foreign[15] = 99;
    assert_eq!(decode_request(22, &foreign[12..]), Err(DecodeError::ForeignOp(99)));
}
