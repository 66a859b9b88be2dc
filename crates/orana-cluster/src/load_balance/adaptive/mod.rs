//! `adaptive`: of two by chance the one that is less loaded, as far as its machine, its answers and its waiting calls tell
//! (`AdaptiveLoadBalance`, `AdaptiveMetrics`).

mod answer;
mod asking;

use std::sync::Arc;
use std::time::Duration;

pub use self::answer::AdaptiveAnswer;
pub(crate) use self::asking::{asking, hear};
use super::LoadBalance;
use super::counters::{self, Counters};
use super::draw::weight;
use super::pairs;
use crate::call::{Call, another, fraction, scaled};
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;
use crate::statistics::MethodStatistics;

/// The attachment by which a consumer asks a machine how busy it is, and in which it answers.
const ATTACHMENT: &str = "lb_adaptive";

/// How long an attempt may take unless it is set.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// The load of a machine that says nothing of it, and the least that counts: by a load of 0 nothing else would count any more.
const LEAST_SAID: f64 = 1.0;

/// Draws two different candidates evenly and takes the one with the smaller load:
///
/// `machine * (sqrt(latency) + 1) * (waiting + 1) / ((answered + 1) / (ended + 1) * weight + 1)`
///
/// with what the provider said of its machine (attachment `lb_adaptive`), milliseconds, and calls of this method. Of two equal loads one
/// is taken by weight. A provider that was not called for twice the time-out has load 0, so that it gets a chance to show that it has
/// become quicker. Weight 0 does not keep anybody out, it only makes the load greater, as in Java.
///
/// Differences from Java, on purpose: a machine that says nothing counts as 1 and not as 0, so that the other parts of the formula count
/// with every provider; the part of calls that are answered is 1 as long as none fails (Java's grows with each call, so that of equally good
/// providers the one that was called most would be called on); the latency of who is silent is halved with each time-out that passes and not each time somebody looks; and who
/// fails at present loses against who does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adaptive;

/// What is compared of one that was drawn; less is better.
type Order = (bool, f64);

impl LoadBalance for Adaptive {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        let count = candidates.len();
        if count <= 1 {
            return candidates.get(0);
        }
        let first = scaled(call.chance, count as u64) as usize;
        let chance = another(call.chance);
        let second = scaled(chance, count as u64 - 1) as usize;
        let second = if second < first { second } else { second + 1 };
        let (one, other) = (candidates.get(first)?, candidates.get(second)?);
        let known = candidates.remembered(|| Counters::of(call, candidates));
        let taken = first_taken(
            order(known, call, first, one),
            order(known, call, second, other),
            weight(call, one),
            weight(call, other),
        );
        Some(if fraction(another(chance)) < taken { one } else { other })
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        let looked_at: Vec<(Order, u64)> = candidates
            .iter()
            .enumerate()
            .map(|(index, endpoint)| (order(None, call, index, endpoint), weight(call, endpoint)))
            .collect();
        pairs::shares_evenly(candidates, |first, second| {
            let ((one, own), (other, others)) = (looked_at.get(first)?, looked_at.get(second)?);
            Some(first_taken(*one, *other, *own, *others))
        })
    }
}

/// The probability that of two with these orders and weights the first is taken.
fn first_taken(first: Order, second: Order, own: u64, others: u64) -> f64 {
    match first.0.cmp(&second.0).then(first.1.total_cmp(&second.1)) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Greater => 0.0,
        std::cmp::Ordering::Equal if own + others == 0 => 0.5,
        std::cmp::Ordering::Equal => own as f64 / (own + others) as f64,
    }
}

fn order(known: Option<&Counters>, call: &Call<'_>, index: usize, endpoint: &Arc<Endpoint>) -> Order {
    let timeout = endpoint
        .url()
        .method_millis_or(&call.method, "timeout", DEFAULT_TIMEOUT);
    let said = endpoint.statistics().said_load();
    let weight = weight(call, endpoint);
    counters::read(known, call, index, endpoint, |counters| {
        (
            counters.stands_back(call.now),
            load(counters, said, weight, timeout, call),
        )
    })
}

fn load(counters: &MethodStatistics, said: Option<f64>, weight: u64, timeout: Duration, call: &Call<'_>) -> f64 {
    let silent = call.now.0.saturating_sub(counters.begun_at().0);
    if u128::from(silent) > timeout.as_millis() * 2 {
        return 0.0;
    }
    let machine = said.unwrap_or(LEAST_SAID).max(LEAST_SAID);
    let latency = counters.latency(call.now, timeout).unwrap_or_default().as_secs_f64() * 1_000.0;
    let waiting = f64::from(counters.active());
    let answered = counters.succeeded() as f64;
    let ended = answered + counters.failed() as f64;
    machine * (latency.sqrt() + 1.0) * (waiting + 1.0) / ((answered + 1.0) / (ended + 1.0) * weight as f64 + 1.0)
}
