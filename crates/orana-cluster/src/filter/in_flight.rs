//! How many calls are under way, with a limit that is never passed.
//!
//! A call that has begun holds a guard; whatever becomes of it (a result, an error, a future that is dropped) the guard goes
//! and the place is free. Knows nothing of why there is a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A count of calls under way.
#[derive(Debug, Default)]
pub(super) struct InFlight(AtomicU32);

/// One call under way, until this is dropped.
#[derive(Debug)]
pub(super) struct Begun(Arc<InFlight>);

impl InFlight {
    /// How many there are.
    pub(super) fn now(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Begins one more if there are less than `limit`.
    pub(super) fn begin(self: &Arc<Self>, limit: u32) -> Option<Begun> {
        let more = |now: u32| (now < limit).then_some(now.saturating_add(1));
        let begun = self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, more);
        begun.is_ok().then(|| Begun(Arc::clone(self)))
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_under_eight_threads_and_every_place_comes_back() {
        let calls = Arc::new(InFlight::default());
        let (highest, refused) = (AtomicU32::new(0), AtomicU32::new(0));
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        match calls.begin(5) {
                            Some(_begun) => {
                                highest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                                std::hint::spin_loop();
                                inside.fetch_sub(1, Ordering::SeqCst);
                            }
                            None => {
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
        });
        assert!(highest.into_inner() <= 5);
        assert_eq!(calls.now(), 0);
    }

    #[test]
    fn a_limit_of_nothing_admits_nothing() {
        assert!(Arc::new(InFlight::default()).begin(0).is_none());
    }
}
