//! The counters of one method on one side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::outcome::Outcome;
use super::recent::Recent;

/// What calls came to, as Dubbo's names tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Succeed,
    Business,
    Timeout,
    Limit,
    Network,
    Unavailable,
    Codec,
    Unknown,
}

/// One number for each kind, see [`Kind`].
pub(super) const KINDS: usize = 8;

/// The upper bounds of the histogram, in milliseconds; what is longer falls into the last one, which has no bound.
pub(super) const BOUNDS: [u64; 15] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    30_000,
    u64::MAX,
];

/// Atomic, each for itself: a scrape may see a call in one and not yet in another.
#[derive(Debug)]
pub(super) struct Counters {
    pub(super) total: AtomicU64,
    kinds: [AtomicU64; KINDS],
    pub(super) processing: AtomicU64,
    pub(super) times: Times,
    pub(super) recent: Recent,
}

/// Microseconds from beginning to end.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) last: AtomicU64,
    pub(super) min: AtomicU64,
    pub(super) max: AtomicU64,
    pub(super) sum: AtomicU64,
    pub(super) buckets: [AtomicU64; BOUNDS.len()],
}

impl From<Outcome> for Kind {
    fn from(outcome: Outcome) -> Kind {
        match outcome {
            Outcome::Success => Kind::Succeed,
            Outcome::Business => Kind::Business,
            Outcome::Timeout => Kind::Timeout,
            Outcome::Limit => Kind::Limit,
            Outcome::Network => Kind::Network,
            Outcome::Codec => Kind::Codec,
            Outcome::Unavailable => Kind::Unavailable,
            Outcome::Refused | Outcome::NotCalled | Outcome::Unknown => Kind::Unknown,
        }
    }
}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            total: AtomicU64::new(0),
            kinds: Default::default(),
            processing: AtomicU64::new(0),
            times: Times {
                last: AtomicU64::new(0),
                min: AtomicU64::new(u64::MAX),
                max: AtomicU64::new(0),
                sum: AtomicU64::new(0),
                buckets: Default::default(),
            },
            recent: Recent::default(),
        }
    }
}

impl Counters {
    /// How many calls came to that.
    pub(super) fn of(&self, kind: Kind) -> u64 {
        self.kinds
            .get(kind as usize)
            .map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// How many came to anything but a result.
    pub(super) fn failed(&self) -> u64 {
        let all: u64 = self.kinds.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        all.saturating_sub(self.of(Kind::Succeed))
    }
}

impl Times {
    fn add(&self, micros: u64) {
        self.last.store(micros, Ordering::Relaxed);
        // Most calls change neither.
        if micros < self.min.load(Ordering::Relaxed) {
            self.min.fetch_min(micros, Ordering::Relaxed);
        }
        if micros > self.max.load(Ordering::Relaxed) {
            self.max.fetch_max(micros, Ordering::Relaxed);
        }
        self.sum.fetch_add(micros, Ordering::Relaxed);
        let at = BOUNDS.partition_point(|bound| bound.saturating_mul(1_000) < micros);
        if let Some(bucket) = self.buckets.get(at) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A call under way, until this is dropped.
#[must_use = "a call that is dropped counts as given up"]
pub(super) struct Processing(Arc<Counters>);

impl Processing {
    pub(super) fn begin(counters: Arc<Counters>) -> Processing {
        counters.total.fetch_add(1, Ordering::Relaxed);
        counters.processing.fetch_add(1, Ordering::Relaxed);
        Processing(counters)
    }

    /// The call ended after `took`, at that time since counting began.
    pub(super) fn end(self, outcome: Outcome, took: Duration, since: Duration) {
        let (counters, kind) = (&*self.0, Kind::from(outcome));
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(count) = counters.kinds.get(kind as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        counters.times.add(micros);
        counters.recent.add(kind, micros, since);
    }
}

impl Drop for Processing {
    fn drop(&mut self) {
        self.0.processing.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_on_a_bound_belongs_below_it() {
        let counters = Counters::default();
        for micros in [0, 1_000, 1_001, 2_000, 30_000_000, 30_000_001, u64::MAX] {
            counters.times.add(micros);
        }
        let buckets = counters.times.buckets.iter();
        let counts: Vec<u64> = buckets.map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        assert_eq!(counts, [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    }
}
