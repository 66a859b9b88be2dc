//! The centre's faces: the ZooKeeper front-end, the admin API, metrics.
//!
//! Knows protocols and the door to a member ([`orana_node`]); does not know how a member keeps or orders anything.

pub mod admin;
mod app;
pub mod config;
// Whatever comes in here comes from the network.
#[deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#[cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]
pub mod frontend;
mod quiet;

pub use app::{ServerError, run};
