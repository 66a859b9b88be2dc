//! What is wanted against what a registry holds, and the next step towards it. A state machine: events and a time go in,
//! steps come out. Knows neither URLs nor sockets; an item is a key.
//!
//! The rules: a step is taken only while the link is up; there is one step at a time for each item; a new session makes
//! everything due at once; a failure makes its item due after a period, with jitter; whatever was asked for while a step
//! ran is decided when it ends.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

/// How failed steps are tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The time between two tries; each is up to a fifth shorter or longer.
    pub period: Duration,
    /// How many times a failed step is tried again before it is given up until the next session; `None` is for ever.
    pub times: Option<u32>,
}

/// One thing that is wanted of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(u64);

/// What kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A URL to be seen by others; a dynamic one goes with its session.
    Registration { dynamic: bool },
    /// A question that is watched.
    Watch,
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) key: Key,
    pub(crate) operation: Operation,
    /// The session it is done in.
    pub(crate) epoch: u64,
    /// Told back with the outcome, so that the outcome of a step that was overtaken is not mistaken for another's.
    pub(crate) attempt: u64,
}

/// The three things that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Publish,
    Withdraw,
    Watch,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// It may succeed later.
    Failed,
    /// It cannot succeed, whoever tries.
    Impossible,
}

/// What follows from an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As it is wanted.
    Settled,
    /// Not wanted any more, and gone.
    Removed,
    /// To be tried again at that time, or now because something else is wanted by now.
    Again { at: Instant },
    /// Not tried again in this session.
    GivenUp,
    /// The outcome of a step that nobody waits for.
    Stale,
}

/// All items and the link.
#[derive(Debug)]
pub(crate) struct Convergence {
    epoch: Option<u64>,
    /// The session before this one, to tell a short cut from a new session.
    last_epoch: Option<u64>,
    items: HashMap<Key, Item>,
    /// Every item with something to do, by time; mirrors `Item::due`.
    due: BTreeSet<(Instant, Key)>,
    /// Steps under way, never more than `limit`, so that a new session does not flood the registry.
    running: usize,
    limit: usize,
    next_key: u64,
    next_attempt: u64,
    /// Items that went without a step, for [`Convergence::take_removed`].
    removed: Vec<Key>,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    wanted: bool,
    retry: Retry,
    holds: Holds,
    running: Option<Step>,
    /// The attempt whose stream this watch reads.
    reading: Option<u64>,
    failures: u32,
    given_up: bool,
    due: Option<Instant>,
}

/// What the registry holds of an item, as far as we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Nothing,
    /// A step failed half-way: it may or may not be there.
    Perhaps {
        epoch: u64,
    },
    /// It is there, or the watch runs.
    It {
        epoch: u64,
    },
}

enum Decision {
    Nothing,
    Remove,
    Do(Operation),
}

impl Convergence {
    /// Nothing is wanted and the link is not up; at most `limit` steps run at a time.
    pub(crate) fn new(limit: usize) -> Convergence {
        Convergence {
            epoch: None,
            last_epoch: None,
            items: HashMap::new(),
            due: BTreeSet::new(),
            running: 0,
            limit,
            next_key: 0,
            next_attempt: 0,
            removed: Vec::new(),
        }
    }

    /// The link is up in session `epoch`, or down. A new session makes everything due; the return of the old one only
    /// what had failed.
    pub(crate) fn link(&mut self, epoch: Option<u64>, now: Instant) {
        if self.epoch == epoch {
            return;
        }
        self.epoch = epoch;
        let Some(epoch) = epoch else { return };
        let new_session = self.last_epoch != Some(epoch);
        self.last_epoch = Some(epoch);
        let keys: Vec<Key> = self.items.keys().copied().collect();
        for key in keys {
            if let Some(item) = self.items.get_mut(&key) {
                if new_session {
                    item.failures = 0;
                    item.given_up = false;
                }
                if !item.given_up {
                    make_due(&mut self.due, key, item, now);
                }
            }
        }
    }

