//! The state and its one way forward: `apply`.

use std::sync::Arc;

use crate::acl::{AclEntry, AclTable, Permission};
use crate::change::Change;
use crate::command::{Action, Command, Entry};
use crate::id::{LeaseId, Zxid};
use crate::lease::{Lease, LeaseTable};
use crate::node::{Node, Owner, Slot};
use crate::outcome::{Applied, Effect, Outcome, Refusal};
use crate::owned::Ends;
use crate::query::{Answer, Census, NodeRef, Query};
use crate::tree::{Paths, Tree};

/// What the centre knows. Cheap to clone: clones share everything until one of them is written to.
#[derive(Clone)]
pub struct State {
    pub(crate) tree: Tree,
    pub(crate) acls: AclTable,
    pub(crate) leases: LeaseTable,
    pub(crate) zxid: Zxid,
    pub(crate) index: u64,
    pub(crate) at: i64,
    pub(crate) ephemerals: usize,
    pub(crate) bytes: u64,
    /// Containers and nodes with a time to live: what a sweep has to look at.
    pub(crate) mortal: Ends,
}

/// Paths that exist from the start and cannot be deleted.
pub(crate) const RESERVED: [&str; 4] = ["/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"];

impl Default for State {
    fn default() -> State {
        State::new()
    }
}

impl State {
    /// The state of a new data directory: the reserved nodes, numbers from [`Zxid::ORIGIN`].
    pub fn new() -> State {
        let mut acls = AclTable::new();
        let read_only = AclEntry {
            permissions: Permission::Read as i32,
            scheme: "world".into(),
            id: "anyone".into(),
        };
        let read_only = acls.acquire(vec![read_only]);
        let reserved = |name: &str, data| Node::new(name.as_bytes(), data, Owner::Nobody, AclTable::OPEN, Zxid(0), 0);
        let mut tree = Tree::with_root(reserved("", Some(&b""[..])));
        let zookeeper = tree.insert(tree.spot(Slot::ROOT, b"zookeeper"), reserved("zookeeper", Some(b"")));
        tree.insert(tree.spot(zookeeper, b"quota"), reserved("quota", Some(b"")));
        let mut config = reserved("config", Some(b""));
        // As a real server shows it: anyone reads, nobody writes, and its list was never set.
        config.acl = read_only;
        config.aversion = -1;
        tree.insert(tree.spot(zookeeper, b"config"), config);
        State {
            tree,
            acls,
            leases: LeaseTable::default(),
            zxid: Zxid::ORIGIN,
            index: 0,
            at: 0,
            ephemerals: 0,
            bytes: RESERVED.iter().map(|path| path.len() as u64).sum(),
            mortal: Ends::NONE,
        }
    }

    /// Applies an entry and keeps all that came of it.
    pub fn apply(&mut self, entry: &Entry) -> Applied {
        let mut applied = Applied::default();
        self.begin(entry.index, entry.at);
        for command in &entry.commands {
            let outcome = self.step(command, &mut applied.changes);
            applied.outcomes.push(outcome);
        }
        applied
    }

    /// Opens an entry: its commands follow through [`State::step`]. For who has to act between two commands.
    pub fn begin(&mut self, index: u64, at: i64) {
        debug_assert!(index > self.index || index == 0, "entries are applied in order");
        self.index = index;
        self.at = self.at.max(at);
    }

    /// Applies one command of the entry that was begun; what changed is appended to `changes`.
    pub fn step(&mut self, command: &Command, changes: &mut Vec<Change>) -> Outcome {
        self.zxid = self.zxid.next();
        let result = match command.issuer {
            // Somebody else may have ended the lease after this command was proposed.
            Some(lease) if self.leases.get(lease).is_none() => Err(Refusal::LeaseGone),
            _ => self.act(command, changes),
        };
        Outcome {
            zxid: self.zxid,
            result,
        }
    }

    fn act(&mut self, command: &Command, changes: &mut Vec<Change>) -> Result<Effect, Refusal> {
        match &command.action {
            Action::Grant { period_ms, secret } => {
                let id = LeaseId(self.zxid.0);
                self.leases.grant(id, *period_ms, *secret);
                Ok(Effect::Granted(id))
            }
            Action::Revoke(lease) => self.revoke(*lease, changes),
            Action::Write(write) => self.write(command, write, changes),
            Action::Multi(writes) => Ok(Effect::Multi(self.multi(command, writes, changes))),
            Action::Reap(path) => self.reap(path, changes),
            Action::Refuse(refusal) => Err(*refusal),
        }
    }

    fn revoke(&mut self, id: LeaseId, changes: &mut Vec<Change>) -> Result<Effect, Refusal> {
        let lease = *self.leases.get(id).ok_or(Refusal::LeaseGone)?;
        // Only leaves go, so the paths above them stay.
        let mut paths = Paths::new();
        let mut next = lease.ends.first.some();
        while let Some(slot) = next {
            next = self.tree.node(slot).next_owned.some();
            let path = paths.of(&self.tree, slot);
            self.remove_node(slot, path, changes);
        }
        self.leases.remove(id);
        Ok(Effect::Revoked)
    }

    /// Index of the latest entry.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Number of the latest command.
    pub fn zxid(&self) -> Zxid {
        self.zxid
    }

    /// The latest time stamp, in milliseconds since 1970.
    pub fn at(&self) -> i64 {
        self.at
    }

    /// Looks at the state.
    pub fn query(&self, query: &Query<'_>) -> Answer<'_> {
        match query {
            Query::Node(path) => Answer::Node(self.node(path)),
            Query::Lease(id) => Answer::Lease(self.lease(*id)),
            Query::Owned(id) => Answer::Owned(self.owned(*id).collect()),
            Query::Census => Answer::Census(self.census()),
        }
    }

    /// The node at a path; the empty path is the root.
    pub fn node(&self, path: &str) -> Option<NodeRef<'_>> {
        self.tree.find(path).map(|slot| NodeRef::new(self, slot))
    }

    /// A lease.
    pub fn lease(&self, id: LeaseId) -> Option<&Lease> {
        self.leases.get(id)
    }

    /// All leases, by number.
    pub fn leases(&self) -> impl Iterator<Item = (LeaseId, &Lease)> {
        self.leases.iter()
    }

    /// The full paths that a lease owns, in the order of their creation.
    pub fn owned(&self, id: LeaseId) -> impl Iterator<Item = Arc<str>> + '_ {
        let first = self.leases.get(id).map_or(Slot::NONE, |lease| lease.ends.first);
        let mut paths = Paths::new();
        self.owned_from(first).map(move |slot| paths.of(&self.tree, slot))
    }

    /// Totals.
    pub fn census(&self) -> Census {
        Census {
            nodes: self.tree.len(),
            ephemerals: self.ephemerals,
            leases: self.leases.len(),
            bytes: self.bytes,
            zxid: self.zxid,
            index: self.index,
        }
    }
}

#[cfg(test)]
mod tests;
