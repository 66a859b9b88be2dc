//! The end of nodes that nobody owns: containers that were used and are empty, and nodes whose time to live is
//! over (ZooKeeper's `ContainerManager`). The leader looks for candidates now and then and proposes each;
//! whether it may really go is decided again when its turn comes.

use std::sync::Arc;

use crate::change::Change;
use crate::node::{Node, Owner};
use crate::outcome::{Effect, Refusal};
use crate::state::State;
use crate::tree::Paths;

impl State {
    /// Paths of at most `limit` nodes that may be reaped at this time (milliseconds since 1970). Looks at every
    /// container and every node with a time to live until it has found so many: whoever holds up writers while
    /// it looks asks a clone instead.
    pub fn reapable(&self, now: i64, limit: usize) -> Vec<Arc<str>> {
        let mut paths = Paths::new();
        let all = self.owned_from(self.mortal.first);
        let ripe = all.filter(|slot| is_over(self.tree.node(*slot), now));
        ripe.take(limit).map(|slot| paths.of(&self.tree, slot)).collect()
    }

    pub(crate) fn reap(&mut self, path: &Arc<str>, changes: &mut Vec<Change>) -> Result<Effect, Refusal> {
        let slot = self.tree.find(path).ok_or(Refusal::NoNode)?;
        if !is_over(self.tree.node(slot), self.at) {
            return Err(Refusal::NotEmpty);
        }
        self.remove_node(slot, path.clone(), changes);
        Ok(Effect::Deleted)
    }
}

fn is_over(node: &Node, now: i64) -> bool {
    node.children == 0
        && match node.owner {
            // A container that never had a child waits for its first one.
            Owner::Container => node.created != 0,
            Owner::Ttl(ms) => now.saturating_sub(node.mtime) > ms as i64,
            Owner::Nobody | Owner::Lease(_) => false,
        }
}
