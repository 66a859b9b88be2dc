//! Snapshots: numbered, checksummed blocks, written beside the log and made current in one step. Knows nothing of what a
//! block holds.
//!
//! Blocks lie in a database that the log does not share, so that no log flush waits for a lock held for a snapshot. They
//! become tables directly, a little at a time, without passing through a journal. All snapshots share one keyspace, under
//! their numbers: keyspaces that come and go are not safe in fjall 3.1, which after a restart can take a new one for one
//! that was deleted earlier.
mod reader;
mod writer;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use fjall::{AbstractTree, Keyspace};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::StoreOptions;
use super::database::{SmallDatabase, for_blocks};
use super::error::{Doing, StoreError};
use super::records::{Records, Subject};

pub(crate) use reader::SnapshotReader;
pub(crate) use writer::{BLOCK_BYTES, SnapshotWriter};

/// What is known of a snapshot without reading its blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotHead {
    /// Counts the snapshots of this directory.
    pub(crate) number: u64,
    /// How many blocks it has.
    pub(crate) blocks: u64,
    /// Their sizes together.
    pub(crate) bytes: u64,
    /// The caller's own description.
    pub(crate) meta: Vec<u8>,
}

/// All snapshots of a directory: one current, perhaps others being written or still being read.
pub(super) struct Snapshots {
    blocks: Blocks,
    records: Arc<Records>,
    current: Mutex<Option<(SnapshotHead, Arc<Hold>)>>,
    /// Number of the newest snapshot begun.
    begun: Mutex<u64>,
}

/// Where the blocks of all snapshots are.
#[derive(Clone)]
struct Blocks {
    database: SmallDatabase,
    keyspace: Keyspace,
    directory: u64,
}

/// Keeps the blocks of one snapshot. When the last one lets go of a snapshot that is not current, they are removed.
struct Hold {
    number: u64,
    /// Gone once the store is closed; what is left over then is removed at the next start.
    home: Weak<Snapshots>,
    wanted: AtomicBool,
}

impl Snapshots {
    /// Finds the current snapshot and discards what was not finished.
    pub(super) fn open(
        database: SmallDatabase,
        records: Arc<Records>,
        directory: u64,
        options: &StoreOptions,
    ) -> Result<Arc<Self>, StoreError> {
        let blocks = Blocks::open(database, directory, options)?;
        let path = blocks.database.path();
        let head = match records.get(Subject::Snapshot)? {
            None => None,
            Some(bytes) => Some(
                postcard::from_bytes::<SnapshotHead>(&bytes)
                    .map_err(|error| StoreError::damaged(path, "the description of a snapshot", error.to_string()))?,
            ),
        };
        let newest = blocks.newest_number()?;
        let number = head.as_ref().map_or(0, |head| head.number);
        let begun = number.max(newest.unwrap_or(0));
        let snapshots = Arc::new(Self {
            blocks,
            records,
            current: Mutex::new(None),
            begun: Mutex::new(begun),
        });
        if let Some(head) = head {
            let hold = Hold {
                number,
                home: Arc::downgrade(&snapshots),
                wanted: AtomicBool::new(true),
            };
            *snapshots.current.lock() = Some((head, Arc::new(hold)));
        }
        if let Some(reader) = snapshots.current() {
            reader.check_ends()?;
        }
        if snapshots.blocks.remove_all_but(number)? {
            snapshots.records.sweep()?;
        }
        Ok(snapshots)
    }

    pub(super) fn current(&self) -> Option<SnapshotReader> {
        let current = self.current.lock();
        let (head, hold) = current.as_ref()?;
        Some(SnapshotReader::new(head.clone(), self.blocks.clone(), hold.clone()))
    }

    /// Number of the current snapshot, 0 if there is none yet.
    pub(super) fn current_number(&self) -> u64 {
        self.current.lock().as_ref().map_or(0, |(head, _)| head.number)
    }

