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
mod listening;
mod rules;
mod steering;
mod url_rules;

pub(crate) use document::Document;
pub(crate) use keys::Slot;
pub(crate) use listening::{Word, listen};
pub(crate) use rules::{OwnRules, Rules};
pub(crate) use steering::{Steered, Steering};
pub(crate) use url_rules::UrlRules;
