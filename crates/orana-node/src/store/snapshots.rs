//! Snapshots: numbered, checksummed blocks, written beside the log and made current in one step. Knows nothing of what a
//! block holds.
//!
//! Each snapshot is a keyspace of its own in a database that the log does not share, so that no log flush waits for a lock
//! held for a snapshot. Blocks become tables directly, a little at a time, without passing through a journal.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::Keyspace;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::StoreOptions;
use super::database::{SmallDatabase, for_blocks};
use super::error::{Doing, StoreError};
use super::frame;
use super::records::{Records, Subject};

/// The largest block.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;
/// Blocks are gathered up to this size and then made durable, so that a log flush never has to wait for much of a
/// snapshot to reach the disk.
const STRIDE_BYTES: usize = 1 << 20;
const NAME: &str = "snapshot-";

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

/// All snapshots of a directory: one current, perhaps one being written.
pub(super) struct Snapshots {
    database: SmallDatabase,
    records: Arc<Records>,
    directory: u64,
    options: StoreOptions,
    current: Mutex<Option<(SnapshotHead, Keyspace)>>,
    /// Number of the newest snapshot begun.
    begun: Mutex<u64>,
}

impl Snapshots {
    /// Finds the current snapshot and discards what was not finished.
    pub(super) fn open(
        database: SmallDatabase,
        records: Arc<Records>,
        directory: u64,
        options: &StoreOptions,
    ) -> Result<Self, StoreError> {
        let path = database.path().to_owned();
        let head = match records.get(Subject::Snapshot)? {
            None => None,
            Some(bytes) => Some(
                postcard::from_bytes::<SnapshotHead>(&bytes)
                    .map_err(|error| StoreError::damaged(&path, "the description of a snapshot", error.to_string()))?,
            ),
        };
        let mut begun = head.as_ref().map_or(0, |head| head.number);
        let mut current = None;
        for name in database.inner().list_keyspace_names() {
            let Some(number) = name.strip_prefix(NAME).and_then(|number| number.parse::<u64>().ok()) else {
                continue;
            };
            begun = begun.max(number);
            let keyspace = database.keyspace(&name, || for_blocks(options))?;
            match &head {
                Some(head) if head.number == number => current = Some((head.clone(), keyspace)),
                _ => database
                    .inner()
                    .delete_keyspace(keyspace)
                    .doing("discard a snapshot in", &path)?,
            }
        }
        if let (Some(head), None) = (&head, &current) {
            return Err(StoreError::damaged(
                &path,
                format!("snapshot {} of {} blocks", head.number, head.blocks),
                "nothing",
            ));
        }
        let snapshots = Self {
            database,
            records,
            directory,
            options: options.clone(),
            current: Mutex::new(current),
            begun: Mutex::new(begun),
        };
        if let Some(reader) = snapshots.current() {
            reader.check_ends()?;
        }
        Ok(snapshots)
    }

    pub(super) fn current(&self) -> Option<SnapshotReader> {
        let current = self.current.lock();
        let (head, keyspace) = current.as_ref()?;
        Some(SnapshotReader {
            head: head.clone(),
            keyspace: keyspace.clone(),
            directory: self.directory,
            path: self.database.path().to_owned(),
            stored: None,
            next: 0,
        })
    }

    /// Number of the current snapshot, 0 if there is none yet.
    pub(super) fn current_number(&self) -> u64 {
        self.current.lock().as_ref().map_or(0, |(head, _)| head.number)
    }

    pub(super) fn path(&self) -> &Path {
        self.database.path()
    }

    pub(super) fn begin(self: &Arc<Self>, meta: Vec<u8>) -> Result<SnapshotWriter, StoreError> {
        let mut begun = self.begun.lock();
        *begun += 1;
        let keyspace = self
            .database
            .keyspace(&format!("{NAME}{begun}"), || for_blocks(&self.options))?;
        let head = SnapshotHead {
            number: *begun,
            blocks: 0,
            bytes: 0,
            meta,
        };
        Ok(SnapshotWriter {
            home: self.clone(),
            keyspace: Some(keyspace),
            head,
            gathered: Vec::new(),
            gathered_bytes: 0,
        })
    }

    fn make_current(&self, head: SnapshotHead, keyspace: Keyspace) -> Result<(), StoreError> {
        let path = self.database.path();
        let described = postcard::to_allocvec(&head)
            .map_err(std::io::Error::other)
            .doing("describe a snapshot in", path)?;
        let mut current = self.current.lock();
        self.records.put(Subject::Snapshot, &described)?;
        let earlier = current.replace((head, keyspace));
        drop(current);
        if let Some((_, earlier)) = earlier {
            // Readers that still hold it keep its files until they are done.
            self.database
                .inner()
                .delete_keyspace(earlier)
                .doing("remove the earlier snapshot in", path)?;
        }
        Ok(())
    }
}

/// A snapshot being written. Dropping it unfinished discards it.
pub(crate) struct SnapshotWriter {
    home: Arc<Snapshots>,
    /// None once finished.
    keyspace: Option<Keyspace>,
    head: SnapshotHead,
    gathered: Vec<Vec<u8>>,
    gathered_bytes: usize,
}

