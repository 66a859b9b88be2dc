//! How the writes of a multi are taken back when a later one is refused. What they were is decided elsewhere.

use crate::acl::AclId;
use crate::id::Zxid;
use crate::node::{Node, Slot, Text};
use crate::state::State;

/// How to take back one write of a multi. Undone last first, so every slot and link comes back as it was.
pub(super) enum Undo {
    Create {
        slot: Slot,
        parent: ParentBefore,
    },
    Delete {
        node: Box<Node>,
        bytes: u64,
        parent: ParentBefore,
    },
    SetData {
        slot: Slot,
        before: Box<DataBefore>,
    },
    SetAcl {
        slot: Slot,
        acl: AclId,
        aversion: i32,
    },
    Nothing,
}

pub(super) struct ParentBefore {
    pub(super) slot: Slot,
    pub(super) created: i32,
    pub(super) pzxid: Zxid,
}

pub(super) struct DataBefore {
    pub(super) data: Option<Text>,
    pub(super) version: i32,
    pub(super) mzxid: Zxid,
    pub(super) mtime: i64,
    pub(super) bytes: u64,
}

impl State {
    /// The write stays: what it replaced is let go.
    pub(super) fn settle(&mut self, undo: Undo) {
        match undo {
            Undo::Delete { node, .. } => self.release(node.acl),
            Undo::SetAcl { acl, .. } => self.release(acl),
            Undo::Create { .. } | Undo::SetData { .. } | Undo::Nothing => {}
        }
    }

    pub(super) fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Create { slot, parent } => {
                self.leave_owner(slot);
                let path_len = self.tree.path_len(slot);
                let node = self.tree.remove(slot);
                self.bytes -= (path_len + node.data().map_or(0, <[u8]>::len)) as u64;
                self.release(node.acl);
                self.restore_parent(parent);
            }
            Undo::Delete { node, bytes, parent } => {
                let slot = self.tree.reinstate(*node);
                self.reenter_owner(slot);
                self.bytes = bytes;
                self.restore_parent(parent);
            }
            Undo::SetData { slot, before } => {
                self.bytes = before.bytes;
                let node = self.tree.node_mut(slot);
                node.data = before.data;
                node.version = before.version;
                node.mzxid = before.mzxid;
                node.mtime = before.mtime;
            }
            Undo::SetAcl { slot, acl, aversion } => {
                let node = self.tree.node_mut(slot);
                let tried = std::mem::replace(&mut node.acl, acl);
                node.aversion = aversion;
                self.release(tried);
            }
            Undo::Nothing => {}
        }
    }

    fn restore_parent(&mut self, before: ParentBefore) {
        let parent = self.tree.node_mut(before.slot);
        parent.created = before.created;
        parent.pzxid = before.pzxid;
    }
}
