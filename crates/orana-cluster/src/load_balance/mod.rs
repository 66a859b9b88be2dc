//! Load balances: one endpoint out of those that are left. One file each, one row in [`LOAD_BALANCES`].

mod adaptive;
mod balances;
mod consistent_hash;
mod counters;
mod draw;
mod least;
mod least_active;
mod p2c;
mod pairs;
mod random;
mod round_robin;
mod shortest_response;

use std::sync::Arc;

pub use self::adaptive::{Adaptive, AdaptiveAnswer};
pub(crate) use self::adaptive::{asking, hear};
pub use self::balances::Balances;
pub use self::consistent_hash::ConsistentHash;
pub use self::least_active::LeastActive;
pub use self::p2c::PowerOfTwo;
pub use self::random::Random;
pub use self::round_robin::RoundRobin;
pub use self::shortest_response::ShortestResponse;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// A way to choose (`org.apache.dubbo.rpc.cluster.LoadBalance`).
pub trait LoadBalance: Send + Sync + 'static {
    /// One of `candidates` for `call`; `None` only if there is none. [`Call::chance`] is the only randomness that may enter.
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>>;

    /// The probability of each candidate, in order, for such a call now; `None` if that cannot be said. Changes nothing.
    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>>;
}

/// Makes a load balance; each reference has its own.
pub type Make = fn() -> Arc<dyn LoadBalance>;

/// Every load balance by the name that configuration uses.
pub const LOAD_BALANCES: &[(&str, Make)] = &[
    ("random", || Arc::new(Random)),
    ("roundrobin", || Arc::new(RoundRobin::default())),
    ("leastactive", || Arc::new(LeastActive)),
    ("shortestresponse", || Arc::new(ShortestResponse::default())),
    ("consistenthash", || Arc::new(ConsistentHash::default())),
    ("adaptive", || Arc::new(Adaptive)),
    ("p2c", || Arc::new(PowerOfTwo)),
];

/// What dubbo-go calls them, or calls what comes to the same: other ways to go in turn, and to draw by weight.
pub const ALIASES: &[(&str, &str)] = &[
    ("consistenthashing", "consistenthash"),
    ("interleavedweightedroundrobin", "roundrobin"),
    ("aliasmethod", "random"),
];

/// The one that is used unless configuration names another.
pub const DEFAULT: &str = "random";

#[cfg(test)]
mod tests;
