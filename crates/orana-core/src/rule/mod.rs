//! Rules of governance as they were written: what an operator says about who may be called, and how.
//!
//! Only the vocabulary: how a rule is spelled is the matter of `orana-wire`, what it does to a list of providers that of
//! `orana-cluster`. Every part remembers where it stood in its text, so that a decision can be explained by the line that made it.
//!
//! ```text
//!   text of a document or URL ─▶ orana-wire::rule ─▶ these values ─▶ orana-cluster::{router, configurator}
//! ```

mod condition;
mod configurator;
mod matching;
mod tag;

use std::fmt;
use std::sync::Arc;

pub use condition::{Clause, Condition, ConditionRule, Destination, Pattern, Subject, Then};
pub use configurator::{AddressMatch, Mode, Override, OverrideMatch, OverrideRule};
pub use matching::{ParameterMatch, TextMatch};
pub use tag::{Tag, TagRule, TagSource};

/// What a rule is about: one service, or everything of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One service.
    Service,
    /// An application.
    Application,
}

/// Where a rule, or a part of it, stands: what messages and explanations point at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RulePlace {
    /// The key of its document in the configuration centre (`org.example.Greeter::.condition-router`), the URL it was given as, or a name given
    /// to it by code.
    pub key: Arc<str>,
    /// Line of its document, from 1; 0 if it has no lines.
    pub line: u32,
    /// Column of that line, from 1; 0 if unknown.
    pub column: u32,
}

/// A text that is no rule; says where and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// Where.
    pub place: RulePlace,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl RulePlace {
    /// The rule of that key as a whole.
    pub fn of(key: impl Into<Arc<str>>) -> RulePlace {
        RulePlace {
            key: key.into(),
            line: 0,
            column: 0,
        }
    }

    /// A line and column of the same rule.
    pub fn at(&self, line: u32, column: u32) -> RulePlace {
        RulePlace {
            key: Arc::clone(&self.key),
            line,
            column,
        }
    }
}

/// `key`, `key line 3`
impl fmt::Display for RulePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if self.line > 0 {
            write!(f, " line {}", self.line)?;
        }
        Ok(())
    }
}

impl RuleError {
    /// An error at `place`.
    pub fn new(place: RulePlace, reason: impl Into<String>) -> RuleError {
        RuleError {
            place,
            reason: reason.into(),
        }
    }
}

/// `key line 3, column 7: reason`
impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if self.place.column > 0 {
            write!(f, ", column {}", self.place.column)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for RuleError {}
