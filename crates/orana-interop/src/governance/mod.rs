//! The same rules to Dubbo Java and to Rust: twelve providers, consumers of several identities in each language, rule
//! documents as files below `rules/`, and the providers that each consumer reaches under each of them. It does not know
//! what a rule means: that is said by Java, and by the answer that its file expects.

pub mod answer;
pub mod consumer;
pub mod document;
pub mod fleet;
pub mod identity;
pub mod ledger;
pub mod network;
pub mod orders;
pub mod outcome;
pub mod question;
mod ring;
pub mod rule;
pub mod trial;
