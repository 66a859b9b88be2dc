//! When leases run out. Deadlines are volatile and belong to whoever leads: a sign of life only moves a number
//! in memory, and nothing of it enters the log. What a lease owns is known to the state alone.
//!
//! ```text
//!  touch ─▶ LeaseClock.touched        every sweep: touched + period ≤ now ─▶ propose Revoke
//!  the whole process slept ─▶ every deadline moves on by the pause
//! ```

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use orana_state::{LeaseId, State};
use parking_lot::Mutex;

use crate::wakes::Wakes;

/// Has taken up a lease (a connection that attached to a session).
pub trait Holder: Send + Sync + 'static {
    /// The lease is gone. Called while the state is held: it must only queue.
    fn ended(&self, wakes: &mut Wakes);
    /// Another holder has taken the lease up.
    fn displaced(&self);
}

/// The deadline of one lease; whoever holds the lease keeps it at hand to touch it without a look-up.
pub struct LeaseClock {
    epoch: Instant,
    touched_ms: AtomicI64,
    period_ms: AtomicU32,
    revoking: AtomicBool,
    holder: Mutex<Option<Weak<dyn Holder>>>,
}

impl LeaseClock {
    fn new(epoch: Instant, period_ms: u32, now: Instant) -> LeaseClock {
        LeaseClock {
            epoch,
            touched_ms: AtomicI64::new(millis(epoch, now)),
            period_ms: AtomicU32::new(period_ms),
            revoking: AtomicBool::new(false),
            holder: Mutex::new(None),
        }
    }

    /// A sign of life.
    pub fn touch(&self, now: Instant) {
        self.touched_ms.fetch_max(millis(self.epoch, now), Ordering::Relaxed);
    }

    /// Gives the lease another period, until the member restarts.
    pub fn set_period(&self, period: Duration) {
        self.period_ms.store(period.as_millis() as u32, Ordering::Relaxed);
    }

    /// True once its end was proposed: it is not given to anybody any more.
    pub fn is_revoking(&self) -> bool {
        self.revoking.load(Ordering::Acquire)
    }

    /// Makes this holder the only one; the one before is displaced.
    pub fn attach(&self, holder: Weak<dyn Holder>) {
        let before = self.holder.lock().replace(holder);
        if let Some(before) = before.and_then(|before| before.upgrade()) {
            before.displaced();
        }
    }

    fn is_over(&self, now_ms: i64) -> bool {
        self.touched_ms.load(Ordering::Relaxed) + i64::from(self.period_ms.load(Ordering::Relaxed)) <= now_ms
    }

    fn forgive(&self, pause: Duration, now_ms: i64) {
        let moved = self.touched_ms.load(Ordering::Relaxed) + pause.as_millis() as i64;
        self.touched_ms.fetch_max(moved.min(now_ms), Ordering::Relaxed);
    }
}

fn millis(epoch: Instant, now: Instant) -> i64 {
    now.saturating_duration_since(epoch).as_millis() as i64
}

/// All deadlines of a member.
pub(crate) struct LeaseClocks {
    epoch: Instant,
    clocks: Mutex<HashMap<LeaseId, Arc<LeaseClock>, ahash::RandomState>>,
}

impl LeaseClocks {
    pub(crate) fn new(epoch: Instant) -> LeaseClocks {
        LeaseClocks {
            epoch,
            clocks: Mutex::default(),
        }
    }

    /// Gives every lease of the state its full period, as after a start or a change of leadership.
    pub(crate) fn restart(&self, state: &State, now: Instant) {
        let fresh = state
            .leases()
            .map(|(id, lease)| (id, Arc::new(LeaseClock::new(self.epoch, lease.period_ms, now))));
        *self.clocks.lock() = fresh.collect();
    }

    pub(crate) fn get(&self, id: LeaseId) -> Option<Arc<LeaseClock>> {
        self.clocks.lock().get(&id).cloned()
    }

    pub(crate) fn granted(&self, id: LeaseId, period_ms: u32, now: Instant) {
        self.clocks
            .lock()
            .insert(id, Arc::new(LeaseClock::new(self.epoch, period_ms, now)));
    }

    pub(crate) fn revoked(&self, id: LeaseId, wakes: &mut Wakes) {
        let clock = self.clocks.lock().remove(&id);
        if let Some(clock) = clock {
            clock.revoking.store(true, Ordering::Release);
            let holder = clock.holder.lock().take();
            if let Some(holder) = holder.and_then(|holder| holder.upgrade()) {
                holder.ended(wakes);
            }
        }
    }

    /// The leases whose time is over, each named once, in the order of their numbers.
    pub(crate) fn run_out(&self, now: Instant) -> Vec<LeaseId> {
        let now_ms = millis(self.epoch, now);
        let clocks = self.clocks.lock();
        let over = clocks.iter().filter(|(_, clock)| clock.is_over(now_ms));
        let mut over: Vec<_> = over
            .filter(|(_, clock)| !clock.revoking.swap(true, Ordering::AcqRel))
            .map(|(id, _)| *id)
            .collect();
        over.sort_unstable();
        over
    }

    /// The end of a lease could not be proposed: it will be named again.
    pub(crate) fn reprieve(&self, id: LeaseId) {
        if let Some(clock) = self.get(id) {
            clock.revoking.store(false, Ordering::Release);
        }
    }

    /// Moves every deadline on by a time in which this process did not run.
    pub(crate) fn forgive(&self, pause: Duration, now: Instant) {
        let now_ms = millis(self.epoch, now);
        for clock in self.clocks.lock().values() {
            clock.forgive(pause, now_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks() -> (LeaseClocks, Instant) {
        let epoch = Instant::now();
        (LeaseClocks::new(epoch), epoch)
    }

    #[test]
    fn a_lease_runs_out_after_its_period_and_is_named_once() {
        let (clocks, t0) = clocks();
        clocks.granted(LeaseId(1), 4000, t0);
        clocks.granted(LeaseId(2), 4000, t0);
        clocks
            .get(LeaseId(2))
            .expect("clock")
            .touch(t0 + Duration::from_millis(1000));
        assert!(clocks.run_out(t0 + Duration::from_millis(3999)).is_empty());
        assert_eq!(clocks.run_out(t0 + Duration::from_millis(4000)), [LeaseId(1)]);
        assert!(clocks.run_out(t0 + Duration::from_millis(4500)).is_empty());
        clocks.reprieve(LeaseId(1));
        assert_eq!(
            clocks.run_out(t0 + Duration::from_millis(5000)),
            [LeaseId(1), LeaseId(2)]
        );
    }

    #[test]
    fn a_pause_of_the_process_counts_for_nobody() {
        let (clocks, t0) = clocks();
        clocks.granted(LeaseId(1), 4000, t0);
        let later = t0 + Duration::from_secs(31);
        clocks.forgive(Duration::from_secs(30), later);
        assert!(clocks.run_out(later).is_empty());
        assert_eq!(clocks.run_out(t0 + Duration::from_secs(34)), [LeaseId(1)]);
    }

    #[test]
    fn a_pause_gives_nobody_more_than_a_full_period() {
        let (clocks, t0) = clocks();
        clocks.granted(LeaseId(1), 4000, t0);
        let later = t0 + Duration::from_secs(30);
        clocks.get(LeaseId(1)).expect("clock").touch(later);
        clocks.forgive(Duration::from_secs(30), later);
        assert_eq!(clocks.run_out(later + Duration::from_secs(4)), [LeaseId(1)]);
    }
}
