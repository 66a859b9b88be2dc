//! Full paths from slots. Knows names and parents only.

use std::sync::Arc;

use crate::node::Slot;
use crate::tree::Tree;

/// Writes the paths of many nodes. The path of the parent is kept, because the nodes of one owner often lie side
/// by side; so one of these must not outlive a change of the nodes above those that it is asked for.
pub(crate) struct Paths {
    text: String,
    parent: Slot,
    /// So much of `text` is the path of `parent`; the root's is empty.
    above: usize,
}

impl Paths {
    pub(crate) fn new() -> Paths {
        Paths {
            text: String::new(),
            parent: Slot::ROOT,
            above: 0,
        }
    }

    pub(crate) fn of(&mut self, tree: &Tree, slot: Slot) -> Arc<str> {
        if slot == Slot::ROOT {
            return "/".into();
        }
        let node = tree.node(slot);
        if node.parent != self.parent {
            self.parent = node.parent;
            self.text.clear();
            let mut names = Vec::new();
            let mut at = node.parent;
            while at != Slot::ROOT {
                names.push(tree.node(at).name_str());
                at = tree.node(at).parent;
            }
            for name in names.iter().rev() {
                self.text.push('/');
                self.text.push_str(name);
            }
            self.above = self.text.len();
        }
        self.text.truncate(self.above);
        self.text.push('/');
        self.text.push_str(node.name_str());
        self.text.as_str().into()
    }
}

impl Tree {
    /// The bytes of the full path of a node that is not the root.
    pub(crate) fn path_len(&self, slot: Slot) -> usize {
        let mut length = 0;
        let mut at = slot;
        while at != Slot::ROOT {
            length += 1 + self.node(at).name().len();
            at = self.node(at).parent;
        }
        length
    }
}
