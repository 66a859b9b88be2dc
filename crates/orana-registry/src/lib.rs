//! Keeps registrations and subscriptions true against any registry product.
//!
//! Mechanism is a trait: a [`backend::RegistryBackend`] speaks one product's protocol and nothing more. Knows neither who
//! calls whom nor what a rule means; what it hands out are full lists of URLs. Policy is a struct: a [`Registry`] keeps what
//! was registered and subscribed to true through every interruption, whatever the product.
//!
//! ```
//! use orana_core::ServiceUrl;
//! use orana_registry::Registry;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::builder(&ServiceUrl::parse("memory://example")?).build()?;
//! let provider = ServiceUrl::parse("dubbo://10.0.0.1:20880/org.example.Greeter?side=provider")?;
//! let registration = registry.register(&provider).await?;
//!
//! let consumer = ServiceUrl::parse("consumer://10.0.0.2/org.example.Greeter?side=consumer")?;
//! let mut subscription = registry.subscribe(&consumer).await?;
//! assert_eq!(subscription.current().providers().map(|providers| providers.len()), Some(1));
//!
//! registration.unregister().await?;
//! let news = subscription.changed().await.ok_or("the registry was closed")?;
//! assert_eq!(news.providers().map(|providers| providers.len()), Some(0)); // known to be empty, not unknown
//! # Ok(())
//! # }
//! ```
//!
//! A product that is not built in is one line more:
//!
//! ```
//! # use std::sync::Arc;
//! # use orana_core::ServiceUrl;
//! # use orana_registry::{Registry, backend::MemoryCentre};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::builder(&ServiceUrl::parse("mine://10.0.0.1:9999")?)
//!     .backend("mine", |url| Ok(Arc::new(MemoryCentre::named(url.host().unwrap_or_default()).connect())))
//!     .build()?;
//! # drop(registry);
//! # Ok(())
//! # }
//! ```
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

pub mod backend;
pub mod cache;
mod complaints;
pub mod config_center;
mod contact;
mod convergence;
mod driver;
mod error;
mod lists;
mod notification;
mod query;
mod registration;
mod registries;
mod registry;
mod saver;
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
