//! What came of the latest calls: the last so many of them, or those of the last so many seconds.
//!
//! Counting one takes constant time and no memory. Time is an argument.

use std::time::{Duration, Instant};

/// The most calls that a window by number holds.
const MOST_CALLS: u32 = 10_000;

/// A window by time moves on in steps of a tenth.
const STEPS: u32 = 10;

/// Which calls are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The last so many, at most 10,000.
    Calls(u32),
    /// Those of so much time, to a tenth of it.
    Time(Duration),
}

/// Calls by what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) calls: u32,
    pub(super) faulty: u32,
    pub(super) slow: u32,
}

/// The calls of a window.
#[derive(Debug)]
pub(super) struct Tally {
    /// Of all pieces together.
    sum: Seen,
    /// A call each, or a tenth of the time each.
    pieces: Box<[Seen]>,
    /// The piece that is written next, or the one of the current step.
    at: usize,
    /// How long a piece is, and when the current one began; none if pieces are calls.
    step: Option<(Duration, Instant)>,
}

impl Seen {
    fn add(&mut self, more: Seen) {
        self.calls = self.calls.saturating_add(more.calls);
        self.faulty = self.faulty.saturating_add(more.faulty);
        self.slow = self.slow.saturating_add(more.slow);
    }

    fn remove(&mut self, less: Seen) {
        self.calls = self.calls.saturating_sub(less.calls);
        self.faulty = self.faulty.saturating_sub(less.faulty);
        self.slow = self.slow.saturating_sub(less.slow);
    }
}

impl Tally {
    pub(super) fn new(window: Window, now: Instant) -> Tally {
        let (pieces, step) = match window {
            Window::Calls(calls) => (calls.clamp(1, MOST_CALLS), None),
            Window::Time(time) => (STEPS, Some(((time / STEPS).max(Duration::from_millis(1)), now))),
        };
        Tally {
            sum: Seen::default(),
            pieces: (0..pieces).map(|_| Seen::default()).collect(),
            at: 0,
            step,
        }
    }

    /// Counts a call that ended now; gives what the window holds with it.
    pub(super) fn add(&mut self, faulty: bool, slow: bool, now: Instant) -> Seen {
        let one = Seen {
            calls: 1,
            faulty: faulty.into(),
            slow: slow.into(),
        };
        match self.step {
            None => self.put(one),
            Some((step, began)) => {
                self.move_on(step, began, now);
                if let Some(piece) = self.pieces.get_mut(self.at) {
                    piece.add(one);
                }
                self.sum.add(one);
            }
        }
        self.sum
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self, now: Instant) {
        self.pieces.fill(Seen::default());
        self.sum = Seen::default();
        self.at = 0;
        if let Some((_, began)) = &mut self.step {
            *began = now;
        }
    }

    /// Puts a piece in the place of the oldest one.
    fn put(&mut self, piece: Seen) {
        if let Some(place) = self.pieces.get_mut(self.at) {
            let oldest = std::mem::replace(place, piece);
            self.sum.remove(oldest);
            self.sum.add(piece);
        }
        self.at = (self.at + 1) % self.pieces.len().max(1);
    }

    /// Drops the steps that are over.
    fn move_on(&mut self, step: Duration, began: Instant, now: Instant) {
        let over = now.saturating_duration_since(began).as_nanos() / step.as_nanos().max(1);
        if over >= u128::from(STEPS) {
            return self.clear(now);
        }
        // Less than ten.
        for _ in 0..over {
            self.at = (self.at + 1) % self.pieces.len().max(1);
            if let Some(place) = self.pieces.get_mut(self.at) {
                let oldest = std::mem::take(place);
                self.sum.remove(oldest);
            }
        }
        let passed = step.saturating_mul(u32::try_from(over).unwrap_or(STEPS));
        self.step = Some((step, began.checked_add(passed).unwrap_or(now)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(calls: u32, faulty: u32, slow: u32) -> Seen {
        Seen { calls, faulty, slow }
    }

    #[test]
    fn a_window_by_number_holds_the_last_calls() {
        let now = Instant::now();
        let mut tally = Tally::new(Window::Calls(3), now);
        assert_eq!(tally.add(true, false, now), seen(1, 1, 0));
        assert_eq!(tally.add(false, true, now), seen(2, 1, 1));
        assert_eq!(tally.add(true, true, now), seen(3, 2, 2));
        assert_eq!(tally.add(false, false, now), seen(3, 1, 2), "the first is gone");
    }

    #[test]
    fn a_window_by_time_drops_a_tenth_at_a_time() {
        let start = Instant::now();
        let mut tally = Tally::new(Window::Time(Duration::from_secs(10)), start);
        let at = |millis| start + Duration::from_millis(millis);
        for second in 0..10 {
            assert_eq!(tally.add(true, false, at(second * 1_000)).calls, second as u32 + 1);
        }
        assert_eq!(tally.add(false, false, at(9_999)), seen(11, 10, 0));
        assert_eq!(tally.add(false, false, at(10_000)), seen(11, 9, 0));
        assert_eq!(tally.add(false, false, at(12_500)), seen(10, 7, 0));
        assert_eq!(tally.add(false, true, at(60_000)), seen(1, 0, 1));
        assert_eq!(tally.add(false, false, at(59_000)), seen(2, 0, 1), "a time read late");
    }
}
