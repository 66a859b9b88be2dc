//! ZooKeeper's writes → commands, and what came of a command → ZooKeeper's replies.

use std::sync::Arc;

use bytes::BytesMut;

use orana_state::{AclEntry, Action, Effect, Lifetime, Outcome, Refusal, Stat, Write};
use orana_wire::zookeeper as wire;
use orana_wire::zookeeper::record::Record;
use orana_wire::zookeeper::request::Create;
use orana_wire::zookeeper::response::{path_body, path_stat_body, stat_body};
use orana_wire::zookeeper::{ErrorCode, MultiOp, MultiResult, OpCode, Request, multi};

use super::error::code;
use super::outbox::Outbox;

/// Which reply a write is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A new session: a connect response, with or without the readOnly byte.
    Session { timeout_ms: u32, read_only: Option<bool> },
    /// The path.
    Path,
    /// The path and the stat.
    PathAndStat,
    /// Nothing but the header.
    Header,
    /// The stat.
    Stat,
    /// One result per part; the parts' operations, in order.
    Multi(Box<[OpCode]>),
    /// Whatever comes of it, this code.
    Code(ErrorCode),
    /// This code with an empty list of results behind it: how a real server answers a multi with a null path.
    EmptyMulti(ErrorCode),
    /// The header, then the end of the connection.
    Close,
}

/// The action and the shape of the reply, for an operation that writes; `None` for one that does not.
pub(super) fn translate(request: &Request<'_>) -> Option<(Action, Shape)> {
    let single = |write: Write, shape: Shape| Some((Action::Write(write), shape));
    match request {
        Request::Create(create) => single(create_write(create, Mode::Plain), Shape::Path),
        Request::Create2(create) => single(create_write(create, Mode::Plain), Shape::PathAndStat),
        Request::CreateContainer(create) => single(create_write(create, Mode::Container), Shape::PathAndStat),
        Request::CreateTtl(create) => single(create_write(create, Mode::Ttl), Shape::PathAndStat),
        Request::Delete(delete) => single(
            with_path(&delete.path, Refusal::Malformed, |path| Write::Delete {
                path,
                version: delete.version,
            }),
            Shape::Header,
        ),
        Request::SetData(set) => single(
            with_path(&set.path, Refusal::BadArguments, |path| Write::SetData {
                path,
                data: set.data.map(<[u8]>::to_vec),
                version: set.version,
            }),
            Shape::Stat,
        ),
        Request::SetAcl(set) => single(
            with_path(&set.path, Refusal::BadArguments, |path| Write::SetAcl {
                path,
                acl: acl(set.acl.as_deref()),
                version: set.version,
            }),
            Shape::Stat,
        ),
        Request::Multi(ops) => Some(multi_action(ops)),
        Request::Reconfig(_) => Some((
            Action::Refuse(Refusal::BadArguments),
            Shape::Code(ErrorCode::ReconfigDisabled),
        )),
        _ => None,
    }
}

fn multi_action(ops: &[MultiOp<'_>]) -> (Action, Shape) {
    if ops.iter().any(|op| op.path().is_none()) {
        let shape = Shape::EmptyMulti(ErrorCode::MarshallingError);
        return (Action::Refuse(Refusal::Malformed), shape);
    }
    let mut writes = Vec::with_capacity(ops.len());
    for op in ops {
        let write = match op {
            MultiOp::Create(create) | MultiOp::Create2(create) => create_write(create, Mode::Plain),
            MultiOp::CreateContainer(create) => create_write(create, Mode::Container),
            MultiOp::CreateTtl(create) => create_write(create, Mode::Ttl),
            MultiOp::Delete(delete) => with_path(&delete.path, Refusal::Malformed, |path| Write::Delete {
                path,
                version: delete.version,
            }),
            MultiOp::SetData(set) => with_path(&set.path, Refusal::BadArguments, |path| Write::SetData {
                path,
                data: set.data.map(<[u8]>::to_vec),
                version: set.version,
            }),
            MultiOp::Check(check) => with_path(&check.path, Refusal::Malformed, |path| Write::Check {
                path,
                version: check.version,
            }),
            MultiOp::GetData(_) | MultiOp::GetChildren(_) => {
                return (
                    Action::Refuse(Refusal::Malformed),
                    Shape::Code(ErrorCode::MarshallingError),
                );
            }
        };
        writes.push(write);
    }
    (
        Action::Multi(writes),
        Shape::Multi(ops.iter().map(MultiOp::op).collect()),
    )
}

/// The longest time to live: 40 bits of milliseconds.
const MAX_TTL_MS: u64 = (1 << 40) - 1;

/// Which flags belong to an operation. A real 3.8 accepts other pairs and can be brought down by one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    Container,
    Ttl,
}

