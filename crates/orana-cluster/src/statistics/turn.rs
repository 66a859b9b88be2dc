//! Where a provider stands in the round of `roundrobin`.
//!
//! It is kept here and not with the balance because it belongs to the provider: it outlasts changes of the list and of the provider's
//! parameters, and goes when the provider is gone.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// The number that grows by a provider's weight with each pick and falls by the sum of all when it is picked (`WeightedRoundRobin`).
///
/// Whoever changes it holds the lock of the round; it is atomic only so that it can be shared.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    weight: AtomicU32,
    current: AtomicI64,
}

impl Turn {
    /// The number for a provider of that weight: 0 if the weight was another one before.
    pub(crate) fn current(&self, weight: u32) -> i64 {
        if self.weight.load(Ordering::Relaxed) != weight {
            self.weight.store(weight, Ordering::Relaxed);
            self.current.store(0, Ordering::Relaxed);
        }
        self.current.load(Ordering::Relaxed)
    }

    /// Puts the number.
    pub(crate) fn put(&self, current: i64) {
        self.current.store(current, Ordering::Relaxed);
    }
}
