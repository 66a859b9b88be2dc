//! Whose nodes are whose: each lease has a list of what it owns, and the nodes that a sweep may remove
//! (containers, nodes with a time to live) are in one list more. The lists are threaded through the nodes, in
//! the order of creation, so that they cost nothing to keep and nothing to share with a snapshot.

use crate::node::{Owner, Slot};
use crate::state::State;

/// The two ends of such a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) first: Slot,
    pub(crate) last: Slot,
}

impl Ends {
    pub(crate) const NONE: Ends = Ends {
        first: Slot::NONE,
        last: Slot::NONE,
    };
}

impl State {
    /// Puts a new node at the end of its owner's list.
    pub(crate) fn enter_owner(&mut self, slot: Slot) {
        let last = match self.tree.node(slot).owner {
            Owner::Nobody => return,
            Owner::Container | Owner::Ttl(_) => self.mortal.last,
            Owner::Lease(id) => self.leases.get(id).map_or(Slot::NONE, |lease| lease.ends.last),
        };
        if last != Slot::NONE {
            self.tree.node_mut(slot).previous_owned = last;
        }
        self.reenter_owner(slot);
    }

    /// Makes neighbours and owner know a node whose own links are already right.
    pub(crate) fn reenter_owner(&mut self, slot: Slot) {
        let node = self.tree.node(slot);
        let (owner, previous, next) = (node.owner, node.previous_owned, node.next_owned);
        if let Owner::Lease(id) = owner {
            self.ephemerals += 1;
            if let Some(lease) = self.leases.get_mut(id) {
                lease.owned += 1;
            }
        }
        self.link_owned(owner, previous, slot, next, slot);
    }

    pub(crate) fn leave_owner(&mut self, slot: Slot) {
        let node = self.tree.node(slot);
        let (owner, previous, next) = (node.owner, node.previous_owned, node.next_owned);
        if let Owner::Lease(id) = owner {
            self.ephemerals -= 1;
            if let Some(lease) = self.leases.get_mut(id) {
                lease.owned -= 1;
            }
        }
        self.link_owned(owner, previous, next, next, previous);
    }

    /// After `previous` comes `after`; before `next` comes `before`; the ends are kept by the owner.
    fn link_owned(&mut self, owner: Owner, previous: Slot, after: Slot, next: Slot, before: Slot) {
        if let Some(previous) = previous.some() {
            self.tree.node_mut(previous).next_owned = after;
        }
        if let Some(next) = next.some() {
            self.tree.node_mut(next).previous_owned = before;
        }
        if previous != Slot::NONE && next != Slot::NONE {
            return;
        }
        let ends = match owner {
            Owner::Nobody => return,
            Owner::Container | Owner::Ttl(_) => &mut self.mortal,
            Owner::Lease(id) => match self.leases.get_mut(id) {
                Some(lease) => &mut lease.ends,
                None => return,
            },
        };
        if previous == Slot::NONE {
            ends.first = after;
        }
        if next == Slot::NONE {
            ends.last = before;
        }
    }

    /// The nodes of the list that begins so.
    pub(crate) fn owned_from(&self, first: Slot) -> impl Iterator<Item = Slot> + '_ {
        std::iter::successors(first.some(), |slot| self.tree.node(*slot).next_owned.some())
    }
}
