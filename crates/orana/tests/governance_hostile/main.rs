//! Rules and calls that somebody made to do harm, with registry and configuration centre in memory: each is told once with key, place and
//! reason, the rule before it stays, calls go on, and neither time nor memory grows with what was written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod calls;
mod documents;
mod stage;
mod stress;
mod urls;
mod values;
