//! One node as it lies in memory. A million of them are held, so fields are small and what is long (name,
//! data) is one exact allocation, shared with snapshots by reference count.

use triomphe::ThinArc;

use crate::acl::AclId;
use crate::command::Lifetime;
use crate::id::{LeaseId, Zxid};
use crate::stat::Stat;

/// The place of a node in the slab. Never leaves this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    /// No node.
    pub(crate) const NONE: Slot = Slot(u32::MAX);
    /// The root of the tree.
    pub(crate) const ROOT: Slot = Slot(0);

    pub(crate) fn some(self) -> Option<Slot> {
        (self != Slot::NONE).then_some(self)
    }
}

/// Bytes behind one thin pointer, shared by copies of the node.
pub(crate) type Text = ThinArc<(), u8>;

pub(crate) fn text(bytes: &[u8]) -> Text {
    ThinArc::from_header_and_slice((), bytes)
}

/// Who decides about the end of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Nobody,
    Lease(LeaseId),
    Container,
    Ttl(u64),
}

impl Owner {
    pub(crate) fn of(lifetime: Lifetime, issuer: Option<LeaseId>) -> Owner {
        match (lifetime, issuer) {
            (Lifetime::Ephemeral, Some(lease)) => Owner::Lease(lease),
            (Lifetime::Persistent | Lifetime::Ephemeral, _) => Owner::Nobody,
            (Lifetime::Container, _) => Owner::Container,
            (Lifetime::Ttl(ms), _) => Owner::Ttl(ms),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: Text,
    pub(crate) data: Option<Text>,
    pub(crate) owner: Owner,
    pub(crate) czxid: Zxid,
    pub(crate) mzxid: Zxid,
    pub(crate) pzxid: Zxid,
    pub(crate) ctime: i64,
    pub(crate) mtime: i64,
    // The tree: siblings are a linked list in the order of their creation, so that the children of a node are
    // found without a table per node and in an order that depends on the history alone.
    pub(crate) parent: Slot,
    pub(crate) previous: Slot,
    pub(crate) next: Slot,
    pub(crate) first_child: Slot,
    pub(crate) last_child: Slot,
    // The nodes of one lease, or all nodes that a sweep may remove, in the order of their creation.
    pub(crate) previous_owned: Slot,
    pub(crate) next_owned: Slot,
    pub(crate) children: u32,
    pub(crate) acl: AclId,
    pub(crate) version: i32,
    /// Children created so far: the source of sequence numbers. Deletions never take it back.
    pub(crate) created: i32,
    pub(crate) aversion: i32,
}

impl Node {
    pub(crate) fn new(name: &[u8], data: Option<&[u8]>, owner: Owner, acl: AclId, zxid: Zxid, at: i64) -> Node {
        Node {
            name: text(name),
            data: data.map(text),
            owner,
            czxid: zxid,
            mzxid: zxid,
            pzxid: zxid,
            ctime: at,
            mtime: at,
            parent: Slot::NONE,
            previous: Slot::NONE,
            next: Slot::NONE,
            first_child: Slot::NONE,
            last_child: Slot::NONE,
            previous_owned: Slot::NONE,
            next_owned: Slot::NONE,
            children: 0,
            acl,
            version: 0,
            created: 0,
            aversion: 0,
        }
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.name.slice
    }

    pub(crate) fn name_str(&self) -> &str {
        // Names come from `&str` paths and from records that were read as `&str`.
        std::str::from_utf8(self.name()).unwrap_or_default()
    }

    pub(crate) fn data(&self) -> Option<&[u8]> {
        self.data.as_ref().map(|data| &data.slice)
    }

    pub(crate) fn stat(&self) -> Stat {
        let children = self.children as i32;
        Stat {
            czxid: self.czxid,
            mzxid: self.mzxid,
            pzxid: self.pzxid,
            ctime: self.ctime,
            mtime: self.mtime,
            version: self.version,
            // Creations plus deletions, from creations and what is left of them.
            cversion: self.created.wrapping_mul(2).wrapping_sub(children),
            aversion: self.aversion,
            ephemeral_owner: match self.owner {
                Owner::Lease(lease) => lease.0,
                _ => 0,
            },
            data_length: self.data().map_or(0, |data| data.len() as i32),
            num_children: children,
        }
    }
}
