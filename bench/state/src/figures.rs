//! Durations and memory as numbers to print. Knows Linux' `/proc`, not the state.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Durations of one kind of step, in nanoseconds.
#[derive(Default)]
pub(crate) struct Spread(Vec<u64>);

impl Spread {
    pub(crate) fn with_capacity(steps: usize) -> Spread {
        Spread(Vec::with_capacity(steps))
    }

    /// Runs a step and keeps how long it took.
    pub(crate) fn time<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = step();
        self.0.push(begun.elapsed().as_nanos() as u64);
        result
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |share: f64| {
            let place = (sorted.len().saturating_sub(1) as f64 * share) as usize;
            sorted.get(place).copied().unwrap_or_default() as f64 / 1000.0
        };
        let mean = sorted.iter().sum::<u64>() as f64 / sorted.len().max(1) as f64 / 1000.0;
        write!(
            f,
            "mean {mean:>8.2}  p50 {:>8.2}  p99 {:>8.2}  p99.99 {:>8.2}  max {:>9.2} us  (n {})",
            at(0.5),
            at(0.99),
            at(0.9999),
            at(1.0),
            sorted.len()
        )
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
