//! Trees to measure with: paths in the order in which they are created, parents first. Knows how registries are
//! used, not how the state keeps them.

use orana_state::{AclEntry, Lifetime};

/// A shape of tree.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// One parent, all others below it.
    Flat,
    /// Chains of fifty nodes.
    Deep,
    /// `/dubbo/SERVICE/{providers,…}`, fifty providers each, names of about 300 bytes.
    Dubbo,
}

pub(crate) const LAYOUTS: [(&str, Layout); 3] =
    [("flat", Layout::Flat), ("deep", Layout::Deep), ("dubbo", Layout::Dubbo)];

impl Layout {
    /// About `nodes` paths.
    pub(crate) fn paths(self, nodes: usize) -> Vec<String> {
        match self {
            Layout::Flat => {
                let below = (1..nodes).map(|at| format!("/flat/node-{at:08}"));
                std::iter::once("/flat".to_owned()).chain(below).collect()
            }
            Layout::Deep => {
                const DEPTH: usize = 50;
                let mut paths = Vec::with_capacity(nodes);
                for chain in 0..nodes / DEPTH {
                    let mut path = format!("/chain-{chain:06}");
                    paths.push(path.clone());
                    for level in 1..DEPTH {
                        path.push_str(&format!("/l{level}"));
                        paths.push(path.clone());
                    }
                }
                paths
            }
            Layout::Dubbo => {
                const PROVIDERS: usize = 50;
                let mut paths = vec!["/dubbo".to_owned()];
                for service in 0..nodes / (PROVIDERS + 5) {
                    let top = format!("/dubbo/org.example.shop.api.Service{service:06}");
                    paths.push(top.clone());
                    for category in ["providers", "consumers", "configurators", "routers"] {
                        paths.push(format!("{top}/{category}"));
                    }
                    paths.extend((0..PROVIDERS).map(|at| format!("{top}/providers/{}", provider(service, at, 300))));
                }
                paths
            }
        }
    }
}

impl Layout {
    /// Where a new node is put, as near to this one as the layout has it.
    pub(crate) fn home(self, path: &str) -> &str {
        match self {
            Layout::Flat => "/flat",
            // Below the root and its crowd the chains begin; a new node goes below one of them.
            Layout::Deep | Layout::Dubbo => match path.rfind('/') {
                Some(0) | None => path,
                Some(at) => &path[..at],
            },
        }
    }
}

/// The percent-encoded URL of a provider, about so long.
pub(crate) fn provider(service: usize, at: usize, length: usize) -> String {
    let (a, b) = (at / 250, at % 250);
    let mut name = format!(
        "dubbo%3A%2F%2F10.{}.{a}.{b}%3A20880%2Forg.example.shop.api.Service{service:06}%3Fapplication%3Dshop-{service}\
         %26interface%3Dorg.example.shop.api.Service{service:06}%26pid%3D{at}%26side%3Dprovider%26methods%3D",
        service % 250
    );
    let mut method = 0;
    while name.len() < length {
        name.push_str(&format!("findOrder{method}%2C"));
        method += 1;
    }
    name.truncate(length.max(100));
    name
}

/// A list that no other node has.
pub(crate) fn own_list(at: usize) -> Vec<AclEntry> {
    let owner = AclEntry {
        permissions: 31,
        scheme: "digest".into(),
        id: format!("user-{at}:fyVmFCwVbTJYrznoSu1koqYEYF0=").into(),
    };
    vec![owner, AclEntry::open()]
}

/// What else a node of a tree is given.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) lifetime: Lifetime,
    /// Every node has a list of its own instead of the open one.
    pub(crate) own_lists: bool,
}

pub(crate) const PLAIN: Kind = Kind {
    lifetime: Lifetime::Persistent,
    own_lists: false,
};
