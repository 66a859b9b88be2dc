//! How long answers take of late.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::EpochMillis;

/// A moving average: each answer weighs as much as all before it together (`AdaptiveMetrics`, beta 0.5).
#[derive(Debug, Default)]
pub(crate) struct Latency {
    /// One more than the microseconds, so that 0 is: no answer yet.
    average: AtomicU64,
    answered_at: AtomicU64,
}

impl Latency {
    /// Takes one answer.
    pub(crate) fn add(&self, took: Duration, now: EpochMillis) {
        let micros = u64::try_from(took.as_micros())
            .unwrap_or(u64::MAX >> 1)
            .min(u64::MAX >> 1);
        self.answered_at.store(now.0, Ordering::Relaxed);
        let mixed = |average: u64| {
            let before = average.checked_sub(1).unwrap_or(micros);
            Some(before.midpoint(micros) + 1)
        };
        let _ = self.average.fetch_update(Ordering::Relaxed, Ordering::Relaxed, mixed);
    }

    /// The average, halved for each `half_life` since the last answer.
    pub(crate) fn at(&self, now: EpochMillis, half_life: Duration) -> Option<Duration> {
        let micros = self.average.load(Ordering::Relaxed).checked_sub(1)?;
        let silent = now.0.saturating_sub(self.answered_at.load(Ordering::Relaxed));
        let halvings = silent / u64::try_from(half_life.as_millis()).unwrap_or(u64::MAX).max(1);
        Some(Duration::from_micros(micros >> halvings.min(63)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_answer_weighs_half_and_silence_halves_what_was() {
        let second = Duration::from_secs(1);
        let latency = Latency::default();
        assert_eq!(latency.at(EpochMillis(9), second), None);
        latency.add(Duration::from_millis(8), EpochMillis(1_000));
        assert_eq!(latency.at(EpochMillis(1_000), second), Some(Duration::from_millis(8)));
        latency.add(Duration::from_millis(4), EpochMillis(2_000));
        assert_eq!(latency.at(EpochMillis(2_999), second), Some(Duration::from_millis(6)));
        assert_eq!(latency.at(EpochMillis(3_000), second), Some(Duration::from_millis(3)));
        assert_eq!(latency.at(EpochMillis(900_000), second), Some(Duration::ZERO));
    }
}
