//! Governance case by case: the worked cases and the traps that a reader of Dubbo's sources falls into, each a test whose name says the rule.
//!
//! The list of all cases, with the tests elsewhere that hold some of them, stands in `docs/protocols/rules.md`; `table.rs` keeps it true.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod calling;
mod fleet;
mod lists;
mod monitor;
mod network;
mod page;
mod rules;
mod table;
mod worked;
