//! One place of values: its entries as they are written, and how they are found whatever the spelling.

use super::origin::Origin;
use super::spelling::{kebab, strip_prefix_any_case, variable};

/// How strong a layer is; a later one wins (`Environment.getPrefixedConfiguration`). What code says is no layer but stands among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    File,
    Code,
    GlobalExternal,
    ApplicationExternal,
    Environment,
    Property,
}

/// One value that somebody gave.
#[derive(Clone)]
pub(super) struct Entry {
    /// The key as it is written.
    pub(super) key: String,
    pub(super) value: String,
    pub(super) origin: Origin,
}

/// Values of one place, in its order.
#[derive(Clone)]
pub(super) struct Layer {
    pub(super) rank: Rank,
    pub(super) entries: Vec<Entry>,
}

/// What follows a prefix.
pub(super) enum Rest<'a> {
    /// Of a key with dots, as it is written.
    Dotted(&'a str),
    /// Of a variable; where `_` stands for a dot and where for a dash is not known any more.
    Variable(&'a str),
}

impl Entry {
    /// What follows `prefix` in its key; `prefix` has no dot at its end. A blank value is as good as none.
    pub(super) fn below(&self, rank: Rank, prefix: &str) -> Option<Rest<'_>> {
        if self.value.trim().is_empty() {
            return None;
        }
        let dotted = strip_prefix_any_case(&self.key, prefix).and_then(|rest| rest.strip_prefix('.'));
        if let Some(rest) = dotted.filter(|rest| !rest.is_empty()) {
            return Some(Rest::Dotted(rest));
        }
        if rank != Rank::Environment {
            return None;
        }
        let rest = strip_prefix_any_case(&self.key, &variable(prefix))?.strip_prefix('_')?;
        (!rest.is_empty()).then_some(Rest::Variable(rest))
    }

    /// Whether it is the one for `key`, as that or as a variable.
    pub(super) fn is_for(&self, rank: Rank, key: &str) -> bool {
        self.key == key || (rank == Rank::Environment && self.key.eq_ignore_ascii_case(&variable(key)))
    }
}

impl Rest<'_> {
    /// As a single attribute's name.
    pub(super) fn attribute(&self) -> String {
        match self {
            Rest::Dotted(rest) | Rest::Variable(rest) => kebab(rest),
        }
    }
}
