//! The candidates behind one face. Each keeps its log as number → bytes and its snapshot as number → block, with caches
//! capped as the server would cap them.
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use fjall::config::{BlockSizePolicy, FilterPolicy};
use fjall::{AbstractTree, Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use redb::{Durability, ReadableDatabase, ReadableTable, TableDefinition};

/// What the log and the snapshots ask of a store.
pub(crate) trait Candidate: Sync {
    fn append_and_flush(&self, index: u64, batch: &[u8]) -> Result<()>;
    fn last_index(&self) -> Result<Option<u64>>;
    fn purge_through(&self, index: u64) -> Result<()>;
    fn write_snapshot(&self, blocks: usize, block: &[u8]) -> Result<()>;
    fn read_snapshot(&self) -> Result<usize>;
}

pub(crate) const NAMES: [&str; 3] = ["fjall-files", "fjall-ingest", "redb"];

const CACHE_BYTES: u64 = 1 << 20;
const MEMTABLE_BYTES: u64 = 2 << 20;
/// Snapshot bytes between two flushes, so that a log flush never waits for much of a snapshot.
const SNAPSHOT_FLUSH_BYTES: usize = 1 << 20;

pub(crate) fn open(name: &str, dir: &Path) -> Result<Box<dyn Candidate>> {
    Ok(match name {
        "fjall-files" => Box::new(Fjall::open(dir, false)?),
        "fjall-ingest" => Box::new(Fjall::open(dir, true)?),
        "redb" => Box::new(Redb::open(dir)?),
        other => bail!("unknown store `{other}`"),
    })
}

/// fjall; snapshots either in plain files or as tables made beside the journal.
struct Fjall {
    database: Database,
    log: Keyspace,
    snapshots: Option<Database>,
    dir: std::path::PathBuf,
}

fn options(block: u32) -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(MEMTABLE_BYTES)
        .manual_journal_persist(true)
        .filter_policy(FilterPolicy::disabled())
        .data_block_size_policy(BlockSizePolicy::all(block))
}

/// Blocks arrive in order and are never rewritten: nothing to compact.
fn snapshot_options() -> KeyspaceCreateOptions {
    options(256 << 10).compaction_strategy(Arc::new(fjall::compaction::Fifo::new(u64::MAX, None)))
}

fn database(dir: &Path) -> Result<Database> {
    Ok(Database::builder(dir)
        .cache_size(CACHE_BYTES)
        .worker_threads(1)
        .manual_journal_persist(true)
        .max_cached_files(Some(32))
        .max_journaling_size(64 << 20)
        .open()?)
}

impl Fjall {
    fn open(dir: &Path, ingest: bool) -> Result<Self> {
        let log_database = database(&dir.join("log"))?;
        let log = log_database.keyspace("log", || options(64 << 10))?;
        let snapshots = if ingest {
            Some(database(&crate::snapshot_dir(dir))?)
        } else {
            None
        };
        std::fs::create_dir_all(crate::snapshot_dir(dir))?;
        Ok(Self {
            database: log_database,
            log,
            snapshots,
            dir: crate::snapshot_dir(dir),
        })
    }
}

impl Candidate for Fjall {
    fn append_and_flush(&self, index: u64, batch: &[u8]) -> Result<()> {
        self.log.insert(index.to_be_bytes(), batch)?;
        Ok(self.database.persist(PersistMode::SyncData)?)
    }

    fn last_index(&self) -> Result<Option<u64>> {
        let Some(last) = self.log.last_key_value() else {
            return Ok(None);
        };
        Ok(Some(u64::from_be_bytes(last.key()?.as_ref().try_into()?)))
    }

    fn purge_through(&self, index: u64) -> Result<()> {
        self.log.rotate_memtable_and_wait()?;
        self.log.tree.drop_range(..=index.to_be_bytes())?;
        // Dropped tables leave the disk when a later version has been written over the one that named them.
        self.log.insert([0], [])?;
        self.log.rotate_memtable_and_wait()?;
        Ok(())
    }

