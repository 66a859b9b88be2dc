//! Condition rules: *when* a call is such, *then* providers must be such (`ConditionRouterRule`).

use std::sync::Arc;

use super::{RulePlace, Scope};

/// A document of conditions, or one `route://` URL.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionRule {
    /// Where it stands.
    pub place: RulePlace,
    /// What it says to be about; where it is read is what decides.
    pub scope: Option<Scope>,
    /// Whether it counts at all.
    pub enabled: bool,
    /// Whether nobody is called rather than somebody who does not satisfy it.
    pub force: bool,
    /// Among the rules of 2.6; later ones do not order by it.
    pub priority: i32,
    /// As read, one after the other.
    pub conditions: Vec<Condition>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Where it stands.
    pub place: RulePlace,
    /// As it was written, for explanations.
    pub text: Arc<str>,
    /// What must hold for the call; all of them. None: every call.
    pub when: Vec<Clause>,
    /// What it does then.
    pub then: Then,
    /// How a key that the consumer or provider does not have is judged when it only has mismatches: `false` as 3.x does, `true` as 2.6
    /// does for its URLs.
    pub missing_passes_mismatch: bool,
}

/// What a condition does with the providers.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// Leaves nobody, whether it is forced or not.
    Nobody,
    /// Leaves those for whom all clauses hold.
    Keep(Vec<Clause>),
    /// Shares calls among several such sets; those that are empty are left out (v3.1).
    Shares(Vec<Destination>),
}

/// One of several sets of providers, with its share of the calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// As it was written.
    pub text: Arc<str>,
    /// What must hold for a provider of the set; none: every provider.
    pub clauses: Vec<Clause>,
    /// Its share, at least 1.
    pub weight: u32,
}

/// What must hold for one key: no mismatch hits, and if there are matches one of them hits. With neither (`host =`) it never holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What is looked at.
    pub subject: Subject,
    /// Values after `=`.
    pub matches: Vec<Pattern>,
    /// Values after `!=`.
    pub mismatches: Vec<Pattern>,
}

/// What a clause looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// `method`, `methods` of a *when*: the called method. In a *then* they are parameters of the provider.
    Method,
    /// `host`
    Host,
    /// `address`: `host:port`
    Address,
    /// `port`
    Port,
    /// `protocol`
    Protocol,
    /// `path`
    Path,
    /// `username`
    User,
    /// `password`
    Password,
    /// `arguments[n]`; `None` for what is no number: the clause then never finds an argument.
    Argument(Option<usize>),
    /// `attachments[name]`; `None` for a name that Java never finds (one with a dot): as with an argument that is not there, matches fail
    /// and mismatches hold. An attachment that the call does not have is a missing value.
    Attachment(Option<Arc<str>>),
    /// Any other name: a parameter of the URL.
    Parameter(Arc<str>),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `prefix*suffix`, `*`, or a plain text when there is no `*`. Only the last `*` is one.
    Glob(Arc<str>),
    /// `$name` in a *then*: the consumer's own part or parameter of that name, compared as [`Pattern::Glob`] would.
    OfConsumer(Arc<str>),
    /// `low~high`, both included; no lower end for `~high`. What has other characters than digits counts as 0, in the rule as in the value.
    Range {
        /// The least.
        low: Option<i64>,
        /// The greatest.
        high: i64,
    },
    /// A range that is none (`5~`, or a number that no `int` of Java holds): never holds for a call, always for a provider, as in Java.
    BadRange(Arc<str>),
}
