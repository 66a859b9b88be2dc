//! How many calls a provider should have under way at a time, learned from how long they take.
//!
//! As long as calls take about as long as they do when there are few, more may come; when they take longer, they wait for one another, and
//! less are better. A function of windows of calls: no clock, no chance, no lock.

use std::collections::VecDeque;
use std::time::Duration;

/// Bounds and beginnings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GradientSettings {
    pub(super) initial: u32,
    pub(super) least: u32,
    pub(super) most: u32,
    /// So much longer than the shortest time is still no sign of waiting.
    pub(super) tolerance: f64,
}

/// What dubbo-go begins with and ends at.
impl Default for GradientSettings {
    fn default() -> GradientSettings {
        GradientSettings {
            initial: 50,
            least: 4,
            most: 500,
            tolerance: 1.5,
        }
    }
}

/// The calls that ended within one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallWindow {
    pub(super) calls: u64,
    /// Those without an answer in time.
    pub(super) faulty: u64,
    pub(super) mean: Duration,
    /// How many were under way at the most.
    pub(super) highest: u32,
}

/// Windows whose shortest mean counts as the time without waiting.
const REMEMBERED: usize = 64;

/// After so many windows under load one is spent with half of the limit, to see how long calls take without waiting. Without it a
/// provider that is never idle would take the waiting for the work.
const PROBE_EVERY: u32 = 20;

/// How much of a new value is taken at once.
const SMOOTHING: f64 = 0.2;

/// The learner.
#[derive(Debug)]
pub(super) struct Gradient {
    settings: GradientSettings,
    limit: f64,
    means: VecDeque<Duration>,
    since_probe: u32,
    probing: bool,
}

impl Gradient {
    pub(super) fn new(settings: GradientSettings) -> Gradient {
        Gradient {
            settings,
            limit: f64::from(settings.initial),
            means: VecDeque::with_capacity(REMEMBERED),
            since_probe: 0,
            probing: false,
        }
    }

    /// The limit that is to hold from now on, after a window of calls.
    pub(super) fn next(&mut self, window: &CallWindow) -> u32 {
        if window.calls == 0 {
            return self.in_force();
        }
        if self.means.len() >= REMEMBERED {
            self.means.pop_front();
        }
        self.means.push_back(window.mean);
        let loaded = u64::from(window.highest) * 2 >= u64::from(self.in_force());
        if std::mem::take(&mut self.probing) {
            // The window was spent with half of the limit: it says how long calls take, and nothing of the limit.
            self.since_probe = 0;
            return self.in_force();
        }
        self.limit = self.learned(window, loaded);
        self.since_probe = if loaded { self.since_probe + 1 } else { 0 };
        self.probing = self.since_probe >= PROBE_EVERY;
        self.in_force()
    }

    fn learned(&self, window: &CallWindow, loaded: bool) -> f64 {
        let (least, most) = (f64::from(self.settings.least), f64::from(self.settings.most));
        let candidate = if window.faulty * 10 >= window.calls {
            self.limit * 0.5
        } else {
            let shortest = self.means.iter().min().copied().unwrap_or(window.mean).as_secs_f64();
            let mean = window.mean.as_secs_f64().max(1e-9);
            let gradient = (self.settings.tolerance * shortest / mean).clamp(0.5, 1.0);
            // The root leaves room to grow, in proportion much where there is little.
            self.limit * gradient + self.limit.sqrt()
        };
        if candidate > self.limit && !loaded {
            // Who does not use what is allowed proves nothing about more.
            return self.limit;
        }
        (self.limit * (1.0 - SMOOTHING) + candidate * SMOOTHING).clamp(least, most)
    }

    fn in_force(&self) -> u32 {
        let limit = if self.probing { self.limit / 2.0 } else { self.limit };
        (limit.round() as u32).clamp(self.settings.least, self.settings.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: f64 = 0.010;

    /// A provider that performs `capacity` calls at a time, each in ten milliseconds; what is more waits. `wanted` are offered.
    fn window(limit: u32, capacity: u32, wanted: u32) -> CallWindow {
        let under_way = limit.min(wanted);
        let mean = BASE * f64::from(under_way.max(capacity)) / f64::from(capacity);
        CallWindow {
            calls: 1_000,
            faulty: 0,
            mean: Duration::from_secs_f64(mean),
            highest: under_way,
        }
    }

    fn run(gradient: &mut Gradient, windows: u32, capacity: u32, wanted: u32) -> Vec<u32> {
        let mut limit = gradient.in_force();
        (0..windows)
            .map(|_| {
                limit = gradient.next(&window(limit, capacity, wanted));
                limit
            })
            .collect()
    }

    #[test]
    fn under_overload_it_finds_the_capacity_and_stays_there() {
        for capacity in [8, 40, 150] {
            let mut gradient = Gradient::new(GradientSettings::default());
            // Idle times come first, as at any start.
            run(&mut gradient, 5, capacity, 1);
            let limits = run(&mut gradient, 2_000, capacity, 10_000);
            let settled = &limits[500..];
            let (low, high) = (settled.iter().min().unwrap(), settled.iter().max().unwrap());
            assert!(*low >= capacity * 3 / 4, "{capacity}: {low} is too few");
            assert!(*high <= capacity * 3, "{capacity}: {high} is too many");
        }
    }

    #[test]
    fn a_limit_that_is_not_used_does_not_grow() {
        let mut gradient = Gradient::new(GradientSettings::default());
        let limits = run(&mut gradient, 200, 1_000, 10);
        assert!(limits.iter().all(|limit| *limit == 50), "{limits:?}");
    }

    #[test]
    fn with_room_it_grows_to_the_bound_and_not_beyond() {
        let mut gradient = Gradient::new(GradientSettings::default());
        let limits = run(&mut gradient, 500, 10_000, 10_000);
        assert_eq!(limits.iter().max(), Some(&500));
    }

    #[test]
    fn calls_without_an_answer_in_time_shrink_it_to_the_least_and_not_below() {
        let mut gradient = Gradient::new(GradientSettings::default());
        let mut bad = window(50, 1_000, 50);
        bad.faulty = 100;
        let limits: Vec<_> = (0..100).map(|_| gradient.next(&bad)).collect();
        assert!(limits[0] < 50);
        assert_eq!(limits.last(), Some(&4));
    }

    #[test]
    fn a_window_without_calls_changes_nothing() {
        let mut gradient = Gradient::new(GradientSettings::default());
        let empty = CallWindow {
            calls: 0,
            ..window(50, 10, 10)
        };
        assert_eq!(gradient.next(&empty), 50);
    }
}
