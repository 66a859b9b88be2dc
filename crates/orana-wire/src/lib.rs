//! Bytes and text to vocabulary and back, for both sides of every protocol the project speaks.
//!
//! Nothing here knows sockets, clocks or state: a decoder takes a slice and borrows from it, an encoder appends to a
//! buffer. Input is whatever the network sent, so nothing here may panic on it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

pub mod dubbo;
pub mod hessian;
pub mod rule;
pub mod zookeeper;
