//! openraft's log on top of the store. Knows how entries become bytes and which are still in memory; does not know what
//! an entry does, nor how the store keeps it.
//!
//! ```text
//! append ─▶ Recent (readable at once) ─▶ channel ─▶ writer thread: encode, write, one flush ─▶ callbacks
//! read   ─▶ Recent, and the store for what is older
//! purge  ─▶ writer thread: durable note ─▶ reclaimer thread: disk space
//! ```
mod recent;
mod writer;

use std::fmt::Debug;
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

use openraft::storage::{LogFlushed, RaftLogStorage};
use openraft::{LogState, OptionalSend, RaftLogReader, StorageIOError, Vote};
use parking_lot::Mutex;

use self::recent::Recent;
use self::writer::{Job, Writer};
use super::{LogId, StorageError, TypeConfig};
use crate::store::{Store, StoreError};

type Entry = openraft::Entry<TypeConfig>;

/// Entries kept in memory, by their encoded size, so that applying and replicating do not read the disk.
const RECENT_BYTES: usize = 4 << 20;

/// The log of one member. Dropping it ends its threads, after they have written what they were given.
pub(crate) struct Log {
    shared: Arc<Shared>,
    writer: Writer,
}

/// What readers and the writer thread share.
struct Shared {
    store: Arc<Store>,
    recent: Mutex<Recent>,
    ends: Mutex<Ends>,
}

/// Identities of both ends of the log.
#[derive(Default)]
struct Ends {
    purged: Option<LogId>,
    last: Option<LogId>,
}

/// Reads the log for one of openraft's tasks.
#[derive(Clone)]
pub(crate) struct Reader {
    shared: Arc<Shared>,
}

impl Log {
    /// Goes on with the log that `store` holds.
    pub(crate) fn open(store: Arc<Store>) -> Result<Log, StoreError> {
        let purged = match store.purged()? {
            Some((index, name)) => Some(decode::<LogId>(&name).map_err(|error| store.damaged_entry(index, error))?),
            None => None,
        };
        let present = store.indexes();
        let last = match present.end.checked_sub(1).filter(|_| !present.is_empty()) {
            Some(last) => read_stored(&store, last..last + 1)?.pop().map(|entry| entry.log_id),
            None => None,
        };
        let ends = Ends {
            purged,
            last: last.max(purged),
        };
        let shared = Arc::new(Shared {
            store,
            recent: Mutex::new(Recent::new(RECENT_BYTES)),
            ends: Mutex::new(ends),
        });
        let writer = Writer::start(shared.clone())?;
        Ok(Log { shared, writer })
    }

    fn reader(&self) -> Reader {
        Reader {
            shared: self.shared.clone(),
        }
    }
}

impl Reader {
    /// The entries of `range` that the log has.
    async fn read(&self, range: Range<u64>) -> Result<Vec<Entry>, StorageError> {
        let (older, recent) = self.shared.recent.lock().split(&range);
        if older.is_empty() {
            return Ok(recent);
        }
        let store = self.shared.store.clone();
        let read = tokio::task::spawn_blocking(move || read_stored(&store, older)).await;
        let mut entries = read
            .map_err(|error| StorageIOError::read_logs(&error))?
            .map_err(|error| StorageIOError::read_logs(&error))?;
        entries.extend(recent);
        Ok(entries)
    }
}

impl RaftLogReader<TypeConfig> for Reader {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Result<Vec<Entry>, StorageError> {
        self.read(half_open(&range)).await
    }
}

impl RaftLogReader<TypeConfig> for Log {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Result<Vec<Entry>, StorageError> {
        self.reader().read(half_open(&range)).await
    }
}

impl RaftLogStorage<TypeConfig> for Log {
    type LogReader = Reader;

    async fn get_log_state(&mut self) -> Result<LogState<TypeConfig>, StorageError> {
        let ends = self.shared.ends.lock();
        Ok(LogState {
            last_purged_log_id: ends.purged,
            last_log_id: ends.last,
        })
    }

