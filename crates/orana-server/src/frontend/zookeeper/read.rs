//! ZooKeeper's reads: a look at the state, encoded straight into the outbox. Runs while the state cannot change,
//! so a watch that is armed here misses nothing and a reply is in order with every event.

use bytes::BytesMut;
use orana_node::{WatchKind, Watcher};
use orana_state::{Identity, LeaseId, NodeRef, Permission, State};
use orana_wire::zookeeper as wire;
use orana_wire::zookeeper::header::PING_XID;
use orana_wire::zookeeper::request::PathAndWatch;
use orana_wire::zookeeper::response::{
    acl_body, children_body, data_body, identities_body, number_body, path_body, paths_body, stat_body, token_body,
};
use orana_wire::zookeeper::{ErrorCode, MultiOp, MultiResult, Path, Request, multi};

use super::answers::{Answers, Shape};
use super::auth::shown;
use super::outbox::Outbox;
use super::watch;
use super::write::wire_stat;

/// Directories with fewer children and data with fewer bytes are encoded anew each time.
const SHARE_CHILDREN_FROM: usize = 8;
const SHARE_DATA_FROM: usize = 2048;

/// Everything a read may look at.
pub(super) struct Reader<'a> {
    pub(super) state: &'a State,
    pub(super) answers: &'a Answers,
    pub(super) watcher: &'a Watcher,
    pub(super) lease: LeaseId,
    pub(super) identities: &'a [Identity],
    pub(super) max_watches: usize,
}

