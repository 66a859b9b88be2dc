//! How often the same trouble may be logged: a registry that is down fails a thousand services at once, and is tried without end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::backend::Link;
use crate::topic::Progress;

/// Lets a few through in each window and counts the rest.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    began: Option<Instant>,
    admitted: u32,
    suppressed: u64,
}

/// What has been said of a link since it was last up. A registry that stays away fails every attempt to connect, each with words of
/// its own.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    down: bool,
    refused: Option<Arc<str>>,
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

impl Outage {
    /// Whether this state of the link is to be told to an operator.
    pub(crate) fn is_news(&mut self, link: &Link) -> bool {
        match link {
            Link::Up { .. } => {
                *self = Outage::default();
                true
            }
            Link::Connecting => false,
            Link::Down { .. } => !std::mem::replace(&mut self.down, true),
            Link::Refused { reason } => self.refused.replace(Arc::clone(reason)).as_ref() != Some(reason),
        }
    }
}

/// Whether an item fails as it failed before.
pub(crate) fn repeats(before: &Progress, now: &Progress) -> bool {
    match (before, now) {
        (
            Progress::Failed { error, again },
            Progress::Failed {
                error: new,
                again: new_again,
            },
        ) => again == new_again && error.kind() == new.kind() && error.to_string() == new.to_string(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{RegistryError, RegistryErrorKind};

    fn down(reason: &str) -> Link {
        Link::Down { reason: reason.into() }
    }

    fn refused(reason: &str) -> Link {
        Link::Refused { reason: reason.into() }
    }

    #[test]
    fn an_outage_is_told_when_it_begins_and_when_it_ends() {
        let mut outage = Outage::default();
        assert!(!outage.is_news(&Link::Connecting));
        assert!(outage.is_news(&down("connection refused")));
        for attempt in 0..1000 {
            assert!(!outage.is_news(&down(&format!("attempt {attempt} failed"))));
            assert!(!outage.is_news(&Link::Connecting));
        }
        assert!(outage.is_news(&Link::Up { epoch: 1 }));
        assert!(outage.is_news(&down("connection reset")));
    }

    #[test]
    fn a_refusal_is_told_again_only_for_another_reason() {
        let mut outage = Outage::default();
        assert!(outage.is_news(&refused("no such user")));
        assert!(outage.is_news(&down("closed")));
        assert!(!outage.is_news(&refused("no such user")));
        assert!(!outage.is_news(&down("closed")));
        assert!(outage.is_news(&refused("wrong password")));
    }

    #[test]
    fn an_item_that_fails_as_before_repeats_and_one_that_fails_otherwise_does_not() {
        let failed = |kind, what: &str, again| {
            let error = RegistryError::new(kind, "zookeeper://h:1", what);
            Progress::Failed { error, again }
        };
        use RegistryErrorKind::{Refused, TimedOut};
        let before = failed(Refused, "no permission", true);
        assert!(repeats(&before, &failed(Refused, "no permission", true)));
        assert!(!repeats(&before, &failed(Refused, "no permission", false)));
        assert!(!repeats(&before, &failed(Refused, "not authenticated", true)));
        assert!(!repeats(&before, &failed(TimedOut, "no permission", true)));
        assert!(!repeats(&Progress::Settled, &before));
    }

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
