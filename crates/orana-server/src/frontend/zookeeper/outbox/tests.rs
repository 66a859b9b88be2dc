//! In which order things leave, and under which zxid.

use std::time::Duration;

use orana_wire::zookeeper::record::Reader;
use orana_wire::zookeeper::{ReplyHeader, WatchedEvent};

use super::*;

fn outbox_of(limit: usize) -> Outbox {
    Outbox::new(Arc::from([]), limit, Unread::new(1 << 20))
}

fn outbox() -> Outbox {
    outbox_of(1 << 20)
}

fn child_event(path: &str, zxid: i64, held: bool) -> Event<'_> {
    let hold_until = held.then(|| Instant::now() + Duration::from_millis(50));
    Event {
        zxid: Zxid(zxid),
        kind: EventKind::ChildrenChanged,
        path,
        acl: None,
        hold_until,
    }
}

/// What leaves: events as `(-1, zxid, path)`, replies as `(xid, zxid, "")`.
fn sent(out: &mut Outbox) -> Vec<(i32, i64, String)> {
    let mut taken = VecDeque::new();
    out.take(&mut taken);
    let bytes: Vec<u8> = taken.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
    let (mut rest, mut frames) = (&bytes[..], Vec::new());
    while let Some((frame, used)) = orana_wire::zookeeper::frame::next_frame(rest, 1 << 20).expect("frame") {
        let mut reader = Reader::new(frame);
        let header: ReplyHeader = reader.read().expect("header");
        let path = match header.xid {
            -1 => reader.read::<WatchedEvent<'_>>().expect("event").path.into_owned(),
            _ => String::new(),
        };
        frames.push((header.xid, header.zxid, path));
        rest = &rest[used..];
    }
    frames
}

#[test]
fn a_held_event_leaves_before_a_reply_that_shows_its_directory() {
    let mut out = outbox();
    out.event(&child_event("/d", 10, true));
    let zxid = out.zxid_for(Zxid(12), Some("/d"));
    out.reply_code(1, zxid, ErrorCode::Ok);
    assert_eq!(sent(&mut out), [(-1, 10, "/d".into()), (1, 12, String::new())]);
    assert_eq!(out.hold_until, None);
}

#[test]
fn a_held_event_leaves_before_a_reply_that_shows_a_child_of_its_directory() {
    let mut out = outbox();
    out.event(&child_event("/d", 10, true));
    let zxid = out.zxid_for(Zxid(12), Some("/d/new"));
    out.reply_code(1, zxid, ErrorCode::Ok);
    assert_eq!(sent(&mut out), [(-1, 10, "/d".into()), (1, 12, String::new())]);
}

#[test]
fn other_replies_stay_below_a_held_event_and_never_go_back() {
    let mut out = outbox();
    out.reply_code(1, 7, ErrorCode::Ok);
    out.event(&child_event("/d", 10, true));
    let zxid = out.zxid_for(Zxid(12), Some("/elsewhere"));
    out.reply_code(2, zxid, ErrorCode::Ok);
    out.release();
    let zxid = out.zxid_for(Zxid(12), Some("/elsewhere"));
    out.reply_code(3, zxid, ErrorCode::Ok);
    let expected = [(1, 7, ""), (2, 9, ""), (-1, 10, "/d"), (3, 12, "")];
    assert_eq!(
        sent(&mut out),
        expected.map(|(xid, zxid, path)| (xid, zxid, path.to_owned()))
    );
}

#[test]
fn the_reply_to_a_write_is_preceded_by_everything_held() {
    let mut out = outbox();
    out.event(&child_event("/d", 10, true));
    out.event(&child_event("/e", 11, true));
    out.reply_code(1, 12, ErrorCode::Ok);
    assert_eq!(
        sent(&mut out),
        [(-1, 10, "/d".into()), (-1, 11, "/e".into()), (1, 12, String::new())]
    );
}

#[test]
fn events_keep_their_order_although_some_are_held() {
    let mut out = outbox();
    out.event(&child_event("/d", 10, true));
    out.event(&child_event("/e", 11, false));
    assert_eq!(sent(&mut out), [(-1, 10, "/d".into()), (-1, 11, "/e".into())]);
}

#[test]
fn too_much_for_a_client_ends_its_connection() {
    let mut out = outbox_of(100);
    out.reply_shared(1, 1, Bytes::from(vec![0; 4096]));
    assert!(out.overflowed && out.ending == Ending::Now);
}

#[test]
fn a_failed_write_keeps_its_place() {
    let mut out = outbox();
    let deferred = |xid| Deferred::Write {
        xid,
        shape: Shape::Header,
        since: Instant::now(),
        resolution: None,
    };
    let (first, second) = (out.defer(deferred(1)), out.defer(deferred(2)));
    out.resolve(second, Resolution::Failed(None));
    assert!(matches!(
        out.deferred.front(),
        Some(Deferred::Write { resolution: None, .. })
    ));
    out.resolve(first, Resolution::Failed(None));
    out.pop();
    assert!(matches!(
        out.deferred.front(),
        Some(Deferred::Write {
            resolution: Some(_),
            xid: 2,
            ..
        })
    ));
}
