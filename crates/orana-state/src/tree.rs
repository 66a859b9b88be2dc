//! Where nodes lie and how they are found: a slab of copy-on-write chunks, sibling lists threaded through the
//! nodes, and a sharded index from (parent, name) to slot. Knows structure only; what may be written, by whom
//! and with which numbers is decided in `write.rs`.
//!
//! ```text
//!  chunks: [Arc<Chunk of 64>] ── clone of the tree = clone of these pointers (a snapshot)
//!  index:  [Arc<table>; 256]  ── (parent slot, name) ─▶ slot; the name itself lies in the node only
//! ```
//!
//! Whoever writes while a clone lives copies the one chunk and the one index shard that it touches.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use hashbrown::HashTable;

use crate::id::LeaseId;
use crate::node::{Node, Owner, Slot};

const CHUNK: usize = 64;
const SHARDS: usize = 256;

// The occupied variant is the common one; boxing it would cost an allocation per node.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Node(Node),
    /// The next vacant place after this one.
    Vacant(Slot),
}

type Chunk = Vec<Place>;

#[derive(Clone)]
pub(crate) struct Tree {
    chunks: Vec<Arc<Chunk>>,
    vacant: Slot,
    nodes: usize,
    index: Vec<Arc<HashTable<Slot>>>,
    // Seeded by chance so that nobody can choose names that collide; never visible, because nothing is ever
    // listed in the order of the index.
    hasher: ahash::RandomState,
}

impl Tree {
    pub(crate) fn with_root(root: Node) -> Tree {
        let mut tree = Tree::empty();
        let slot = tree.occupy(root);
        debug_assert_eq!(slot, Slot::ROOT);
        tree
    }

    fn empty() -> Tree {
        Tree {
            chunks: Vec::new(),
            vacant: Slot::NONE,
            nodes: 0,
            index: (0..SHARDS).map(|_| Arc::new(HashTable::new())).collect(),
            hasher: ahash::RandomState::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes
    }

    /// The node in a slot that is known to be occupied.
    pub(crate) fn node(&self, slot: Slot) -> &Node {
        match self.place(slot) {
            Some(Place::Node(node)) => node,
            _ => unreachable!("links point to occupied slots only; {slot:?} is vacant"),
        }
    }

    pub(crate) fn node_mut(&mut self, slot: Slot) -> &mut Node {
        let at = slot.0 as usize;
        match &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK] {
            Place::Node(node) => node,
            Place::Vacant(_) => unreachable!("links point to occupied slots only; {slot:?} is vacant"),
        }
    }

    fn place(&self, slot: Slot) -> Option<&Place> {
        let at = slot.0 as usize;
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// Looks a path up, component by component. The empty path is the root; anything malformed is not found.
    pub(crate) fn find(&self, path: &str) -> Option<Slot> {
        if path.is_empty() || path == "/" {
            return Some(Slot::ROOT);
        }
        let mut slot = Slot::ROOT;
        for name in path.strip_prefix('/')?.split('/') {
            slot = self.child(slot, name.as_bytes())?;
        }
        Some(slot)
    }

    pub(crate) fn child(&self, parent: Slot, name: &[u8]) -> Option<Slot> {
        let hash = self.hash(parent, name);
        let same = |slot: &Slot| {
            let node = self.node(*slot);
            node.parent == parent && node.name() == name
        };
        self.index[shard(hash)].find(hash, same).copied()
    }

    /// The children in the order of their creation.
    pub(crate) fn children(&self, parent: Slot) -> impl Iterator<Item = Slot> + '_ {
        std::iter::successors(self.node(parent).first_child.some(), |slot| {
            self.node(*slot).next.some()
        })
    }

    /// Puts a node in as the last child of `parent`.
    pub(crate) fn insert(&mut self, parent: Slot, mut node: Node) -> Slot {
        node.parent = parent;
        node.previous = self.node(parent).last_child;
        node.next = Slot::NONE;
        let slot = self.occupy(node);
        self.link(slot);
        slot
    }

