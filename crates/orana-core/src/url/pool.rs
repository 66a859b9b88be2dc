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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urls_that_differ_in_address_and_time_share_everything_else() {
        let pool = UrlPool::new();
        let one = pool.parse("dubbo://h1:1/i?a=1&pid=7&timestamp=2").unwrap();
        let two = pool.parse("dubbo://h2:2/i?a=1&pid=8&timestamp=3").unwrap();
        assert!(Arc::ptr_eq(&one.0.shape, &two.0.shape));
        assert_ne!(one, two);
        assert_eq!(two.full_text(), "dubbo://h2:2/i?a=1&pid=8&timestamp=3");
        let other = pool.parse("dubbo://h1:1/i?a=2&pid=7&timestamp=2").unwrap();
        assert_eq!(pool.shapes(), 2);
        assert_ne!(one, other);
    }

    #[test]
    fn a_url_from_elsewhere_is_taken_in_and_stays_equal() {
        let pool = UrlPool::new();
        let foreign = ServiceUrl::parse("dubbo://h:1/i?a=1").unwrap();
        let interned = pool.intern(&foreign);
        let other = pool.intern(&ServiceUrl::parse("dubbo://g:1/i?a=1").unwrap());
        assert_eq!(interned, foreign);
        assert!(Arc::ptr_eq(&interned.0.shape, &other.0.shape));
        assert!(
            Arc::ptr_eq(&pool.intern(&interned).0, &interned.0),
            "it is known already"
        );
    }

    #[test]
    fn what_is_no_url_is_refused_by_a_pool_as_well() {
        let pool = UrlPool::new();
        assert_eq!(pool.parse("").unwrap_err(), UrlError::Empty);
        assert!(pool.from_node_name("a%").is_err());
        assert_eq!(pool.shapes(), 0);
    }

    proptest! {
        #[test]
        fn a_pool_changes_nothing_but_who_shares_what(
            texts in proptest::collection::vec("[ab]://[gh](:1)?/i?\\?(a=[12])?&(timestamp=[12]?)?&(pid=[12])?", 0..20)
        ) {
            let pool = UrlPool::new();
            let alone: Vec<_> = texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect();
            let pooled: Vec<_> = texts.iter().map(|text| pool.parse(text).unwrap()).collect();
            prop_assert_eq!(&alone, &pooled);
            for (one, two) in alone.iter().flat_map(|one| pooled.iter().map(move |two| (one, two))) {
                prop_assert_eq!(one == two, one.full_text() == two.full_text());
                let same = one.0.shape.fits(&two.parts());
                prop_assert_eq!(same, one.0.shape == two.0.shape);
            }
            let distinct: HashSet<_> = alone.iter().chain(&pooled).collect();
            let texts: HashSet<_> = alone.iter().map(ServiceUrl::full_text).collect();
            prop_assert_eq!(distinct.len(), texts.len());
        }
    }
}
