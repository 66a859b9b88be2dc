//! `roundrobin`: in turn, by weight, and nobody twice in a row who can wait (`RoundRobinLoadBalance`).
//!
//! ```text
//!   each pick: every candidate's number grows by its weight; the greatest is picked and falls by the sum of all weights
//!   weights 5, 1, 1 ─▶ a a b a c a a
//! ```

mod front;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::HashMap;
use parking_lot::Mutex;

use self::front::Front;
use super::LoadBalance;
use super::counters::{self, Counters};
use super::draw::{by_weight, weight};
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// The most methods that have a round of their own; the rest share one. Names may come from outside (generic calls).
const MOST_METHODS: usize = 1_024;

/// In turn by weight. The numbers belong to the providers and the method (see `statistics/turn.rs`), so that rounds go on when the list
/// changes: who is new begins at 0, as does who gets another weight, and nobody else notices.
///
/// Who has weight 0 is passed over, unless all have: then it is always the first. A pick takes the logarithm of the number of candidates
/// while the same candidates with settled weights are picked from, and a walk while somebody warms up or rules send calls of one method
/// to different providers. The round of a method is locked meanwhile.
#[derive(Default)]
pub struct RoundRobin {
    rounds: Mutex<HashMap<Box<str>, Arc<Round>>>,
    of_others: Arc<Round>,
    notes: AtomicU64,
}

/// What is locked while one is picked.
#[derive(Default)]
struct Round(Mutex<State>);

#[derive(Default)]
struct State {
    /// Numbers that are kept in order instead of with the providers.
    front: Option<Front>,
    /// The note of the last pick.
    last: u64,
}

/// What is kept for what routing left.
struct Note {
    /// Not 0, and no other note's.
    id: u64,
    round: Arc<Round>,
    counters: Counters,
}

impl RoundRobin {
    fn note(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Note {
        Note {
            id: self.notes.fetch_add(1, Ordering::Relaxed) + 1,
            round: self.round(&call.method),
            counters: Counters::of(call, candidates),
        }
    }

    fn round(&self, method: &str) -> Arc<Round> {
        let mut rounds = self.rounds.lock();
        if let Some(round) = rounds.get(method) {
            return Arc::clone(round);
        }
        if rounds.len() >= MOST_METHODS {
            return Arc::clone(&self.of_others);
        }
        Arc::clone(rounds.entry(method.into()).or_default())
    }
}

impl Note {
    /// The index of the next one.
    fn next(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> usize {
        let mut state = self.round.0.lock();
        let again = std::mem::replace(&mut state.last, self.id) == self.id;
        if let Some((sums, _)) = candidates.settled_weights(call.now) {
            match &mut state.front {
                Some(front) if front.note() == self.id => return front.next(),
                // One front is worth its making only if these candidates are picked from again and again.
                other if again => {
                    if let Some(other) = other.take() {
                        other.let_go();
                    }
                    return other.insert(Front::of(self.id, &self.counters, sums)).next();
                }
                _ => {}
            }
        }
        if let Some(front) = state.front.take() {
            front.let_go();
        }
        walk(call, candidates, Some(&self.counters))
    }
}

impl LoadBalance for RoundRobin {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        let index = match candidates.remembered(|| self.note(call, candidates)) {
            Some(note) => note.next(call, candidates),
            None => {
                let round = self.round(&call.method);
                let mut state = round.0.lock();
                state.last = 0;
                if let Some(front) = state.front.take() {
                    front.let_go();
                }
                walk(call, candidates, None)
            }
        };
        candidates.get(index)
    }

    /// Over a whole round.
    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        let mut shares = by_weight(call, candidates.iter());
        if candidates.iter().all(|endpoint| weight(call, endpoint) == 0) {
            shares.fill(0.0);
            *shares.first_mut()? = 1.0;
        }
        Some(shares)
    }
}

/// Picks as Java does, for whom the lock of the round is held.
fn walk(call: &Call<'_>, candidates: &Candidates<'_>, known: Option<&Counters>) -> usize {
    let mut total = 0;
    let mut best: Option<(i64, usize)> = None;
    for (index, endpoint) in candidates.iter().enumerate() {
        let weight = endpoint.weight(&call.method, call.now);
        let current = counters::read(known, call, index, endpoint, |counters| {
            let turn = counters.turn();
            let current = turn.current(weight).saturating_add(i64::from(weight));
            turn.put(current);
            current
        });
        total += i64::from(weight);
        if weight > 0 && best.is_none_or(|(greatest, _)| current > greatest) {
            best = Some((current, index));
        }
    }
    let Some((current, index)) = best else {
        return 0;
    };
    if let Some(endpoint) = candidates.get(index) {
        counters::read(known, call, index, endpoint, |counters| {
            counters.turn().put(current.saturating_sub(total));
        });
    }
    index
}

#[cfg(test)]
mod tests;