    /// Takes a node out that has no children. Its links stay in it, for [`Tree::reinstate`].
    pub(crate) fn remove(&mut self, slot: Slot) -> Node {
        let node = self.node(slot).clone();
        debug_assert_eq!(node.children, 0, "only leaves are removed");
        let hash = self.hash(node.parent, node.name());
        if let Ok(entry) = Arc::make_mut(&mut self.index[shard(hash)]).find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
        match node.previous.some() {
            Some(previous) => self.node_mut(previous).next = node.next,
            None => self.node_mut(node.parent).first_child = node.next,
        }
        match node.next.some() {
            Some(next) => self.node_mut(next).previous = node.previous,
            None => self.node_mut(node.parent).last_child = node.previous,
        }
        self.node_mut(node.parent).children -= 1;
        self.vacate(slot);
        node
    }

    /// Undoes the latest [`Tree::remove`] that was not undone yet: same slot, same place among its siblings.
    pub(crate) fn reinstate(&mut self, node: Node) -> Slot {
        let slot = self.occupy(node);
        self.link(slot);
        slot
    }

    /// Makes neighbours, parent and index know the node in `slot`, whose own links are already right.
    fn link(&mut self, slot: Slot) {
        let node = self.node(slot);
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        let hash = self.hash(parent, node.name());
        match previous.some() {
            Some(previous) => self.node_mut(previous).next = slot,
            None => self.node_mut(parent).first_child = slot,
        }
        match next.some() {
            Some(next) => self.node_mut(next).previous = slot,
            None => self.node_mut(parent).last_child = slot,
        }
        self.node_mut(parent).children += 1;
        self.index_insert(hash, slot);
    }

    fn index_insert(&mut self, hash: u64, slot: Slot) {
        // Taken out while the chunks are read for rehashing.
        let mut table = std::mem::take(&mut self.index[shard(hash)]);
        let rehash = |other: &Slot| {
            let node = self.node(*other);
            self.hash(node.parent, node.name())
        };
        Arc::make_mut(&mut table).insert_unique(hash, slot, rehash);
        self.index[shard(hash)] = table;
    }

    fn hash(&self, parent: Slot, name: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_u32(parent.0);
        hasher.write(name);
        hasher.finish()
    }

