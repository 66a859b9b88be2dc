//! When a list with entries that cannot be used is worth a warning: not each time that the same list comes again, and not often. Decides
//! only; time is an argument.

use std::time::Duration;

use ahash::RandomState;
use orana_core::ServiceUrl;
use tokio::time::Instant;

/// Entries of a list that cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) count: usize,
    /// The first of them, and why.
    pub(super) first: Option<(String, &'static str)>,
    /// Which they are and why, in whatever order.
    which: u64,
}

/// What has been warned of.
#[derive(Debug, Default)]
pub(super) struct PassedOver {
    said: Skipped,
    said_at: Option<Instant>,
    unsaid: u64,
}

const PAUSE: Duration = Duration::from_secs(60);

impl Skipped {
    /// One more, and why.
    pub(super) fn add(&mut self, url: &ServiceUrl, why: &'static str) {
        self.count += 1;
        // A sum, because registries list the same in another order each time.
        let one = RandomState::with_seeds(1, 2, 3, 4).hash_one((url, why));
        self.which = self.which.wrapping_add(one);
        self.first.get_or_insert_with(|| (url.to_string(), why));
    }
}

impl PassedOver {
    /// Whether to warn of these now; and then of how many lists it was not said since the last time that it was.
    pub(super) fn is_news(&mut self, skipped: &Skipped, now: Instant) -> Option<u64> {
        if skipped.count == 0 {
            self.said = Skipped::default();
            return None;
        }
        if skipped.count == self.said.count && skipped.which == self.said.which {
            return None;
        }
        if self.said_at.is_some_and(|said_at| now.duration_since(said_at) < PAUSE) {
            self.unsaid += 1;
            return None;
        }
        self.said = skipped.clone();
        self.said_at = Some(now);
        Some(std::mem::take(&mut self.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(ports: &[u64]) -> Skipped {
        let mut skipped = Skipped::default();
        for port in ports {
            let url = ServiceUrl::parse(&format!("tri://h:{port}/i")).unwrap();
            skipped.add(&url, "its protocol is not supported");
        }
        skipped
    }

    #[test]
    fn the_same_entries_are_warned_of_once() {
        let mut passed_over = PassedOver::default();
        let begun = Instant::now();
        assert_eq!(passed_over.is_news(&skipped(&[1, 2]), begun), Some(0));
        for minutes in 0..100 {
            let now = begun + minutes * PAUSE;
            assert_eq!(passed_over.is_news(&skipped(&[2, 1]), now), None);
        }
    }

    #[test]
    fn entries_that_change_all_the_time_are_warned_of_once_a_minute() {
        let mut passed_over = PassedOver::default();
        let begun = Instant::now();
        assert_eq!(passed_over.is_news(&skipped(&[0]), begun), Some(0));
        for second in 1..60 {
            let now = begun + Duration::from_secs(second);
            assert_eq!(passed_over.is_news(&skipped(&[second]), now), None);
        }
        assert_eq!(passed_over.is_news(&skipped(&[60]), begun + PAUSE), Some(59));
    }

    #[test]
    fn entries_that_were_put_right_and_are_wrong_again_are_warned_of_again() {
        let mut passed_over = PassedOver::default();
        let begun = Instant::now();
        assert_eq!(passed_over.is_news(&skipped(&[1]), begun), Some(0));
        assert_eq!(passed_over.is_news(&Skipped::default(), begun), None);
        assert_eq!(passed_over.is_news(&skipped(&[1]), begun + PAUSE), Some(0));
    }
}
