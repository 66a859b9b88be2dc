//! Strategies for when a call fails, or is to be made more than once: one file each, one row in [`CLUSTERS`].
//!
//! [`ZoneAware`] stands above several references, one for each registry; [`Mocked`] stands before one. They are invokers and no strategies.

mod available;
mod broadcast;
pub(crate) mod failback;
mod failfast;
pub(crate) mod failover;
mod failsafe;
mod forking;
mod mergeable;
mod mock;
pub(crate) mod retry;
mod zone_aware;

use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Reply, RpcError, ServiceUrl};

pub use self::available::Available;
pub use self::broadcast::Broadcast;
pub use self::failback::Failback;
pub use self::failfast::Failfast;
pub use self::failover::Failover;
pub use self::failsafe::Failsafe;
pub use self::forking::Forking;
pub use self::mergeable::{Merge, Mergeable, Mergers, NoMergers};
pub use self::mock::{Action, Mock, MockAnswers, Mocked, Returned};
pub use self::zone_aware::{Registered, ZoneAware, registry_shares};
use crate::picker::Picker;

/// A strategy (`org.apache.dubbo.rpc.cluster.Cluster`).
pub trait Cluster: Send + Sync + 'static {
    /// Performs `invocation` by means of what `picker` gives.
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>>;
}

/// What a strategy is made of.
pub struct Parts<'a> {
    /// The consumer's own URL at the moment at which the reference is made; what is read here does not change later, as in Dubbo.
    pub consumer: &'a ServiceUrl,
    /// How results of several groups are joined.
    pub mergers: Arc<dyn Mergers>,
}

/// Makes a strategy; each reference has its own.
pub type Make = fn(&Parts<'_>) -> Box<dyn Cluster>;

/// Every strategy by the name that configuration uses.
pub const CLUSTERS: &[(&str, Make)] = &[
    ("failover", |parts| Box::new(Failover::of(parts.consumer))),
    ("failfast", |_| Box::new(Failfast)),
    ("failsafe", |_| Box::new(Failsafe)),
    ("failback", |parts| Box::new(Failback::of(parts.consumer))),
    ("forking", |_| Box::new(Forking)),
    ("broadcast", |_| Box::new(Broadcast)),
    ("available", |_| Box::new(Available)),
    ("mergeable", |parts| {
        Box::new(Mergeable::new(Arc::clone(&parts.mergers)))
    }),
];

/// The one that is used unless configuration names another.
pub const DEFAULT: &str = "failover";

/// The one of that name.
pub fn named(name: &str, parts: &Parts<'_>) -> Option<Box<dyn Cluster>> {
    let (_, make) = CLUSTERS.iter().find(|(known, _)| *known == name)?;
    Some(make(parts))
}

#[cfg(test)]
mod tests;
