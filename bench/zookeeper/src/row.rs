//! The table: each kind of work, what is read off it, and the goals.

mod creates;
mod memory;
mod reads;
mod start;
mod storm;
mod watch;

use std::time::Duration;

use anyhow::Result;

use crate::{contestant::Contestant, cost::Spent};

pub(crate) use reads::{CHILD_BYTES, CHILDREN, DATA_BYTES};
pub(crate) use watch::WATCHED;

/// Sessions of the rows that load a server fully.
const SESSIONS: usize = 16;

/// Requests that each of these sessions has under way.
const IN_FLIGHT: usize = 16;

/// A kind of work.
pub(crate) struct Row {
    /// For `--only`.
    pub(crate) name: &'static str,
    /// What is done.
    pub(crate) title: &'static str,
    /// Rounds whose figures do not count, so that compilers and caches have seen the work.
    pub(crate) warm_up: usize,
    /// Whether the null server can do it.
    pub(crate) floor: bool,
    /// What is read off.
    pub(crate) figures: &'static [Figure],
    /// Does the work once.
    pub(crate) run: fn(&mut Contestant) -> Result<Round>,
}

/// What is read off a kind of work.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) best: Best,
    pub(crate) goal: Goal,
}

/// Which of several rounds counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Best {
    Highest,
    Lowest,
}

/// What Orana's figure shall be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// It is there to explain the others.
    None,
    /// This many times the original's, or more.
    TimesOrMore(f64),
    /// This many times the original's, or less.
    TimesOrLess(f64),
    /// This, or less.
    AtMost(f64),
}

/// The figures of one round, in the row's order, and what disturbed it.
pub(crate) struct Round {
    pub(crate) figures: Vec<f64>,
    /// How many processors others kept busy.
    pub(crate) others: f64,
}

const THIRD: f64 = 1.0 / 3.0;

/// Every row, in order.
pub(crate) const ROWS: &[Row] = &[
    Row {
        name: "creates",
        title: "ephemeral creates, 16 sessions × 16 in flight, 300-byte names",
        warm_up: 3,
        floor: false,
        figures: &[
            figure("throughput", "k/s", Best::Highest, Goal::TimesOrMore(3.0)),
            figure("p50", "ms", Best::Lowest, Goal::None),
            figure("p99", "ms", Best::Lowest, Goal::TimesOrLess(THIRD)),
            figure("server CPU each", "µs", Best::Lowest, Goal::TimesOrLess(THIRD)),
            figure("loader CPU each", "µs", Best::Lowest, Goal::None),
        ],
        run: creates::run,
    },
    Row {
        name: "children",
        title: "getChildren2 of 50 × 300 bytes, 16 sessions × 16 in flight",
        warm_up: 3,
        floor: true,
        figures: &[
            figure("throughput", "k/s", Best::Highest, Goal::TimesOrMore(1.3)),
            figure("p50", "ms", Best::Lowest, Goal::None),
            figure("p99", "ms", Best::Lowest, Goal::None),
            figure("server CPU each", "µs", Best::Lowest, Goal::TimesOrLess(0.5)),
            figure("loader CPU each", "µs", Best::Lowest, Goal::None),
        ],
        run: reads::run_children,
    },
    Row {
        name: "data",
        title: "getData of 200 bytes, 16 sessions × 16 in flight",
        warm_up: 3,
        floor: true,
        figures: &[
            figure("throughput", "k/s", Best::Highest, Goal::TimesOrMore(1.5)),
            figure("p50", "ms", Best::Lowest, Goal::None),
            figure("p99", "ms", Best::Lowest, Goal::None),
            figure("server CPU each", "µs", Best::Lowest, Goal::TimesOrLess(THIRD)),
            figure("loader CPU each", "µs", Best::Lowest, Goal::None),
        ],
        run: reads::run_data,
    },
    Row {
        name: "watch",
        title: "1,000 clients watch one node",
        warm_up: 3,
        floor: true,
        figures: &[
            figure("until the last is told", "ms", Best::Lowest, Goal::TimesOrLess(0.5)),
            figure("until half are told", "ms", Best::Lowest, Goal::None),
            figure("until the first is told", "ms", Best::Lowest, Goal::None),
            figure("server CPU each", "µs", Best::Lowest, Goal::None),
            figure("loader CPU each", "µs", Best::Lowest, Goal::None),
        ],
        run: watch::run,
    },
    Row {
        name: "storm",
        title: "push storm: 20 services × 50 providers leave and come, 20 consumers re-read, 2,000-byte names",
        warm_up: 2,
        floor: false,
        figures: &[
            figure(
                "until all have seen the final lists",
                "ms",
                Best::Lowest,
                Goal::TimesOrLess(THIRD),
            ),
            figure("full reads", "", Best::Lowest, Goal::None),
            figure("bytes to consumers", "MB", Best::Lowest, Goal::TimesOrLess(0.2)),
            figure("server CPU", "ms", Best::Lowest, Goal::None),
            figure("loader CPU", "ms", Best::Lowest, Goal::None),
        ],
        run: storm::run,
    },
    Row {
        name: "memory",
        title: "100,000 persistent nodes with 2,000-byte names",
        warm_up: 0,
        floor: false,
        figures: &[
            figure("resident memory per node", "bytes", Best::Lowest, Goal::AtMost(2_600.0)),
            figure("settled after", "s", Best::Lowest, Goal::None),
        ],
        run: memory::run,
    },
    Row {
        name: "start",
        title: "start, and nothing to do",
        warm_up: 0,
        floor: false,
        figures: &[
            figure("ready, no data yet", "ms", Best::Lowest, Goal::AtMost(100.0)),
            figure("ready, second start", "ms", Best::Lowest, Goal::AtMost(100.0)),
            figure("idle memory", "MB", Best::Lowest, Goal::AtMost(15.0)),
        ],
        run: start::run,
    },
];

