//! The durable log and the snapshots of one member, in one data directory. It knows bytes and indexes; it knows neither
//! Raft nor what the bytes mean.
//!
//! ```text
//! DIR/identity   this directory has been used; format and number
//! DIR/lock       one process at a time
//! DIR/marker     last flushed index and record, kept apart from what they speak of
//! DIR/log        database of the log entries
//! DIR/keep       database of the vote, the purge point and the snapshots
//! ```
//!
//! Opening never takes less than was there for the whole: what the marker promises must be found, each entry under its
//! index and with its checksum. Only an end beyond the marker, torn by a power loss, is cut and reported.
//!
//! A failed write leaves unknown what reached the disk: the caller ends the process.
mod database;
mod entries;
mod error;
mod frame;
mod identity;
mod journal;
mod leftovers;
mod lock;
mod manifest;
mod marker;
mod opening;
mod purge;
mod records;
mod snapshots;
mod volume;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

pub use error::StoreError;
pub(crate) use opening::Opened;
pub(crate) use snapshots::{BLOCK_BYTES, SnapshotReader, SnapshotWriter};

use entries::Entries;
use error::Doing;
use lock::DirectoryLock;
use marker::Marker;
use purge::Purge;
use records::{Records, Subject};
use snapshots::Snapshots;

/// Limits of the store's memory.
#[derive(Debug, Clone)]
pub(crate) struct StoreOptions {
    /// Cache of table blocks, per database.
    pub(crate) cache_bytes: u64,
    /// Log entries kept in memory until they are written into a table; twice this can be held for a moment.
    pub(crate) memtable_bytes: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 1 << 20,
            memtable_bytes: 2 << 20,
        }
    }
}

/// Space on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskUse {
    /// Of the log entries present. Files hold more: purged entries leave them later.
    pub log_bytes: u64,
    /// Of the current snapshot.
    pub snapshot_bytes: u64,
    /// Allocated by all files of the data directory; none if they could not be looked at.
    pub file_bytes: Option<u64>,
    /// Left on the file system for this user; none if the system did not say.
    pub free_bytes: Option<u64>,
}

/// One member's durable log, records and snapshots. Every method may be called from any thread; all of them may block
/// on the disk.
pub(crate) struct Store {
    directory: PathBuf,
    entries: Entries,
    records: Arc<Records>,
    snapshots: Arc<Snapshots>,
    marker: Arc<Mutex<Marker>>,
    /// Last, so that it is let go after everything else is closed.
    _lock: DirectoryLock,
}

impl Store {
    /// Opens the data directory, creating it if there is none. Refuses if anything is missing or damaged.
    pub(crate) fn open(directory: &Path, options: StoreOptions) -> Result<(Self, Opened), StoreError> {
        opening::open(directory, &options)
    }

    /// Writes entries behind the last one. They are durable after the next [`flush`](Self::flush).
    pub(crate) fn append(&self, entries: impl Iterator<Item = (u64, Vec<u8>)>) -> Result<(), StoreError> {
        self.entries.append(entries)
    }