fn create_write(create: &Create<'_>, mode: Mode) -> Write {
    let ttl = create.ttl.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0);
    let (lifetime, sequential) = match (mode, create.flags) {
        (Mode::Plain, 0) => (Lifetime::Persistent, false),
        (Mode::Plain, 1) => (Lifetime::Ephemeral, false),
        (Mode::Plain, 2) => (Lifetime::Persistent, true),
        (Mode::Plain, 3) => (Lifetime::Ephemeral, true),
        (Mode::Container, 4) => (Lifetime::Container, false),
        (Mode::Ttl, 5) => (Lifetime::Ttl(ttl), false),
        (Mode::Ttl, 6) => (Lifetime::Ttl(ttl), true),
        _ => return Write::Refuse(Refusal::BadArguments),
    };
    // Judged before the path, as a real server does.
    if lifetime == Lifetime::Ttl(0) || matches!(lifetime, Lifetime::Ttl(ms) if ms > MAX_TTL_MS) {
        return Write::Refuse(Refusal::BadArguments);
    }
    with_path(&create.path, Refusal::Malformed, |path| Write::Create {
        path,
        data: create.data.map(<[u8]>::to_vec),
        acl: acl(create.acl.as_deref()),
        lifetime,
        sequential,
    })
}

fn with_path(path: &wire::Path<'_>, null: Refusal, write: impl FnOnce(Arc<str>) -> Write) -> Write {
    match path {
        Some(path) => write(Arc::from(&**path)),
        None => Write::Refuse(null),
    }
}

/// The open list is what nearly everybody sends: its texts are shared instead of allocated anew.
fn acl(list: Option<&[wire::Acl<'_>]>) -> Vec<AclEntry> {
    static OPEN: std::sync::LazyLock<AclEntry> = std::sync::LazyLock::new(AclEntry::open);
    let entry = |entry: &wire::Acl<'_>| {
        if entry.perms == OPEN.permissions
            && entry.scheme.as_deref() == Some("world")
            && entry.id.as_deref() == Some("anyone")
        {
            return OPEN.clone();
        }
        // An empty scheme is no legal one, and neither is an empty id where the id counts (`auth` takes any).
        let text = |text: &wire::Path<'_>| Arc::from(text.as_deref().unwrap_or_default());
        AclEntry {
            permissions: entry.perms,
            scheme: text(&entry.scheme),
            id: text(&entry.id),
        }
    };
    list.unwrap_or_default().iter().map(entry).collect()
}

/// Queues the reply to a write that was applied. Sessions are opened and closed elsewhere.
pub(super) fn reply(out: &mut Outbox, xid: i32, shape: &Shape, outcome: &Outcome) {
    let zxid = outcome.zxid.0;
    match (&outcome.result, shape) {
        (_, Shape::Code(code)) => out.reply_code(xid, zxid, *code),
        (_, Shape::EmptyMulti(code)) => {
            let mut end = BytesMut::new();
            multi::put_end(&mut end);
            out.reply_code_with(xid, zxid, *code, &end);
        }
        (Err(refusal), _) => out.reply_code(xid, zxid, code(*refusal)),
        (Ok(Effect::Created { path, .. }), Shape::Path) => out.reply(xid, zxid, |body| path_body(body, path)),
        (Ok(Effect::Created { path, stat }), Shape::PathAndStat) => {
            out.reply(xid, zxid, |body| path_stat_body(body, path, &wire_stat(stat)));
        }
        (Ok(Effect::DataSet(stat) | Effect::AclSet(stat)), Shape::Stat) => {
            out.reply(xid, zxid, |body| stat_body(body, &wire_stat(stat)));
        }
        (Ok(Effect::Multi(results)), Shape::Multi(ops)) => out.reply(xid, zxid, |body| {
            for (result, op) in results.iter().zip(ops) {
                multi::put_result(body, &multi_result(result, *op));
            }
            multi::put_end(body);
        }),
        (Ok(_), _) => out.reply_code(xid, zxid, ErrorCode::Ok),
    }
}

fn multi_result<'a>(result: &'a Result<Effect, Refusal>, op: OpCode) -> MultiResult<'a> {
    match result {
        Ok(Effect::Created { path, .. }) if op == OpCode::Create => MultiResult::Create { path: (&**path).into() },
        Ok(Effect::Created { path, stat }) => MultiResult::Create2 {
            path: (&**path).into(),
            stat: wire_stat(stat),
        },
        Ok(Effect::DataSet(stat)) => MultiResult::SetData(wire_stat(stat)),
        Ok(Effect::Checked) => MultiResult::Check,
        Ok(_) => MultiResult::Delete,
        Err(refusal) => MultiResult::Error(code(*refusal).as_i32()),
    }
}

/// The stat in the order of the wire.
pub(super) fn wire_stat(stat: &Stat) -> wire::Stat {
    wire::Stat {
        czxid: stat.czxid.0,
        mzxid: stat.mzxid.0,
        ctime: stat.ctime,
        mtime: stat.mtime,
        version: stat.version,
        cversion: stat.cversion,
        aversion: stat.aversion,
        ephemeral_owner: stat.ephemeral_owner,
        data_length: stat.data_length,
        num_children: stat.num_children,
        pzxid: stat.pzxid.0,
    }
}

/// True for operations whose malformed requests take a number, as in a real server.
pub(super) fn takes_a_number(op: OpCode) -> bool {
    matches!(
        op,
        OpCode::Create
            | OpCode::Create2
            | OpCode::CreateContainer
            | OpCode::CreateTtl
            | OpCode::Delete
            | OpCode::SetData
            | OpCode::SetAcl
            | OpCode::Multi
    )
}

const _: () = assert!(<wire::Stat as Record>::MIN_LEN == wire::Stat::LEN);
