//! Whether what was read can be the outcome of commands: lists of owners, uses of access control lists, totals,
//! numbers. The tree as such was checked when it was built; so every walk here ends.

use crate::acl::AclTable;
use crate::command::Lifetime;
use crate::id::{LeaseId, Zxid};
use crate::node::{Owner, Slot};
use crate::owned::Ends;
use crate::snapshot::DecodeError;
use crate::state::{RESERVED, State};
use crate::tree::{Flaw, Place};

/// No history is so long. What counts on from a number must not run over its end.
const LAST_ZXID: Zxid = Zxid(1 << 62);

impl From<Flaw> for DecodeError {
    fn from(Flaw(what, slot): Flaw) -> DecodeError {
        DecodeError::Inconsistent(match slot.some() {
            Some(slot) => format!("{what} (slot {})", slot.0),
            None => what.into(),
        })
    }
}

impl State {
    pub(super) fn audit(&self) -> Result<(), Flaw> {
        if self.zxid < Zxid::ORIGIN || self.zxid > LAST_ZXID {
            return Err(Flaw(
                "the number of the latest command is not a possible one",
                Slot::NONE,
            ));
        }
        if RESERVED.iter().any(|path| self.tree.find(path).is_none()) {
            return Err(Flaw("a reserved node is missing", Slot::NONE));
        }
        self.audit_owners()?;
        self.audit_nodes()
    }

    /// Each node is in the list of its owner and in no other.
    fn audit_owners(&self) -> Result<(), Flaw> {
        let mut ephemerals = 0;
        for (id, lease) in self.leases.iter() {
            if id > LeaseId(self.zxid.0) {
                return Err(Flaw("a lease is newer than the latest command", Slot::NONE));
            }
            let owned = self.audit_list(lease.ends, |owner| owner == Owner::Lease(id))?;
            if owned != lease.owned as usize {
                return Err(Flaw("a lease owns another number of nodes", lease.ends.first));
            }
            ephemerals += owned;
        }
        if ephemerals != self.ephemerals {
            return Err(Flaw("there is another number of ephemeral nodes", Slot::NONE));
        }
        let mortal = self.audit_list(self.mortal, |owner| matches!(owner, Owner::Container | Owner::Ttl(_)))?;
        let mut unlisted = (ephemerals, mortal);
        for (slot, node) in self.nodes() {
            let count = match node.owner {
                Owner::Nobody if node.previous_owned == Slot::NONE && node.next_owned == Slot::NONE => continue,
                Owner::Nobody => return Err(Flaw("the node of nobody is in a list", slot)),
                Owner::Lease(_) => &mut unlisted.0,
                Owner::Container | Owner::Ttl(_) => &mut unlisted.1,
            };
            *count = count
                .checked_sub(1)
                .ok_or(Flaw("the owner does not know this node", slot))?;
        }
        Ok(())
    }

    /// The length of a list whose links are answered and whose nodes are all of this kind. It ends, because a
    /// node is entered from the one node only that it names as the one before it.
    fn audit_list(&self, ends: Ends, belongs: impl Fn(Owner) -> bool) -> Result<usize, Flaw> {
        let (mut previous, mut at, mut length) = (Slot::NONE, ends.first, 0);
        while at != Slot::NONE {
            match self.tree.place(at) {
                Some(Place::Node(node)) if node.previous_owned == previous && belongs(node.owner) => {
                    (previous, at) = (at, node.next_owned);
                    length += 1;
                }
                _ => return Err(Flaw("a list of owned nodes is broken", at)),
            }
        }
        if ends.last == previous {
            Ok(length)
        } else {
            Err(Flaw("a list of owned nodes has another end", ends.last))
        }
    }

    fn audit_nodes(&self) -> Result<(), Flaw> {
        let mut uses = vec![0u64; self.acls.iter().last().map_or(0, |(id, _)| id.0 as usize + 1)];
        // The length of the path of each node that was seen; parents come first.
        let mut lengths = vec![0u64; self.tree.places().count()];
        let root = self.tree.node(Slot::ROOT);
        let mut bytes = 1 + root.data().map_or(0, <[u8]>::len) as u64;
        for slot in std::iter::once(Slot::ROOT).chain(self.tree.below(Slot::ROOT)) {
            let node = self.tree.node(slot);
            if [node.czxid, node.mzxid, node.pzxid]
                .iter()
                .any(|zxid| *zxid > self.zxid)
            {
                return Err(Flaw("the node is newer than the latest command", slot));
            }
            let possible = match node.owner {
                Owner::Nobody | Owner::Container => true,
                Owner::Lease(_) => node.children == 0,
                Owner::Ttl(ms) => Lifetime::Ttl(ms).is_possible(),
            };
            if !possible {
                return Err(Flaw("the node's lifetime is not a possible one", slot));
            }
            match uses.get_mut(node.acl.0 as usize) {
                Some(uses) => *uses += 1,
                None => return Err(Flaw("the node's access control list is missing", slot)),
            }
            if slot != Slot::ROOT {
                let length = lengths[node.parent.0 as usize] + 1 + node.name().len() as u64;
                lengths[slot.0 as usize] = length;
                bytes += length + node.data().map_or(0, <[u8]>::len) as u64;
            }
        }
        if bytes != self.bytes {
            return Err(Flaw("the nodes have another number of bytes", Slot::NONE));
        }
        // Lists without a row but with uses are found by what is left.
        for (id, interned) in self.acls.iter() {
            let used = std::mem::take(&mut uses[id.0 as usize]);
            if id != AclTable::OPEN && used != interned.uses {
                return Err(Flaw("an access control list has another number of uses", Slot::NONE));
            }
        }
        if uses.iter().any(|uses| *uses > 0) {
            return Err(Flaw("a node's access control list is missing", Slot::NONE));
        }
        Ok(())
    }

    fn nodes(&self) -> impl Iterator<Item = (Slot, &crate::node::Node)> {
        let places = (0..).map(Slot).zip(self.tree.places());
        places.filter_map(|(slot, place)| match place {
            Place::Node(node) => Some((slot, node)),
            Place::Vacant(_) => None,
        })
    }
}
