//! One member of the centre: an ordered, durable log (openraft over an embedded store), the state it makes,
//! the watches and the lease deadlines. Everything outside sees a [`Centre`] and nothing else.
//!
//! This crate knows no protocol: front-ends translate their nouns to commands and queries.

mod centre;
mod disk;
mod error;
mod fan_out;
mod housekeeper;
mod leases;
mod member;
mod proposer;
mod raft;
mod replica;
mod store;
mod wakes;
mod watches;

pub use centre::{Centre, Consistency};
pub use error::{NodeError, StartError};
pub use leases::{Holder, LeaseClock};
pub use member::{MemberConfig, Status};
pub use replica::Completion;
pub use store::{DiskUse, StoreError};
pub use wakes::{Alarm, Told, Wakes};
pub use watches::{Event, EventKind, Observer, WatchCensus, WatchKind, Watcher};
