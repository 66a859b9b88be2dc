//! Opens a fjall database with small caches and one worker. The only file that knows fjall's settings.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fjall::compaction::{Fifo, Leveled};
use fjall::config::{BlockSizePolicy, FilterPolicy};
use fjall::{AbstractTree, Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::StoreOptions;
use super::error::{Doing, StoreError};

/// Open table files per database.
const OPEN_FILES: usize = 64;
/// The smallest that fjall takes: beyond it, memtables that keep an old journal alive are written out.
const JOURNAL_BYTES: u64 = 64 << 20;

/// How often it is looked whether a memtable has been written out.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Sorts before every key of ours and is none of them.
const SCRATCH_KEY: [u8; 1] = [0];

/// A database and where it is.
#[derive(Clone)]
pub(super) struct SmallDatabase {
    inner: Database,
    path: PathBuf,
}

impl SmallDatabase {
    /// Opens the database, or creates it; that an existing one is not lost is for the caller to check first.
    pub(super) fn open(path: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let inner = Database::builder(path)
            .cache_size(options.cache_bytes)
            .worker_threads(1)
            .manual_journal_persist(true)
            .max_cached_files(Some(OPEN_FILES))
            .max_journaling_size(JOURNAL_BYTES)
            .open()
            .doing("open the database in", path)?;
        Ok(Self {
            inner,
            path: path.to_owned(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn inner(&self) -> &Database {
        &self.inner
    }

    pub(super) fn keyspace(
        &self,
        name: &str,
        options: impl FnOnce() -> KeyspaceCreateOptions,
    ) -> Result<Keyspace, StoreError> {
        self.inner
            .keyspace(name, options)
            .doing("open a keyspace in", &self.path)
    }

    /// One flush of the journal for everything written before.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.inner
            .persist(PersistMode::SyncData)
            .doing("flush the journal in", &self.path)
    }

    /// Lets the files of dropped tables go, in all keyspaces, and the journals behind `keyspace`. fjall deletes such files
    /// when a later version has been written over the one that named them, so something has to be written.
    pub(super) fn sweep(&self, keyspace: &Keyspace) -> Result<(), StoreError> {
        keyspace
            .insert(SCRATCH_KEY, [])
            .doing("write a scratch value in", &self.path)?;
        self.write_out(keyspace)
    }

    /// Writes the memtable of `keyspace` into a table. fjall's own way to wait for that never ends once its worker has met
    /// a disk that fails, and a thread that waits for ever keeps the process from ending.
    pub(super) fn write_out(&self, keyspace: &Keyspace) -> Result<(), StoreError> {
        const DOING: &str = "write out a memtable in";
        if !keyspace.rotate_memtable().doing(DOING, &self.path)? {
            return Ok(());
        }
        while keyspace.tree.sealed_memtable_count() > 0 {
            // Flushes nothing, and is refused if the worker has ended.
            self.inner.persist(PersistMode::Buffer).doing(DOING, &self.path)?;
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Whether fjall's own files are where an existing database has them.
    pub(super) fn check_present(path: &Path) -> Result<(), StoreError> {
        for name in ["version", "keyspaces"] {
            let file = path.join(name);
            if !file.try_exists().doing("look at", &file)? {
                return Err(StoreError::damaged(&file, "a file of the database", "nothing"));
            }
        }
        Ok(())
    }
}

fn lean(block_bytes: u32, options: &StoreOptions) -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(options.memtable_bytes)
        .manual_journal_persist(true)
        // Keys are asked for in ranges and are known to exist.
        .filter_policy(FilterPolicy::disabled())
        .data_block_size_policy(BlockSizePolicy::all(block_bytes))
}

/// For the log: written once in order, its end overwritten after a truncation.
pub(super) fn for_entries(options: &StoreOptions) -> KeyspaceCreateOptions {
    lean(64 << 10, options).compaction_strategy(Arc::new(Leveled::default()))
}

/// For a handful of small values.
pub(super) fn for_records(options: &StoreOptions) -> KeyspaceCreateOptions {
    lean(4 << 10, options)
}

/// For a snapshot's blocks, which arrive in order and are never rewritten: there is nothing to compact.
pub(super) fn for_blocks(options: &StoreOptions) -> KeyspaceCreateOptions {
    lean(256 << 10, options).compaction_strategy(Arc::new(Fifo::new(u64::MAX, None)))
}
