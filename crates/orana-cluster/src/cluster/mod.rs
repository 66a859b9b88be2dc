//! Strategies for when a call fails: one file each, one row in [`CLUSTERS`].

mod failover;

use orana_core::{BoxFuture, Invocation, Reply, RpcError};

pub use self::failover::Failover;
use crate::picker::Picker;

/// A strategy (`org.apache.dubbo.rpc.cluster.Cluster`).
pub trait Cluster: Send + Sync + 'static {
    /// Performs `invocation` by means of what `picker` gives.
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>>;
}

/// Makes a strategy; each reference has its own.
pub type Make = fn() -> Box<dyn Cluster>;

/// Every strategy by the name that configuration uses.
pub const CLUSTERS: &[(&str, Make)] = &[("failover", || Box::new(Failover))];

/// The one of that name.
pub fn named(name: &str) -> Option<Box<dyn Cluster>> {
    let (_, make) = CLUSTERS.iter().find(|(known, _)| *known == name)?;
    Some(make())
}