    fn write_snapshot(&self, blocks: usize, block: &[u8]) -> Result<()> {
        use std::io::Write;
        if let Some(database) = &self.snapshots {
            if let Some(old) = database.list_keyspace_names().first() {
                database.delete_keyspace(database.keyspace(old, snapshot_options)?)?;
            }
            let name = format!("snapshot-{}", std::process::id());
            let keyspace = database.keyspace(&name, snapshot_options)?;
            let step = (SNAPSHOT_FLUSH_BYTES / block.len()).max(1);
            for first in (0..blocks).step_by(step) {
                let mut ingestion = keyspace.start_ingestion()?;
                for number in first..(first + step).min(blocks) {
                    ingestion.write((number as u64).to_be_bytes(), block)?;
                }
                ingestion.finish()?;
            }
            return Ok(());
        }
        let temporary = self.dir.join("new");
        let mut file = std::fs::File::create(&temporary)?;
        let mut unflushed = 0;
        for _ in 0..blocks {
            file.write_all(block)?;
            unflushed += block.len();
            if unflushed >= SNAPSHOT_FLUSH_BYTES {
                file.sync_data()?;
                unflushed = 0;
            }
        }
        file.sync_all()?;
        Ok(std::fs::rename(temporary, self.dir.join("current"))?)
    }

    fn read_snapshot(&self) -> Result<usize> {
        use std::io::Read;
        if let Some(database) = &self.snapshots {
            let mut bytes = 0;
            for name in database.list_keyspace_names() {
                for entry in database.keyspace(&name, snapshot_options)?.iter() {
                    bytes += entry.value()?.len();
                }
            }
            return Ok(bytes);
        }
        let mut file = std::fs::File::open(self.dir.join("current"))?;
        let mut block = vec![0; 256 << 10];
        let mut bytes = 0;
        loop {
            match file.read(&mut block)? {
                0 => return Ok(bytes),
                read => bytes += read,
            }
        }
    }
}

const TABLE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("entries");

/// redb; one file for the log, one for snapshots, because a database has one writer at a time.
struct Redb {
    log: redb::Database,
    snapshots: redb::Database,
}

impl Redb {
    fn open(dir: &Path) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let open = |name: &str| {
            redb::Builder::new()
                .set_cache_size(CACHE_BYTES as usize)
                .create(dir.join(name))
        };
        Ok(Self {
            log: open("log.redb")?,
            snapshots: open("snapshot.redb")?,
        })
    }
}

fn redb_write(
    database: &redb::Database,
    durability: Durability,
    write: impl FnOnce(&mut redb::Table<'_, u64, &'static [u8]>) -> Result<()>,
) -> Result<()> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(durability)?;
    write(&mut transaction.open_table(TABLE)?)?;
    Ok(transaction.commit()?)
}

impl Candidate for Redb {
    fn append_and_flush(&self, index: u64, batch: &[u8]) -> Result<()> {
        redb_write(&self.log, Durability::Immediate, |table| {
            table.insert(index, batch)?;
            Ok(())
        })
    }

    fn last_index(&self) -> Result<Option<u64>> {
        let transaction = self.log.begin_read()?;
        let table = match transaction.open_table(TABLE) {
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
            other => other?,
        };
        Ok(table.last()?.map(|(key, _)| key.value()))
    }

    fn purge_through(&self, index: u64) -> Result<()> {
        redb_write(&self.log, Durability::Immediate, |table| {
            table.retain_in(..=index, |_, _| false)?;
            Ok(())
        })
    }

    fn write_snapshot(&self, blocks: usize, block: &[u8]) -> Result<()> {
        let step = (SNAPSHOT_FLUSH_BYTES / block.len()).max(1);
        for first in (0..blocks).step_by(step) {
            redb_write(&self.snapshots, Durability::Immediate, |table| {
                for number in first..(first + step).min(blocks) {
                    table.insert(number as u64, block)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn read_snapshot(&self) -> Result<usize> {
        let transaction = self.snapshots.begin_read()?;
        let mut bytes = 0;
        for entry in transaction.open_table(TABLE)?.iter()? {
            bytes += entry?.1.value().len();
        }
        Ok(bytes)
    }
}
