//! What is odd about a configuration and yet no reason to refuse it.

use std::fmt;

use super::origin::Origin;

/// Something that has no effect, or not the one that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A key that nobody knows.
    UnknownKey {
        /// The key as it was given.
        given: String,
        /// Where.
        origin: Origin,
        /// The known key most like it.
        nearest: String,
    },
    /// A key that Dubbo knows and that does nothing here.
    NoEffect {
        /// The key as it was given.
        given: String,
        /// Where.
        origin: Origin,
        /// Why not.
        why: &'static str,
    },
    /// A placeholder for which there is neither a value nor a default; it stays as it is written.
    Unresolved {
        /// The key in whose value it stands.
        key: String,
        /// Where.
        origin: Origin,
        /// What it asks for.
        name: String,
    },
    /// Settings of a method that the interface does not have.
    UnknownMethod {
        /// The key as it was given.
        given: String,
        /// Where.
        origin: Origin,
        /// The method most like it.
        nearest: String,
    },
    /// There are further ones, which are counted and not told.
    More {
        /// How many.
        count: usize,
    },
}

/// Warnings as they are found, the first hundred of them.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    told: Vec<Warning>,
    more: usize,
}

impl Warnings {
    /// How many are told.
    const MOST: usize = 100;

    /// Adds a warning, which is only made if it is told.
    pub(super) fn add(&mut self, warning: impl FnOnce() -> Warning) {
        match self.told.len() < Warnings::MOST {
            true => self.told.push(warning()),
            false => self.more += 1,
        }
    }

    /// All of them, and how many more there were.
    pub(super) fn told(mut self) -> Vec<Warning> {
        if self.more > 0 {
            self.told.push(Warning::More { count: self.more });
        }
        self.told
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownKey { given, origin, nearest } => {
                write!(
                    f,
                    "unknown key `{given}` ({origin}); the nearest known one is `{nearest}`"
                )
            }
            Warning::NoEffect { given, origin, why } => write!(f, "`{given}` ({origin}) has no effect: {why}"),
            Warning::Unresolved { key, origin, name } => {
                write!(
                    f,
                    "`{key}` ({origin}) asks for `{name}`, which has no value and no default"
                )
            }
            Warning::UnknownMethod { given, origin, nearest } => {
                write!(
                    f,
                    "`{given}` ({origin}) is for a method that the interface does not have; the nearest one is `{nearest}`"
                )
            }
            Warning::More { count } => write!(f, "and {count} more"),
        }
    }
}
