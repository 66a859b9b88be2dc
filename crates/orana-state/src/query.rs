//! Looking at the state. Answers borrow from it; nothing is copied until a front-end encodes it.

use std::sync::Arc;

use crate::acl::{self, Acl, AclEntry, Identity, Permission};
use crate::id::{LeaseId, Zxid};
use crate::lease::Lease;
use crate::node::Slot;
use crate::stat::Stat;
use crate::state::State;

/// A question.
#[derive(Clone, Debug)]
pub enum Query<'q> {
    /// The node at a path; the empty path is the root.
    Node(&'q str),
    /// A lease.
    Lease(LeaseId),
    /// The full paths that a lease owns, in the order of their creation.
    Owned(LeaseId),
    /// Totals.
    Census,
}

/// What is known.
pub enum Answer<'s> {
    /// The node, if there is one.
    Node(Option<NodeRef<'s>>),
    /// The lease, if there is one.
    Lease(Option<&'s Lease>),
    /// Full paths.
    Owned(Vec<Arc<str>>),
    /// Totals.
    Census(Census),
}

/// Totals, all of them counted as things change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Nodes, the root and the reserved ones included.
    pub nodes: usize,
    /// Nodes that a lease owns.
    pub ephemerals: usize,
    /// Leases.
    pub leases: usize,
    /// Bytes of paths and data.
    pub bytes: u64,
    /// Number of the latest command.
    pub zxid: Zxid,
    /// Index of the latest entry.
    pub index: u64,
}

/// A node to look at.
#[derive(Clone, Copy)]
pub struct NodeRef<'s> {
    state: &'s State,
    slot: Slot,
}

/// Changes whenever anything that a reader of the node or of its list of children can see changes. Two equal
/// stamps of one path mean equal answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    czxid: Zxid,
    mzxid: Zxid,
    pzxid: Zxid,
    aversion: i32,
}

impl<'s> NodeRef<'s> {
    pub(crate) fn new(state: &'s State, slot: Slot) -> NodeRef<'s> {
        NodeRef { state, slot }
    }

    /// The eleven facts.
    pub fn stat(&self) -> Stat {
        self.state.tree.node(self.slot).stat()
    }

    /// See [`Stamp`].
    pub fn stamp(&self) -> Stamp {
        let node = self.state.tree.node(self.slot);
        Stamp {
            czxid: node.czxid,
            mzxid: node.mzxid,
            pzxid: node.pzxid,
            aversion: node.aversion,
        }
    }

    /// The data; null and empty are different.
    pub fn data(&self) -> Option<&'s [u8]> {
        self.state.tree.node(self.slot).data()
    }

    /// Number of direct children.
    pub fn child_count(&self) -> usize {
        self.state.tree.node(self.slot).children as usize
    }

    /// The direct children in the order of their creation.
    pub fn children(&self) -> impl Iterator<Item = NodeRef<'s>> + use<'s> {
        let state = self.state;
        state.tree.children(self.slot).map(move |slot| NodeRef { state, slot })
    }

    /// The last component of its path; empty for the root.
    pub fn name(&self) -> &'s str {
        self.state.tree.node(self.slot).name_str()
    }

    /// Number of all nodes below this one.
    pub fn descendants(&self) -> usize {
        self.state.tree.below(self.slot).count()
    }

    /// The access control list.
    pub fn acl(&self) -> &'s [AclEntry] {
        self.state.acls.get(self.state.tree.node(self.slot).acl)
    }

    /// The access control list, to keep; `None` when it is the open one.
    pub fn shared_acl(&self) -> Option<Acl> {
        self.state.acls.shared(self.state.tree.node(self.slot).acl)
    }

    /// True if the list lets these identities do that.
    pub fn permits(&self, wanted: Permission, identities: &[Identity]) -> bool {
        let acl = self.state.tree.node(self.slot).acl;
        acl == acl::AclTable::OPEN || acl::permits(self.state.acls.get(acl), wanted, identities)
    }
}
