//! The average duration of what was answered within a window that moves on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::EpochMillis;

/// The window of `shortestresponse`.
///
/// Java forgets everything at the end of each period, so that for a moment everybody looks alike. Here the window reaches back to the end
/// of the period before last, and what nobody has confirmed since is halved with each period: a provider that once was slow is not asked
/// any more, and must get another chance some time, but not all calls at once.
///
/// Whoever looks first after the end of a period moves the window. Looking at the same moment from elsewhere may see it half moved; that
/// is one pick by a wrong number.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    /// When the present period began.
    since: AtomicU64,
    /// The totals then.
    marked: Mark,
    /// The totals when the period before it began: where the window begins.
    begin: Mark,
    /// The average of the window before, microseconds; 0 for none.
    faded: AtomicU64,
}

/// Totals at one moment.
#[derive(Debug, Default)]
struct Mark {
    count: AtomicU64,
    micros: AtomicU64,
}

impl Recent {
    /// The average for these totals (count, microseconds) at `now`; `None` if nothing was ever answered.
    pub(crate) fn average(&self, totals: (u64, u64), now: EpochMillis, period: Duration) -> Option<Duration> {
        self.move_on(totals, now, period);
        let micros = self
            .within(totals)
            .or_else(|| match self.faded.load(Ordering::Relaxed) {
                0 => None,
                faded => Some(faded),
            });
        micros.map(Duration::from_micros)
    }

    fn within(&self, (count, micros): (u64, u64)) -> Option<u64> {
        let count = count.saturating_sub(self.begin.count.load(Ordering::Relaxed));
        let micros = micros.saturating_sub(self.begin.micros.load(Ordering::Relaxed));
        micros.checked_div(count)
    }

    fn move_on(&self, totals: (u64, u64), now: EpochMillis, period: Duration) {
        let since = self.since.load(Ordering::Relaxed);
        let period = u64::try_from(period.as_millis()).unwrap_or(u64::MAX).max(1);
        // A clock that was set back begins a period anew.
        let periods = now.0.checked_sub(since).map_or(1, |past| past / period);
        if periods == 0 {
            return;
        }
        let moves = self
            .since
            .compare_exchange(since, now.0, Ordering::Relaxed, Ordering::Relaxed);
        if moves.is_err() || since == 0 {
            // Somebody else moves it, or nobody looked before: then everything so far is in the window.
            return;
        }
        let known = match self.within(totals) {
            Some(micros) => micros.max(1),
            None => self.faded.load(Ordering::Relaxed) >> periods.min(63),
        };
        self.faded.store(known, Ordering::Relaxed);
        match periods {
            1 => self.begin.put(self.marked.get()),
            _ => self.begin.put(totals),
        }
        self.marked.put(totals);
    }
}

impl Mark {
    fn get(&self) -> (u64, u64) {
        (self.count.load(Ordering::Relaxed), self.micros.load(Ordering::Relaxed))
    }

    fn put(&self, (count, micros): (u64, u64)) {
        self.count.store(count, Ordering::Relaxed);
        self.micros.store(micros, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(30);

    fn average(recent: &Recent, totals: (u64, u64), at: u64) -> Option<u64> {
        let average = recent.average(totals, EpochMillis(1_000_000 + at * 1_000), PERIOD);
        average.map(|average| u64::try_from(average.as_micros()).unwrap())
    }

    #[test]
    fn what_was_answered_more_than_two_periods_ago_does_not_count() {
        let recent = Recent::default();
        assert_eq!(average(&recent, (0, 0), 0), None);
        assert_eq!(average(&recent, (10, 10_000), 10), Some(1_000));
        // The window moves at 30 s and still reaches back to the beginning, then no more.
        assert_eq!(average(&recent, (10, 10_000), 31), Some(1_000));
        assert_eq!(average(&recent, (20, 40_000), 40), Some(2_000));
        assert_eq!(
            average(&recent, (20, 40_000), 62),
            Some(3_000),
            "those of the second period"
        );
    }

    #[test]
    fn what_nobody_confirms_fades() {
        let recent = Recent::default();
        average(&recent, (0, 0), 0);
        average(&recent, (4, 32_000), 1);
        average(&recent, (4, 32_000), 31);
        assert_eq!(average(&recent, (4, 32_000), 62), Some(8_000));
        assert_eq!(average(&recent, (4, 32_000), 93), Some(4_000));
        assert_eq!(average(&recent, (4, 32_000), 93 + 60), Some(1_000));
        assert_eq!(average(&recent, (4, 32_000), 9_000), None);
        assert_eq!(average(&recent, (5, 33_000), 9_001), Some(1_000));
    }
}