    fn occupy(&mut self, node: Node) -> Slot {
        if self.vacant == Slot::NONE {
            let base = (self.chunks.len() * CHUNK) as u32;
            let last = base + CHUNK as u32 - 1;
            let places = (base..=last).map(|at| Place::Vacant(if at == last { Slot::NONE } else { Slot(at + 1) }));
            self.chunks.push(Arc::new(places.collect()));
            self.vacant = Slot(base);
        }
        let slot = self.vacant;
        let at = slot.0 as usize;
        let place = &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK];
        match std::mem::replace(place, Place::Node(node)) {
            Place::Vacant(next) => self.vacant = next,
            Place::Node(_) => unreachable!("the vacant list holds vacant slots only; {slot:?} is occupied"),
        }
        self.nodes += 1;
        slot
    }

    fn vacate(&mut self, slot: Slot) {
        let at = slot.0 as usize;
        Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK] = Place::Vacant(self.vacant);
        self.vacant = slot;
        self.nodes -= 1;
    }

    /// True if the slot holds a node of this lease.
    pub(crate) fn is_owned(&self, slot: Slot, lease: LeaseId) -> bool {
        matches!(self.place(slot), Some(Place::Node(node)) if node.owner == Owner::Lease(lease))
    }

    /// The full path of a node.
    pub(crate) fn path(&self, slot: Slot) -> Arc<str> {
        if slot == Slot::ROOT {
            return "/".into();
        }
        let mut names = Vec::new();
        let mut at = slot;
        while at != Slot::ROOT {
            names.push(self.node(at).name());
            at = self.node(at).parent;
        }
        let mut path = Vec::with_capacity(names.iter().map(|name| name.len() + 1).sum());
        for name in names.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        String::from_utf8_lossy(&path).into()
    }

    /// All below a node, parents before children; the node itself is not counted.
    pub(crate) fn descendants(&self, top: Slot) -> usize {
        let mut count = 0;
        let mut at = top;
        // Down to the first child, else to the next sibling of the nearest ancestor that has one.
        loop {
            if let Some(child) = self.node(at).first_child.some() {
                at = child;
            } else {
                loop {
                    if at == top {
                        return count;
                    }
                    if let Some(next) = self.node(at).next.some() {
                        at = next;
                        break;
                    }
                    at = self.node(at).parent;
                }
            }
            count += 1;
        }
    }

    pub(crate) fn first_vacant(&self) -> Slot {
        self.vacant
    }

    /// Every place in order, for a snapshot.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The tree again, from its places in order. `Err` names the first slot whose links make no sense.
    pub(crate) fn restore(places: impl Iterator<Item = Place>, vacant: Slot) -> Result<Tree, Slot> {
        let mut tree = Tree::empty();
        let mut chunk: Chunk = Vec::with_capacity(CHUNK);
        for place in places {
            tree.nodes += usize::from(matches!(place, Place::Node(_)));
            chunk.push(place);
            if chunk.len() == CHUNK {
                tree.chunks
                    .push(Arc::new(std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK))));
            }
        }
        if !chunk.is_empty() {
            return Err(Slot((tree.chunks.len() * CHUNK) as u32));
        }
        tree.vacant = vacant;
        tree.check_links()?;
        for at in 0..(tree.chunks.len() * CHUNK) as u32 {
            if let Some(Place::Node(node)) = tree.place(Slot(at))
                && at != Slot::ROOT.0
            {
                let hash = tree.hash(node.parent, node.name());
                tree.index_insert(hash, Slot(at));
            }
        }
        Ok(tree)
    }

    /// Checks that every link is mutual, so that no walk over a restored tree can fail.
    fn check_links(&self) -> Result<(), Slot> {
        let at = |slot: Slot| match self.place(slot) {
            Some(Place::Node(node)) => Some(node),
            _ => None,
        };
        let mutual = |link: Slot, back: &dyn Fn(&Node) -> bool| link == Slot::NONE || at(link).is_some_and(back);
        for number in 0..(self.chunks.len() * CHUNK) as u32 {
            let slot = Slot(number);
            let good = match self.place(slot) {
                Some(Place::Node(node)) => {
                    let root = slot == Slot::ROOT;
                    let parent = if root {
                        node.parent == Slot::NONE
                    } else {
                        at(node.parent).is_some()
                    };
                    parent
                        && mutual(node.previous, &|other| {
                            other.next == slot && other.parent == node.parent
                        })
                        && mutual(node.next, &|other| {
                            other.previous == slot && other.parent == node.parent
                        })
                        && mutual(node.first_child, &|other| {
                            other.parent == slot && other.previous == Slot::NONE
                        })
                        && mutual(node.last_child, &|other| {
                            other.parent == slot && other.next == Slot::NONE
                        })
                        && mutual(node.previous_owned, &|other| {
                            other.next_owned == slot && other.owner == node.owner
                        })
                        && mutual(node.next_owned, &|other| {
                            other.previous_owned == slot && other.owner == node.owner
                        })
                        && (root
                            || node.previous != Slot::NONE
                            || at(node.parent).is_some_and(|p| p.first_child == slot))
                }
                Some(Place::Vacant(next)) => *next == Slot::NONE || matches!(self.place(*next), Some(Place::Vacant(_))),
                None => false,
            };
            if !good {
                return Err(slot);
            }
        }
        match self.place(Slot::ROOT) {
            Some(Place::Node(_)) => Ok(()),
            _ => Err(Slot::ROOT),
        }
    }
}

fn shard(hash: u64) -> usize {
    // The table inside a shard uses the low and the top bits; take some from between.
    (hash >> 40) as usize % SHARDS
}