const fn figure(name: &'static str, unit: &'static str, best: Best, goal: Goal) -> Figure {
    Figure { name, unit, best, goal }
}

impl Best {
    /// The better of two.
    pub(crate) fn of(self, one: f64, other: f64) -> f64 {
        match self {
            Best::Highest => one.max(other),
            Best::Lowest => one.min(other),
        }
    }
}

impl Goal {
    /// Whether `ours` is as good as it shall be; `None` if that cannot be said.
    pub(crate) fn met(self, ours: f64, original: Option<f64>) -> Option<bool> {
        match self {
            Goal::None => None,
            Goal::TimesOrMore(times) => original.map(|original| ours >= original * times),
            Goal::TimesOrLess(times) => original.map(|original| ours <= original * times),
            Goal::AtMost(most) => Some(ours <= most),
        }
    }
}

/// The figures of the rows that load a server fully: throughput, p50, p99, processor time of both sides.
fn full_load(waits: &mut [Duration], spent: &Spent) -> Round {
    waits.sort_unstable();
    let count = waits.len() as u64;
    Round {
        figures: vec![
            count as f64 / spent.wall.as_secs_f64() / 1e3,
            percentile(waits, 0.50),
            percentile(waits, 0.99),
            Spent::micros_each(spent.server, count),
            Spent::micros_each(spent.loader, count),
        ],
        others: spent.others,
    }
}

/// Milliseconds that this share of the sorted waits did not exceed.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share) as usize;
    let wait = sorted.get(place).or(sorted.last()).copied().unwrap_or_default();
    wait.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_compare_with_the_original_or_with_a_number() {
        assert_eq!(Goal::TimesOrMore(3.0).met(90.0, Some(30.0)), Some(true));
        assert_eq!(Goal::TimesOrMore(3.0).met(89.0, Some(30.0)), Some(false));
        assert_eq!(Goal::TimesOrLess(0.5).met(10.0, Some(20.0)), Some(true));
        assert_eq!(Goal::TimesOrLess(0.5).met(10.0, None), None);
        assert_eq!(Goal::AtMost(100.0).met(101.0, None), Some(false));
        assert_eq!(Goal::None.met(1.0, Some(1.0)), None);
    }

    #[test]
    fn a_percentile_is_one_of_the_waits() {
        let waits: Vec<_> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(percentile(&waits, 0.50), 51.0);
        assert_eq!(percentile(&waits, 0.99), 100.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn rows_have_names_of_their_own() {
        let names: std::collections::BTreeSet<_> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ROWS.len());
    }
}
