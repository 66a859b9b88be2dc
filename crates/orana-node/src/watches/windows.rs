//! Until when news of a directory may wait, so that it is joined with the next. A lone change is told at once; whoever
//! changes again within the window is told at its end. Who watches the directory is not known here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahash::RandomState;

pub(super) struct Windows {
    /// How long one is; zero: there are none.
    length: Duration,
    /// Directories that changed lately, and when; whoever changes again within the window is a storm.
    recent: HashMap<Arc<str>, Instant, RandomState>,
    /// When the first of all windows began.
    first: Option<Instant>,
}

impl Windows {
    pub(super) fn new(length: Duration) -> Windows {
        Windows {
            length,
            recent: HashMap::default(),
            first: None,
        }
    }

    /// Until when the news of this change of a directory may wait; `watched` is the directory as it is kept, if anybody
    /// waits for that news.
    pub(super) fn hold_until(&mut self, directory: &str, watched: Option<&Arc<str>>, now: Instant) -> Option<Instant> {
        if self.length.is_zero() {
            return None;
        }
        let end = self.end(now);
        match self.recent.get_mut(directory) {
            Some(changed) => {
                let lone = now.saturating_duration_since(*changed) > self.length;
                *changed = now;
                (!lone).then_some(end)
            }
            None => {
                // Nobody watches: nothing to join.
                self.recent.insert(watched?.clone(), now);
                None
            }
        }
    }

    /// Forgets directories that have been quiet for longer than the window.
    pub(super) fn tidy(&mut self, now: Instant) {
        self.recent
            .retain(|_, changed| now.saturating_duration_since(*changed) <= self.length);
        if self.recent.is_empty() {
            self.recent.shrink_to_fit();
        }
    }

    /// All directories share their windows. Events leave in their order, so whoever watches many directories is
    /// told of all of them when the first is due: with windows of their own that would be nearly always.
    fn end(&mut self, now: Instant) -> Instant {
        let first = *self.first.get_or_insert(now);
        let into = now.saturating_duration_since(first).as_nanos() % self.length.as_nanos();
        now + self.length - Duration::from_nanos(into as u64)
    }
}
