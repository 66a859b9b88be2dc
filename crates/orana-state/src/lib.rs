//! What the centre knows: the tree of nodes, its access control lists and the leases that own its
//! ephemeral nodes. A deterministic value: the same entries applied in the same order give the same
//! state on every member, down to the bytes of a snapshot.
//!
//! This crate knows no clock, no disk, no socket, no task and no chance. Time enters in [`Entry::at`],
//! secrets enter in [`Action::Grant`]; whoever proposes a command provides them.
//!
//! ```text
//!  Entry ─▶ State::apply ─▶ Applied { outcomes, changes }
//!  Query ─▶ State::query ─▶ Answer
//!  State ─▶ encode ─▶ blocks ─▶ decode ─▶ State (equal digest)
//! ```

pub mod acl;
pub mod change;
pub mod command;
pub mod id;
pub mod lease;
mod node;
pub mod outcome;
mod owned;
pub mod path;
pub mod query;
mod reap;
pub mod snapshot;
mod stat;
mod state;
mod tree;
mod write;

pub use acl::{Acl, AclEntry, Identities, Identity, Permission};
pub use change::{Change, ChangeKind};
pub use command::{Action, Command, Entry, Lifetime, Write};
pub use id::{LeaseId, Zxid};
pub use lease::Lease;
pub use outcome::{Applied, Effect, Outcome, Refusal};
pub use query::{Answer, Census, NodeRef, Query};
pub use snapshot::DecodeError;
pub use stat::Stat;
pub use state::State;
