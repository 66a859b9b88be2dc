//! Brings together what URLs have in common.
//!
//! The invariant: of all URLs that came out of one pool and are alive, those of equal shape hold the same one. A hundred
//! providers of an interface of sixty methods then take the memory of one, and a hundred addresses.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashTable;

use super::shape::Shape;
use super::{Parts, ServiceUrl, UrlError, parse};

/// A set of shapes in use. Pools are independent of one another; URLs outlive theirs.
#[derive(Default)]
pub struct UrlPool {
    shapes: Mutex<Shapes>,
}

#[derive(Default)]
struct Shapes {
    table: HashTable<Arc<Shape>>,
    /// When there are this many, those that no URL uses are thrown out.
    sweep_at: usize,
}

impl UrlPool {
    /// An empty pool.
    pub fn new() -> UrlPool {
        UrlPool::default()
    }

    /// [`ServiceUrl::parse`], sharing.
    pub fn parse(&self, text: &str) -> Result<ServiceUrl, UrlError> {
        Ok(self.url(&parse::parts(text)?))
    }

    /// [`ServiceUrl::from_node_name`], sharing.
    pub fn from_node_name(&self, name: &str) -> Result<ServiceUrl, UrlError> {
        self.parse(&parse::node_text(name)?)
    }

    /// An equal URL, sharing.
    pub fn intern(&self, url: &ServiceUrl) -> ServiceUrl {
        let parts = url.parts();
        let shape = self.shape(url.0.shape.digest(), &parts, || Arc::clone(&url.0.shape));
        if Arc::ptr_eq(&shape, &url.0.shape) {
            return url.clone();
        }
        ServiceUrl::with_shape(shape, &parts)
    }

    /// How many shapes it holds; some of them may be out of use.
    pub fn shapes(&self) -> usize {
        self.lock().table.len()
    }

    fn url(&self, parts: &Parts<'_>) -> ServiceUrl {
        let shape = self.shape(Shape::digest_of(parts), parts, || Arc::new(Shape::of(parts)));
        ServiceUrl::with_shape(shape, parts)
    }

    fn shape(&self, digest: u64, parts: &Parts<'_>, new: impl FnOnce() -> Arc<Shape>) -> Arc<Shape> {
        let mut shapes = self.lock();
        if let Some(shape) = shapes.table.find(digest, |shape| shape.fits(parts)) {
            return Arc::clone(shape);
        }
        let shape = new();
        shapes.insert(Arc::clone(&shape));
        shape
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shapes> {
        // A table of shared immutable things is whole at any moment.
        self.shapes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shapes {
    /// So many may be out of use before anybody looks.
    const SLACK: usize = 64;

    fn insert(&mut self, shape: Arc<Shape>) {
        if self.table.len() >= self.sweep_at {
            self.table.retain(|shape| Arc::strong_count(shape) > 1);
            self.sweep_at = 2 * self.table.len() + Shapes::SLACK;
            self.table.shrink_to(self.sweep_at, |shape| shape.digest());
        }
        self.table.insert_unique(shape.digest(), shape, |shape| shape.digest());
    }
}

impl fmt::Debug for UrlPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UrlPool").field("shapes", &self.shapes()).finish()
    }
}
