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

mod address_match;
mod aspect;
mod call;
mod candidates;
mod choice;
mod clock;
pub mod cluster;
mod cluster_invoker;
pub mod configurator;
mod directory;
mod endpoint;
mod endpoint_list;
pub mod explain;
pub mod filter;
mod governance;
mod health;
pub mod load_balance;
mod merge;
mod picker;
mod plan;
pub mod router;
mod routing;
mod statistics;
#[cfg(test)]
mod testing;
mod text_match;

pub use aspect::Aspect;
pub use call::Call;
pub use candidates::Candidates;
pub use clock::EpochMillis;
pub use cluster::Cluster;
pub use cluster_invoker::ClusterInvoker;
pub use directory::{Directory, DirectoryOptions, DirectoryState};
pub use endpoint::Endpoint;
pub use endpoint_list::EndpointList;
pub use governance::{Configurator, Governance};
pub use load_balance::LoadBalance;
pub use merge::merged;
pub use picker::{HeldPicker, LaterPicker, Pick, Picker};
pub use router::Router;
pub use statistics::{Begun, MethodStatistics, Statistics};
