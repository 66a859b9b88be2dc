//! All that can be seen of a state, against the model.

use std::collections::BTreeMap;

use orana_state::{Census, Change, NodeRef, State, Zxid};

use crate::naive::{Model, Told, above};
use crate::rules::open;
use crate::steer::Expectation;

/// Applies the entry and compares what comes of it.
pub(crate) fn apply(state: &mut State, expected: &Expectation) {
    let applied = state.apply(&expected.entry);
    for (at, command) in expected.entry.commands.iter().enumerate() {
        assert_eq!(applied.outcomes.get(at), expected.outcomes.get(at), "{command:?}");
    }
    assert_eq!(applied.outcomes.len(), expected.outcomes.len());
    let told: Vec<_> = applied.changes.iter().map(telling).collect();
    assert_eq!(told, expected.told);
}

pub(crate) fn telling(change: &Change) -> Told {
    let list = |acl: &Option<orana_state::Acl>| acl.as_ref().map_or_else(open, |acl| acl.to_vec());
    assert_ne!(
        change.acl.as_deref(),
        Some(&open()[..]),
        "the open list is told as none"
    );
    Told {
        zxid: change.zxid,
        kind: change.kind,
        path: change.path.to_string(),
        acl: list(&change.acl),
        parent_acl: list(&change.parent_acl),
    }
}

/// Node by node, list by list, lease by lease, total by total.
pub(crate) fn all(state: &State, model: &Model, index: u64) {
    let mut children: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
    for (path, node) in model.nodes.iter().filter(|(path, _)| *path != "/") {
        let name = path.rsplit('/').next().unwrap_or_default();
        children.entry(above(path)).or_default().push((node.born, name));
    }
    children.values_mut().for_each(|list| list.sort_unstable());
    for (path, expected) in &model.nodes {
        let node = state.node(path).unwrap_or_else(|| panic!("{path} is missing"));
        let names = children.remove(path.as_str()).unwrap_or_default();
        assert_eq!(node.stat(), model.stat_with(path, names.len() as i32), "{path}");
        assert_eq!(node.data(), expected.data.as_deref(), "{path}");
        assert_eq!(node.acl(), expected.acl, "{path}");
        assert_eq!(node.shared_acl().is_none(), expected.acl == open(), "{path}");
        assert_eq!(node.child_count(), names.len(), "{path}");
        assert!(
            node.children()
                .map(|child| child.name())
                .eq(names.iter().map(|(_, name)| *name)),
            "{path}"
        );
    }
    let root = state.node("/").expect("the root is always there");
    assert_eq!(
        count(root),
        model.nodes.len(),
        "nodes that can be reached from the root"
    );
    assert_eq!(root.descendants() + 1, model.nodes.len());
    assert!(state.leases().map(|(id, _)| id).eq(model.leases.keys().copied()));
    let mut ephemerals = 0;
    for (id, (period_ms, secret)) in &model.leases {
        let lease = state.lease(*id).expect("just listed");
        let owned = model.owned(*id);
        assert_eq!(
            (lease.period_ms, lease.secret, lease.owned as usize),
            (*period_ms, *secret, owned.len())
        );
        assert!(
            state.owned(*id).map(|path| path.to_string()).eq(owned.iter().cloned()),
            "{id}"
        );
        ephemerals += owned.len();
    }
    for now in [model.at, model.at + 100] {
        let ripe: Vec<_> = state
            .reapable(now, usize::MAX)
            .iter()
            .map(|path| path.to_string())
            .collect();
        assert_eq!(ripe, model.reapable(now));
    }
    let bytes = |(path, node): (&String, &crate::naive::ModelNode)| path.len() + node.data.as_ref().map_or(0, Vec::len);
    let expected = Census {
        nodes: model.nodes.len(),
        ephemerals,
        leases: model.leases.len(),
        bytes: model.nodes.iter().map(bytes).sum::<usize>() as u64,
        zxid: Zxid(model.zxid),
        index,
    };
    assert_eq!(state.census(), expected);
    assert_eq!(state.at(), model.at);
}

fn count(node: NodeRef<'_>) -> usize {
    // By hand and not by `descendants`, which is under test.
    let mut open = vec![node];
    let mut seen = 0;
    while let Some(node) = open.pop() {
        seen += 1;
        open.extend(node.children());
    }
    seen
}
