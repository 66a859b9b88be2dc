//! openraft's view of the replica: entries in, snapshots out. What an entry does is not known here.

use std::sync::Arc;
use std::time::Instant;

use openraft::storage::RaftStateMachine;
use openraft::{EntryPayload, OptionalSend, RaftSnapshotBuilder, Snapshot, SnapshotMeta, StorageIOError};
use orana_state::State;
use parking_lot::Mutex;

use super::pieces;
use super::{Batch, LogId, Membership, SnapshotFile, StorageError, TypeConfig};
use crate::replica::Replica;
use crate::store::Store;

type Meta = SnapshotMeta<u64, openraft::BasicNode>;

/// What was applied, beside the state itself.
#[derive(Clone, Default)]
struct Progress {
    last_applied: Option<LogId>,
    membership: Membership,
}

#[derive(Clone)]
pub(crate) struct StateMachine {
    replica: Arc<Replica>,
    store: Arc<Store>,
    progress: Progress,
    current: Arc<Mutex<Option<Meta>>>,
}

/// What a snapshot says about itself, as kept beside its blocks.
pub(crate) fn decode_meta(bytes: &[u8]) -> Result<Meta, postcard::Error> {
    postcard::from_bytes(bytes)
}

impl StateMachine {
    /// Goes on from the snapshot that `replica` was restored from, if there is one.
    pub(crate) fn new(replica: Arc<Replica>, store: Arc<Store>, snapshot: Option<Meta>) -> StateMachine {
        let progress = snapshot.as_ref().map_or_else(Progress::default, |meta| Progress {
            last_applied: meta.last_log_id,
            membership: meta.last_membership.clone(),
        });
        StateMachine {
            replica,
            store,
            progress,
            current: Arc::new(Mutex::new(snapshot)),
        }
    }
}

impl RaftStateMachine<TypeConfig> for StateMachine {
    type SnapshotBuilder = Builder;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, Membership), StorageError> {
        Ok((self.progress.last_applied, self.progress.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<()>, StorageError>
    where
        I: IntoIterator<Item = openraft::Entry<TypeConfig>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut answers = Vec::new();
        for entry in entries {
            match entry.payload {
                EntryPayload::Blank => {}
                EntryPayload::Normal(batch) => self.apply_batch(entry.log_id.index, &batch),
                EntryPayload::Membership(membership) => {
                    self.progress.membership = Membership::new(Some(entry.log_id), membership);
                }
            }
            self.progress.last_applied = Some(entry.log_id);
            answers.push(());
        }
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> Builder {
        Builder {
            state: Some(self.replica.state.read().clone()),
            progress: self.progress.clone(),
            store: self.store.clone(),
            current: self.current.clone(),
        }
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<SnapshotFile>, StorageError> {
        Err(no_peers())
    }

    async fn install_snapshot(&mut self, _meta: &Meta, _snapshot: Box<SnapshotFile>) -> Result<(), StorageError> {
        Err(no_peers())
    }

    async fn get_current_snapshot(&mut self) -> Result<Option<Snapshot<TypeConfig>>, StorageError> {
        let meta = self.current.lock().clone();
        Ok(meta.map(|meta| Snapshot {
            meta,
            snapshot: Box::new(SnapshotFile),
        }))
    }
}

impl StateMachine {
    fn apply_batch(&self, index: u64, batch: &Batch) {
        self.replica.apply(index, batch, Instant::now());
    }
}

/// Nobody sends snapshots to a cluster of one.
fn no_peers() -> StorageError {
    let error = std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "this cluster of one has no peer to receive from",
    );
    StorageIOError::write_snapshot(None, &error).into()
}

/// Writes a frozen copy of the state out beside the traffic.
pub(crate) struct Builder {
    state: Option<State>,
    progress: Progress,
    store: Arc<Store>,
    current: Arc<Mutex<Option<Meta>>>,
}

impl RaftSnapshotBuilder<TypeConfig> for Builder {
    async fn build_snapshot(&mut self) -> Result<Snapshot<TypeConfig>, StorageError> {
        // Moved into the thread that writes it, so that the copy is freed there, too.
        let Some(state) = self.state.take() else {
            let twice = std::io::Error::other("a snapshot builder builds once");
            return Err(StorageIOError::write_snapshot(None, &twice).into());
        };
        let index = state.index();
        let meta = Meta {
            last_log_id: self.progress.last_applied,
            last_membership: self.progress.membership.clone(),
            snapshot_id: format!("{index}-{}", state.zxid()),
        };
        let started = Instant::now();
        let (store, bytes_of_meta) = (self.store.clone(), postcard::to_allocvec(&meta));
        let written = tokio::task::spawn_blocking(move || -> Result<u64, std::io::Error> {
            let bytes_of_meta = bytes_of_meta.map_err(std::io::Error::other)?;
            let mut writer = store.begin_snapshot(bytes_of_meta).map_err(std::io::Error::other)?;
            let mut bytes = 0;
            for block in state.encode() {
                bytes += block.len() as u64;
                for piece in pieces::split(&block) {
                    writer.push(piece).map_err(std::io::Error::other)?;
                }
            }
            writer.finish().map_err(std::io::Error::other)?;
            Ok(bytes)
        });
        let written = written.await.map_err(std::io::Error::other).and_then(|written| written);
        let bytes = written.map_err(|error| StorageIOError::write_snapshot(None, &error))?;
        tracing::info!(
            index,
            bytes,
            ms = started.elapsed().as_millis() as u64,
            "snapshot written"
        );
        *self.current.lock() = Some(meta.clone());
        Ok(Snapshot {
            meta,
            snapshot: Box::new(SnapshotFile),
        })
    }
}
