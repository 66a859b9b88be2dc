//! How often a list is published while its connections come up one by one. Decides only; time is an argument.

use std::time::Duration;

use tokio::time::Instant;

/// To make a list takes time for each endpoint in it, a fraction of this: published no more often than this much for each, lists cost a
/// small part of a processor however many connections come up one after the other.
const PAUSE_FOR_EACH: Duration = Duration::from_micros(1);

/// Shorter pauses are none: no timer is that exact, and short lists cost nothing.
const SHORTEST: Duration = Duration::from_millis(1);

/// When the list may be published again, and whether it has to be.
#[derive(Debug)]
pub(super) struct Pace {
    not_before: Instant,
    owed: bool,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Pace {
        Pace {
            not_before: now,
            owed: false,
        }
    }

    /// The list changed. If that is urgent it is due at once.
    pub(super) fn changed(&mut self, urgent: bool, now: Instant) {
        self.owed = true;
        if urgent {
            self.not_before = now;
        }
    }

    /// When the list is to be published; `None` if it has not changed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.owed.then_some(self.not_before)
    }

    /// It was published at `now`, with so many endpoints.
    pub(super) fn published(&mut self, endpoints: usize, now: Instant) {
        let pause = PAUSE_FOR_EACH.saturating_mul(u32::try_from(endpoints).unwrap_or(u32::MAX));
        self.owed = false;
        self.not_before = if pause < SHORTEST { now } else { now + pause };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_published_at_every_change() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        for endpoints in 0..999 {
            pace.changed(false, now);
            assert_eq!(pace.due(), Some(now));
            pace.published(endpoints, now);
            assert_eq!(pace.due(), None);
        }
    }

    #[test]
    fn a_long_list_waits_unless_the_change_is_urgent() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        pace.published(10_000, now);
        pace.changed(false, now);
        assert_eq!(pace.due(), Some(now + Duration::from_millis(10)));
        pace.changed(true, now);
        assert_eq!(pace.due(), Some(now));
    }
}
