//! Chooses who serves a call: a directory of endpoints, a load balance among them, a strategy for when one fails.
//!
//! ```text
//!  lists of URLs ─▶ Directory ─▶ EndpointList        ClusterInvoker ─▶ Cluster (failover, …)
//!  (registry, or by hand)  │        ▲ one atomic load      │ Picker      │
//!                          ▼        └──────────────────────┴─────────────┘
//!                      Connector (who performs calls)        LoadBalance: one Endpoint
//! ```
//!
//! Knows neither registries nor sockets: lists are handed in, and connections are opened through
//! [`Connector`](orana_core::Connector). Time and chance are arguments of everything that decides.

mod candidates;
mod clock;
pub mod cluster;
mod cluster_invoker;
mod directory;
mod endpoint;
mod endpoint_list;
pub mod load_balance;
mod merge;
mod picker;

pub use candidates::Candidates;
pub use clock::EpochMillis;
pub use cluster::Cluster;
pub use cluster_invoker::ClusterInvoker;
pub use directory::{Directory, DirectoryOptions, DirectoryState};
pub use endpoint::Endpoint;
pub use endpoint_list::EndpointList;
pub use load_balance::LoadBalance;
pub use merge::merged;
pub use picker::{Pick, Picker};
