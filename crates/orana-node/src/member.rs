//! One member: brings store, state, engine and its own tasks up in order and down again.
//!
//! ```text
//!  start: lock and open the store ─▶ snapshot ─▶ State ─▶ openraft replays the tail ─▶ leader ─▶ Centre
//!  tasks: proposer (group commit) · housekeeper (deadlines, reaping, disk, snapshots) · fan-out (threads)
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openraft::{BasicNode, Config, SnapshotPolicy};
use orana_state::State;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::centre::Centre;
use crate::disk::DiskReserve;
use crate::error::StartError;
use crate::fan_out::Crowds;
use crate::housekeeper;
use crate::leases::LeaseClocks;
use crate::proposer::Proposer;
use crate::raft::Raft;
use crate::raft::log::Log;
use crate::raft::network::Alone;
use crate::raft::pieces::Joined;
use crate::raft::state_machine::{StateMachine, decode_meta};
use crate::replica::Replica;
use crate::store::{DiskUse, Store, StoreOptions};
use crate::watches::Watches;

/// What a member is to be.
#[derive(Clone, Debug)]
pub struct MemberConfig {
    /// Where log and snapshots lie.
    pub dir: PathBuf,
    /// How finely lease deadlines are kept.
    pub tick: Duration,
    /// How long news of a directory that changes quickly may be joined; zero: never.
    pub event_window: Duration,
    /// Bytes of commands in flight beyond which clients are not read any more.
    pub max_outstanding_bytes: usize,
    /// Free bytes of the disk below which writes are refused.
    pub disk_reserve: u64,
    /// A snapshot is written after so many bytes of log …
    pub snapshot_log_bytes: u64,
    /// … or so many entries.
    pub snapshot_log_entries: u64,
    /// How often containers and nodes with a time to live are looked through.
    pub reap_interval: Duration,
}

/// How a member is.
#[derive(Clone, Debug)]
pub struct Status {
    /// `leader`, `follower`, `candidate`, `learner` or `shutdown`.
    pub role: &'static str,
    /// Term of the leader.
    pub term: u64,
    /// Latest entry in the log.
    pub last_log: u64,
    /// Latest entry applied.
    pub last_applied: u64,
    /// Latest entry in a snapshot.
    pub last_snapshot: u64,
    /// Bytes on disk.
    pub disk: DiskUse,
    /// True while writes are refused for want of space.
    pub disk_short: bool,
    /// Since the start.
    pub uptime: Duration,
}

pub(crate) struct Member {
    pub(crate) replica: Arc<Replica>,
    pub(crate) proposer: Arc<Proposer>,
    pub(crate) raft: Raft,
    pub(crate) store: Arc<Store>,
    pub(crate) disk: Arc<DiskReserve>,
    started: Instant,
    fatal: watch::Receiver<Option<String>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// The only member of a cluster of one.
const ME: u64 = 1;

impl Member {
    /// Brings a member up and returns once it serves.
    ///
    /// # Errors
    /// [`StartError`] if the data directory is in use, damaged or not writable.
    pub(crate) async fn start(config: MemberConfig) -> Result<Centre, StartError> {
        let started = Instant::now();
        let (store, replica, state_machine) = open(&config)?;
        let log = Log::open(store.clone()).map_err(StartError::Store)?;
        let raft = Raft::new(ME, Arc::new(engine_config()?), Alone, log, state_machine.clone())
            .await
            .map_err(raft_error)?;
        if !raft.is_initialized().await.map_err(raft_error)? {
            raft.initialize(std::collections::BTreeMap::from([(ME, BasicNode::default())]))
                .await
                .map_err(raft_error)?;
        } else {
            // Nobody else can be leading: do not wait for an election time-out.
            raft.trigger().elect().await.map_err(raft_error)?;
        }
        lead(&raft).await?;
        replica.clocks.restart(&replica.state.read(), Instant::now());

        let disk = Arc::new(DiskReserve::new(config.dir.clone(), config.disk_reserve));
        let proposer = Arc::new(Proposer::new(
            replica.clone(),
            disk.clone(),
            config.max_outstanding_bytes,
        ));
        let (broken, fatal) = watch::channel(None);
        let member = Arc::new(Member {
            replica,
            proposer,
            raft,
            store,
            disk,
            started,
            fatal,
            tasks: Mutex::default(),
        });
        let proposing = {
            let (proposer, raft, broken) = (member.proposer.clone(), member.raft.clone(), broken.clone());
            tokio::spawn(async move { proposer.run(raft, broken).await })
        };
        let keeping = tokio::spawn(housekeeper::run(Arc::downgrade(&member), config, broken));
        member.tasks.lock().extend([proposing, keeping]);
        Ok(Centre::new(member))
    }

