//! The rules of writes, in the order in which ZooKeeper checks them (`PrepRequestProcessor`): the first
//! refusal is the one the client sees.

use std::sync::Arc;

use crate::acl::{self, AclId, AclTable, Identity, Permission};
use crate::change::{Change, ChangeKind};
use crate::command::{Command, Lifetime, Write};
use crate::node::{Node, Owner, Slot, Text, text};
use crate::outcome::{Effect, Refusal};
use crate::path;
use crate::state::{RESERVED, State};
use undo::{DataBefore, ParentBefore, Undo};

mod undo;

impl State {
    pub(crate) fn write(&mut self, by: &Command, write: &Write, changes: &mut Vec<Change>) -> Result<Effect, Refusal> {
        let (effect, undo) = self.perform(by, write, changes)?;
        self.settle(undo);
        Ok(effect)
    }

    pub(crate) fn multi(
        &mut self,
        by: &Command,
        writes: &[Write],
        changes: &mut Vec<Change>,
    ) -> Vec<Result<Effect, Refusal>> {
        let told = changes.len();
        let mut done = Vec::with_capacity(writes.len());
        let mut effects = Vec::with_capacity(writes.len());
        for write in writes {
            match self.perform(by, write, changes) {
                Ok((effect, undo)) => {
                    effects.push(Ok(effect));
                    done.push(undo);
                }
                Err(refusal) => {
                    while let Some(undo) = done.pop() {
                        self.undo(undo);
                    }
                    changes.truncate(told);
                    let culprit = effects.len();
                    return (0..writes.len())
                        .map(|at| match at.cmp(&culprit) {
                            std::cmp::Ordering::Less => Err(Refusal::RolledBack),
                            std::cmp::Ordering::Equal => Err(refusal),
                            std::cmp::Ordering::Greater => Err(Refusal::NotAttempted),
                        })
                        .collect();
                }
            }
        }
        for undo in done {
            self.settle(undo);
        }
        effects
    }

    fn perform(&mut self, by: &Command, write: &Write, changes: &mut Vec<Change>) -> Result<(Effect, Undo), Refusal> {
        match write {
            Write::Create {
                path,
                data,
                acl,
                lifetime,
                sequential,
            } => self.create(by, path, data.as_deref(), acl, *lifetime, *sequential, changes),
            Write::Delete { path, version } => self.delete(by, path, *version, changes),
            Write::SetData { path, data, version } => self.set_data(by, path, data.as_deref(), *version, changes),
            Write::SetAcl { path, acl, version } => self.set_acl(by, path, acl, *version),
            Write::Check { path, version } => self.check(by, path, *version),
            Write::Refuse(refusal) => Err(*refusal),
        }
    }

    #[allow(clippy::too_many_arguments)] // the fields of one write, spread by its only caller
    fn create(
        &mut self,
        by: &Command,
        asked: &Arc<str>,
        data: Option<&[u8]>,
        acl: &[acl::AclEntry],
        lifetime: Lifetime,
        sequential: bool,
        changes: &mut Vec<Change>,
    ) -> Result<(Effect, Undo), Refusal> {
        if !lifetime.is_possible() {
            return Err(Refusal::BadArguments);
        }
        if lifetime == Lifetime::Ephemeral && by.issuer.is_none() {
            return Err(Refusal::LeaseGone);
        }
        let (parent_path, _) = path::split(asked)
            .filter(|_| !asked.contains('\0'))
            .ok_or(Refusal::BadArguments)?;
        let acl = self.intern(acl, &by.identities)?;
        let created = self.create_checked(by, asked, parent_path, data, acl, lifetime, sequential, changes);
        if created.is_err() {
            self.release(acl);
        }
        created
    }

