//! The only door to a member: propose, query, watch, renew. Front-ends see this and nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use orana_state::{Census, Command, LeaseId, Outcome, State};
use tokio::sync::oneshot;

use crate::error::{NodeError, StartError};
use crate::leases::LeaseClock;
use crate::member::{Member, MemberConfig, Status};
use crate::replica::Completion;
use crate::wakes::Wakes;
use crate::watches::{Observer, WatchCensus, Watcher};

/// How fresh an answer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// As this member knows it: every write it has acknowledged, possibly not the newest of others.
    Local,
    /// At least as new as the moment of the question.
    Linearizable,
}

/// A handle to a member; clones are the same member.
#[derive(Clone)]
pub struct Centre {
    member: Arc<Member>,
}

impl Centre {
    /// Brings a member up and returns once it serves.
    ///
    /// # Errors
    /// [`StartError`] if the data directory is in use, damaged or not writable.
    pub async fn start(config: MemberConfig) -> Result<Centre, StartError> {
        Member::start(config).await
    }

    pub(crate) fn new(member: Arc<Member>) -> Centre {
        Centre { member }
    }

    /// Proposes a command and waits for what comes of it.
    ///
    /// # Errors
    /// [`NodeError`]; what the state refuses is in the outcome.
    pub async fn propose(&self, command: Command) -> Result<Outcome, NodeError> {
        let (told, outcome) = oneshot::channel();
        let one = Arc::new(One(parking_lot::Mutex::new(Some(told))));
        self.submit(command, 256, one, 0);
        outcome.await.unwrap_or(Err(NodeError::Stopping))
    }

    /// Proposes a command without waiting: `completion` is told under `tag`. Commands submitted one after the
    /// other by one caller take effect in that order. `bytes` is about what the command weighs.
    pub fn submit(&self, command: Command, bytes: usize, completion: Arc<dyn Completion>, tag: u64) {
        self.member.proposer.submit(command, bytes, completion, tag);
    }

    /// False while so much is waiting to be written that nothing more should be read from clients.
    pub fn has_room(&self) -> bool {
        self.member.proposer.has_room()
    }

    /// Returns once [`Centre::has_room`] is true.
    pub async fn room(&self) {
        self.member.proposer.room().await;
    }

    /// Bytes of commands that were submitted and not applied yet.
    pub fn outstanding_bytes(&self) -> usize {
        self.member.proposer.outstanding()
    }

    /// Looks at the state of this member, which does not change meanwhile. The closure must be short and must
    /// not wait; what it queues to a client is in order with the events of that client.
    pub fn read<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.member.replica.state.read())
    }

    /// Looks at the state, as fresh as asked for.
    ///
    /// # Errors
    /// [`NodeError::NoLeader`] if freshness cannot be had.
    pub async fn query<R>(&self, fresh: Consistency, look: impl FnOnce(&State) -> R) -> Result<R, NodeError> {
        if fresh == Consistency::Linearizable {
            let read = self.member.raft.ensure_linearizable().await;
            read.map_err(|error| NodeError::NoLeader(error.to_string()))?;
        }
        Ok(self.read(look))
    }

    /// A frozen copy of the state, for questions that take long.
    pub fn frozen(&self) -> State {
        self.read(State::clone)
    }

    /// Makes somebody able to watch; dropping what is returned ends all its watches.
    pub fn watch(&self, observer: Arc<dyn Observer>) -> Watcher {
        self.member.replica.watches.register(observer)
    }

    /// Totals of what is watched.
    pub fn watch_census(&self) -> WatchCensus {
        self.member.replica.watches.census()
    }

    /// The deadline of a lease, to be touched at every sign of life; `None` if the lease is gone.
    pub fn lease(&self, id: LeaseId) -> Option<Arc<LeaseClock>> {
        self.member.replica.clocks.get(id).filter(|clock| !clock.is_revoking())
    }

    /// A sign of life of a lease. Never enters the log.
    pub fn renew(&self, id: LeaseId, now: Instant) -> bool {
        self.lease(id).map(|clock| clock.touch(now)).is_some()
    }

    /// Totals of the state.
    pub fn census(&self) -> Census {
        self.read(State::census)
    }

    /// How this member is.
    pub fn status(&self) -> Status {
        self.member.status()
    }

    /// Returns when the member cannot go on (an I/O error of its store, say), with the reason.
    pub async fn failure(&self) -> String {
        self.member.failure().await
    }

    /// Takes no more commands, finishes those it took and closes the store.
    pub async fn stop(&self, patience: Duration) {
        self.member.stop(patience).await;
    }
}

/// Hands one outcome to one waiting task.
struct One(parking_lot::Mutex<Option<oneshot::Sender<Result<Outcome, NodeError>>>>);

impl One {
    fn tell(&self, result: Result<Outcome, NodeError>) {
        if let Some(waiting) = self.0.lock().take() {
            // Nobody waits any more: the command takes effect all the same.
            let _ = waiting.send(result);
        }
    }
}

impl Completion for One {
    fn applied(&self, _tag: u64, _state: &State, outcome: Outcome, _wakes: &mut Wakes) {
        self.tell(Ok(outcome));
    }

    fn failed(&self, _tag: u64, error: &NodeError, _wakes: &mut Wakes) {
        self.tell(Err(error.clone()));
    }
}
