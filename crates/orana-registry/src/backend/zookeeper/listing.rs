//! The children of one category, kept true by whole lists and by single changes.
//!
//! A change is an idempotent step on a set of names: the last word about a name counts, whatever was applied before. That
//! is what lets changes be laid over a list that may or may not contain them already (the argument is in the module above).
//! The names themselves are not kept, they would be as large as the URLs again: a child is found by a keyed hash of 128
//! bits of its name. Knows no connection.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use indexmap::IndexMap;
use orana_core::{ServiceUrl, UrlPool};

use crate::query::Query;
use crate::snapshot::Skipped;

/// The children of a category in the order in which they were first seen.
pub(super) struct Listing {
    children: IndexMap<u128, Child>,
    hashers: [RandomState; 2],
    /// Where the URLs share what they have in common.
    pool: Arc<UrlPool>,
    /// The URLs as they were last asked for, until a child comes or goes.
    urls: Option<Arc<[ServiceUrl]>>,
}

/// One step that a watch tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change<'a> {
    /// A child of this name is there now.
    Came(&'a str),
    /// A child of this name is not there any more.
    Went(&'a str),
    /// The directory itself is gone, and its children with it.
    Vanished,
}

enum Child {
    Url {
        url: ServiceUrl,
        /// Of the URL, to list one once that stands under two spellings of its name.
        identity: u128,
    },
    Junk(Arc<str>),
}

impl Listing {
    /// Nothing in it.
    pub(super) fn new(pool: Arc<UrlPool>) -> Listing {
        Listing {
            children: IndexMap::new(),
            hashers: [RandomState::new(), RandomState::new()],
            pool,
            urls: None,
        }
    }

    /// How many children there are, those included that are no URLs.
    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// Replaces all children by these. Those that stay keep their place and their URL; new ones follow in the order given.
    pub(super) fn replace<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> bool {
        let mut changed = false;
        let mut named = HashSet::new();
        for name in names {
            let hash = self.hash(name);
            named.insert(hash);
            changed |= self.insert(hash, name);
        }
        let before = self.children.len();
        self.children.retain(|hash, _| named.contains(hash));
        changed |= self.children.len() != before;
        self.forget_if(changed)
    }

    /// Applies one change; whether it made a difference.
    pub(super) fn apply(&mut self, change: Change<'_>) -> bool {
        let changed = match change {
            Change::Came(name) => self.insert(self.hash(name), name),
            Change::Went(name) => self.children.shift_remove(&self.hash(name)).is_some(),
            Change::Vanished => {
                let held = !self.children.is_empty();
                self.children.clear();
                held
            }
        };
        self.forget_if(changed)
    }

    /// The URLs, each once.
    pub(super) fn urls(&mut self) -> Arc<[ServiceUrl]> {
        if let Some(urls) = &self.urls {
            return Arc::clone(urls);
        }
        let mut seen = HashSet::with_capacity(self.children.len());
        let urls: Arc<[ServiceUrl]> = self
            .children
            .values()
            .filter_map(|child| match child {
                Child::Url { url, identity } if seen.insert(*identity) => Some(url.clone()),
                _ => None,
            })
            .collect();
        self.urls = Some(Arc::clone(&urls));
        urls
    }

    /// Those that answer a query; the list itself, shared, when all of them do.
    pub(super) fn admitted(&mut self, query: &Query) -> Arc<[ServiceUrl]> {
        let urls = self.urls();
        if urls.iter().all(|url| query.admits(url)) {
            return urls;
        }
        urls.iter().filter(|url| query.admits(url)).cloned().collect()
    }

    /// Adds the children that are no URLs to those of other directories; `path` is that of this one.
    pub(super) fn count_skipped(&self, skipped: &mut Skipped, path: &str) {
        let more = self.skipped();
        if let (None, Some(reason)) = (&skipped.first, &more.first) {
            skipped.first = Some(format!("{path}: {reason}").into());
        }
        skipped.count += more.count;
    }

    fn skipped(&self) -> Skipped {
        let mut skipped = Skipped::default();
        for child in self.children.values() {
            if let Child::Junk(reason) = child {
                skipped.add(|| reason.to_string());
            }
        }
        skipped
    }

    fn insert(&mut self, hash: u128, name: &str) -> bool {
        if self.children.contains_key(&hash) {
            return false;
        }
        let child = match read(name, &self.pool) {
            Ok(url) => Child::Url {
                identity: self.hash(&url),
                url,
            },
            Err(reason) => Child::Junk(reason.into()),
        };
        self.children.insert(hash, child).is_none()
    }

    fn forget_if(&mut self, changed: bool) -> bool {
        if changed {
            self.urls = None;
        }
        changed
    }

    fn hash<T: std::hash::Hash + ?Sized>(&self, value: &T) -> u128 {
        let [first, second] = &self.hashers;
        u128::from(first.hash_one(value)) << 64 | u128::from(second.hash_one(value))
    }
}

/// The URL that a node is named after; if it is none, its name (the beginning of it) and what is wrong with it.
fn read(name: &str, pool: &UrlPool) -> Result<ServiceUrl, String> {
    let junk = |reason: &dyn std::fmt::Display| {
        let end = name.char_indices().nth(80).map_or(name.len(), |(at, _)| at);
        let shown = name.get(..end).unwrap_or(name);
        format!("`{shown}{}`: {reason}", if end < name.len() { "…" } else { "" })
    };
    let url = pool.from_node_name(name).map_err(|error| junk(&error))?;
    match url.protocol() {
        None => Err(junk(&"a url begins with a protocol")),
        // Said in a notification it would clear a list; as an entry of one it can only be a mistake.
        Some("empty") => Err(junk(&"an `empty://` url is never registered")),
        Some(_) => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use orana_core::percent;
    use proptest::prelude::*;

    use super::*;

    fn name(port: u16) -> String {
        percent::encode(&format!("dubbo://10.0.0.1:{port}/com.a.B?side=provider")).into_owned()
    }

    fn ports(listing: &mut Listing) -> Vec<u16> {
        listing.urls().iter().filter_map(ServiceUrl::port).collect()
    }

    #[test]
    fn those_that_stay_keep_their_place_and_their_url_when_the_list_is_read_again() {
        let mut listing = Listing::new(Arc::default());
        let [a, b, c, d] = [1, 2, 3, 4].map(name);
        assert!(listing.replace([&*a, &*b, &*c]));
        let first = listing.urls();
        assert!(listing.replace([&*d, &*c, &*a]));
        assert_eq!(ports(&mut listing), [1, 3, 4]);
        assert!(!listing.replace([&*a, &*c, &*d]), "another order alone is no change");
        let kept = listing.urls();
        assert_eq!(kept[0], first[0]);
        assert!(
            Arc::ptr_eq(&kept, &listing.urls()),
            "nothing is built that has not changed"
        );
    }

    #[test]
    fn a_url_under_two_spellings_of_its_name_is_listed_once_until_both_are_gone() {
        let mut listing = Listing::new(Arc::default());
        let java = "dubbo%3A%2F%2Fh%3A1%2Fi%3Fmethods%3D*";
        let go = "dubbo%3A%2F%2Fh%3A1%2Fi%3Fmethods%3D%2A";
        listing.replace([java, go]);
        assert_eq!(ports(&mut listing), [1]);
        listing.apply(Change::Went(java));
        assert_eq!(ports(&mut listing), [1]);
        listing.apply(Change::Went(go));
        assert_eq!(ports(&mut listing), [0u16; 0]);
    }

    #[test]
    fn what_is_no_url_is_counted_with_a_reason_and_left_out() {
        let mut listing = Listing::new(Arc::default());
        let long = "x".repeat(1024 * 1024);
        let good = name(1);
        listing.replace([
            "config",
            "dubbo%3A%2F%2Fh%zz",
            "empty%3A%2F%2Fh%2Fi",
            &*long,
            "",
            &*good,
        ]);
        assert_eq!(ports(&mut listing), [1]);
        let skipped = listing.skipped();
        assert_eq!(skipped.count, 5);
        assert_eq!(skipped.first.as_deref(), Some("`config`: a url begins with a protocol"));
        listing.replace([&*long]);
        let reason = listing.skipped().first.unwrap();
        assert!(reason.len() < 400 && reason.contains("1048576"), "{reason}");
    }

    #[test]
    fn a_directory_that_vanishes_takes_its_children_along() {
        let mut listing = Listing::new(Arc::default());
        listing.replace([&*name(1)]);
        assert!(listing.apply(Change::Vanished));
        assert!(!listing.apply(Change::Vanished));
        assert_eq!(listing.len(), 0);
    }

    proptest! {
        /// The argument of the module above: a watch is armed, then the list is read; whatever part of the changes since the
        /// arming the list already holds, all of them applied in order lead to the truth.
        #[test]
        fn changes_since_the_watch_was_armed_lead_from_any_later_list_to_the_truth(
            before in proptest::collection::btree_set(1u16..12, 0..12),
            steps in proptest::collection::vec((1u16..12, any::<bool>()), 0..40),
            read_after in any::<prop::sample::Index>(),
        ) {
            // Only steps that change the set are told of.
            let mut truth = before.clone();
            let mut told = Vec::new();
            let mut states = vec![truth.clone()];
            for (port, comes) in steps {
                if if comes { truth.insert(port) } else { truth.remove(&port) } {
                    told.push((port, comes));
                    states.push(truth.clone());
                }
            }
            let read = &states[read_after.index(states.len())];
            let mut listing = Listing::new(Arc::default());
            let names: Vec<_> = read.iter().map(|port| name(*port)).collect();
            listing.replace(names.iter().map(String::as_str));
            for (port, comes) in told {
                let name = name(port);
                listing.apply(if comes { Change::Came(&name) } else { Change::Went(&name) });
            }
            prop_assert_eq!(ports(&mut listing).into_iter().collect::<BTreeSet<_>>(), truth);
        }
    }
}
