//! The lists, maps and objects of a [`Value`], behind a pointer that may be held twice and may lead back.
//!
//! Nothing here calls itself, because a graph from the network may be as deep as it is long: comparing and dropping
//! keep their own stack, and printing stops at a depth.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, Weak};

use super::value::{List, Map, Object, Value};

/// Printing goes no deeper than this.
const PRINTED_DEPTH: usize = 32;

/// What a node holds.
#[derive(Debug, Clone)]
pub enum Content {
    /// A list, an array or a set.
    List(List),
    /// A map.
    Map(Map),
    /// An instance of a class.
    Object(Object),
}

/// A list, map or object with an identity: clones are the same one.
#[derive(Clone)]
pub struct Node(Arc<Cell>);

/// A reference to a node that holds it.
#[derive(Clone)]
pub struct Back(Weak<Cell>);

/// Filled once: a node can be referred to before its content is known.
struct Cell(OnceLock<Content>);

// ---------------------------------------------------------------------------------------------------------------------

impl Content {
    /// The values within, in the order of the wire: a map's keys and values take turns.
    pub fn child(&self, at: usize) -> Option<&Value> {
        match self {
            Content::List(list) => list.items.get(at),
            Content::Object(object) => object.values.get(at),
            Content::Map(map) => {
                let (key, value) = map.entries.get(at / 2)?;
                Some(if at.is_multiple_of(2) { key } else { value })
            }
        }
    }

    /// How many values there are within.
    pub fn children(&self) -> usize {
        match self {
            Content::List(list) => list.items.len(),
            Content::Object(object) => object.values.len(),
            Content::Map(map) => map.entries.len().saturating_mul(2),
        }
    }

    /// Equal as far as that can be seen without looking at the values within.
    fn alike(&self, other: &Content) -> bool {
        self.children() == other.children()
            && match (self, other) {
                (Content::List(one), Content::List(other)) => one.kind == other.kind,
                (Content::Map(one), Content::Map(other)) => one.kind == other.kind,
                (Content::Object(one), Content::Object(other)) => one.class == other.class,
                _ => false,
            }
    }

    fn take_nodes(self, taken: &mut Vec<Node>) {
        let mut take = |value| {
            if let Value::Node(node) = value {
                taken.push(node);
            }
        };
        match self {
            Content::List(list) => list.items.into_iter().for_each(take),
            Content::Object(object) => object.values.into_iter().for_each(take),
            Content::Map(map) => map.entries.into_iter().for_each(|(key, value)| {
                take(key);
                take(value);
            }),
        }
    }
}

impl Node {
    /// A node whose content comes later, so that the content can refer back to it.
    pub fn unfilled() -> Node {
        Node(Arc::new(Cell(OnceLock::new())))
    }

    /// Gives the node its content. A node is filled once: a second content is dropped, and `false` says so.
    pub fn fill(&self, content: Content) -> bool {
        self.0.0.set(content).is_ok()
    }

    /// What it holds; none as long as it is unfilled.
    pub fn content(&self) -> Option<&Content> {
        self.0.0.get()
    }

