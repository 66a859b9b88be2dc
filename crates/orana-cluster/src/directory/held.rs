//! What endpoints of one directory have in common with others, for as long as some endpoint holds it: what was counted about a provider,
//! which outlives a change of its URL, and texts that most providers say alike.

use std::sync::{Arc, Weak};

use ahash::HashMap;
use orana_core::{ServiceUrl, UrlPool};

use crate::statistics::Statistics;

/// Found again by what it is about.
#[derive(Default)]
pub(super) struct Held {
    /// By protocol-independent identity.
    statistics: HashMap<Box<str>, Weak<Statistics>>,
    methods: HashMap<Box<str>, Weak<str>>,
    pool: UrlPool,
}

impl Held {
    /// What was counted about the provider of `url`, whatever its parameters are.
    pub(super) fn statistics(&mut self, url: &ServiceUrl) -> Arc<Statistics> {
        let identity = format!("{}/{}", url.address(), url.path().unwrap_or_default());
        held(&mut self.statistics, identity.into(), Arc::default)
    }

    /// An equal URL that has its text in common with the others, which makes a long list small and quick to look through.
    pub(super) fn url(&self, url: &ServiceUrl) -> ServiceUrl {
        self.pool.intern(url)
    }

    /// The one copy of such a text.
    pub(super) fn methods(&mut self, text: Arc<str>) -> Arc<str> {
        let key = Box::from(&*text);
        held(&mut self.methods, key, || text)
    }
}

fn held<T: ?Sized>(all: &mut HashMap<Box<str>, Weak<T>>, key: Box<str>, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
    if let Some(known) = all.get(&key).and_then(Weak::upgrade) {
        return known;
    }
    let new = make();
    if all.len() >= all.capacity() {
        // Before it grows, what nobody holds any more goes.
        all.retain(|_, held| held.strong_count() > 0);
    }
    all.insert(key, Arc::downgrade(&new));
    new
}
