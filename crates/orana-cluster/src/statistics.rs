//! What a consumer knows about calls to one provider: how many are under way, how they ended, how long they took. Counted for every call,
//! whatever filters are configured, without a lock, and kept when the provider's URL changes.

mod fortune;
mod latency;
mod recent;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ahash::HashMap;
use arc_swap::ArcSwap;

use self::fortune::Fortune;
use self::latency::Latency;
use self::recent::Recent;
pub(crate) use self::turn::Turn;
use crate::clock::EpochMillis;
use crate::filter::OutlierRecord;

/// The most methods that are told apart; the rest share one place. Names may come from outside (generic calls).
const MOST_METHODS: usize = 1024;

/// The longest name of a method that has a place of its own.
const LONGEST_NAME: usize = 256;

/// The counters of one provider.
#[derive(Debug)]
pub struct Statistics {
    record: Arc<OutlierRecord>,
    methods: ArcSwap<HashMap<Box<str>, Arc<MethodStatistics>>>,
    others: Arc<MethodStatistics>,
    /// How busy the provider's machine is, as it said last; the bits of a double, those of 0 if it never said so.
    said_load: AtomicU64,
}

/// The counters of one method of one provider. They are read one by one, so that together they may be a call apart.
#[derive(Debug, Default)]
pub struct MethodStatistics {
    active: AtomicU32,
    succeeded: AtomicU64,
    failed: AtomicU64,
    succeeded_micros: AtomicU64,
    failed_micros: AtomicU64,
    begun_at: AtomicU64,
    latency: Latency,
    fortune: Fortune,
    recent: Recent,
    turn: Turn,
}

/// A call that is under way; counted as ended when it is dropped.
#[derive(Debug)]
pub struct Begun<'a>(&'a MethodStatistics);

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics {
            record: Arc::new(OutlierRecord::new(Instant::now())),
            methods: ArcSwap::default(),
            others: Arc::default(),
            said_load: AtomicU64::default(),
        }
    }
}

impl Statistics {
    /// How it does among its neighbours.
    pub(crate) fn record(&self) -> &Arc<OutlierRecord> {
        &self.record
    }

    /// Those of a method.
    pub fn method(&self, name: &str) -> Arc<MethodStatistics> {
        if let Some(known) = self.methods.load().get(name) {
            return Arc::clone(known);
        }
        if name.len() > LONGEST_NAME {
            return Arc::clone(&self.others);
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

    /// How busy the provider's machine is, in percent, as it said in its last answer that spoke of it; `None` if none did.
    pub fn said_load(&self) -> Option<f64> {
        let load = f64::from_bits(self.said_load.load(Ordering::Relaxed));
        (load > 0.0).then_some(load)
    }

    /// Takes what the provider said of its machine. What is no number that can be meant is passed over.
    pub fn say_load(&self, load: f64) {
        if load.is_finite() && load >= 0.0 {
            // An idle machine says 0, which is something else than to say nothing.
            self.said_load
                .store(load.max(f64::MIN_POSITIVE).to_bits(), Ordering::Relaxed);
        }
    }
}

impl MethodStatistics {
    /// Counts a call that begins at `now`.
    pub fn begin(&self, now: EpochMillis) -> Begun<'_> {
        self.active.fetch_add(1, Ordering::Relaxed);
        self.begun_at.store(now.0, Ordering::Relaxed);
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

    /// When the last call began; the beginning of time if none did.
    pub fn begun_at(&self) -> EpochMillis {
        EpochMillis(self.begun_at.load(Ordering::Relaxed))
    }

    /// How long answers take of late, the newest weighing as much as all before it together; `None` before the first. Of a provider that
    /// was not heard of for `half_life` it is halved, and so on.
    pub(crate) fn latency(&self, now: EpochMillis, half_life: Duration) -> Option<Duration> {
        self.latency.at(now, half_life)
    }

    /// How long answers took on average within the last one to two of these periods.
    pub(crate) fn average(&self, now: EpochMillis, period: Duration) -> Option<Duration> {
        let totals = (self.succeeded(), self.succeeded_micros.load(Ordering::Relaxed));
        self.recent.average(totals, now, period)
    }

    /// Whether calls fail here at present, so that others are to be preferred: after the first failure for 100 ms, after each further one in a
    /// row for twice as long, and never for more than 10 s. An answer ends it.
    pub fn stands_back(&self, now: EpochMillis) -> bool {
        self.fortune.stands_back(now)
    }

    /// Its place in the round of `roundrobin`.
    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }
}

impl Begun<'_> {
    /// Counts how the call ended at `now` and how long it took.
    pub fn ended(self, succeeded: bool, took: Duration, now: EpochMillis) {
        self.0.fortune.tell(succeeded, now);
        if succeeded {
            self.0.latency.add(took, now);
        }
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

    const NOW: EpochMillis = EpochMillis(5);

    #[test]
    fn a_call_is_active_until_it_ends_or_is_given_up() {
        let statistics = Statistics::default();
        let say = statistics.method("say");
        let (one, other) = (say.begin(NOW), say.begin(NOW));
        assert_eq!(statistics.method("say").active(), 2);
        one.ended(true, Duration::from_millis(3), NOW);
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
        statistics
            .method("one more")
            .begin(NOW)
            .ended(false, Duration::ZERO, NOW);
        assert_eq!(statistics.method("and another").failed(), 1);
        assert_eq!(statistics.method("m0").failed(), 0);
    }

    #[test]
    fn an_idle_machine_has_said_so_and_a_silent_one_has_not() {
        let statistics = Statistics::default();
        assert_eq!(statistics.said_load(), None);
        statistics.say_load(f64::NAN);
        statistics.say_load(-1.0);
        assert_eq!(statistics.said_load(), None);
        statistics.say_load(0.0);
        assert!(statistics.said_load().is_some());
        statistics.say_load(73.5);
        assert_eq!(statistics.said_load(), Some(73.5));
    }
}
