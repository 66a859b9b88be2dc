//! The calls of the last two minutes (Dubbo's aggregates) and of the last seconds (its `qps`), forgotten piece by piece.
//!
//! Lock-free. Who comes first to a piece that is over empties it; a call that is counted into it at that moment may be lost: these are
//! numbers to look at, and the counters that only grow are beside them. Time is an argument.

use std::array;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::counters::{KINDS, Kind};

/// Ten pieces of twelve seconds, as Dubbo has them.
const PIECES: usize = 10;
const PIECE_MS: u64 = 12_000;

/// Three whole seconds, and the current one.
const SECONDS: usize = 4;
const SECOND_MS: u64 = 1_000;

/// Times are kept in four steps for each power of two, from 64 µs to more than a minute.
const STEPS: usize = 80;
const SMALLEST: u32 = 6;

/// What happened lately.
#[derive(Debug)]
pub(super) struct Recent {
    pieces: [Piece; PIECES],
    seconds: [Second; SECONDS],
}

#[derive(Debug)]
struct Piece {
    /// Which piece of time this is, one more than its number; 0 for none.
    number: AtomicU64,
    kinds: [AtomicU32; KINDS],
    sum: AtomicU64,
    min: AtomicU64,
    max: AtomicU64,
    steps: [AtomicU32; STEPS],
}

#[derive(Debug, Default)]
struct Second {
    number: AtomicU64,
    calls: AtomicU32,
}

/// The calls of the window together; times in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    kinds: [u64; KINDS],
    sum: u64,
    min: u64,
    max: u64,
    steps: [u64; STEPS],
}

impl Default for Recent {
    fn default() -> Recent {
        Recent {
            pieces: array::from_fn(|_| Piece {
                number: AtomicU64::new(0),
                kinds: Default::default(),
                sum: AtomicU64::new(0),
                min: AtomicU64::new(u64::MAX),
                max: AtomicU64::new(0),
                steps: array::from_fn(|_| AtomicU32::new(0)),
            }),
            seconds: Default::default(),
        }
    }
}

/// The number of the piece of time, one more than it is, and its place in a ring of so many.
fn piece_at(since: Duration, length_ms: u64, places: usize) -> (u64, usize) {
    let number = u64::try_from(since.as_millis()).unwrap_or(u64::MAX - 1) / length_ms;
    let place = usize::try_from(number % places as u64).unwrap_or(0);
    (number.saturating_add(1), place)
}

/// Whether the piece of that number lies within the last `places` ones.
fn is_recent(number: u64, now: u64, places: usize) -> bool {
    number != 0 && number <= now && now - number < places as u64
}

