//! The cache file beside the tasks: reads it once while the registry cannot be reached, and counts what is to be saved.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use orana_core::{ServiceUrl, UrlPool};
use parking_lot::Mutex;
use tokio::sync::{Notify, OnceCell, watch};

use super::file::{CacheError, CacheFile};
use crate::settings::CacheSettings;

type Table = HashMap<String, Vec<ServiceUrl>>;

/// What a registry knows about its file.
pub(crate) struct DiskCache {
    file: CacheFile,
    pub(crate) synchronous: bool,
    /// The file's content, read by the first who needs it and forgotten when the registry answers.
    table: Mutex<Arc<OnceCell<Table>>>,
    /// Counts changes; a save that began at a count covers it.
    changes: AtomicU64,
    changed: Notify,
    /// The last count that somebody tried to save, successfully or not.
    tried: watch::Sender<u64>,
}

impl DiskCache {
    pub(crate) fn new(settings: &CacheSettings) -> DiskCache {
        DiskCache {
            file: CacheFile::new(&settings.file),
            synchronous: settings.synchronous,
            table: Mutex::default(),
            changes: AtomicU64::new(0),
            changed: Notify::new(),
            tried: watch::Sender::new(0),
        }
    }

    /// What the file holds for a service.
    pub(crate) async fn recall(&self, key: &str, pool: &Arc<UrlPool>) -> Option<Vec<ServiceUrl>> {
        let table = Arc::clone(&self.table.lock());
        let table = table
            .get_or_init(|| async {
                let (file, pool) = (self.file.clone(), Arc::clone(pool));
                match tokio::task::spawn_blocking(move || file.read(&pool)).await {
                    Ok(Ok(cached)) => {
                        if let Some(first) = &cached.skipped.first {
                            let (path, skipped) = (self.file.path().display(), cached.skipped.count);
                            tracing::warn!(%path, skipped, "entries of the cache file are no urls, the first is {first}");
                        }
                        cached.lists
                    }
                    Ok(Err(error)) => {
                        tracing::warn!(error = &error as &dyn std::error::Error, "the cache file is not read");
                        Table::new()
                    }
                    Err(error) => {
                        tracing::error!(%error, "reading the cache file did not end well");
                        Table::new()
                    }
                }
            })
            .await;
        table.get(key).filter(|urls| !urls.is_empty()).cloned()
    }

    /// The registry answers, so nobody needs the file's content any more.
    pub(crate) fn forget(&self) {
        *self.table.lock() = Arc::default();
    }

    /// There is something to save; the count that a save has to reach.
    pub(crate) fn change(&self) -> u64 {
        let count = self.changes.fetch_add(1, Ordering::Relaxed) + 1;
        self.changed.notify_one();
        count
    }

    /// The count of all changes so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Whether nobody has tried to save the newest change.
    pub(crate) fn is_behind(&self) -> bool {
        *self.tried.borrow() < self.changes()
    }

    /// Returns when there may be something to save.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns when somebody has tried to save at least that count.
    pub(crate) async fn tried(&self, count: u64) {
        let mut tried = self.tried.subscribe();
        let _ = tried.wait_for(|tried| *tried >= count).await;
    }

    /// Saves these lists, which are of `count` or later.
    pub(crate) async fn save(&self, count: u64, lists: Vec<(String, Vec<ServiceUrl>)>) -> Result<(), CacheError> {
        let file = self.file.clone();
        let saved = tokio::task::spawn_blocking(move || file.save(&lists)).await;
        self.tried.send_replace(count);
        saved.unwrap_or_else(|error| {
            Err(CacheError::Io {
                what: "save",
                path: self.file.path().to_owned(),
                source: std::io::Error::other(error),
            })
        })
    }
}