    pub(super) fn path(&self) -> &Path {
        self.blocks.database.path()
    }

    pub(super) fn begin(self: &Arc<Self>, meta: Vec<u8>) -> SnapshotWriter {
        let mut begun = self.begun.lock();
        *begun += 1;
        let hold = Hold {
            number: *begun,
            home: Arc::downgrade(self),
            wanted: AtomicBool::new(false),
        };
        let head = SnapshotHead {
            number: *begun,
            blocks: 0,
            bytes: 0,
            meta,
        };
        SnapshotWriter::new(self.clone(), head, hold)
    }

    fn make_current(&self, head: SnapshotHead, hold: Hold) -> Result<(), StoreError> {
        let described = postcard::to_allocvec(&head)
            .map_err(std::io::Error::other)
            .doing("describe a snapshot in", self.path())?;
        let mut current = self.current.lock();
        if current
            .as_ref()
            .is_some_and(|(current, _)| current.number > head.number)
        {
            // Another one that was begun later has been finished before.
            return Ok(());
        }
        self.records.put(Subject::Snapshot, &described)?;
        hold.wanted.store(true, Ordering::Release);
        let earlier = current.replace((head, Arc::new(hold)));
        drop(current);
        if let Some((_, earlier)) = earlier {
            earlier.wanted.store(false, Ordering::Release);
        }
        Ok(())
    }
}

impl Blocks {
    fn open(database: SmallDatabase, directory: u64, options: &StoreOptions) -> Result<Self, StoreError> {
        let keyspace = database.keyspace("blocks", || for_blocks(options))?;
        Ok(Self {
            database,
            keyspace,
            directory,
        })
    }

    /// The highest number of any snapshot that has a block.
    fn newest_number(&self) -> Result<Option<u64>, StoreError> {
        let path = self.database.path();
        let Some(last) = self.keyspace.last_key_value() else {
            return Ok(None);
        };
        let key = last.key().doing("read the snapshots in", path)?;
        match key.first_chunk() {
            Some(number) => Ok(Some(u64::from_be_bytes(*number))),
            None => Err(StoreError::damaged(
                path,
                "the number of a snapshot",
                format!("{key:?}"),
            )),
        }
    }

    /// Removes all blocks of all snapshots but one. Says whether there were any.
    fn remove_all_but(&self, number: u64) -> Result<bool, StoreError> {
        let before = self.keyspace.range(..key(number, 0)).next().is_some();
        let after = self.keyspace.range(key(number + 1, 0)..).next().is_some();
        if before {
            self.remove(0..=number.saturating_sub(1))?;
        }
        if after {
            self.remove(number + 1..=u64::MAX)?;
        }
        Ok(before || after)
    }

    /// Removes all blocks of some snapshots.
    fn remove(&self, numbers: RangeInclusive<u64>) -> Result<(), StoreError> {
        let (first, last) = (key(*numbers.start(), 0), key(*numbers.end(), u64::MAX));
        self.keyspace
            .tree
            .drop_range(first..=last)
            .map_err(fjall::Error::from)
            .doing("remove a snapshot in", self.database.path())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.wanted.load(Ordering::Acquire) {
            return;
        }
        let Some(home) = self.home.upgrade() else { return };
        let removed = home
            .blocks
            .remove(self.number..=self.number)
            .and_then(|()| home.records.sweep());
        if let Err(error) = removed {
            // The next start does it.
            tracing::warn!(%error, number = self.number, "the blocks of a snapshot could not be removed");
        }
    }
}

/// Snapshots in their order, their blocks in theirs.
fn key(snapshot: u64, block: u64) -> [u8; 16] {
    ((u128::from(snapshot) << 64) | u128::from(block)).to_be_bytes()
}

/// Checksums of blocks begin with this, so that those of different snapshots do not pass for one another.
fn block_seed(directory: u64, snapshot: u64) -> u64 {
    directory ^ snapshot.rotate_left(32)
}