    /// A reference for use within this node.
    pub fn back(&self) -> Back {
        Back(Arc::downgrade(&self.0))
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        match self.content()? {
            Content::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self.content()? {
            Content::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self.content()? {
            Content::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether both are one node, not just equal.
    pub fn is(&self, other: &Node) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A number that no other node has as long as this one exists: where it lies in memory.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl Back {
    /// The node; none if it exists no more.
    pub fn node(&self) -> Option<Node> {
        self.0.upgrade().map(Node)
    }
}

impl From<List> for Node {
    fn from(list: List) -> Self {
        Node(Arc::new(Cell(Content::List(list).into())))
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Node(Arc::new(Cell(Content::Map(map).into())))
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Self {
        Node(Arc::new(Cell(Content::Object(object).into())))
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        if let Some(content) = self.0.take() {
            content.take_nodes(&mut rest);
        }
        while let Some(node) = rest.pop() {
            if let Some(content) = Arc::into_inner(node.0).and_then(|mut cell| cell.0.take()) {
                content.take_nodes(&mut rest);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// A node as a key: itself, not what it holds.
#[derive(Debug, Clone)]
pub(super) struct Identity(pub(super) Node);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(&other.0)
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.address().hash(state);
    }
}

/// Equal if no path into one finds anything else in the other. Doubles are compared by their bits.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let mut assumed = HashSet::new();
        let mut open = Vec::new();
        if !equal_here(self, other, &mut open) {
            return false;
        }
        while let Some((one, other)) = open.pop() {
            if one.is(&other) || !assumed.insert((one.address(), other.address())) {
                continue;
            }
            let (Some(one), Some(other)) = (one.content(), other.content()) else {
                return false;
            };
            if !one.alike(other) {
                return false;
            }
            for at in 0..one.children() {
                match (one.child(at), other.child(at)) {
                    (Some(one), Some(other)) if equal_here(one, other, &mut open) => {}
                    _ => return false,
                }
            }
        }
        true
    }
}

/// Whether two values are equal, given that the nodes put on `open` are.
fn equal_here(one: &Value, other: &Value, open: &mut Vec<(Node, Node)>) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(one), Value::Int(other)) => one == other,
        (Value::Long(one), Value::Long(other)) | (Value::Date(one), Value::Date(other)) => one == other,
        (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Binary(one), Value::Binary(other)) => one == other,
        (Value::Node(_) | Value::Back(_), Value::Node(_) | Value::Back(_)) => match (one.node(), other.node()) {
            (Some(one), Some(other)) => {
                open.push((one, other));
                true
            }
            _ => false,
        },
        _ => false,
    }
}

thread_local! {
    /// The nodes that the printing in progress has shown, and how deep it is.
    static PRINTED: RefCell<(HashSet<usize>, usize)> = RefCell::default();
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.address();
        let shown = PRINTED.with_borrow_mut(|(printed, depth)| {
            let fresh = *depth < PRINTED_DEPTH && printed.insert(address);
            *depth += usize::from(fresh);
            fresh
        });
        if !shown {
            return write!(f, "#{address:x}");
        }
        let result = match self.content() {
            Some(content) => write!(f, "#{address:x} ").and_then(|()| content.fmt(f)),
            None => write!(f, "#{address:x} unfilled"),
        };
        PRINTED.with_borrow_mut(|(printed, depth)| {
            *depth -= 1;
            if *depth == 0 {
                printed.clear();
            }
        });
        result
    }
}

impl fmt::Debug for Back {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:x}", self.0.as_ptr().addr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(length: usize) -> Value {
        let first = Node::unfilled();
        let mut value = Value::from(first.back());
        for _ in 1..length {
            value = Value::list([value]);
        }
        first.fill(Content::List(List {
            kind: None,
            items: vec![value],
        }));
        first.into()
    }

    #[test]
    fn rings_that_unroll_to_the_same_are_equal() {
        assert_eq!(ring(2), ring(2));
        assert_eq!(ring(2), ring(3));
        assert_ne!(ring(2), Value::list([Value::list([])]));
    }

    #[test]
    fn a_hundred_thousand_lists_in_each_other_are_compared_and_dropped() {
        let deep = || (0..100_000).fold(Value::Null, |inner, _| Value::list([inner]));
        assert_eq!(deep(), deep());
        assert_ne!(deep(), Value::list([deep()]));
    }

    #[test]
    fn printing_a_graph_shows_each_node_once() {
        let mut value = Value::list([]);
        for _ in 0..30 {
            value = Value::list([value.clone(), value]);
        }
        assert!(format!("{value:?}").len() < 10_000);
        assert!(format!("{:?}", ring(100)).len() < 10_000);
    }

    #[test]
    fn a_reference_back_does_not_keep_its_node() {
        let node = Node::unfilled();
        let back = node.back();
        node.fill(Content::List(List {
            kind: None,
            items: vec![back.clone().into()],
        }));
        assert!(back.node().is_some_and(|same| same.is(&node)));
        drop(node);
        assert!(back.node().is_none());
    }
}
