//! The thread that writes the log, in the order it was asked to: all that waits is written and then flushed once. A
//! second thread gives disk space back, so that no append waits for it.
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use openraft::storage::LogFlushed;
use tokio::sync::{mpsc, oneshot};

use super::{Entry, Shared, TypeConfig, encode};
use crate::store::StoreError;

/// Jobs that may wait. openraft awaits each of its writes, so more than a few never do.
const WAITING_JOBS: usize = 64;
/// How old the marker on the disk may become while the log is written.
const MARKER_AGE: Duration = Duration::from_secs(1);

type Reply = oneshot::Sender<io::Result<()>>;

/// Something to write. All of it passes through one thread, because Raft needs votes and entries in one order.
pub(super) enum Job {
    Append {
        entries: Vec<Entry>,
        callback: LogFlushed<TypeConfig>,
    },
    Vote {
        vote: Vec<u8>,
        reply: Reply,
    },
    Truncate {
        from: u64,
        reply: Reply,
    },
    Purge {
        through: u64,
        name: Vec<u8>,
        reply: Reply,
    },
}

/// The hand that holds both threads; dropping it ends them.
pub(super) struct Writer {
    /// None only while dropping.
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>) -> Result<Writer, StoreError> {
        let (jobs, waiting) = mpsc::channel(WAITING_JOBS);
        // One wish is enough: it reclaims up to the newest purge.
        let (wishes, wished) = sync_channel(1);
        let reclaiming = Reclaiming {
            shared: shared.clone(),
            wished,
        };
        let writing = Writing {
            shared,
            wishes,
            broken: None,
            marker_flushed: Instant::now(),
        };
        let threads = vec![
            spawn("orana-log", move || writing.run(waiting))?,
            spawn("orana-reclaim", move || reclaiming.run())?,
        ];
        Ok(Writer {
            jobs: Some(jobs),
            threads,
        })
    }

    pub(super) async fn send(&self, job: Job) -> io::Result<()> {
        let Some(jobs) = &self.jobs else { return Err(ended()) };
        jobs.send(job).await.map_err(|_| ended())
    }

    /// Sends a job and waits until it is durable.
    pub(super) async fn ask(&self, job: impl FnOnce(Reply) -> Job) -> io::Result<()> {
        let (reply, answer) = oneshot::channel();
        self.send(job(reply)).await?;
        answer.await.map_err(|_| ended())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the log has panicked");
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map_err(|source| StoreError::Io {
        action: "start the thread",
        path: name.into(),
        source,
    })
}

fn ended() -> io::Error {
    io::Error::other("the log's writer has ended")
}

struct Writing {
    shared: Arc<Shared>,
    wishes: SyncSender<()>,
    /// What went wrong. After a failed write nothing is known of the disk, so nothing more is written.
    broken: Option<String>,
    marker_flushed: Instant,
}

impl Writing {
    fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut unflushed = Vec::new();
        while let Some(job) = waiting.blocking_recv() {
            let mut next = Some(job);
            while let Some(job) = next {
                match job {
                    Job::Append { entries, callback } => {
                        let written = self.attempt(|shared| append(shared, &entries));
                        unflushed.push((callback, written));
                    }
                    other => {
                        self.flush(&mut unflushed);
                        self.perform(other);
                    }
                }
                next = waiting.try_recv().ok();
            }
            self.flush(&mut unflushed);
            self.refresh_marker();
        }
    }

    fn flush(&mut self, unflushed: &mut Vec<(LogFlushed<TypeConfig>, io::Result<()>)>) {
        if unflushed.is_empty() {
            return;
        }
        let flushed = self.attempt(|shared| Ok(shared.store.flush()?));
        for (callback, written) in unflushed.drain(..) {
            let flushed = flushed.as_ref().map_err(|error| io::Error::other(error.to_string()));
            callback.log_io_completed(written.and(flushed.copied()));
        }
    }

    fn perform(&mut self, job: Job) {
        let (reply, done) = match job {
            // Appends wait for their flush.
            Job::Append { callback, .. } => return callback.log_io_completed(Err(ended())),
            Job::Vote { vote, reply } => (reply, self.attempt(|shared| Ok(shared.store.save_vote(&vote)?))),
            Job::Truncate { from, reply } => (reply, self.attempt(|shared| Ok(shared.store.truncate_from(from)?))),
            Job::Purge { through, name, reply } => {
                let done = self.attempt(|shared| Ok(shared.store.purge_through(through, &name)?));
                // Full means that a wish is waiting already.
                let _ = self.wishes.try_send(());
                (reply, done)
            }
        };
        if reply.send(done).is_err() {
            tracing::debug!("nobody waits for the end of a write");
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&Shared) -> io::Result<()>) -> io::Result<()> {
        if let Some(broken) = &self.broken {
            return Err(io::Error::other(format!(
                "nothing is written after a failure: {broken}"
            )));
        }
        let done = write(&self.shared);
        if let Err(error) = &done {
            tracing::error!(%error, "the log cannot be written");
            self.broken = Some(error.to_string());
        }
        done
    }

    /// Callbacks have been called by now, so only the next write can be held up, once a second.
    fn refresh_marker(&mut self) {
        if self.marker_flushed.elapsed() > MARKER_AGE {
            // A failure is logged and stops the log at the next write.
            let _ = self.attempt(|shared| Ok(shared.store.flush_marker()?));
            self.marker_flushed = Instant::now();
        }
    }
}

fn append(shared: &Shared, entries: &[Entry]) -> io::Result<()> {
    let mut encoded = Vec::with_capacity(entries.len());
    for entry in entries {
        encoded.push((entry.log_id.index, encode(entry).map_err(io::Error::other)?));
    }
    let sizes: Vec<(u64, usize)> = encoded.iter().map(|(index, bytes)| (*index, bytes.len())).collect();
    shared.store.append(encoded.into_iter())?;
    let mut recent = shared.recent.lock();
    for (index, bytes) in sizes {
        recent.stored(index, bytes);
    }
    Ok(())
}

struct Reclaiming {
    shared: Arc<Shared>,
    wished: Receiver<()>,
}

impl Reclaiming {
    fn run(self) {
        while self.wished.recv().is_ok() {
            // What is not reclaimed now will be with the next purge.
            if let Err(error) = self.shared.store.reclaim() {
                tracing::warn!(%error, "the space of the purged log was not given back");
            }
        }
    }
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Io { ref source, .. } => io::Error::new(source.kind(), error.to_string()),
            other => io::Error::other(other),
        }
    }
}
