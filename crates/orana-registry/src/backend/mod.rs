//! The mechanism of a registry: one product's protocol behind one small trait, and the table of those that are built in.
//!
//! A back-end does not retry, remember or judge. It runs only what it must to keep its own connection and its own watches.

mod link;
mod memory;
mod table;
mod watching;
pub(crate) mod zookeeper;

use std::sync::Arc;

use orana_core::{BoxFuture, ServiceUrl};

use crate::error::RegistryError;
use crate::query::Query;
use crate::snapshot::Snapshot;

pub use link::Link;
pub use memory::{MemoryBackend, MemoryCentre};
pub use table::{Backends, Schemes};
pub use watching::{Feed, Watching};

/// One product's protocol.
pub trait RegistryBackend: Send + Sync + 'static {
    /// Makes a URL visible to whoever watches. Doing it again changes nothing. With `dynamic=false` it stays until it is
    /// withdrawn, otherwise it goes when the session of this back-end ends.
    fn publish<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>>;

    /// Takes a URL back, found by its whole text. One that is not there is fine.
    fn withdraw<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>>;

    /// Watches what answers `query`. Returns when the first complete lists of every category are in the stream.
    fn watch<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>>;

    /// Asks the same without a watch; one snapshot for each interface, which is exactly one unless `*` was asked for.
    fn lookup<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>>;

    /// How the connection is. The receiver always has a value, and it ends with the back-end.
    fn link(&self) -> tokio::sync::watch::Receiver<Link>;

    /// Ends the session at once, so that what was published as dynamic goes now. Every later request fails as closed.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Makes a back-end for the address in a registry's URL. It does not wait for the product: [`RegistryBackend::link`] says
/// how that goes. It is called inside a tokio runtime.
pub type Connect<B = dyn RegistryBackend> = fn(&ServiceUrl) -> Result<Arc<B>, RegistryError>;

/// A scheme of a registry's URL and who speaks it.
pub struct Row<B: ?Sized + 'static = dyn RegistryBackend> {
    /// The protocol of the URL: `zookeeper`, `memory`, …
    pub scheme: &'static str,
    /// Makes the back-end.
    pub connect: Connect<B>,
}

/// The back-ends that are built in.
pub const BACKENDS: &[Row] = &[memory::ROW, zookeeper::ROW];
