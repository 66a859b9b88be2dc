//! What a registry says about one service: complete lists, one for each category it spoke about.

use std::sync::Arc;

use orana_core::{Category, ServiceUrl};

/// The lists of one interface as a registry gave them.
///
/// A category that is present and empty is *known to be empty*; one that is absent was not spoken about, and whatever was
/// known of it before still stands. Lists are complete: who is not listed is not registered.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The interface they are about, never `*`.
    pub interface: Arc<str>,
    /// Category and complete list, each category at most once; in the order in which the registry gave them.
    pub categories: Vec<(Category, Arc<[ServiceUrl]>)>,
    /// Entries that were left out because they are no URLs.
    pub skipped: Skipped,
    /// Who said so.
    pub origin: Origin,
}

/// Entries of a registry that nobody can read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: usize,
    /// What was wrong with the first of them: its place and the reason.
    pub first: Option<Arc<str>>,
}

/// Where a list comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The registry itself.
    Registry,
    /// What an earlier process, or an earlier hour, left on disk.
    Disk,
}

impl Snapshot {
    /// A snapshot of `interface` straight from the registry that says nothing yet.
    pub fn new(interface: impl Into<Arc<str>>) -> Snapshot {
        Snapshot {
            interface: interface.into(),
            categories: Vec::new(),
            skipped: Skipped::default(),
            origin: Origin::Registry,
        }
    }

    /// The same with the complete list of one more category.
    pub fn with(mut self, category: Category, urls: impl Into<Arc<[ServiceUrl]>>) -> Snapshot {
        self.set(category, urls.into());
        self
    }

    /// Replaces the list of a category.
    pub fn set(&mut self, category: Category, urls: Arc<[ServiceUrl]>) {
        match self.categories.iter_mut().find(|(known, _)| *known == category) {
            Some((_, list)) => *list = urls,
            None => self.categories.push((category, urls)),
        }
    }

    /// The list of a category; `None` when nothing was said about it.
    pub fn get(&self, category: Category) -> Option<&Arc<[ServiceUrl]>> {
        let (_, list) = self.categories.iter().find(|(known, _)| *known == category)?;
        Some(list)
    }

    /// Takes a later snapshot of the same interface over: what it speaks about replaces what stood here.
    pub fn overlay(&mut self, later: Snapshot) {
        for (category, urls) in later.categories {
            self.set(category, urls);
        }
        self.skipped = later.skipped;
        self.origin = later.origin;
    }
}

impl Skipped {
    /// Counts one more; `reason` is asked for only if it is the first.
    pub fn add(&mut self, reason: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = Some(reason().into());
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Arc<[ServiceUrl]> {
        texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect()
    }

    #[test]
    fn a_later_snapshot_replaces_only_what_it_speaks_about() {
        let mut known = Snapshot::new("com.a.B")
            .with(Category::Providers, list(&["dubbo://a:1/com.a.B"]))
            .with(Category::Routers, list(&[]));
        known.overlay(Snapshot::new("com.a.B").with(Category::Providers, list(&[])));
        assert_eq!(known.get(Category::Providers), Some(&list(&[])));
        assert_eq!(known.get(Category::Routers), Some(&list(&[])));
        assert_eq!(known.get(Category::Configurators), None);
    }
}
