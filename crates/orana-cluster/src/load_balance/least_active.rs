//! `leastactive`: whoever has the fewest calls under way (`LeastActiveLoadBalance`).

use std::sync::Arc;

use super::LoadBalance;
use super::counters::{self, Counters};
use super::least;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// Of those with the fewest calls of this method under way, one by weight.
///
/// Two differences from Java, on purpose. Calls are counted whether or not the key `actives` is set, so that the name is always true. And
/// who fails at present is chosen only when everybody does: calls that fail at once are never under way for long, and Java sends such a
/// provider nearly everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastActive;

impl LoadBalance for LeastActive {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        let known = candidates.remembered(|| Counters::of(call, candidates));
        least::least(call, candidates, |index, endpoint| order(known, call, index, endpoint))
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        least::shares(call, candidates, |index, endpoint| order(None, call, index, endpoint))
    }
}

/// Less is better.
fn order(known: Option<&Counters>, call: &Call<'_>, index: usize, endpoint: &Arc<Endpoint>) -> (bool, u32) {
    counters::read(known, call, index, endpoint, |counters| {
        (counters.stands_back(call.now), counters.active())
    })
}
