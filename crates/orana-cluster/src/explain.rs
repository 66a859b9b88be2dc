//! Why a call goes where it goes: everything between the registry's list and one provider, for one invocation at one moment.
//!
//! ```text
//!   list of the registry ─▶ usable ─▶ each configurator ─▶ reachable ─▶ method ─▶ each router ─▶ candidates with probabilities
//!                           └──────────── stages: in, out, who was removed, by which rule ───┘   └ balance, cluster, retries, time-out
//! ```
//!
//! It is worked out by the code that calls use, when somebody asks, and costs calls nothing.

pub(crate) mod assembly;
mod decided;
mod offered;
mod probability;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use orana_core::Invocation;
use serde::Serialize;

use crate::clock::EpochMillis;
pub use crate::router::Stage;

/// What is to be explained.
pub struct Asking<'a> {
    /// The call.
    pub invocation: &'a Invocation,
    /// The moment: weights grow while providers warm up.
    pub now: EpochMillis,
    /// The strategy, which the reference was made with.
    pub cluster: Decided<String>,
    /// Where the consumer says the value of a key (`timeout`, `say.timeout`), in words; `None` if it does not.
    pub said: &'a dyn Fn(&str) -> Option<String>,
    /// Whether providers are connected to; if not, all of them count as reachable.
    pub connects: bool,
}

/// Why a call goes where it goes. As JSON it has the fields `registered`, `stages`, `candidates`, `loadbalance`, `cluster`, `retries` and
/// `timeout`; as text it is a tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What is called: `org.example.Greeter.sayHello`.
    #[serde(skip)]
    pub call: String,
    /// Who calls: application and host.
    #[serde(skip)]
    pub consumer: String,
    /// Where the list comes from.
    #[serde(skip)]
    pub registry: String,
    /// How many the registry lists.
    pub registered: usize,
    /// What happens to them, in order.
    pub stages: Vec<Stage>,
    /// Who is left, in the order of the list.
    pub candidates: Vec<Candidate>,
    /// The load balance.
    pub loadbalance: Decided<String>,
    /// The strategy for when a call fails.
    pub cluster: Decided<String>,
    /// How often another provider is tried; what strategies other than `failover` and `failback` do not use.
    pub retries: Decided<u64>,
    /// How long an attempt may take, in milliseconds.
    pub timeout: Decided<u64>,
    /// What else there is to know: for a person.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// If nobody is left: why, in short; what the error of a call says.
    #[serde(skip)]
    pub nobody: Option<String>,
}

/// One who may be called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// `host:port`.
    pub address: Arc<str>,
    /// Its weight now.
    pub weight: u32,
    /// Its weight once it is warm.
    #[serde(skip)]
    pub full_weight: u32,
    /// The probability that such a call goes to it first, from 0 to 1; `None` if the load balance cannot say that.
    pub probability: Option<f64>,
    /// Why it is passed over for others, if it is.
    #[serde(skip)]
    pub note: Option<&'static str>,
}

/// A value, and who decided it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decided<T> {
    /// The value.
    pub value: T,
    /// Where it came from, in words: a rule with its text, a place of the consumer's configuration, a provider, `default`.
    pub origin: String,
}

impl<T> Decided<T> {
    /// A value that came from there.
    pub fn new(value: T, origin: impl Into<String>) -> Decided<T> {
        Decided {
            value,
            origin: origin.into(),
        }
    }

    /// A value that nobody decided.
    pub fn default_of(value: T) -> Decided<T> {
        Decided::new(value, "default")
    }
}

impl Explanation {
    /// The explanation as JSON, indented.
    ///
    /// # Errors
    /// None that is known: all parts are texts and finite numbers.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}
