//! Rules of governance, from the texts in which Dubbo's consoles and people write them to the vocabulary of [`orana_core::rule`].
//!
//! ```text
//!   document ─▶ yaml ─▶ document (typed look-ups) ─▶ condition | tag | overrides ─▶ Parsed
//!   URL of the registry ──────────────────────────▶ url ──────────────────────────▶ UrlRule
//! ```
//!
//! Reads what Dubbo 3.3 reads, and says where it does not (`docs/protocols/rules.md`). What a rule does to a list of providers is not known
//! here. Whatever a text says, reading it ends, takes memory in proportion to its bounded size, and an error names a line of it.

mod clauses;
mod condition;
mod document;
mod matching;
mod overrides;
mod tag;
mod unsupported;
mod url;
pub mod yaml;

#[cfg(test)]
mod traps;

use std::fmt;

use orana_core::rule::RulePlace;

pub use condition::condition;
pub use overrides::overrides;
pub use tag::tag;
pub use unsupported::{affinity, mesh, script};
pub use url::{UrlRule, url};

/// What the sizes of a rule may be. A rule beyond one of these is refused as a whole.
pub mod limits {
    /// Conditions of a document.
    pub const CONDITIONS: usize = 1_000;
    /// Bytes of one condition.
    pub const CONDITION_BYTES: usize = 64 << 10;
    /// Keys on one side of a condition.
    pub const CLAUSES: usize = 64;
    /// Values of one key.
    pub const VALUES: usize = 1_000;
    /// Destinations of a condition of v3.1.
    pub const DESTINATIONS: usize = 64;
    /// Tags of a document.
    pub const TAGS: usize = 1_000;
    /// Addresses of a tag; addresses, applications and services of an override.
    pub const NAMES: usize = 10_000;
    /// Comparisons of one `match`.
    pub const MATCHES: usize = 64;
    /// Bytes of a regular expression.
    pub const REGEX_BYTES: usize = 1 << 10;
    /// Overrides that a document expands to.
    pub const OVERRIDES: usize = 10_000;
    /// Bytes of all the texts that a document of overrides expands to.
    pub const OVERRIDE_BYTES: usize = 8 << 20;
    /// Remarks that are kept of one text.
    pub const REMARKS: usize = 32;
}

/// A text that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// What came of it.
    pub outcome: Outcome<T>,
    /// What its writer should know: unknown keys, values that do not mean what they seem to.
    pub remarks: Vec<Remark>,
}

/// What comes of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// A rule; it takes the place of the previous one.
    Rule(T),
    /// Nothing wrong, but no rule either: the previous one goes on, as it does in Java.
    KeepPrevious(Remark),
    /// A rule of a kind that is not supported, and is never run; the previous one goes on.
    Unsupported(Remark),
}

/// A place in a text and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Where.
    pub place: RulePlace,
    /// What.
    pub text: String,
}

impl<T> Parsed<T> {
    /// The rule, if it is one.
    pub fn rule(&self) -> Option<&T> {
        match &self.outcome {
            Outcome::Rule(rule) => Some(rule),
            Outcome::KeepPrevious(_) | Outcome::Unsupported(_) => None,
        }
    }
}

/// `key line 3: text`
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
