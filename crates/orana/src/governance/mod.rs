//! Rules for one reference: where they come from, what is in force, and how they reach the directory.
//!
//! ```text
//!   URLs of the registry ──┐
//!   documents of the       ├─▶ Rules (pure) ─▶ Governance ─▶ Directory
//!   configuration centre ──┤        ▲
//!   the program's own ─────┘        └ Steering: the one task that listens
//! ```

mod document;
mod keys;
mod rules;
mod steering;

pub(crate) use rules::{OwnRules, Rules};
pub(crate) use steering::{Steered, Steering};
