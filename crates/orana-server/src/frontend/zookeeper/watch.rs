//! The requests about watches: setting them again after a reconnect, adding persistent ones, asking and removing.

use orana_node::{EventKind, WatchKind};
use orana_state::Zxid;
use orana_wire::zookeeper::request::{AddWatch, SetWatches, WatchesOf};
use orana_wire::zookeeper::response::number_body;
use orana_wire::zookeeper::{ErrorCode, Path};

use super::outbox::Outbox;
use super::read::Reader;

/// `addWatch`: persistent or persistent recursive; the node need not exist and no permission is needed.
pub(super) fn add(reader: &Reader<'_>, xid: i32, asked: &AddWatch<'_>, out: &mut Outbox) {
    let kind = match asked.mode {
        0 => WatchKind::Persistent,
        1 => WatchKind::Recursive,
        _ => return reader.refuse(xid, ErrorCode::MarshallingError, out),
    };
    // A real server never ends the connection that sends a null path here.
    let Some(path) = asked.path.as_deref() else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    if let Err(code) = reader.arm(path, kind) {
        return reader.refuse(xid, code, out);
    }
    let zxid = out.zxid_for(reader.state.zxid(), None);
    out.reply(xid, zxid, |body| number_body(body, 0));
}

/// `checkWatches`: is there such a watch?
pub(super) fn check(reader: &Reader<'_>, xid: i32, asked: &WatchesOf<'_>, out: &mut Outbox) {
    let Some(kind) = kind(asked.kind) else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    let Some(path) = asked.path.as_deref() else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    let found = reader.watcher.is_armed(path, kind);
    reader.refuse(xid, if found { ErrorCode::Ok } else { ErrorCode::NoWatcher }, out);
}

/// `removeWatches`: no more events of this kind.
pub(super) fn remove(reader: &Reader<'_>, xid: i32, asked: &WatchesOf<'_>, out: &mut Outbox) {
    let Some(kind) = kind(asked.kind) else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    let found = asked
        .path
        .as_deref()
        .is_some_and(|path| reader.watcher.disarm(path, kind));
    reader.refuse(xid, if found { ErrorCode::Ok } else { ErrorCode::NoWatcher }, out);
}

/// The kind of watch a number means; `Some(None)` is any.
fn kind(number: i32) -> Option<Option<WatchKind>> {
    match number {
        1 => Some(Some(WatchKind::Child)),
        2 => Some(Some(WatchKind::Data)),
        3 => Some(None),
        4 => Some(Some(WatchKind::Persistent)),
        5 => Some(Some(WatchKind::Recursive)),
        _ => None,
    }
}

/// `setWatches` and `setWatches2`: what changed since the client last heard is told now, the rest is armed.
/// `persistent` holds the two lists that only the second one has.
pub(super) fn set(
    reader: &Reader<'_>,
    xid: i32,
    asked: &SetWatches<'_>,
    persistent: Option<[Option<&[Path<'_>]>; 2]>,
    out: &mut Outbox,
) {
    let lists = [&asked.data, &asked.exist, &asked.child].map(Option::as_deref);
    let [Some(data), Some(exist), Some(child)] = lists else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    let [Some(persistent), Some(recursive)] = persistent.unwrap_or([Some(&[]), Some(&[])]) else {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    };
    // One null path, and nothing is armed.
    if [data, exist, child, persistent, recursive]
        .iter()
        .any(|list| list.iter().any(Option::is_none))
    {
        return reader.refuse(xid, ErrorCode::MarshallingError, out);
    }
    let seen = Zxid(asked.relative_zxid);
    let now = reader.state.zxid();
    let mut code = ErrorCode::Ok;
    let mut arm = |path: &str, kind| {
        if let Err(refused) = reader.arm(path, kind) {
            code = refused;
        }
    };
    for path in paths(data) {
        match reader.state.node(path) {
            None => out.catch_up(now, EventKind::Deleted, path),
            Some(node) if node.stat().mzxid > seen => out.catch_up(now, EventKind::DataChanged, path),
            Some(_) => arm(path, WatchKind::Data),
        }
    }
    for path in paths(exist) {
        match reader.state.node(path) {
            Some(_) => out.catch_up(now, EventKind::Created, path),
            None => arm(path, WatchKind::Data),
        }
    }
    for path in paths(child) {
        match reader.state.node(path) {
            None => out.catch_up(now, EventKind::Deleted, path),
            Some(node) if node.stat().pzxid > seen => out.catch_up(now, EventKind::ChildrenChanged, path),
            Some(_) => arm(path, WatchKind::Child),
        }
    }
    for (list, kind) in [(persistent, WatchKind::Persistent), (recursive, WatchKind::Recursive)] {
        paths(list).for_each(|path| arm(path, kind));
    }
    out.release();
    out.reply_code(xid, now.0, code);
}

fn paths<'a>(list: &'a [Path<'_>]) -> impl Iterator<Item = &'a str> {
    list.iter().filter_map(|path| path.as_deref())
}