    /// Makes everything appended before durable, with one flush, and then moves the marker.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let present = self.entries.bounds();
        self.entries.flush()?;
        let mut marker = self.marker.lock();
        marker.change(|mark| mark.flushed = last_of(&present).max(mark.flushed));
        marker.write()
    }

    /// Makes the marker itself durable. Not needed for safety: the older the marker after a power loss, the more of the
    /// log's end counts as possibly torn.
    pub(crate) fn flush_marker(&self) -> Result<(), StoreError> {
        self.marker.lock().flush()
    }

    /// Indexes of the entries present.
    pub(crate) fn indexes(&self) -> Range<u64> {
        self.entries.bounds()
    }

    /// Those entries of `range` that are present, each checked.
    pub(crate) fn read(&self, range: Range<u64>) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.entries.read(range)
    }

    /// Removes all entries from `index` on. Durable on return.
    pub(crate) fn truncate_from(&self, index: u64) -> Result<(), StoreError> {
        // The marker first: it must never promise what is about to go.
        {
            let mut marker = self.marker.lock();
            marker.change(|mark| mark.flushed = mark.flushed.min(index.checked_sub(1)));
            marker.flush()?;
        }
        self.entries.truncate_from(index)
    }

    /// Forgets all entries up to `index`, and remembers `name`, the caller's for that point. Durable on return; the disk
    /// space comes back with [`reclaim`](Self::reclaim).
    pub(crate) fn purge_through(&self, index: u64, name: &[u8]) -> Result<(), StoreError> {
        let purge = Purge {
            through: index,
            snapshot: self.snapshots.current_number(),
            name: name.to_vec(),
        };
        purge.write(&self.records)?;
        self.entries.forget_through(index);
        Ok(())
    }

    /// Gives back the space of purged entries. Takes some milliseconds; appends go on meanwhile.
    pub(crate) fn reclaim(&self) -> Result<(), StoreError> {
        match Purge::read(&self.records)? {
            Some(purge) => self.entries.reclaim_through(purge.through),
            None => Ok(()),
        }
    }

    /// How far the log was purged, with the caller's name for that point.
    pub(crate) fn purged(&self) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        Ok(Purge::read(&self.records)?.map(|purge| (purge.through, purge.name)))
    }

    /// Saves the vote. Durable on return.
    pub(crate) fn save_vote(&self, vote: &[u8]) -> Result<(), StoreError> {
        self.records.put(Subject::Vote, vote)
    }

    /// The vote saved last.
    pub(crate) fn vote(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.records.get(Subject::Vote)
    }

    /// Notes what is known to be committed (at most 64 bytes). Goes to the disk with the next flush; what is found after
    /// a restart may be older.
    pub(crate) fn note_committed(&self, committed: &[u8]) {
        self.marker.lock().change(|mark| {
            mark.committed.clear();
            mark.committed.extend_from_slice(committed);
        });
    }

    /// What was noted as committed, if anything.
    pub(crate) fn committed(&self) -> Option<Vec<u8>> {
        Some(self.marker.lock().mark().committed.clone()).filter(|committed| !committed.is_empty())
    }

    /// Begins a snapshot; `meta` is the caller's description. It must contain whatever is purged from the log later.
    pub(crate) fn begin_snapshot(&self, meta: Vec<u8>) -> Result<SnapshotWriter, StoreError> {
        Ok(self.snapshots.begin(meta))
    }

    /// The current snapshot.
    pub(crate) fn snapshot(&self) -> Result<Option<SnapshotReader>, StoreError> {
        Ok(self.snapshots.current())
    }

    /// The error for a snapshot whose blocks are whole but make no sense to the caller.
    pub(crate) fn damaged_snapshot(&self, found: impl std::fmt::Display) -> StoreError {
        StoreError::damaged(
            self.snapshots.path(),
            format!("snapshot {}", self.snapshots.current_number()),
            found.to_string(),
        )
    }

    /// The error for a log entry that is whole but makes no sense to the caller.
    pub(crate) fn damaged_entry(&self, index: u64, found: impl std::fmt::Display) -> StoreError {
        StoreError::damaged(self.entries.path(), format!("log entry {index}"), found.to_string())
    }

    /// Space used and left. Looks at every file.
    pub(crate) fn disk(&self) -> DiskUse {
        let current = self.snapshots.current();
        DiskUse {
            log_bytes: self.entries.bytes(),
            snapshot_bytes: current.map_or(0, |reader| reader.head().bytes),
            file_bytes: allocated(&self.directory).ok(),
            free_bytes: self.free_bytes().ok(),
        }
    }

    /// Space left on the file system. One system call.
    pub(crate) fn free_bytes(&self) -> Result<u64, StoreError> {
        let found = rustix::fs::statvfs(&self.directory).doing("look at the file system of", &self.directory)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.flush_marker() {
            tracing::warn!(%error, "the marker could not be flushed while closing");
        }
    }
}

fn last_of(present: &Range<u64>) -> Option<u64> {
    present.end.checked_sub(1)
}

/// Bytes allocated under a directory. Files that vanish meanwhile count as nothing.
fn allocated(path: &Path) -> Result<u64, StoreError> {
    use std::os::unix::fs::MetadataExt;
    let entries = match std::fs::read_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        other => other.doing("list", path)?,
    };
    let mut sum = 0;
    for entry in entries {
        let entry = entry.doing("list", path)?;
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => sum += allocated(&entry.path())?,
            Ok(metadata) => sum += metadata.blocks() * 512,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).doing("look at", &entry.path()),
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests;