    #[allow(clippy::too_many_arguments)] // the second half of `create`, after its list was interned
    fn create_checked(
        &mut self,
        by: &Command,
        asked: &Arc<str>,
        parent_path: &str,
        data: Option<&[u8]>,
        acl: AclId,
        lifetime: Lifetime,
        sequential: bool,
        changes: &mut Vec<Change>,
    ) -> Result<(Effect, Undo), Refusal> {
        let parent = self.tree.find(parent_path).ok_or(Refusal::NoNode)?;
        self.permit(parent, Permission::Create, &by.identities)?;
        let created = self.tree.node(parent).created;
        let path: Arc<str> = if sequential {
            format!("{asked}{created:010}").into()
        } else {
            asked.clone()
        };
        if !path::is_valid(&path) {
            return Err(Refusal::BadArguments);
        }
        let (_, name) = path::split(&path).ok_or(Refusal::BadArguments)?;
        let spot = self.tree.spot(parent, name.as_bytes());
        if &*path == "/" || self.tree.at(spot, name.as_bytes()).is_some() {
            return Err(Refusal::NodeExists);
        }
        if matches!(self.tree.node(parent).owner, Owner::Lease(_)) {
            return Err(Refusal::NoChildrenForEphemerals);
        }
        let owner = Owner::of(lifetime, by.issuer);
        let node = Node::new(name.as_bytes(), data, owner, acl, self.zxid, self.at);
        let slot = self.tree.insert(spot, node);
        let up = self.tree.node_mut(parent);
        let before = ParentBefore {
            slot: parent,
            created,
            pzxid: std::mem::replace(&mut up.pzxid, self.zxid),
        };
        up.created = created.wrapping_add(1);
        self.enter_owner(slot);
        self.bytes += (path.len() + data.map_or(0, <[u8]>::len)) as u64;
        changes.push(self.change(ChangeKind::Created, path.clone(), acl, parent));
        let stat = self.tree.node(slot).stat();
        Ok((Effect::Created { path, stat }, Undo::Create { slot, parent: before }))
    }

    fn delete(
        &mut self,
        by: &Command,
        path: &Arc<str>,
        version: i32,
        changes: &mut Vec<Change>,
    ) -> Result<(Effect, Undo), Refusal> {
        let (parent_path, name) = path::split(path)
            .filter(|_| !path.contains('\0'))
            .ok_or(Refusal::BadArguments)?;
        if RESERVED.contains(&&**path) {
            return Err(Refusal::BadArguments);
        }
        let parent = self.tree.find(parent_path).ok_or(Refusal::NoNode)?;
        self.permit(parent, Permission::Delete, &by.identities)?;
        // `//name` names nobody, although the part before its last slash names the root.
        let slot = match parent_path {
            "/" => None,
            _ => self.tree.child(parent, name.as_bytes()),
        };
        let slot = slot.ok_or(Refusal::NoNode)?;
        let node = self.tree.node(slot);
        expect_version(version, node.version)?;
        if node.children > 0 {
            return Err(Refusal::NotEmpty);
        }
        let bytes = self.bytes;
        let (node, parent) = self.take_out(slot, path.clone(), changes);
        let undo = Undo::Delete {
            node: Box::new(node),
            bytes,
            parent,
        };
        Ok((Effect::Deleted, undo))
    }

    /// Takes a leaf out of the tree, its owner and the totals. Its list keeps its use until it is settled.
    fn take_out(&mut self, slot: Slot, path: Arc<str>, changes: &mut Vec<Change>) -> (Node, ParentBefore) {
        self.leave_owner(slot);
        let node = self.tree.remove(slot);
        let parent = node.parent;
        let up = self.tree.node_mut(parent);
        let before = ParentBefore {
            slot: parent,
            created: up.created,
            pzxid: std::mem::replace(&mut up.pzxid, self.zxid),
        };
        self.bytes -= (path.len() + node.data().map_or(0, <[u8]>::len)) as u64;
        changes.push(self.change(ChangeKind::Deleted, path, node.acl, parent));
        (node, before)
    }

    fn set_data(
        &mut self,
        by: &Command,
        path: &Arc<str>,
        data: Option<&[u8]>,
        version: i32,
        changes: &mut Vec<Change>,
    ) -> Result<(Effect, Undo), Refusal> {
        let slot = self.find_valid(path)?;
        self.permit(slot, Permission::Write, &by.identities)?;
        let node = self.tree.node(slot);
        expect_version(version, node.version)?;
        let (acl, parent) = (node.acl, node.parent);
        let (zxid, at, bytes) = (self.zxid, self.at, self.bytes);
        let node = self.tree.node_mut(slot);
        let before = DataBefore {
            version: node.version,
            mzxid: node.mzxid,
            mtime: node.mtime,
            bytes,
            data: std::mem::replace(&mut node.data, data.map(text)),
        };
        node.version = after(node.version);
        node.mzxid = zxid;
        node.mtime = at;
        let stat = node.stat();
        let length = |data: Option<&Text>| data.map_or(0, |data| data.slice.len() as u64);
        self.bytes = bytes - length(before.data.as_ref()) + data.map_or(0, <[u8]>::len) as u64;
        let parent = parent.some().unwrap_or(Slot::ROOT);
        changes.push(self.change(ChangeKind::DataSet, path.clone(), acl, parent));
        Ok((
            Effect::DataSet(stat),
            Undo::SetData {
                slot,
                before: Box::new(before),
            },
        ))
    }

