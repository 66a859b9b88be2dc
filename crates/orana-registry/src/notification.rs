//! What a subscriber is told: for each service the full list of each category, and how far it can be trusted.

use std::sync::Arc;

use orana_core::{Category, ServiceUrl};
use tokio::time::Instant;

use crate::snapshot::Skipped;

/// All that is known about what was subscribed to; replaces every earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// One for each interface, ascending; exactly one, or none as long as nothing is known, unless `*` was subscribed to.
    pub services: Vec<Arc<Service>>,
    /// Who says so.
    pub freshness: Freshness,
}

/// The lists of one interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name.
    pub interface: Arc<str>,
    /// One for each category that is known, at most one for each.
    pub lists: Vec<List>,
    /// Entries of the registry that nobody can read.
    pub skipped: Skipped,
}

/// The list of one category.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// The category.
    pub category: Category,
    /// Everyone who counts.
    pub urls: Arc<[ServiceUrl]>,
    /// Whether the registry lists exactly these.
    pub standing: Standing,
}

/// How a list relates to what the registry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The registry lists exactly these. An empty list with this standing is known to be empty: there is nobody.
    Listed,
    /// The registry lists fewer, and those who are missing are kept for a while.
    Kept {
        /// Why.
        why: Kept,
        /// How many the registry lists.
        listed: usize,
        /// When the registry is believed; `None` is never.
        until: Option<Instant>,
    },
}

/// Why providers are kept that the registry does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It lists nobody at all, and the subscriber asked not to believe that at once.
    Empty,
    /// It is a new session, so that it may have lost its memory; providers that live will register again.
    NewSession,
    /// The link has come back in the same session just now. Others may have lost theirs meanwhile, or be about to; providers that live
    /// will register again.
    LinkBack,
}

/// How far a notification can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Nobody has said anything yet: neither that there are providers nor that there are none.
    NotReady,
    /// The registry says so.
    Fresh,
    /// The registry said so, and has not been reachable since.
    Stale {
        /// When the link was lost.
        since: Instant,
    },
    /// An earlier process left it on disk; the registry has not been reached yet.
    FromDisk,
}

impl Notification {
    /// Nothing is known.
    pub fn not_ready() -> Notification {
        Notification {
            services: Vec::new(),
            freshness: Freshness::NotReady,
        }
    }

    /// The list of a category of the service subscribed to (of the first, for `*`); `None` while nothing is known of it.
    pub fn list(&self, category: Category) -> Option<&List> {
        self.services.first()?.list(category)
    }

    /// The providers; `None` while nothing is known, empty when it is known that there are none.
    pub fn providers(&self) -> Option<&Arc<[ServiceUrl]>> {
        Some(&self.list(Category::Providers)?.urls)
    }

    /// Every URL of every service and category.
    pub fn urls(&self) -> impl Iterator<Item = &ServiceUrl> {
        self.services
            .iter()
            .flat_map(|service| &service.lists)
            .flat_map(|list| list.urls.iter())
    }
}

impl Service {
    /// The list of a category; `None` while nothing is known of it.
    pub fn list(&self, category: Category) -> Option<&List> {
        self.lists.iter().find(|list| list.category == category)
    }
}
