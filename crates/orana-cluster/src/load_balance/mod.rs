//! Load balances: one endpoint out of those that are left. One file each, one row in [`LOAD_BALANCES`].

mod balances;
mod random;

use std::sync::Arc;

pub use self::balances::Balances;
pub use self::random::Random;
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
pub const LOAD_BALANCES: &[(&str, Make)] = &[("random", || Arc::new(Random))];

/// The one that is used unless configuration names another.
pub const DEFAULT: &str = "random";
