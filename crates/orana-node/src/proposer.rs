//! Group commit: whatever waits is joined into one batch before it enters the engine, so that it costs one
//! entry and one flush. While a batch is on its way the next one fills.
//!
//! ```text
//!  submit ─▶ queue ─▶ (everything that waits) ─▶ one Batch ─▶ openraft ─▶ log, flush ─▶ Replica::apply
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use openraft::error::{ClientWriteError, RaftError};
use orana_state::{Action, Command};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::disk::DiskReserve;
use crate::error::NodeError;
use crate::raft::{Batch, Raft};
use crate::replica::{Completion, Replica, Waiter, fail};

/// No batch is larger, so that applying one never keeps readers waiting for long.
const MAX_COMMANDS: usize = 2048;
/// No batch is larger unless a single command is.
const MAX_BYTES: usize = 1 << 20;

pub(crate) struct Proposer {
    queue: Mutex<Queue>,
    filled: Notify,
    outstanding: AtomicUsize,
    drained: Notify,
    max_outstanding: usize,
    number: AtomicU64,
    replica: Arc<Replica>,
    disk: Arc<DiskReserve>,
}

#[derive(Default)]
struct Queue {
    pending: Vec<Pending>,
    closed: bool,
}

struct Pending {
    command: Command,
    bytes: usize,
    waiter: Waiter,
}

impl Proposer {
    pub(crate) fn new(replica: Arc<Replica>, disk: Arc<DiskReserve>, max_outstanding: usize) -> Proposer {
        Proposer {
            queue: Mutex::default(),
            filled: Notify::new(),
            outstanding: AtomicUsize::new(0),
            drained: Notify::new(),
            max_outstanding,
            number: AtomicU64::new(0),
            replica,
            disk,
        }
    }

    /// Queues a command; commands of one caller keep their order. Never waits: who submits for a client asks
    /// [`Proposer::has_room`] before it reads more from it.
    pub(crate) fn submit(&self, command: Command, bytes: usize, completion: Arc<dyn Completion>, tag: u64) {
        let waiter = Waiter { completion, tag };
        let may_shrink = matches!(command.action, Action::Revoke(_) | Action::Reap(_));
        if let Err(error) = self.disk.admit(may_shrink, bytes) {
            return fail(vec![waiter], &error);
        }
        let mut queue = self.queue.lock();
        if queue.closed {
            drop(queue);
            return fail(vec![waiter], &NodeError::Stopping);
        }
        self.outstanding.fetch_add(bytes, Ordering::Relaxed);
        queue.pending.push(Pending { command, bytes, waiter });
        let first = queue.pending.len() == 1;
        drop(queue);
        if first {
            self.filled.notify_one();
        }
    }

    /// Bytes of commands that were submitted and are not applied yet.
    pub(crate) fn outstanding(&self) -> usize {
        self.outstanding.load(Ordering::Relaxed)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.outstanding() < self.max_outstanding
    }

    /// Returns once there is room.
    pub(crate) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            if self.has_room() {
                return;
            }
            drained.await;
        }
    }

    /// Takes no more commands; those that were taken are still proposed.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
        self.filled.notify_one();
    }

    /// Runs until the queue is closed and empty. A failure of the engine is told through `fatal`.
    pub(crate) async fn run(&self, raft: Raft, fatal: watch::Sender<Option<String>>) {
        while let Some((commands, waiters, bytes)) = self.next_batch().await {
            let number = self.number.fetch_add(1, Ordering::Relaxed);
            let origin = self.replica.expect(number, waiters);
            let batch = Batch {
                origin,
                at: now_ms(),
                commands: Arc::new(commands),
            };
            if let Err(error) = raft.client_write(batch).await {
                let (error, broken) = translate(error);
                tracing::error!(%error, "a batch was not written");
                self.replica.abandon(number, &error);
                if broken {
                    fatal.send_replace(Some(error.to_string()));
                    self.close();
                }
            }
            self.outstanding.fetch_sub(bytes, Ordering::Relaxed);
            self.drained.notify_waiters();
        }
    }

    async fn next_batch(&self) -> Option<(Vec<Command>, Vec<Waiter>, usize)> {
        loop {
            {
                let mut queue = self.queue.lock();
                if !queue.pending.is_empty() {
                    return Some(take(&mut queue.pending));
                }
                if queue.closed {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }
}

fn take(pending: &mut Vec<Pending>) -> (Vec<Command>, Vec<Waiter>, usize) {
    let (mut bytes, mut count) = (0, 0);
    for one in pending.iter().take(MAX_COMMANDS) {
        if count > 0 && bytes + one.bytes > MAX_BYTES {
            break;
        }
        bytes += one.bytes;
        count += 1;
    }
    let batch = pending.drain(..count);
    let (commands, waiters) = batch.map(|one| (one.command, one.waiter)).unzip();
    (commands, waiters, bytes)
}

/// The error for those who wait, and whether the engine is beyond repair.
fn translate(error: RaftError<u64, ClientWriteError<u64, openraft::BasicNode>>) -> (NodeError, bool) {
    match error {
        RaftError::APIError(error) => (NodeError::NoLeader(error.to_string()), false),
        RaftError::Fatal(error) => (NodeError::OutcomeUnknown(error.to_string()), true),
    }
}

fn now_ms() -> i64 {
    // A clock before 1970 is as wrong as one that runs backwards; the state keeps the latest time it was told.
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}
