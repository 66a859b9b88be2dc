//! The configuration centre: texts under a group and a key, each kept true for as long as somebody subscribes to it.
//!
//! As with registries, mechanism is a trait and policy is a struct: a [`ConfigBackend`] speaks one product's protocol and
//! neither retries nor remembers; a [`ConfigCenter`] keeps what a program subscribed to true through every interruption.
//! Neither knows what a text means: rules and properties are understood elsewhere.
//!
//! ```
//! use orana_core::ServiceUrl;
//! use orana_registry::config_center::{ConfigCenter, DEFAULT_GROUP};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let centre = ConfigCenter::builder(&ServiceUrl::parse("memory://example-config")?).build()?;
//! let mut rule = centre.subscribe(DEFAULT_GROUP, "shop.tag-router").await?;
//! assert_eq!(rule.current().text, None); // known to be absent
//!
//! centre.publish(DEFAULT_GROUP, "shop.tag-router", "force: false").await?;
//! let news = rule.changed().await.ok_or("the centre was closed")?;
//! assert_eq!(news.text.as_deref(), Some("force: false"));
//! # Ok(())
//! # }
//! ```

mod center;
mod centers;
mod driver;
mod key;
mod memory;
mod settings;
mod shared;
mod subscription;
#[cfg(any(test, feature = "suite"))]
pub mod suite;
#[cfg(test)]
mod tests;
mod value;
mod watching;
mod zookeeper;

use std::sync::Arc;

use orana_core::BoxFuture;

use crate::backend::{Link, Row, Schemes};
use crate::error::RegistryError;

pub use center::{ConfigCenter, ConfigCenterBuilder};
pub use centers::ConfigCenters;
pub use key::ConfigKey;
pub use memory::{MemoryConfig, MemoryConfigBackend};
pub use settings::ConfigSettings;
pub use subscription::ConfigSubscription;
pub use value::ConfigValue;
pub use watching::{ConfigFeed, ConfigWatching};

/// The group of every governance rule, and of properties that are everybody's: Dubbo's `DynamicConfiguration.DEFAULT_GROUP`.
pub const DEFAULT_GROUP: &str = "dubbo";

/// The whole text under a key, or that it is known to be absent. An empty text is an absent one, as it is for Dubbo.
pub type Content = Option<Arc<str>>;

/// One product's protocol; mirrors the part of Dubbo's `DynamicConfiguration` that differs between products.
///
/// It does not retry, remember or judge. It runs only what it must to keep its own connection and its own watches.
pub trait ConfigBackend: Send + Sync + 'static {
    /// What is there now.
    fn get<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<Content, RegistryError>>;

    /// Puts a text there, over whatever is there.
    fn publish<'a>(&'a self, key: &'a ConfigKey, text: &'a str) -> BoxFuture<'a, Result<(), RegistryError>>;

    /// Takes it away. What is not there is fine.
    fn remove<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<(), RegistryError>>;

    /// Watches a key, be there anything or not. Returns when the first word about it is in the stream.
    fn watch<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<ConfigWatching, RegistryError>>;

    /// How the connection is. The receiver always has a value, and it ends with the back-end. After a cut within one epoch
    /// the back-end reads by itself what it watches; with an epoch all watches end.
    fn link(&self) -> tokio::sync::watch::Receiver<Link>;

    /// Ends the session. Every later request fails as closed.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The back-ends that are built in; one more is one row more.
pub const CONFIG_BACKENDS: &[Row<dyn ConfigBackend>] = &[memory::ROW, zookeeper::ROW];

/// [`CONFIG_BACKENDS`] and what a program adds.
pub type ConfigBackends = Schemes<dyn ConfigBackend>;

impl ConfigBackends {
    /// Those that are built in.
    pub fn built_in() -> ConfigBackends {
        Schemes::of(CONFIG_BACKENDS)
    }
}