    fn set_acl(
        &mut self,
        by: &Command,
        path: &Arc<str>,
        list: &[acl::AclEntry],
        version: i32,
    ) -> Result<(Effect, Undo), Refusal> {
        if !path::is_valid(path) {
            return Err(Refusal::BadArguments);
        }
        let list = acl::normalise(list, &by.identities)?;
        let slot = self.tree.find(path).ok_or(Refusal::NoNode)?;
        self.permit(slot, Permission::Admin, &by.identities)?;
        expect_version(version, self.tree.node(slot).aversion)?;
        let acl = self.acquire(list);
        let node = self.tree.node_mut(slot);
        let undo = Undo::SetAcl {
            slot,
            acl: std::mem::replace(&mut node.acl, acl),
            aversion: node.aversion,
        };
        node.aversion = after(node.aversion);
        Ok((Effect::AclSet(node.stat()), undo))
    }

    fn check(&mut self, by: &Command, path: &Arc<str>, version: i32) -> Result<(Effect, Undo), Refusal> {
        let slot = self.find_valid(path)?;
        self.permit(slot, Permission::Read, &by.identities)?;
        expect_version(version, self.tree.node(slot).version)?;
        Ok((Effect::Checked, Undo::Nothing))
    }

    /// Removes a leaf for good, as one step that is never taken back.
    pub(crate) fn remove_node(&mut self, slot: Slot, path: Arc<str>, changes: &mut Vec<Change>) {
        let (node, _) = self.take_out(slot, path, changes);
        self.release(node.acl);
    }

    fn find_valid(&self, path: &str) -> Result<Slot, Refusal> {
        if !path::is_valid(path) {
            return Err(Refusal::BadArguments);
        }
        self.tree.find(path).ok_or(Refusal::NoNode)
    }

    fn permit(&self, slot: Slot, wanted: Permission, identities: &[Identity]) -> Result<(), Refusal> {
        let acl = self.tree.node(slot).acl;
        if acl == AclTable::OPEN || acl::permits(self.acls.get(acl), wanted, identities) {
            return Ok(());
        }
        Err(Refusal::NoAuth)
    }

    fn intern(&mut self, asked: &[acl::AclEntry], identities: &[Identity]) -> Result<AclId, Refusal> {
        if let [only] = asked
            && *only == *OPEN
        {
            return Ok(AclTable::OPEN);
        }
        Ok(self.acquire(acl::normalise(asked, identities)?))
    }

    fn acquire(&mut self, list: Vec<acl::AclEntry>) -> AclId {
        if let [only] = &*list
            && *only == *OPEN
        {
            return AclTable::OPEN;
        }
        self.acls.acquire(list)
    }

    fn release(&mut self, acl: AclId) {
        if acl != AclTable::OPEN {
            self.acls.release(acl);
        }
    }

    fn change(&self, kind: ChangeKind, path: Arc<str>, acl: AclId, parent: Slot) -> Change {
        let parent_acl = self.acls.shared(self.tree.node(parent).acl);
        Change {
            zxid: self.zxid,
            kind,
            path,
            acl: self.acls.shared(acl),
            parent_acl,
        }
    }
}

static OPEN: std::sync::LazyLock<acl::AclEntry> = std::sync::LazyLock::new(acl::AclEntry::open);

fn expect_version(expected: i32, current: i32) -> Result<(), Refusal> {
    if expected == -1 || expected == current {
        Ok(())
    } else {
        Err(Refusal::BadVersion)
    }
}

/// The next version; -1 is left out because it means "any" in a request.
fn after(version: i32) -> i32 {
    match version.wrapping_add(1) {
        -1 => 0,
        next => next,
    }
}
