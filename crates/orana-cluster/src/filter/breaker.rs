//! A circuit breaker: after too many failures or slow calls it lets nothing through for a while, then a few calls to find out
//! whether that is over.
//!
//! ```text
//!   closed ──too many faulty or slow──▶ open ──time over──▶ half-open ──probes good──▶ closed
//!                                         ▲                     └──────probes bad──────▶ open
//! ```
//!
//! A state machine: time is an argument, and it knows neither what is called nor what failure means beyond a [`Verdict`]. (Dubbo has none
//! of its own; the words are those of Resilience4j.)

use std::time::{Duration, Instant};

use super::outcome::Verdict;
use super::tally::{Tally, Window};

/// When a breaker opens, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Which calls are looked at.
    pub window: Window,
    /// With fewer of them nothing is decided.
    pub minimum_calls: u32,
    /// It opens when that many of a hundred are faulty; more than 100 for never.
    pub faulty_percent: u8,
    /// It opens when that many of a hundred are slow; more than 100 for never.
    pub slow_percent: u8,
    /// A call that takes that long is slow.
    pub slow: Duration,
    /// How long it stays open.
    pub open_for: Duration,
    /// So many calls find out whether it may close.
    pub probes: u32,
}

impl Default for BreakerSettings {
    fn default() -> BreakerSettings {
        BreakerSettings {
            window: Window::Time(Duration::from_secs(10)),
            minimum_calls: 20,
            faulty_percent: 50,
            slow_percent: 101,
            slow: Duration::from_secs(60),
            open_for: Duration::from_secs(5),
            probes: 5,
        }
    }
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls pass and are counted.
    Closed,
    /// Calls are refused until then.
    Open {
        /// The first moment at which a probe may pass.
        until: Instant,
    },
    /// Some calls pass to find out.
    HalfOpen,
}

/// One circuit.
#[derive(Debug)]
pub struct Breaker {
    settings: BreakerSettings,
    state: BreakerState,
    /// The calls of the closed state.
    tally: Tally,
    /// Probes under way, and what came of those that ended.
    probing: u32,
    probed: u32,
    faulty: u32,
    slow: u32,
    /// Grows with every change of state, so that what comes of a call that began before does not count after.
    generation: u64,
}

/// A call that was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a probe's place is taken until it ends"]
pub struct Ticket {
    generation: u64,
    probe: bool,
}

impl Ticket {
    /// Of a call that met a closed breaker which had changed so often.
    pub(super) fn of_closed(generation: u64) -> Ticket {
        Ticket {
            generation,
            probe: false,
        }
    }

    /// Whether it holds the place of a probe.
    pub(super) fn is_probe(self) -> bool {
        self.probe
    }
}

impl Breaker {
    /// A closed one.
    pub fn new(settings: BreakerSettings, now: Instant) -> Breaker {
        Breaker {
            tally: Tally::new(settings.window, now),
            settings,
            state: BreakerState::Closed,
            probing: 0,
            probed: 0,
            faulty: 0,
            slow: 0,
            generation: 0,
        }
    }

    /// Where it stands. An open one whose time is over is told as open until somebody begins a call.
    pub fn state(&self) -> BreakerState {
        self.state
    }

    /// How often it has changed its state.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether a call that begins now would be let through.
    pub fn admits(&self, now: Instant) -> bool {
        match self.state {
            BreakerState::Closed => true,
            BreakerState::Open { until } => until <= now,
            BreakerState::HalfOpen => self.probing.saturating_add(self.probed) < self.settings.probes.max(1),
        }
    }

    /// Lets a call through, or does not.
    pub fn begin(&mut self, now: Instant) -> Option<Ticket> {
        if !self.admits(now) {
            return None;
        }
        if matches!(self.state, BreakerState::Open { .. }) {
            self.turn(BreakerState::HalfOpen, now);
        }
        let probe = self.state == BreakerState::HalfOpen;
        self.probing += u32::from(probe);
        Some(Ticket {
            generation: self.generation,
            probe,
        })
    }

    /// A call that was let through was given up: it says nothing, and a probe's place is free again.
    pub fn cancel(&mut self, ticket: Ticket) {
        if ticket.probe && ticket.generation == self.generation {
            self.probing = self.probing.saturating_sub(1);
        }
    }

    /// A call that was let through ended after `took`.
    pub fn end(&mut self, ticket: Ticket, verdict: Verdict, took: Duration, now: Instant) {
        if verdict == Verdict::Neutral {
            return self.cancel(ticket);
        }
        if ticket.generation != self.generation {
            return;
        }
        let (faulty, slow) = (verdict == Verdict::Faulty, took >= self.settings.slow);
        if !ticket.probe {
            let seen = self.tally.add(faulty, slow, now);
            if seen.calls >= self.settings.minimum_calls.max(1) && self.too_bad(seen.calls, seen.faulty, seen.slow) {
                self.open(now);
            }
            return;
        }
        self.probing = self.probing.saturating_sub(1);
        self.probed += 1;
        self.faulty += u32::from(faulty);
        self.slow += u32::from(slow);
        if self.probed >= self.settings.probes.max(1) {
            match self.too_bad(self.probed, self.faulty, self.slow) {
                true => self.open(now),
                false => self.turn(BreakerState::Closed, now),
            }
        }
    }

    fn too_bad(&self, calls: u32, faulty: u32, slow: u32) -> bool {
        let reaches = |part: u32, percent: u8| u64::from(part) * 100 >= u64::from(percent) * u64::from(calls);
        reaches(faulty, self.settings.faulty_percent.max(1)) || reaches(slow, self.settings.slow_percent.max(1))
    }

    fn open(&mut self, now: Instant) {
        // A time beyond all clocks is a mistake of the settings; a day is long enough.
        let until = now
            .checked_add(self.settings.open_for)
            .unwrap_or(now + Duration::from_secs(86_400));
        self.turn(BreakerState::Open { until }, now);
    }

    fn turn(&mut self, state: BreakerState, now: Instant) {
        self.state = state;
        self.generation += 1;
        (self.probing, self.probed, self.faulty, self.slow) = (0, 0, 0, 0);
        self.tally.clear(now);
    }
}

#[cfg(test)]
mod tests;
