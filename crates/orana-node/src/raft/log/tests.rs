//! The log as openraft uses it: openraft's own suite, and what the suite does not ask.
use std::sync::Arc;

use openraft::storage::{RaftLogStorage, RaftLogStorageExt, RaftStateMachine};
use openraft::testing::{StoreBuilder, Suite};
use openraft::{
    CommittedLeaderId, EntryPayload, OptionalSend, RaftLogReader, RaftSnapshotBuilder, Snapshot, SnapshotMeta, Vote,
};
use parking_lot::Mutex;
use tempfile::TempDir;

use super::{Entry, Log, RECENT_BYTES};
use crate::raft::{Batch, LogId, Membership, Origin, SnapshotFile, StorageError, TypeConfig};
use crate::store::{Store, StoreOptions};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// The least that counts as a state machine: remembers how far it came.
#[derive(Clone, Default)]
struct Counter {
    applied: Option<LogId>,
    membership: Membership,
    snapshot: Arc<Mutex<Option<SnapshotMeta<u64, openraft::BasicNode>>>>,
}

impl RaftSnapshotBuilder<TypeConfig> for Counter {
    async fn build_snapshot(&mut self) -> Result<Snapshot<TypeConfig>, StorageError> {
        let meta = SnapshotMeta {
            last_log_id: self.applied,
            last_membership: self.membership.clone(),
            snapshot_id: "one".to_owned(),
        };
        *self.snapshot.lock() = Some(meta.clone());
        Ok(Snapshot {
            meta,
            snapshot: Box::new(SnapshotFile),
        })
    }
}

