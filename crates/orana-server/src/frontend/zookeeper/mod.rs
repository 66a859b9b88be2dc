//! The ZooKeeper face: what an unmodified ZooKeeper client finds behind the port.
//!
//! ```text
//!  listener ─▶ connection (one task) ─▶ request ─┬▶ write ─▶ Centre::submit ─▶ applied ─┐
//!                                                └▶ read  ─▶ Centre::read  ────────────┼▶ outbox ─▶ outlet ─▶ socket
//!                                       watches of the node ─▶ watch (event) ──────────┘
//! ```
//!
//! Order on one connection: replies leave in the order of their requests; a read behind a pending write runs
//! right after that write was applied and before the next one is; an event is queued before any reply that
//! reflects its cause. All of it happens in the outbox (`outbox.rs`), which the connection's task and the task
//! that applies commands share. The outlet (`outlet.rs`) has one holder at a time: the connection's task, or a thread
//! of the member that goes through a crowd that was told the same.

mod answers;
mod auth;
mod connection;
mod conversation;
mod error;
mod face;
mod four_letter;
mod listener;
mod outbox;
mod outlet;
mod read;
mod request;
mod session;
mod stats;
mod unread;
mod watch;
mod write;

pub use face::{Face, FaceConfig};
pub use listener::Listener;
pub use stats::Counts;
