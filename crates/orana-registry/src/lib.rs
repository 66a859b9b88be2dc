//! Keeps registrations and subscriptions true against any registry product.
//!
//! Mechanism is a trait: a [`backend::RegistryBackend`] speaks one product's protocol and nothing more. Knows neither who
//! calls whom nor what a rule means; what it hands out are full lists of URLs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

pub mod backend;
pub mod cache;
mod complaints;
mod convergence;
mod driver;
mod error;
mod lists;
mod notification;
mod query;
mod registration;
mod registries;
mod registry;
mod settings;
mod shared;
mod snapshot;
mod subscription;
#[cfg(any(test, feature = "suite"))]
pub mod suite;
mod topic;

pub use convergence::Retry;
pub use error::{RegistryError, RegistryErrorKind};
pub use lists::OnEmpty;
pub use notification::{Freshness, Kept, List, Notification, Service, Standing};
pub use query::Query;
pub use registration::Registration;
pub use registries::Registries;
pub use registry::{Registry, RegistryBuilder};
pub use settings::{CacheSettings, Settings};
pub use snapshot::{Origin, Skipped, Snapshot};
pub use subscription::{LazySubscription, Listening, Subscription};
