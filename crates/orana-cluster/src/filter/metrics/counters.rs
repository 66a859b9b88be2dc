//! The counters of one method on one side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::outcome::Outcome;

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
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) total: AtomicU64,
    pub(super) succeed: AtomicU64,
    pub(super) business: AtomicU64,
    pub(super) timeout: AtomicU64,
    pub(super) limit: AtomicU64,
    pub(super) network: AtomicU64,
    pub(super) unavailable: AtomicU64,
    pub(super) codec: AtomicU64,
    pub(super) unknown: AtomicU64,
    pub(super) processing: AtomicU64,
    pub(super) times: Times,
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

impl Default for Times {
    fn default() -> Times {
        Times {
            last: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            buckets: Default::default(),
        }
    }
}

impl Times {
    fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
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

    pub(super) fn end(self, outcome: Outcome, took: Duration) {
        let counters = &*self.0;
        let counter = match outcome {
            Outcome::Success => &counters.succeed,
            Outcome::Business => &counters.business,
            Outcome::Timeout => &counters.timeout,
            Outcome::Limit => &counters.limit,
            Outcome::Network => &counters.network,
            Outcome::Codec => &counters.codec,
            Outcome::Unavailable => &counters.unavailable,
            Outcome::Refused | Outcome::NotCalled | Outcome::Unknown => &counters.unknown,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        counters.times.add(took);
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
        let times = Times::default();
        for micros in [0, 1_000, 1_001, 2_000, 30_000_000, 30_000_001] {
            times.add(Duration::from_micros(micros));
        }
        times.add(Duration::MAX);
        let counts: Vec<u64> = times
            .buckets
            .iter()
            .map(|bucket| bucket.load(Ordering::Relaxed))
            .collect();
        assert_eq!(counts, [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    }
}
