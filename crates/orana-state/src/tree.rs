//! Where nodes lie and how they are found: a slab of copy-on-write chunks, sibling lists threaded through the
//! nodes, and a sharded index from (parent, name) to slot. Knows structure only; what may be written, by whom
//! and with which numbers is decided in `write.rs`; paths in `path.rs`, the way back from a snapshot in `restore.rs`.
//!
//! ```text
//!  chunks: [Arc<Chunk of 64>] ── clone of the tree = clone of these pointers (a snapshot)
//!  index:  [Arc<table>; 256]  ── (parent slot, name) ─▶ slot; the name itself lies in the node only
//! ```
//!
//! Whoever writes while a clone lives copies the one chunk and the one index shard that it touches.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use triomphe::Arc;

use crate::node::{Node, Slot};

mod path;
mod restore;

pub(crate) use path::Paths;
pub(crate) use restore::{Flaw, Places};

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

type Chunk = [Place; CHUNK];

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

/// Where the index keeps a name, found out once for looking and entering.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    parent: Slot,
    hash: u64,
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
        node(&self.chunks, slot)
    }

    pub(crate) fn node_mut(&mut self, slot: Slot) -> &mut Node {
        let at = slot.0 as usize;
        match &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK] {
            Place::Node(node) => node,
            Place::Vacant(_) => unreachable!("links point to occupied slots only; {slot:?} is vacant"),
        }
    }

    pub(crate) fn place(&self, slot: Slot) -> Option<&Place> {
        place(&self.chunks, slot)
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
        self.at(self.spot(parent, name), name)
    }

    pub(crate) fn spot(&self, parent: Slot, name: &[u8]) -> Spot {
        let hash = hash(&self.hasher, parent, name);
        Spot { parent, hash }
    }

    /// The child of this name; `spot` is that of the same name.
    pub(crate) fn at(&self, spot: Spot, name: &[u8]) -> Option<Slot> {
        let same = |slot: &Slot| {
            let node = self.node(*slot);
            node.parent == spot.parent && node.name() == name
        };
        self.index[shard(spot.hash)].find(spot.hash, same).copied()
    }

    /// The children in the order of their creation.
    pub(crate) fn children(&self, parent: Slot) -> impl Iterator<Item = Slot> + '_ {
        std::iter::successors(self.node(parent).first_child.some(), |slot| {
            self.node(*slot).next.some()
        })
    }

    /// Puts a node in as the last child of the parent of `spot`, which is that of its name and free.
    pub(crate) fn insert(&mut self, spot: Spot, mut node: Node) -> Slot {
        node.parent = spot.parent;
        node.previous = self.node(spot.parent).last_child;
        node.next = Slot::NONE;
        let slot = self.occupy(node);
        self.link(slot, spot.hash);
        slot
    }

    /// Takes a node out that has no children. Its links stay in it, for [`Tree::reinstate`].
    pub(crate) fn remove(&mut self, slot: Slot) -> Node {
        let node = self.vacate(slot);
        debug_assert_eq!(node.children, 0, "only leaves are removed");
        let hash = hash(&self.hasher, node.parent, node.name());
        if let Ok(entry) = Arc::make_mut(&mut self.index[shard(hash)]).find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
        if let Some(previous) = node.previous.some() {
            self.node_mut(previous).next = node.next;
        }
        if let Some(next) = node.next.some() {
            self.node_mut(next).previous = node.previous;
        }
        let up = self.node_mut(node.parent);
        if node.previous == Slot::NONE {
            up.first_child = node.next;
        }
        if node.next == Slot::NONE {
            up.last_child = node.previous;
        }
        up.children -= 1;
        node
    }

    /// Undoes the latest [`Tree::remove`] that was not undone yet: same slot, same place among its siblings.
    pub(crate) fn reinstate(&mut self, node: Node) -> Slot {
        let hash = hash(&self.hasher, node.parent, node.name());
        let slot = self.occupy(node);
        self.link(slot, hash);
        slot
    }

    /// Makes neighbours, parent and index know the node in `slot`, whose own links are already right.
    fn link(&mut self, slot: Slot, hash: u64) {
        let node = self.node(slot);
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        if let Some(previous) = previous.some() {
            self.node_mut(previous).next = slot;
        }
        if let Some(next) = next.some() {
            self.node_mut(next).previous = slot;
        }
        let up = self.node_mut(parent);
        if previous == Slot::NONE {
            up.first_child = slot;
        }
        if next == Slot::NONE {
            up.last_child = slot;
        }
        up.children += 1;
        self.enter(hash, slot);
    }

    /// Enters a slot into the index, where its name is not yet.
    fn enter(&mut self, hash: u64, slot: Slot) {
        let Tree {
            chunks, index, hasher, ..
        } = self;
        Arc::make_mut(&mut index[shard(hash)]).insert_unique(hash, slot, rehash(chunks, hasher));
    }

    fn occupy(&mut self, node: Node) -> Slot {
        if self.vacant == Slot::NONE {
            let base = (self.chunks.len() * CHUNK) as u32;
            let last = base + CHUNK as u32 - 1;
            self.chunks.push(Arc::new(std::array::from_fn(|at| {
                let at = base + at as u32;
                Place::Vacant(if at == last { Slot::NONE } else { Slot(at + 1) })
            })));
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

    fn vacate(&mut self, slot: Slot) -> Node {
        let at = slot.0 as usize;
        let place = &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK];
        match std::mem::replace(place, Place::Vacant(self.vacant)) {
            Place::Node(node) => {
                self.vacant = slot;
                self.nodes -= 1;
                node
            }
            Place::Vacant(_) => unreachable!("links point to occupied slots only; {slot:?} is vacant"),
        }
    }

    /// All below a node, parents before children, siblings in the order of their creation; not the node itself.
    pub(crate) fn below(&self, top: Slot) -> impl Iterator<Item = Slot> + '_ {
        let mut at = top;
        // Down to the first child, else to the next sibling of the nearest ancestor that has one.
        std::iter::from_fn(move || {
            if let Some(child) = self.node(at).first_child.some() {
                at = child;
                return Some(at);
            }
            while at != top {
                let node = self.node(at);
                if let Some(next) = node.next.some() {
                    at = next;
                    return Some(at);
                }
                at = node.parent;
            }
            None
        })
        .fuse()
    }

    pub(crate) fn first_vacant(&self) -> Slot {
        self.vacant
    }

    /// Every place in order, for a snapshot.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

fn place(chunks: &[Arc<Chunk>], slot: Slot) -> Option<&Place> {
    let at = slot.0 as usize;
    chunks.get(at / CHUNK)?.get(at % CHUNK)
}

fn node(chunks: &[Arc<Chunk>], slot: Slot) -> &Node {
    match place(chunks, slot) {
        Some(Place::Node(node)) => node,
        _ => unreachable!("links point to occupied slots only; {slot:?} is vacant"),
    }
}

fn hash(hasher: &ahash::RandomState, parent: Slot, name: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write_u32(parent.0);
    hasher.write(name);
    hasher.finish()
}

/// How the tables of the index find the hash of a slot again when they grow.
fn rehash(chunks: &[Arc<Chunk>], hasher: &ahash::RandomState) -> impl Fn(&Slot) -> u64 {
    move |slot| {
        let node = node(chunks, *slot);
        hash(hasher, node.parent, node.name())
    }
}

fn shard(hash: u64) -> usize {
    // The table inside a shard uses the low and the top bits; take some from between.
    (hash >> 40) as usize % SHARDS
}
