//! The protocol `dubbo://`: [`DubboConnector`] calls, [`DubboServer`] serves.
//!
//! On either side one task looks after one connection. It reads whatever has arrived, hands it out, and writes whatever is
//! ready with one system call; bytes are copied once into what is sent, and not at all out of what was received.
//!
//! ```text
//!   client   prepared ─▶ link ─▶ channel {calls, outbox, inbox} ─▶ answer
//!   server   server ─▶ connection {inbox, line {outbox}} ─▶ request ─▶ serving ─▶ exporter
//! ```

mod answer;
mod calls;
mod channel;
mod client;
mod connection;
mod inbox;
mod line;
mod link;
mod outbox;
mod prepared;
mod request;
mod response;
mod server;
mod serving;
mod waker;

pub use answer::Refused;
pub use client::{ClientOptions, DubboConnector};
pub use server::{DubboServer, ServerOptions, Stopped};