impl RaftStateMachine<TypeConfig> for Counter {
    type SnapshotBuilder = Self;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, Membership), StorageError> {
        Ok((self.applied, self.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<()>, StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut answers = Vec::new();
        for entry in entries {
            self.applied = Some(entry.log_id);
            if let EntryPayload::Membership(membership) = entry.payload {
                self.membership = Membership::new(Some(entry.log_id), membership);
            }
            answers.push(());
        }
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> Self {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<SnapshotFile>, StorageError> {
        Ok(Box::new(SnapshotFile))
    }

    async fn install_snapshot(
        &mut self,
        meta: &SnapshotMeta<u64, openraft::BasicNode>,
        _snapshot: Box<SnapshotFile>,
    ) -> Result<(), StorageError> {
        self.applied = meta.last_log_id;
        self.membership = meta.last_membership.clone();
        *self.snapshot.lock() = Some(meta.clone());
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Result<Option<Snapshot<TypeConfig>>, StorageError> {
        Ok(self.snapshot.lock().clone().map(|meta| Snapshot {
            meta,
            snapshot: Box::new(SnapshotFile),
        }))
    }
}

struct Fresh;

impl StoreBuilder<TypeConfig, Log, Counter, TempDir> for Fresh {
    async fn build(&self) -> Result<(TempDir, Log, Counter), StorageError> {
        let directory = TempDir::new().map_err(|error| openraft::StorageIOError::write(&error))?;
        let log = open(&directory).map_err(|error| openraft::StorageIOError::write(&error))?;
        Ok((directory, log, Counter::default()))
    }
}

fn open(directory: &TempDir) -> Result<Log, crate::store::StoreError> {
    let (store, _) = Store::open(directory.path(), StoreOptions::default())?;
    Log::open(Arc::new(store))
}

fn log_id(term: u64, index: u64) -> LogId {
    LogId::new(CommittedLeaderId::new(term, 1), index)
}

fn entry(term: u64, index: u64) -> Entry {
    let origin = Origin {
        member: 1,
        incarnation: 7,
        number: index,
    };
    let batch = Batch {
        origin,
        at: 1_700_000_000_000,
        commands: Arc::default(),
    };
    Entry {
        log_id: log_id(term, index),
        payload: EntryPayload::Normal(batch),
    }
}

fn ids(entries: &[Entry]) -> Vec<LogId> {
    entries.iter().map(|entry| entry.log_id).collect()
}

#[test]
fn the_log_passes_openrafts_own_suite() -> Tested {
    Ok(Suite::test_all(Fresh)?)
}

#[tokio::test]
async fn everything_is_there_after_a_restart() -> Tested {
    let directory = TempDir::new()?;
    {
        let mut log = open(&directory)?;
        log.save_vote(&Vote::new_committed(3, 1)).await?;
        log.blocking_append((0..20).map(|index| entry(1, index))).await?;
        log.truncate(log_id(1, 15)).await?;
        log.blocking_append((15..30).map(|index| entry(2, index))).await?;
        log.save_committed(Some(log_id(2, 25))).await?;
        log.purge(log_id(1, 9)).await?;
    }
    // Purged without a snapshot: allowed to a caller that keeps its state elsewhere.
    let mut log = open(&directory)?;
    let state = log.get_log_state().await?;
    assert_eq!(state.last_purged_log_id, Some(log_id(1, 9)));
    assert_eq!(state.last_log_id, Some(log_id(2, 29)));
    assert_eq!(log.read_vote().await?, Some(Vote::new_committed(3, 1)));
    assert_eq!(log.read_committed().await?, Some(log_id(2, 25)));
    let expected: Vec<LogId> = (10..15)
        .map(|i| log_id(1, i))
        .chain((15..30).map(|i| log_id(2, i)))
        .collect();
    assert_eq!(ids(&log.try_get_log_entries(..).await?), expected);
    Ok(())
}

#[tokio::test]
async fn a_reader_joins_what_is_on_disk_and_what_is_in_memory() -> Tested {
    let directory = TempDir::new()?;
    open(&directory)?
        .blocking_append((0..10).map(|index| entry(1, index)))
        .await?;
    let mut log = open(&directory)?;
    log.blocking_append((10..20).map(|index| entry(1, index))).await?;
    let mut reader = log.get_log_reader().await;
    for (start, end) in [(0, 20), (3, 7), (7, 13), (12, 15), (5, 5), (18, 40), (20, 30)] {
        let expected: Vec<LogId> = (start..end.min(20)).map(|index| log_id(1, index)).collect();
        assert_eq!(
            ids(&reader.try_get_log_entries(start..end).await?),
            expected,
            "{start}..{end}"
        );
    }
    assert_eq!(
        ids(&reader.try_get_log_entries(5..=6).await?),
        [log_id(1, 5), log_id(1, 6)]
    );
    Ok(())
}

#[tokio::test]
async fn the_entries_in_memory_stay_within_their_limit_and_all_stay_readable() -> Tested {
    let directory = TempDir::new()?;
    let mut log = open(&directory)?;
    let kept = |log: &Log| log.shared.recent.lock().split(&(0..u64::MAX)).1.len();
    // Entries of about 30 bytes: far below the limit.
    log.blocking_append((0..100).map(|index| entry(1, index))).await?;
    assert_eq!(kept(&log), 100);
    {
        let mut recent = log.shared.recent.lock();
        for index in 0..100 {
            recent.stored(index, RECENT_BYTES);
        }
    }
    for index in 100..120 {
        log.blocking_append([entry(1, index)]).await?;
        log.shared.recent.lock().stored(index, 0);
    }
    assert_eq!(
        ids(&log.try_get_log_entries(..).await?),
        (0..120).map(|i| log_id(1, i)).collect::<Vec<_>>()
    );
    Ok(())
}

#[tokio::test]
async fn a_write_after_a_failure_is_refused() -> Tested {
    let directory = TempDir::new()?;
    let mut log = open(&directory)?;
    log.blocking_append([entry(1, 0)]).await?;
    // A gap is a mistake in this program, and the store says so.
    assert!(log.blocking_append([entry(1, 5)]).await.is_err());
    let refused = log.save_vote(&Vote::new(9, 1)).await.expect_err("the log is broken");
    assert!(refused.to_string().contains("after a failure"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn what_is_in_the_snapshot_already_is_not_appended_again() -> Tested {
    let directory = TempDir::new()?;
    let mut log = open(&directory)?;
    log.blocking_append((0..5).map(|index| entry(1, index))).await?;
    log.purge(log_id(1, 9)).await?;
    log.blocking_append((5..12).map(|index| entry(1, index))).await?;
    assert_eq!(ids(&log.try_get_log_entries(..).await?), [log_id(1, 10), log_id(1, 11)]);
    Ok(())
}

#[tokio::test]
async fn a_log_purged_to_its_end_keeps_its_place() -> Tested {
    let directory = TempDir::new()?;
    {
        let mut log = open(&directory)?;
        log.blocking_append((0..10).map(|index| entry(1, index))).await?;
        log.purge(log_id(1, 9)).await?;
        assert_eq!(log.get_log_state().await?.last_log_id, Some(log_id(1, 9)));
        assert!(log.try_get_log_entries(..).await?.is_empty());
    }
    let mut log = open(&directory)?;
    assert_eq!(log.get_log_state().await?.last_log_id, Some(log_id(1, 9)));
    log.blocking_append([entry(2, 10)]).await?;
    assert_eq!(ids(&log.try_get_log_entries(..).await?), [log_id(2, 10)]);
    Ok(())
}
