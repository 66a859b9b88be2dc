//! The state as it is applied on this member, with those who wait for what comes of it. This is where order is
//! made: while a command is applied the state is held exclusively, its events are queued, then its submitter
//! is told, then the next command is applied.
//!
//! ```text
//!  batch ─▶ for each command: step ─▶ watches ─▶ completion ─▶ lease deadlines      … then whoever was told acts
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use orana_state::{Action, Command, Effect, Outcome, State};
use parking_lot::{Mutex, RwLock};

use crate::error::NodeError;
use crate::fan_out::Crowds;
use crate::leases::LeaseClocks;
use crate::raft::{Batch, Origin};
use crate::wakes::Wakes;
use crate::watches::Watches;

/// Is told what came of the commands it submitted.
pub trait Completion: Send + Sync + 'static {
    /// The command was applied; `state` is as it is right after it. Called while the state is held: it may look
    /// at the state and queue, nothing else.
    fn applied(&self, tag: u64, state: &State, outcome: Outcome, wakes: &mut Wakes);
    /// The command was not applied, or nobody knows ([`NodeError::is_outcome_unknown`]).
    fn failed(&self, tag: u64, error: &NodeError, wakes: &mut Wakes);
}

/// One who waits, with what he needs to know which command it was.
pub(crate) struct Waiter {
    pub(crate) completion: Arc<dyn Completion>,
    pub(crate) tag: u64,
}

pub(crate) struct Replica {
    pub(crate) state: RwLock<State>,
    pub(crate) watches: Arc<Watches>,
    pub(crate) clocks: LeaseClocks,
    crowds: Crowds,
    member: u64,
    incarnation: u64,
    waiting: Mutex<HashMap<u64, Vec<Waiter>>>,
}

impl Replica {
    pub(crate) fn new(
        state: State,
        watches: Arc<Watches>,
        clocks: LeaseClocks,
        crowds: Crowds,
        member: u64,
        incarnation: u64,
    ) -> Replica {
        Replica {
            state: RwLock::new(state),
            watches,
            clocks,
            crowds,
            member,
            incarnation,
            waiting: Mutex::default(),
        }
    }

    /// The origin of this member's batch with this number; those who wait for it are kept until it is applied.
    pub(crate) fn expect(&self, number: u64, waiters: Vec<Waiter>) -> Origin {
        self.waiting.lock().insert(number, waiters);
        Origin {
            member: self.member,
            incarnation: self.incarnation,
            number,
        }
    }

    /// The batch will not be applied here, or nobody knows.
    pub(crate) fn abandon(&self, number: u64, error: &NodeError) {
        let waiters = self.waiting.lock().remove(&number).unwrap_or_default();
        fail(waiters, error);
    }

    pub(crate) fn apply(&self, index: u64, batch: &Batch, now: Instant) {
        let ours = batch.origin.member == self.member && batch.origin.incarnation == self.incarnation;
        let waiters = if ours {
            self.waiting.lock().remove(&batch.origin.number)
        } else {
            None
        };
        let mut waiters = waiters.unwrap_or_default().into_iter();
        let (mut changes, mut wakes) = (Vec::new(), Wakes::new(self.crowds.clone()));
        let mut state = self.state.write();
        state.begin(index, batch.at);
        for command in batch.commands.iter() {
            let outcome = state.step(command, &mut changes);
            self.watches.dispatch(&changes, now, &mut wakes);
            changes.clear();
            self.follow(command, &outcome, now);
            let revoked = outcome.result == Ok(Effect::Revoked);
            if let Some(waiter) = waiters.next() {
                waiter.completion.applied(waiter.tag, &state, outcome, &mut wakes);
            }
            if let (true, Action::Revoke(lease)) = (revoked, &command.action) {
                // After the completion: who asked for the end gets its answer before the connection goes.
                self.clocks.revoked(*lease, &mut wakes);
            }
        }
        drop(state);
        wakes.wake();
    }

    /// A new lease must have its deadline before anybody learns of it.
    fn follow(&self, command: &Command, outcome: &Outcome, now: Instant) {
        if let (Action::Grant { period_ms, .. }, Ok(Effect::Granted(id))) = (&command.action, &outcome.result) {
            self.clocks.granted(*id, *period_ms, now);
        }
    }
}

pub(crate) fn fail(waiters: Vec<Waiter>, error: &NodeError) {
    let mut wakes = Wakes::default();
    for waiter in waiters {
        waiter.completion.failed(waiter.tag, error, &mut wakes);
    }
    wakes.wake();
}