    async fn get_log_reader(&mut self) -> Reader {
        self.reader()
    }

    async fn save_vote(&mut self, vote: &Vote<u64>) -> Result<(), StorageError> {
        let vote = encode(vote).map_err(|error| StorageIOError::write_vote(&error))?;
        let done = self.writer.ask(|reply| Job::Vote { vote, reply }).await;
        done.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Result<Option<Vote<u64>>, StorageError> {
        let vote = self
            .shared
            .store
            .vote()
            .map_err(|error| StorageIOError::read_vote(&error))?;
        let vote = vote.map(|bytes| decode(&bytes)).transpose();
        vote.map_err(|error| StorageIOError::read_vote(&error).into())
    }

    async fn save_committed(&mut self, committed: Option<LogId>) -> Result<(), StorageError> {
        let committed = encode(&committed).map_err(|error| StorageIOError::write(&error))?;
        self.shared.store.note_committed(&committed);
        Ok(())
    }

    async fn read_committed(&mut self) -> Result<Option<LogId>, StorageError> {
        let Some(bytes) = self.shared.store.committed() else {
            return Ok(None);
        };
        let committed: Option<LogId> = decode(&bytes).map_err(|error| StorageIOError::read(&error))?;
        // A note about entries that a power loss took is no use.
        Ok(committed.filter(|committed| Some(*committed) <= self.shared.ends.lock().last))
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<TypeConfig>) -> Result<(), StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        // Whatever lies at or below the purge point is in the snapshot already.
        let purged = self.shared.ends.lock().purged.map(|purged| purged.index);
        let entries: Vec<Entry> = entries
            .into_iter()
            .filter(|entry| Some(entry.log_id.index) > purged)
            .collect();
        if let Some(last) = entries.last() {
            let mut recent = self.shared.recent.lock();
            for entry in &entries {
                recent.push(entry.clone());
            }
            self.shared.ends.lock().last = Some(last.log_id);
        }
        let sent = self.writer.send(Job::Append { entries, callback }).await;
        sent.map_err(|error| StorageIOError::write_logs(&error).into())
    }

    async fn truncate(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let from = log_id.index;
        let done = self.writer.ask(|reply| Job::Truncate { from, reply }).await;
        done.map_err(|error| StorageIOError::write_logs(&error))?;
        self.shared.recent.lock().truncate_from(from);
        let before = match from.checked_sub(1) {
            Some(before) => self.reader().read(before..from).await?.pop().map(|entry| entry.log_id),
            None => None,
        };
        let mut ends = self.shared.ends.lock();
        ends.last = before.max(ends.purged);
        Ok(())
    }

    async fn purge(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let name = encode(&log_id).map_err(|error| StorageIOError::write_logs(&error))?;
        let done = self
            .writer
            .ask(|reply| Job::Purge {
                through: log_id.index,
                name,
                reply,
            })
            .await;
        done.map_err(|error| StorageIOError::write_logs(&error))?;
        self.shared.recent.lock().forget_through(log_id.index);
        let mut ends = self.shared.ends.lock();
        ends.purged = ends.purged.max(Some(log_id));
        ends.last = ends.last.max(ends.purged);
        Ok(())
    }
}

fn half_open(range: &impl RangeBounds<u64>) -> Range<u64> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => u64::MAX,
    };
    start..end
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(value)
}

fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(bytes)
}

fn read_stored(store: &Store, range: Range<u64>) -> Result<Vec<Entry>, StoreError> {
    let stored = store.read(range)?;
    stored
        .into_iter()
        .map(|(index, bytes)| match decode::<Entry>(&bytes) {
            Ok(entry) if entry.log_id.index == index => Ok(entry),
            Ok(entry) => Err(store.damaged_entry(index, format!("entry {}", entry.log_id))),
            Err(error) => Err(store.damaged_entry(index, error)),
        })
        .collect()
}

#[cfg(test)]
mod tests;
