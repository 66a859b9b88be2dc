//! `shortestresponse`: whoever is expected to answer first (`ShortestResponseLoadBalance`).

use std::sync::Arc;
use std::time::Duration;

use super::LoadBalance;
use super::counters::{self, Counters};
use super::least;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// `shortestResponseSlidePeriod` unless it is set.
const DEFAULT_PERIOD: Duration = Duration::from_secs(30);

/// For each call under way at a provider of which nothing else is known.
const UNKNOWN: Duration = Duration::from_secs(1);

/// The least average duration of answers times the number of calls that wait for one, the new one included; of several one by weight.
///
/// Differences from Java, on purpose: durations are microseconds and not milliseconds; the window of the average slides
/// (see `statistics/recent.rs`) where Java's begins anew; a provider of which nothing is known gets one call at a time until it has
/// answered, where Java sends it everything; and who fails at present is chosen only when everybody does, since failures are no answers
/// and a provider that only fails would look like one that answers at once.
#[derive(Clone, Copy, Debug)]
pub struct ShortestResponse {
    period: Duration,
}

impl ShortestResponse {
    /// With that period of the window (`shortestResponseSlidePeriod`).
    pub fn new(period: Duration) -> ShortestResponse {
        ShortestResponse { period }
    }

    /// Less is better: who fails, then microseconds.
    fn order(&self, known: Option<&Counters>, call: &Call<'_>, index: usize, endpoint: &Arc<Endpoint>) -> (bool, u128) {
        counters::read(known, call, index, endpoint, |counters| {
            let waiting = u128::from(counters.active());
            let micros = match counters.average(call.now, self.period) {
                Some(average) => average.as_micros() * (waiting + 1),
                None => UNKNOWN.as_micros() * waiting,
            };
            (counters.stands_back(call.now), micros)
        })
    }
}

impl Default for ShortestResponse {
    fn default() -> ShortestResponse {
        ShortestResponse::new(DEFAULT_PERIOD)
    }
}

impl LoadBalance for ShortestResponse {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        let known = candidates.remembered(|| Counters::of(call, candidates));
        least::least(call, candidates, |index, endpoint| {
            self.order(known, call, index, endpoint)
        })
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        least::shares(call, candidates, |index, endpoint| {
            self.order(None, call, index, endpoint)
        })
    }
}