    pub(crate) fn status(&self) -> Status {
        let metrics = self.raft.metrics().borrow().clone();
        let index = |log_id: Option<openraft::LogId<u64>>| log_id.map_or(0, |id| id.index);
        Status {
            role: match metrics.state {
                openraft::ServerState::Leader => "leader",
                openraft::ServerState::Follower => "follower",
                openraft::ServerState::Candidate => "candidate",
                openraft::ServerState::Learner => "learner",
                openraft::ServerState::Shutdown => "shutdown",
            },
            term: metrics.current_term,
            last_log: metrics.last_log_index.unwrap_or(0),
            last_applied: index(metrics.last_applied),
            last_snapshot: index(metrics.snapshot),
            disk: self.store.disk(),
            disk_short: self.disk.is_short(),
            uptime: self.started.elapsed(),
        }
    }

    pub(crate) async fn failure(&self) -> String {
        let mut fatal = self.fatal.clone();
        match fatal.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            // All senders are gone: the member was stopped, which is no failure.
            Err(_) => std::future::pending().await,
        }
    }

    pub(crate) async fn stop(&self, patience: Duration) {
        self.proposer.close();
        let tasks = std::mem::take(&mut *self.tasks.lock());
        let mut tasks = tasks.into_iter();
        if let Some(proposing) = tasks.next()
            && tokio::time::timeout(patience, proposing).await.is_err()
        {
            tracing::warn!("stopping although writes are still waiting");
        }
        for keeping in tasks {
            keeping.abort();
        }
        if let Err(error) = self.raft.shutdown().await {
            tracing::warn!(%error, "the engine did not stop cleanly");
        }
    }
}

/// Store and state, as they were left.
fn open(config: &MemberConfig) -> Result<(Arc<Store>, Arc<Replica>, StateMachine), StartError> {
    let (store, opened) = Store::open(&config.dir, StoreOptions::default())?;
    for report in opened.reports() {
        tracing::warn!("{report}");
    }
    let started = Instant::now();
    let (state, meta) = match store.snapshot()? {
        None => (State::new(), None),
        Some(snapshot) => {
            let damaged = |what: String| StartError::Store(store.damaged_snapshot(what));
            let meta = decode_meta(snapshot.meta()).map_err(|error| damaged(error.to_string()))?;
            let mut failed = None;
            let mut bytes = 0u64;
            let mut told = Instant::now();
            let blocks = snapshot.map_while(|block| match block {
                Ok(block) => {
                    bytes += block.len() as u64;
                    if told.elapsed() > Duration::from_secs(1) {
                        told = Instant::now();
                        tracing::info!(bytes, "reading the snapshot");
                    }
                    Some(block)
                }
                Err(error) => {
                    failed = Some(error);
                    None
                }
            });
            let state = State::decode(Joined(blocks));
            if let Some(error) = failed {
                return Err(error.into());
            }
            let state = state.map_err(|source| StartError::Snapshot {
                dir: config.dir.clone(),
                source,
            })?;
            let ms = started.elapsed().as_millis() as u64;
            tracing::info!(
                index = state.index(),
                nodes = state.census().nodes,
                bytes,
                ms,
                "snapshot read"
            );
            (state, Some(meta))
        }
    };
    let store = Arc::new(store);
    let watches = Arc::new(Watches::new(config.event_window));
    let clocks = LeaseClocks::new(Instant::now());
    let crowds = Crowds::start().map_err(StartError::Threads)?;
    let replica = Replica::new(state, watches, clocks, crowds, ME, incarnation()?);
    let replica = Arc::new(replica);
    let state_machine = StateMachine::new(replica.clone(), store.clone(), meta);
    Ok((store, replica, state_machine))
}

/// Waits until this member leads and has applied all that its log holds.
async fn lead(raft: &Raft) -> Result<(), StartError> {
    let mut metrics = raft.metrics();
    let started = Instant::now();
    let mut told = Instant::now();
    loop {
        {
            let now = metrics.borrow_and_update();
            now.running_state.clone().map_err(raft_error)?;
            let applied = now.last_applied.map(|id| id.index);
            if now.state == openraft::ServerState::Leader && applied.is_some() && applied >= now.last_log_index {
                return Ok(());
            }
            if told.elapsed() > Duration::from_secs(1) {
                told = Instant::now();
                let seconds = started.elapsed().as_secs();
                tracing::info!(applied, last = now.last_log_index, seconds, "applying the log");
            }
        }
        metrics.changed().await.map_err(raft_error)?;
    }
}

fn engine_config() -> Result<Config, StartError> {
    let config = Config {
        cluster_name: "orana".into(),
        heartbeat_interval: 250,
        election_timeout_min: 1000,
        election_timeout_max: 2000,
        // Entries are batches already; a replay may take many of them at once.
        max_payload_entries: 64,
        // The housekeeper decides by bytes and entries.
        snapshot_policy: SnapshotPolicy::Never,
        max_in_snapshot_log_to_keep: 0,
        purge_batch_size: 1,
        ..Config::default()
    };
    config.validate().map_err(raft_error)
}

fn incarnation() -> Result<u64, StartError> {
    getrandom::u64().map_err(|error| StartError::Raft(format!("no random number: {error}")))
}

fn raft_error(error: impl std::fmt::Display) -> StartError {
    StartError::Raft(error.to_string())
}
