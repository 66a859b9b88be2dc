//! Keeps registrations and subscriptions true against any registry product.
//!
//! Mechanism is a trait: a [`backend::RegistryBackend`] speaks one product's protocol and nothing more. Knows neither who
//! calls whom nor what a rule means; what it hands out are full lists of URLs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

pub mod backend;
mod error;
mod query;
mod snapshot;

pub use error::{RegistryError, RegistryErrorKind};
pub use query::Query;
pub use snapshot::{Origin, Skipped, Snapshot};
