//! A tree from the places of a snapshot. Whatever the bytes said, a tree that comes out of here is one: every
//! walk over it ends, every node is reached from the root, and every name is found. What nodes *mean* (owners,
//! lists, totals) is checked elsewhere.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use triomphe::Arc;

use crate::node::{Node, Slot};
use crate::path;
use crate::tree::{CHUNK, Chunk, Place, SHARDS, Tree, hash, node, rehash, shard};

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw(pub(crate) &'static str, pub(crate) Slot);

/// Takes places in order, straight into chunks: restoring never holds a node twice.
#[derive(Default)]
pub(crate) struct Places {
    chunks: Vec<Arc<Chunk>>,
    chunk: Vec<Place>,
    nodes: usize,
}

impl Places {
    pub(crate) fn push(&mut self, place: Place) {
        self.nodes += usize::from(matches!(place, Place::Node(_)));
        if self.chunk.capacity() == 0 {
            self.chunk.reserve_exact(CHUNK);
        }
        self.chunk.push(place);
        if let Ok(chunk) = <&mut Chunk>::try_from(self.chunk.as_mut_slice()) {
            let taken = std::array::from_fn(|at| std::mem::replace(&mut chunk[at], Place::Vacant(Slot::NONE)));
            self.chunks.push(Arc::new(taken));
            self.chunk.clear();
        }
    }

    pub(crate) fn len(&self) -> u32 {
        (self.chunks.len() * CHUNK + self.chunk.len()) as u32
    }

    /// The tree, if these places make one.
    pub(crate) fn tree(self, vacant: Slot) -> Result<Tree, Flaw> {
        let end = Slot((self.chunks.len() * CHUNK) as u32);
        if !self.chunk.is_empty() {
            return Err(Flaw("the last chunk is not full", end));
        }
        let mut tree = Tree {
            chunks: self.chunks,
            vacant,
            nodes: self.nodes,
            ..Tree::empty()
        };
        tree.check_root()?;
        tree.check_links()?;
        tree.check_reach()?;
        tree.check_vacant()?;
        tree.enter_all()?;
        Ok(tree)
    }
}

impl Tree {
    fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..(self.chunks.len() * CHUNK) as u32).map(Slot)
    }

    fn occupied(&self, slot: Slot) -> Option<&Node> {
        match self.place(slot) {
            Some(Place::Node(node)) => Some(node),
            _ => None,
        }
    }

    fn check_root(&self) -> Result<(), Flaw> {
        let alone = |node: &Node| [node.parent, node.previous, node.next] == [Slot::NONE; 3] && node.name().is_empty();
        match self.occupied(Slot::ROOT) {
            Some(root) if alone(root) => Ok(()),
            _ => Err(Flaw("this is no root", Slot::ROOT)),
        }
    }

    /// Every link of the tree is answered by the one that leads back.
    fn check_links(&self) -> Result<(), Flaw> {
        for slot in self.slots() {
            let Some(node) = self.occupied(slot) else { continue };
            let leads =
                |link: Slot, back: &dyn Fn(&Node) -> bool| link == Slot::NONE || self.occupied(link).is_some_and(back);
            if !leads(node.first_child, &|child| {
                child.parent == slot && child.previous == Slot::NONE
            }) || !leads(node.last_child, &|child| {
                child.parent == slot && child.next == Slot::NONE
            }) {
                return Err(Flaw("a link to a child is not answered", slot));
            }
            if slot == Slot::ROOT {
                continue;
            }
            let sibling = |other: &Node| other.parent == node.parent;
            let Some(up) = self.occupied(node.parent) else {
                return Err(Flaw("the parent is missing", slot));
            };
            let before = match node.previous.some() {
                Some(_) => leads(node.previous, &|other| other.next == slot && sibling(other)),
                None => up.first_child == slot,
            };
            let after = match node.next.some() {
                Some(_) => leads(node.next, &|other| other.previous == slot && sibling(other)),
                None => up.last_child == slot,
            };
            if !before || !after {
                return Err(Flaw("a link to a sibling is not answered", slot));
            }
        }
        Ok(())
    }

    /// Every node is below the root, and every list of children is as long as its parent says. Answered links
    /// make this walk end: a node is entered from one side only.
    fn check_reach(&self) -> Result<(), Flaw> {
        let mut found = vec![0u32; self.chunks.len() * CHUNK];
        let mut reached = 1;
        for slot in self.below(Slot::ROOT) {
            reached += 1;
            found[self.node(slot).parent.0 as usize] += 1;
        }
        if reached != self.nodes {
            return Err(Flaw("there are nodes that are not below the root", Slot::ROOT));
        }
        let wrong = |slot: &Slot| {
            self.occupied(*slot)
                .is_some_and(|node| node.children != found[slot.0 as usize])
        };
        match self.slots().find(wrong) {
            Some(slot) => Err(Flaw("the number of children is wrong", slot)),
            None => Ok(()),
        }
    }

    fn check_vacant(&self) -> Result<(), Flaw> {
        let mut left = self.chunks.len() * CHUNK - self.nodes;
        let mut at = self.vacant;
        while at != Slot::NONE {
            match self.place(at) {
                Some(Place::Vacant(next)) if left > 0 => {
                    left -= 1;
                    at = *next;
                }
                _ => return Err(Flaw("the list of vacant places is broken", at)),
            }
        }
        if left > 0 {
            return Err(Flaw("there are vacant places that are not listed", at));
        }
        Ok(())
    }

    /// Builds the index. Names are checked on the way, among siblings too.
    fn enter_all(&mut self) -> Result<(), Flaw> {
        // A little more than an even share each, so that no table grows on the way.
        let share = self.nodes / SHARDS + self.nodes / SHARDS / 8 + 16;
        let mut index: Vec<_> = (0..SHARDS).map(|_| HashTable::with_capacity(share)).collect();
        for slot in self.slots() {
            let Some(found) = self.occupied(slot).filter(|_| slot != Slot::ROOT) else {
                continue;
            };
            if !path::is_valid_name(found.name_str()) {
                return Err(Flaw("the name is not a legal one", slot));
            }
            let hash = hash(&self.hasher, found.parent, found.name());
            let same = |other: &Slot| {
                let other = node(&self.chunks, *other);
                other.parent == found.parent && other.name() == found.name()
            };
            match index[shard(hash)].entry(hash, same, rehash(&self.chunks, &self.hasher)) {
                Entry::Occupied(_) => return Err(Flaw("a sibling has the same name", slot)),
                Entry::Vacant(vacant) => vacant.insert(slot),
            };
        }
        self.index = index.into_iter().map(Arc::new).collect();
        Ok(())
    }
}