/// Makes the place that of the piece `now`; true for the one who has to empty it.
fn turn(number: &AtomicU64, now: u64) -> bool {
    let old = number.load(Ordering::Relaxed);
    old != now
        && number
            .compare_exchange(old, now, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
}

/// In which step a time is counted.
fn step_of(micros: u64) -> usize {
    let power = micros.max(1).ilog2();
    if power < SMALLEST {
        return 0;
    }
    let quarter = usize::try_from((micros >> (power - 2)) & 3).unwrap_or(0);
    let power = usize::try_from(power - SMALLEST).unwrap_or(0);
    (power * 4 + quarter).min(STEPS - 1)
}

/// The end of a step, in microseconds.
fn end_of(step: usize) -> u64 {
    let (power, quarter) = (step as u32 / 4 + SMALLEST, step as u64 % 4);
    (1_u64 << power) + (quarter + 1) * (1_u64 << (power - 2))
}

impl Recent {
    /// Counts a call that came to `kind` after so many microseconds, at that time since counting began.
    pub(super) fn add(&self, kind: Kind, micros: u64, since: Duration) {
        let (now, place) = piece_at(since, PIECE_MS, PIECES);
        if let Some(piece) = self.pieces.get(place) {
            if turn(&piece.number, now) {
                piece.empty();
            }
            piece.add(kind, micros);
        }
        let (now, place) = piece_at(since, SECOND_MS, SECONDS);
        if let Some(second) = self.seconds.get(place) {
            if turn(&second.number, now) {
                second.calls.store(0, Ordering::Relaxed);
            }
            second.calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The calls of the last two minutes before that time.
    pub(super) fn sums(&self, since: Duration) -> Sums {
        let (now, _) = piece_at(since, PIECE_MS, PIECES);
        let mut sums = Sums {
            kinds: [0; KINDS],
            sum: 0,
            min: u64::MAX,
            max: 0,
            steps: [0; STEPS],
        };
        for piece in &self.pieces {
            if is_recent(piece.number.load(Ordering::Relaxed), now, PIECES) {
                piece.add_to(&mut sums);
            }
        }
        sums
    }

    /// Calls per second, over the last three whole seconds before that time.
    pub(super) fn per_second(&self, since: Duration) -> f64 {
        let (now, _) = piece_at(since, SECOND_MS, SECONDS);
        let calls = self.seconds.iter().filter_map(|second| {
            let number = second.number.load(Ordering::Relaxed);
            (number != now && is_recent(number, now, SECONDS)).then(|| u64::from(second.calls.load(Ordering::Relaxed)))
        });
        calls.sum::<u64>() as f64 / (SECONDS - 1) as f64
    }
}

impl Piece {
    fn empty(&self) {
        self.sum.store(0, Ordering::Relaxed);
        self.min.store(u64::MAX, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
        for count in self.kinds.iter().chain(&self.steps) {
            count.store(0, Ordering::Relaxed);
        }
    }

    fn add(&self, kind: Kind, micros: u64) {
        self.sum.fetch_add(micros, Ordering::Relaxed);
        self.min.fetch_min(micros, Ordering::Relaxed);
        self.max.fetch_max(micros, Ordering::Relaxed);
        let counts = [self.kinds.get(kind as usize), self.steps.get(step_of(micros))];
        for count in counts.into_iter().flatten() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn add_to(&self, sums: &mut Sums) {
        sums.sum = sums.sum.saturating_add(self.sum.load(Ordering::Relaxed));
        sums.min = sums.min.min(self.min.load(Ordering::Relaxed));
        sums.max = sums.max.max(self.max.load(Ordering::Relaxed));
        for (sum, count) in sums.kinds.iter_mut().zip(&self.kinds) {
            *sum += u64::from(count.load(Ordering::Relaxed));
        }
        for (sum, count) in sums.steps.iter_mut().zip(&self.steps) {
            *sum += u64::from(count.load(Ordering::Relaxed));
        }
    }
}

impl Sums {
    /// How many calls there were.
    pub(super) fn calls(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// How many came to that.
    pub(super) fn of(&self, kind: Kind) -> u64 {
        self.kinds.get(kind as usize).copied().unwrap_or(0)
    }

    /// The shortest and the longest time and the mean, in microseconds; 0 without calls.
    pub(super) fn min(&self) -> u64 {
        if self.calls() == 0 { 0 } else { self.min }
    }

    /// See [`Sums::min`].
    pub(super) fn max(&self) -> u64 {
        self.max
    }

    /// See [`Sums::min`].
    pub(super) fn mean(&self) -> u64 {
        self.sum / self.calls().max(1)
    }

    /// The time that so many of a thousand calls did not exceed, in microseconds, to a quarter of a power of two.
    pub(super) fn quantile(&self, permille: u64) -> u64 {
        let calls: u64 = self.steps.iter().sum();
        let wanted = (calls * permille).div_ceil(1_000);
        let mut seen = 0;
        for (step, count) in self.steps.iter().enumerate() {
            seen += count;
            if wanted > 0 && seen >= wanted {
                return end_of(step).clamp(self.min(), self.max);
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn calls_are_forgotten_after_two_minutes() {
        let recent = Recent::default();
        for second in 0..240_u32 {
            recent.add(Kind::Succeed, 1_000, second * SECOND);
        }
        recent.add(Kind::Timeout, 9_000, 239 * SECOND);
        let sums = recent.sums(239 * SECOND);
        assert_eq!((sums.calls(), sums.of(Kind::Timeout)), (121, 1));
        assert_eq!(
            (sums.min(), sums.max(), sums.mean()),
            (1_000, 9_000, (120_000 + 9_000) / 121)
        );
        assert_eq!(recent.sums(300 * SECOND).calls(), 49);
        assert_eq!(recent.sums(3_600 * SECOND), Recent::default().sums(3_600 * SECOND));
    }

    #[test]
    fn calls_per_second_are_those_of_the_three_seconds_before() {
        let recent = Recent::default();
        for call in 0..400_u32 {
            recent.add(Kind::Succeed, 1, Duration::from_millis(u64::from(call) * 10));
        }
        assert_eq!(recent.per_second(Duration::from_millis(3_999)), 100.0);
        assert_eq!(recent.per_second(6 * SECOND), 100.0 / 3.0);
        assert_eq!(recent.per_second(9 * SECOND), 0.0);
    }

    #[test]
    fn quantiles_are_right_to_a_quarter_of_a_power_of_two() {
        let recent = Recent::default();
        for call in 1..=1_000 {
            recent.add(Kind::Succeed, call * 100, SECOND);
        }
        let sums = recent.sums(SECOND);
        for (permille, exact) in [(500, 50_000_u64), (900, 90_000), (990, 99_000)] {
            let found = sums.quantile(permille);
            assert!(found >= exact && found <= exact * 5 / 4, "{permille}: {found}");
        }
        assert_eq!(Recent::default().sums(SECOND).quantile(990), 0);
    }

    #[test]
    fn every_time_has_its_step() {
        for micros in [0, 1, 63, 64, 79, 80, 127, 128, 1_000_000, u64::MAX] {
            let step = step_of(micros);
            assert!(step < STEPS);
            let above = micros < end_of(step) || step == STEPS - 1;
            let below = step == 0 || micros >= end_of(step - 1);
            assert!(above && below, "{micros} in {step}");
        }
    }

    #[test]
    fn eight_threads_count_every_call_within_a_piece() {
        let recent = Recent::default();
        recent.add(Kind::Succeed, 1, SECOND);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..1_000).for_each(|_| recent.add(Kind::Network, 1, SECOND)));
            }
        });
        assert_eq!(recent.sums(SECOND).of(Kind::Network), 8_000);
    }
}