    /// Something new is wanted.
    pub(crate) fn want(&mut self, kind: Kind, retry: Retry, now: Instant) -> Key {
        let key = Key(self.next_key);
        self.next_key += 1;
        let mut item = Item {
            kind,
            wanted: true,
            retry,
            holds: Holds::Nothing,
            running: None,
            reading: None,
            failures: 0,
            given_up: false,
            due: None,
        };
        make_due(&mut self.due, key, &mut item, now);
        self.items.insert(key, item);
        key
    }

    /// It is wanted again, before it was gone.
    pub(crate) fn want_again(&mut self, key: Key, now: Instant) {
        self.turn(key, true, now);
    }

    /// It is not wanted any more. `true` when there is nothing left to do about it and its key is forgotten.
    pub(crate) fn unwant(&mut self, key: Key, now: Instant) -> bool {
        self.turn(key, false, now);
        let Some(item) = self.items.get(&key) else { return true };
        // A watch ends by no longer being read, whatever the link.
        let gone = match item.kind {
            Kind::Watch => true,
            Kind::Registration { .. } => item.holds == Holds::Nothing && item.running.is_none(),
        };
        if gone {
            self.remove(key);
        }
        gone
    }

    /// The next step, if one is to be taken at `now`; to be asked until there is none.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Step> {
        let epoch = self.epoch?;
        while self.running < self.limit {
            let &(at, key) = self.due.first()?;
            if at > now {
                return None;
            }
            self.due.remove(&(at, key));
            let Some(item) = self.items.get_mut(&key) else { continue };
            item.due = None;
            if item.running.is_some() {
                // What is due is decided when it ends, except that a watch of an old session is not waited for.
                match item.kind {
                    Kind::Watch if item.running.is_some_and(|step| step.epoch != epoch) => {
                        item.running = None;
                        self.running -= 1;
                    }
                    _ => continue,
                }
            }
            match item.decide(epoch) {
                Decision::Nothing => {}
                Decision::Remove => {
                    self.remove(key);
                    self.removed.push(key);
                }
                Decision::Do(operation) => {
                    let attempt = self.next_attempt;
                    self.next_attempt += 1;
                    let step = Step {
                        key,
                        operation,
                        epoch,
                        attempt,
                    };
                    item.running = Some(step);
                    if operation == Operation::Watch {
                        item.reading = Some(attempt);
                        item.holds = Holds::Nothing;
                    }
                    self.running += 1;
                    return Some(step);
                }
            }
        }
        None
    }

    /// When [`Convergence::next`] is worth asking again, if nothing else happens before.
    pub(crate) fn wake(&self) -> Option<Instant> {
        if self.epoch.is_none() || self.running >= self.limit {
            return None;
        }
        self.due.first().map(|&(at, _)| at)
    }

    /// A step has ended; of a watch, its first lists are there or could not be had. `chance` in `0.0..1.0` is the jitter.
    pub(crate) fn finished(&mut self, step: Step, outcome: Outcome, now: Instant, chance: f64) -> Verdict {
        let epoch = self.epoch;
        let Some(item) = self.items.get_mut(&step.key) else {
            return Verdict::Stale;
        };
        if item.running.is_none_or(|running| running.attempt != step.attempt) {
            return Verdict::Stale;
        }
        item.running = None;
        self.running -= 1;
        if outcome == Outcome::Done {
            item.failures = 0;
            item.holds = match step.operation {
                Operation::Publish | Operation::Watch => Holds::It { epoch: step.epoch },
                Operation::Withdraw => Holds::Nothing,
            };
            return match item.decide(epoch.unwrap_or(step.epoch)) {
                Decision::Nothing => Verdict::Settled,
                Decision::Remove => {
                    self.remove(step.key);
                    Verdict::Removed
                }
                Decision::Do(_) => {
                    make_due(&mut self.due, step.key, item, now);
                    Verdict::Again { at: now }
                }
            };
        }
        match step.operation {
            Operation::Publish => item.holds = Holds::Perhaps { epoch: step.epoch },
            Operation::Withdraw => {}
            Operation::Watch => item.reading = None,
        }
        // What is wanted may have changed meanwhile, and a session may be new: then the failure is no reason to wait.
        let same = matches!(item.decide(step.epoch), Decision::Do(operation) if operation == step.operation);
        if !same || epoch.is_some_and(|epoch| epoch != step.epoch) {
            if item.holds == Holds::Nothing && !item.wanted {
                self.remove(step.key);
                return Verdict::Removed;
            }
            make_due(&mut self.due, step.key, item, now);
            return Verdict::Again { at: now };
        }
        item.failures += 1;
        if outcome == Outcome::Impossible || item.retry.times.is_some_and(|times| item.failures > times) {
            item.given_up = true;
            return Verdict::GivenUp;
        }
        let at = now + jittered(item.retry.period, chance);
        make_due(&mut self.due, step.key, item, at);
        Verdict::Again { at }
    }

    /// The stream of a watch has ended by itself. `lasted` is whether it was of any use, so that watching again at once
    /// cannot become a loop.
    pub(crate) fn ended(&mut self, step: Step, lasted: bool, now: Instant, chance: f64) -> Verdict {
        let Some(item) = self.items.get_mut(&step.key) else {
            return Verdict::Stale;
        };
        if item.reading != Some(step.attempt) || item.running.is_some() {
            return Verdict::Stale;
        }
        item.reading = None;
        item.holds = Holds::Nothing;
        // It ended with its session, so that is no fault of its own.
        let at = if lasted || self.epoch != Some(step.epoch) {
            now
        } else {
            now + jittered(item.retry.period, chance)
        };
        make_due(&mut self.due, step.key, item, at);
        Verdict::Again { at }
    }

    /// Items that [`Convergence::next`] found to be gone by themselves, since the last time.
    pub(crate) fn take_removed(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.removed)
    }

    /// The session is about to end: forgets all but what would outlive it against the program's will.
    pub(crate) fn keep_debts(&mut self) {
        let paid = |item: &Item| item.wanted || item.kind != Kind::Registration { dynamic: false };
        let keys: Vec<Key> = self
            .items
            .iter()
            .filter(|(_, item)| paid(item))
            .map(|(key, _)| *key)
            .collect();
        keys.into_iter().for_each(|key| self.remove(key));
    }

    /// Whether all is as it is wanted.
    pub(crate) fn is_settled(&self) -> bool {
        self.epoch.is_some_and(|epoch| {
            self.items
                .values()
                .all(|item| item.running.is_none() && matches!(item.decide(epoch), Decision::Nothing))
        })
    }

    /// Whether something that outlives its session is still to be withdrawn, and can be.
    pub(crate) fn owes_withdrawals(&self) -> bool {
        self.epoch.is_some()
            && self.items.values().any(|item| {
                !item.wanted
                    && !item.given_up
                    && item.kind == Kind::Registration { dynamic: false }
                    && item.failures == 0
            })
    }

    fn turn(&mut self, key: Key, wanted: bool, now: Instant) {
        if let Some(item) = self.items.get_mut(&key)
            && item.wanted != wanted
        {
            item.wanted = wanted;
            item.failures = 0;
            item.given_up = false;
            make_due(&mut self.due, key, item, now);
        }
    }

    fn remove(&mut self, key: Key) {
        if let Some(item) = self.items.remove(&key) {
            if let Some(at) = item.due {
                self.due.remove(&(at, key));
            }
            if item.running.is_some() {
                self.running -= 1;
            }
        }
    }
}

impl Item {
    fn decide(&self, epoch: u64) -> Decision {
        match (self.kind, self.wanted, self.holds) {
            (_, true, Holds::It { epoch: held }) if held == epoch => Decision::Nothing,
            (Kind::Registration { .. }, true, _) => Decision::Do(Operation::Publish),
            (Kind::Watch, true, _) => Decision::Do(Operation::Watch),
            (Kind::Watch, false, _) | (_, false, Holds::Nothing) => Decision::Remove,
            // It went with its session.
            (
                Kind::Registration { dynamic: true },
                false,
                Holds::It { epoch: held } | Holds::Perhaps { epoch: held },
            ) if held != epoch => Decision::Remove,
            (Kind::Registration { .. }, false, _) => Decision::Do(Operation::Withdraw),
        }
    }
}

fn make_due(due: &mut BTreeSet<(Instant, Key)>, key: Key, item: &mut Item, at: Instant) {
    if let Some(before) = item.due.replace(at) {
        due.remove(&(before, key));
    }
    due.insert((at, key));
}

fn jittered(period: Duration, chance: f64) -> Duration {
    period.mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0))
}