impl Reader<'_> {
    /// Answers one request that does not write.
    pub(super) fn answer(&self, xid: i32, request: &Request<'_>, out: &mut Outbox) {
        match request {
            Request::Ping => {
                let zxid = out.zxid_for(self.state.zxid(), None);
                out.reply_code(PING_XID, zxid, ErrorCode::Ok);
            }
            Request::Exists(asked) => self.exists(xid, asked, out),
            Request::GetData(asked) => self.data(xid, asked, out),
            Request::GetChildren(asked) => self.children(xid, asked, Shape::Children, out),
            Request::GetChildren2(asked) => self.children(xid, asked, Shape::ChildrenWithStat, out),
            Request::GetAcl(path) => self.acl(xid, path, out),
            Request::Sync(path) => self.sync(xid, path, out),
            Request::MultiRead(ops) => self.multi_read(xid, ops, out),
            Request::GetEphemerals(prefix) => self.ephemerals(xid, prefix, out),
            Request::GetAllChildrenNumber(path) => self.descendants(xid, path, out),
            Request::WhoAmI => self.who_am_i(xid, out),
            Request::Sasl(_) => {
                // What a real server without SASL says: no token, no identity.
                out.release();
                out.reply(xid, 0, |body| token_body(body, None));
            }
            Request::AddWatch(asked) => watch::add(self, xid, asked, out),
            Request::CheckWatches(asked) => watch::check(self, xid, asked, out),
            Request::RemoveWatches(asked) => watch::remove(self, xid, asked, out),
            Request::SetWatches(asked) => watch::set(self, xid, asked, None, out),
            Request::SetWatches2(asked) => {
                let persistent = [asked.persistent.as_deref(), asked.recursive.as_deref()];
                watch::set(self, xid, &asked.one_shot, Some(persistent), out);
            }
            // Everything else is a write or is refused before it comes here.
            _ => self.refuse(xid, ErrorCode::Unimplemented, out),
        }
    }

    pub(super) fn refuse(&self, xid: i32, code: ErrorCode, out: &mut Outbox) {
        let zxid = out.zxid_for(self.state.zxid(), None);
        out.reply_code(xid, zxid, code);
    }

    fn refuse_at(&self, xid: i32, code: ErrorCode, path: &str, out: &mut Outbox) {
        let zxid = out.zxid_for(self.state.zxid(), Some(path));
        out.reply_code(xid, zxid, code);
    }

    /// The node, if it is there and may be read.
    fn readable(&self, path: &str) -> Result<NodeRef<'_>, ErrorCode> {
        let node = self.state.node(path).ok_or(ErrorCode::NoNode)?;
        if node.permits(Permission::Read, self.identities) {
            Ok(node)
        } else {
            Err(ErrorCode::NoAuth)
        }
    }

    /// Arms a watch unless this connection has as many as it may have.
    pub(super) fn arm(&self, path: &str, kind: WatchKind) -> Result<(), ErrorCode> {
        if self.watcher.len() >= self.max_watches && !self.watcher.is_armed(path, None) {
            return Err(ErrorCode::OperationTimeout);
        }
        self.watcher.arm(path, kind);
        Ok(())
    }

    fn exists(&self, xid: i32, asked: &PathAndWatch<'_>, out: &mut Outbox) {
        let Some(path) = asked.path.as_deref() else {
            return self.refuse(xid, ErrorCode::MarshallingError, out);
        };
        if path.contains('\0') {
            return self.refuse(xid, ErrorCode::BadArguments, out);
        }
        let node = self.state.node(path);
        if node.is_some_and(|node| !node.permits(Permission::Read, self.identities)) {
            return self.refuse_at(xid, ErrorCode::NoAuth, path, out);
        }
        let zxid = out.zxid_for(self.state.zxid(), Some(path));
        // Watching what is not there yet is the point of `exists`.
        if asked.watch
            && let Err(code) = self.arm(path, WatchKind::Data)
        {
            return out.reply_code(xid, zxid, code);
        }
        match node {
            Some(node) => out.reply(xid, zxid, |body| stat_body(body, &wire_stat(&node.stat()))),
            None => out.reply_code(xid, zxid, ErrorCode::NoNode),
        }
    }

    fn data(&self, xid: i32, asked: &PathAndWatch<'_>, out: &mut Outbox) {
        let Some(path) = asked.path.as_deref() else {
            return self.refuse(xid, ErrorCode::MarshallingError, out);
        };
        let node = match self.watched(path, asked.watch, WatchKind::Data) {
            Ok(node) => node,
            Err(code) => return self.refuse_at(xid, code, path, out),
        };
        let zxid = out.zxid_for(self.state.zxid(), Some(path));
        let encode = |body: &mut BytesMut| data_body(body, node.data(), &wire_stat(&node.stat()));
        if node.data().map_or(0, <[u8]>::len) < SHARE_DATA_FROM {
            return out.reply(xid, zxid, encode);
        }
        let body = self.answers.get(path, Shape::Data, node.stamp(), encode);
        out.reply_shared(xid, zxid, body);
    }

    fn children(&self, xid: i32, asked: &PathAndWatch<'_>, shape: Shape, out: &mut Outbox) {
        let Some(path) = asked.path.as_deref() else {
            return self.refuse(xid, ErrorCode::MarshallingError, out);
        };
        let node = match self.watched(path, asked.watch, WatchKind::Child) {
            Ok(node) => node,
            Err(code) => return self.refuse_at(xid, code, path, out),
        };
        let zxid = out.zxid_for(self.state.zxid(), Some(path));
        let encode = |body: &mut BytesMut| {
            let stat = (shape == Shape::ChildrenWithStat).then(|| wire_stat(&node.stat()));
            children_body(body, node.children().map(|child| child.name()), stat.as_ref());
        };
        if node.child_count() < SHARE_CHILDREN_FROM {
            return out.reply(xid, zxid, encode);
        }
        let body = self.answers.get(path, shape, node.stamp(), encode);
        out.reply_shared(xid, zxid, body);
    }

    /// A node that may be read, watched from now on if asked for; a failing read leaves no watch.
    fn watched(&self, path: &str, watch: bool, kind: WatchKind) -> Result<NodeRef<'_>, ErrorCode> {
        let node = self.readable(path)?;
        if watch {
            self.arm(path, kind)?;
        }
        Ok(node)
    }

    fn acl(&self, xid: i32, path: &Path<'_>, out: &mut Outbox) {
        let Some(path) = path.as_deref() else {
            return self.refuse(xid, ErrorCode::MarshallingError, out);
        };
        let Some(node) = self.state.node(path) else {
            return self.refuse_at(xid, ErrorCode::NoNode, path, out);
        };
        let admin = node.permits(Permission::Admin, self.identities);
        if !admin && !node.permits(Permission::Read, self.identities) {
            return self.refuse_at(xid, ErrorCode::NoAuth, path, out);
        }
        let zxid = out.zxid_for(self.state.zxid(), Some(path));
        // Who may not administer does not see the secret half of a digest.
        let masked: Vec<String> = node
            .acl()
            .iter()
            .map(|entry| masked(&entry.scheme, &entry.id, admin))
            .collect();
        let entries = node.acl().iter().zip(&masked);
        let entries = entries.map(|(entry, id)| wire::Acl::new(entry.permissions, &entry.scheme, id));
        out.reply(xid, zxid, |body| acl_body(body, entries, &wire_stat(&node.stat())));
    }

    fn sync(&self, xid: i32, path: &Path<'_>, out: &mut Outbox) {
        // Whoever asks to be up to date is told everything first.
        out.release();
        let zxid = self.state.zxid().0;
        match path {
            Some(path) => out.reply(xid, zxid, |body| path_body(body, path)),
            None => out.reply(xid, zxid, |body| number_body(body, -1)),
        }
    }

    fn multi_read(&self, xid: i32, ops: &[MultiOp<'_>], out: &mut Outbox) {
        out.release();
        let zxid = self.state.zxid().0;
        let all_write = !ops.is_empty() && ops.iter().all(|op| op.sort() == multi::Sort::Write);
        // A real server goes as far as the first part that has no path, or nowhere if nothing is to be read.
        let reach = if all_write {
            0
        } else {
            ops.iter().take_while(|op| op.path().is_some()).count()
        };
        let code = if reach == ops.len() {
            ErrorCode::Ok
        } else {
            ErrorCode::MarshallingError
        };
        self.results(xid, zxid, code, ops.get(..reach).unwrap_or_default(), out);
    }

    /// The results of reads, under this code.
    fn results(&self, xid: i32, zxid: i64, code: ErrorCode, ops: &[MultiOp<'_>], out: &mut Outbox) {
        let mut body = BytesMut::new();
        for op in ops {
            let result = match op {
                MultiOp::GetData(asked) => self.part(asked, WatchKind::Data).map(|node| MultiResult::GetData {
                    data: node.data(),
                    stat: wire_stat(&node.stat()),
                }),
                MultiOp::GetChildren(asked) => self
                    .part(asked, WatchKind::Child)
                    .map(|node| MultiResult::GetChildren(node.children().map(|child| child.name().into()).collect())),
                _ => Err(ErrorCode::MarshallingError),
            };
            let result = result.unwrap_or_else(|code| MultiResult::Error(code.as_i32()));
            multi::put_result(&mut body, &result);
            // A request of a megabyte can ask for that megabyte many thousand times.
            if body.len() > out.limit {
                return out.overflow();
            }
        }
        multi::put_end(&mut body);
        out.reply_code_with(xid, zxid, code, &body);
    }

    fn part(&self, asked: &PathAndWatch<'_>, kind: WatchKind) -> Result<NodeRef<'_>, ErrorCode> {
        let path = asked.path.as_deref().ok_or(ErrorCode::MarshallingError)?;
        self.watched(path, asked.watch, kind)
    }

    fn ephemerals(&self, xid: i32, prefix: &Path<'_>, out: &mut Outbox) {
        let prefix = prefix.as_deref().unwrap_or_default();
        let all = matches!(prefix.trim(), "" | "/");
        let paths = self
            .state
            .owned(self.lease)
            .filter(|path| all || path.starts_with(prefix));
        let paths: Vec<_> = paths.collect();
        out.release();
        out.reply(xid, self.state.zxid().0, |body| {
            paths_body(body, paths.iter().map(|path| path.as_bytes()))
        });
    }

    fn descendants(&self, xid: i32, path: &Path<'_>, out: &mut Outbox) {
        let Some(path) = path.as_deref() else {
            return self.refuse(xid, ErrorCode::MarshallingError, out);
        };
        match self.readable(path) {
            Ok(node) => {
                out.release();
                out.reply(xid, self.state.zxid().0, |body| {
                    number_body(body, node.descendants() as i32)
                });
            }
            Err(code) => self.refuse_at(xid, code, path, out),
        }
    }

    fn who_am_i(&self, xid: i32, out: &mut Outbox) {
        let zxid = out.zxid_for(self.state.zxid(), None);
        let shown: Vec<_> = self.identities.iter().map(shown).collect();
        let identity = |(scheme, user): &(&'_ str, &'_ str)| (scheme.to_string(), user.to_string());
        let shown: Vec<(String, String)> = shown.iter().map(identity).collect();
        let identities = shown.iter().map(|(scheme, user)| wire::Identity {
            scheme: Some(scheme.as_str().into()),
            user: Some(user.as_str().into()),
        });
        out.reply(xid, zxid, |body| identities_body(body, identities));
    }
}

fn masked(scheme: &str, id: &str, admin: bool) -> String {
    match id.split_once(':') {
        Some((user, _)) if scheme == "digest" && !admin => format!("{user}:x"),
        _ => id.to_owned(),
    }
}
