//! Lists that outlive the process: Dubbo's cache file, and what the policy needs of it.

mod disk;
mod file;
pub mod properties;

pub(crate) use disk::DiskCache;
pub use file::{CacheError, CacheFile, Cached};
