//! How often the same trouble may be logged: a registry that is down fails a thousand services at once.

use std::time::Duration;

use tokio::time::Instant;

/// Lets a few through in each window and counts the rest.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    began: Option<Instant>,
    admitted: u32,
    suppressed: u64,
}

const WINDOW: Duration = Duration::from_secs(10);
const PER_WINDOW: u32 = 5;

impl Complaints {
    /// Whether to log now; and then how many were not logged since the last one that was.
    pub(crate) fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.began.is_none_or(|began| now.duration_since(began) >= WINDOW) {
            self.began = Some(now);
            self.admitted = 0;
        }
        if self.admitted == PER_WINDOW {
            self.suppressed += 1;
            return None;
        }
        self.admitted += 1;
        Some(std::mem::take(&mut self.suppressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_admitted_in_each_window_and_the_rest_counted() {
        let now = Instant::now();
        let mut complaints = Complaints::default();
        let admitted = (0..100).filter(|_| complaints.admit(now).is_some()).count();
        assert_eq!(admitted, 5);
        assert_eq!(complaints.admit(now + WINDOW), Some(95));
        assert_eq!(complaints.admit(now + WINDOW), Some(0));
    }
}