impl SnapshotWriter {
    /// Adds the next block, of at most [`BLOCK_BYTES`].
    pub(crate) fn push(&mut self, block: impl AsRef<[u8]>) -> Result<(), StoreError> {
        let block = block.as_ref();
        if block.len() > BLOCK_BYTES {
            let error = std::io::Error::other(format!("a block of {} bytes is too large", block.len()));
            return Err(error).doing("write a snapshot in", self.home.database.path());
        }
        let number = self.head.blocks;
        self.gathered.push(frame::seal(self.seed(), number, block));
        self.gathered_bytes += block.len();
        self.head.blocks += 1;
        self.head.bytes += block.len() as u64;
        if self.gathered_bytes >= STRIDE_BYTES {
            self.write_gathered()
        } else {
            Ok(())
        }
    }

    /// Makes the snapshot durable and then current; the earlier one is removed.
    pub(crate) fn finish(mut self) -> Result<SnapshotHead, StoreError> {
        self.write_gathered()?;
        let head = self.head.clone();
        if let Some(keyspace) = self.keyspace.take() {
            self.home.make_current(head.clone(), keyspace)?;
        }
        Ok(head)
    }

    /// Blocks of different snapshots must not pass for one another.
    fn seed(&self) -> u64 {
        block_seed(self.home.directory, self.head.number)
    }

    fn write_gathered(&mut self) -> Result<(), StoreError> {
        let path = self.home.database.path();
        let Some(keyspace) = self.keyspace.as_ref().filter(|_| !self.gathered.is_empty()) else {
            return Ok(());
        };
        let first = self.head.blocks - self.gathered.len() as u64;
        let mut ingestion = keyspace.start_ingestion().doing("write a snapshot in", path)?;
        for (number, block) in (first..).zip(self.gathered.drain(..)) {
            ingestion
                .write(number.to_be_bytes(), block)
                .doing("write a snapshot in", path)?;
        }
        self.gathered_bytes = 0;
        ingestion.finish().doing("flush a snapshot in", path)
    }
}

impl Drop for SnapshotWriter {
    fn drop(&mut self) {
        if let Some(keyspace) = self.keyspace.take()
            && let Err(error) = self.home.database.inner().delete_keyspace(keyspace)
        {
            // The next start discards it again.
            tracing::warn!(%error, "an unfinished snapshot could not be discarded");
        }
    }
}

/// A finished snapshot: its blocks in order, each checked; a missing one is an error. It stays readable while this
/// exists, even after a later one has become current.
pub(crate) struct SnapshotReader {
    head: SnapshotHead,
    keyspace: Keyspace,
    directory: u64,
    path: PathBuf,
    /// None until the first block is asked for.
    stored: Option<fjall::Iter>,
    next: u64,
}

impl SnapshotReader {
    /// What is known of it.
    pub(crate) fn head(&self) -> &SnapshotHead {
        &self.head
    }

    /// The caller's own description.
    pub(crate) fn meta(&self) -> &[u8] {
        &self.head.meta
    }

    /// One block, checked.
    pub(crate) fn block(&self, number: u64) -> Result<Vec<u8>, StoreError> {
        let value = self
            .keyspace
            .get(number.to_be_bytes())
            .doing("read a snapshot in", &self.path)?;
        match value {
            Some(value) => self.open_block(number, &value),
            None => Err(self.damaged(number, "nothing".to_owned())),
        }
    }

    /// A quick look that the first and the last block are there and whole; the others are checked as they are read.
    fn check_ends(&self) -> Result<(), StoreError> {
        if let Some(last) = self.head.blocks.checked_sub(1) {
            self.block(0)?;
            self.block(last)?;
        }
        Ok(())
    }

    fn read_next(&mut self, number: u64) -> Result<Vec<u8>, StoreError> {
        let stored = self.stored.get_or_insert_with(|| self.keyspace.iter());
        let Some(guard) = stored.next() else {
            return Err(self.damaged(number, "nothing".to_owned()));
        };
        let (key, value) = guard.into_inner().doing("read a snapshot in", &self.path)?;
        if key.as_ref() != number.to_be_bytes() {
            return Err(self.damaged(number, "another block".to_owned()));
        }
        self.open_block(number, &value)
    }

    fn open_block(&self, number: u64, value: &[u8]) -> Result<Vec<u8>, StoreError> {
        frame::open(block_seed(self.directory, self.head.number), number, value)
            .map(<[u8]>::to_vec)
            .map_err(|fault| self.damaged(number, fault.to_string()))
    }

    fn damaged(&self, number: u64, found: String) -> StoreError {
        let expected = format!(
            "block {number} of the {} of snapshot {}",
            self.head.blocks, self.head.number
        );
        StoreError::damaged(&self.path, expected, found)
    }
}

impl Iterator for SnapshotReader {
    type Item = Result<Vec<u8>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.head.blocks {
            return None;
        }
        let block = self.read_next(self.next);
        // After an error there is nothing more to say.
        self.next = if block.is_ok() { self.next + 1 } else { self.head.blocks };
        Some(block)
    }
}

fn block_seed(directory: u64, snapshot: u64) -> u64 {
    directory ^ snapshot.rotate_left(32)
}
