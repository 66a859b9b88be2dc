//! Lists that outlive the process: Dubbo's cache file, and what the policy needs of it.

mod disk;
mod file;
pub mod properties;

pub(crate) use disk::DiskCache;
pub use file::{CacheError, CacheFile, Cached};

use orana_core::{ServiceUrl, UrlPool};

use crate::snapshot::Skipped;

/// The URLs in the value of one entry, and what in it are none.
pub fn urls_of_entry(key: &str, value: &str) -> (Vec<ServiceUrl>, Skipped) {
    let mut skipped = Skipped::default();
    let urls = file::urls(key, value, &UrlPool::new(), &mut skipped);
    (urls, skipped)
}
