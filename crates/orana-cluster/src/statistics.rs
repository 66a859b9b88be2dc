//! What a consumer knows about calls to one provider: how many are under way, how they ended, how long they took. Counted for every call,
//! whatever filters are configured, without a lock, and kept when the provider's URL changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use ahash::HashMap;
use arc_swap::ArcSwap;

/// The most methods that are told apart; the rest share one place. Names may come from outside (generic calls).
const MOST_METHODS: usize = 1024;

/// The counters of one provider.
#[derive(Debug, Default)]
pub struct Statistics {
    methods: ArcSwap<HashMap<Box<str>, Arc<MethodStatistics>>>,
    others: Arc<MethodStatistics>,
}

/// The counters of one method of one provider. They are read one by one, so that together they may be a call apart.
#[derive(Debug, Default)]
pub struct MethodStatistics {
    active: AtomicU32,
    succeeded: AtomicU64,
    failed: AtomicU64,
    succeeded_micros: AtomicU64,
    failed_micros: AtomicU64,
}

/// A call that is under way; counted as ended when it is dropped.
#[derive(Debug)]
pub struct Begun<'a>(&'a MethodStatistics);

impl Statistics {
    /// Those of a method.
    pub fn method(&self, name: &str) -> Arc<MethodStatistics> {
        if let Some(known) = self.methods.load().get(name) {
            return Arc::clone(known);
        }
        self.methods.rcu(|now| {
            if now.contains_key(name) || now.len() >= MOST_METHODS {
                return Arc::clone(now);
            }
            let mut more = HashMap::clone(now);
            more.insert(name.into(), Arc::default());
            Arc::new(more)
        });
        match self.methods.load().get(name) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(&self.others),
        }
    }
}

impl MethodStatistics {
    /// Counts a call that begins.
    pub fn begin(&self) -> Begun<'_> {
        self.active.fetch_add(1, Ordering::Relaxed);
        Begun(self)
    }

    /// How many calls are under way.
    pub fn active(&self) -> u32 {
        self.active.load(Ordering::Relaxed)
    }

    /// How many were answered, exceptions of the service included.
    pub fn succeeded(&self) -> u64 {
        self.succeeded.load(Ordering::Relaxed)
    }

    /// How many were not.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// How long those took together that were answered.
    pub fn succeeded_time(&self) -> Duration {
        Duration::from_micros(self.succeeded_micros.load(Ordering::Relaxed))
    }

    /// How long those took together that were not.
    pub fn failed_time(&self) -> Duration {
        Duration::from_micros(self.failed_micros.load(Ordering::Relaxed))
    }
}

impl Begun<'_> {
    /// Counts how the call ended and how long it took.
    pub fn ended(self, succeeded: bool, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let (count, time) = match succeeded {
            true => (&self.0.succeeded, &self.0.succeeded_micros),
            false => (&self.0.failed, &self.0.failed_micros),
        };
        time.fetch_add(micros, Ordering::Relaxed);
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call that was given up counts as neither; it is not under way any more.
impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_active_until_it_ends_or_is_given_up() {
        let statistics = Statistics::default();
        let say = statistics.method("say");
        let (one, other) = (say.begin(), say.begin());
        assert_eq!(statistics.method("say").active(), 2);
        one.ended(true, Duration::from_millis(3));
        drop(other);
        assert_eq!((say.active(), say.succeeded(), say.failed()), (0, 1, 0));
        assert_eq!(say.succeeded_time(), Duration::from_millis(3));
    }

    #[test]
    fn methods_beyond_a_limit_share_their_counters() {
        let statistics = Statistics::default();
        for number in 0..MOST_METHODS {
            statistics.method(&format!("m{number}"));
        }
        statistics.method("one more").begin().ended(false, Duration::ZERO);
        assert_eq!(statistics.method("and another").failed(), 1);
        assert_eq!(statistics.method("m0").failed(), 0);
    }
}
