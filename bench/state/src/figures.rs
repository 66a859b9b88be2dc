//! Durations and memory as numbers to print. Knows Linux' `/proc`, not the state.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Durations of one kind of step, in nanoseconds.
#[derive(Default)]
pub(crate) struct Spread {
    wall: Vec<u64>,
    /// The most that one step took of this thread's own time: what the scheduler does to us is not in it.
    own: Duration,
}

impl Spread {
    pub(crate) fn with_capacity(steps: usize) -> Spread {
        Spread {
            wall: Vec::with_capacity(steps),
            own: Duration::ZERO,
        }
    }

    /// Runs a step and keeps how long it took.
    pub(crate) fn time<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = step();
        self.wall.push(begun.elapsed().as_nanos() as u64);
        result
    }

    /// The same, and looks at the thread's own time too, which costs more than most steps.
    pub(crate) fn time_own<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let begun = thread_time();
        let result = self.time(step);
        self.own = self.own.max(thread_time() - begun);
        result
    }
}

/// Processor time of this thread so far.
pub(crate) fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.wall.clone();
        sorted.sort_unstable();
        let micros = |nanos: u64| nanos as f64 / 1000.0;
        let at = |share: f64| {
            let place = (sorted.len().saturating_sub(1) as f64 * share) as usize;
            micros(sorted.get(place).copied().unwrap_or_default())
        };
        write!(
            f,
            "p50 {:>7.2}  p99 {:>7.2}  p99.99 {:>9.2}  max {:>9.2} us",
            at(0.5),
            at(0.99),
            at(0.9999),
            at(1.0)
        )?;
        if self.own > Duration::ZERO {
            write!(f, "  own max {:>9.2} us", micros(self.own.as_nanos() as u64))?;
        }
        write!(f, "  (n {})", sorted.len())
    }
}

pub(crate) fn milliseconds(taken: Duration) -> String {
    format!("{:.2} ms", taken.as_secs_f64() * 1000.0)
}

fn kib(name: &str) -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.with_context(|| format!("no `{name}` in /proc/self/status"))?;
    let number: String = line.chars().filter(char::is_ascii_digit).collect();
    Ok(number.parse()?)
}

/// Bytes of resident memory that no file backs.
pub(crate) fn resident() -> Result<u64> {
    Ok(kib("RssAnon:")? * 1024)
}

/// The most bytes that were ever resident.
pub(crate) fn peak() -> Result<u64> {
    Ok(kib("VmHWM:")? * 1024)
}
