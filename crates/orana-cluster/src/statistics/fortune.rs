//! Whether calls to a provider fail at present.
//!
//! Who fails fast has few calls under way and is quick: without this, balances that prefer such providers would send it everything.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::clock::EpochMillis;

/// How long a provider stands back after one failure, in milliseconds; doubled with each further one in a row.
const FIRST: u64 = 100;

/// The longest that it stands back.
const LONGEST: u64 = 10_000;

/// The failures in a row and when the last was. A call that is answered ends the row.
#[derive(Debug, Default)]
pub(crate) struct Fortune {
    failures: AtomicU32,
    failed_at: AtomicU64,
}

impl Fortune {
    /// Takes how a call ended.
    pub(crate) fn tell(&self, succeeded: bool, now: EpochMillis) {
        if succeeded {
            // Most calls are answered: that writes nothing, so that processors need not pass the line around.
            if self.failures.load(Ordering::Relaxed) != 0 {
                self.failures.store(0, Ordering::Relaxed);
            }
            return;
        }
        self.failed_at.store(now.0, Ordering::Relaxed);
        let more = |failures: u32| failures.checked_add(1);
        // At the greatest number it stays.
        let _ = self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Whether it is too early to prefer this provider again.
    pub(crate) fn stands_back(&self, now: EpochMillis) -> bool {
        let failures = self.failures.load(Ordering::Relaxed);
        if failures == 0 {
            return false;
        }
        let pause = FIRST
            .saturating_mul(1 << failures.saturating_sub(1).min(16))
            .min(LONGEST);
        // A clock that was set back does not keep anybody out.
        now.0
            .checked_sub(self.failed_at.load(Ordering::Relaxed))
            .is_some_and(|since| since < pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_stands_back_longer_with_each_failure_in_a_row_and_not_after_an_answer() {
        let fortune = Fortune::default();
        let back = |millis: u64| fortune.stands_back(EpochMillis(1_000_000 + millis));
        assert!(!back(0));
        fortune.tell(false, EpochMillis(1_000_000));
        assert!(back(99) && !back(100));
        for _ in 0..3 {
            fortune.tell(false, EpochMillis(1_000_000));
        }
        assert!(back(799) && !back(800));
        for _ in 0..100 {
            fortune.tell(false, EpochMillis(1_000_000));
        }
        assert!(back(9_999) && !back(10_000), "never longer than that");
        fortune.tell(true, EpochMillis(1_000_001));
        assert!(!back(2));
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_nobody_out() {
        let fortune = Fortune::default();
        fortune.tell(false, EpochMillis(1_000_000));
        assert!(!fortune.stands_back(EpochMillis(1_000)));
    }
}
