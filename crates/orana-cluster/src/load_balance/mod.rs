//! Load balances: one endpoint out of those that are left. One file each, one row in [`LOAD_BALANCES`].

mod random;

use std::sync::Arc;

use orana_core::Invocation;

pub use self::random::Random;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::endpoint::Endpoint;

/// A way to choose (`org.apache.dubbo.rpc.cluster.LoadBalance`).
pub trait LoadBalance: Send + Sync + 'static {
    /// One of `candidates` for `invocation`; `None` only if there is none. `chance` is a uniformly distributed number: the only
    /// randomness that may enter.
    fn select<'l>(
        &self,
        invocation: &Invocation,
        candidates: &Candidates<'l>,
        now: EpochMillis,
        chance: u64,
    ) -> Option<&'l Arc<Endpoint>>;
}

/// Makes a load balance; each reference has its own.
pub type Make = fn() -> Box<dyn LoadBalance>;

/// Every load balance by the name that configuration uses.
pub const LOAD_BALANCES: &[(&str, Make)] = &[("random", || Box::new(Random))];

/// The one of that name.
pub fn named(name: &str) -> Option<Box<dyn LoadBalance>> {
    let (_, make) = LOAD_BALANCES.iter().find(|(known, _)| *known == name)?;
    Some(make())
}
