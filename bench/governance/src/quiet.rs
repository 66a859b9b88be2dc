//! Waits until the machine has nothing else to do. Knows Linux' `/proc`.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A machine on which others use less than this much of a processor is quiet.
const QUIET: f64 = 0.10;

/// Ticks of a processor in a second.
const TICKS: f64 = 100.0;

/// Waits no longer than `patience`.
pub(crate) fn wait(patience: Duration) -> Result<()> {
    let begun = Instant::now();
    let mut before = busy()?;
    while begun.elapsed() < patience {
        sleep(Duration::from_secs(1));
        let now = busy()?;
        if (now - before) / TICKS < QUIET {
            return Ok(());
        }
        before = now;
    }
    Ok(())
}

/// How long all processors together have worked, in ticks.
fn busy() -> Result<f64> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().context("no processor")?;
    let ticks: Vec<f64> = line
        .split_whitespace()
        .skip(1)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    // The fourth and fifth are time without work.
    let working = ticks.iter().enumerate().filter(|(place, _)| !matches!(place, 3 | 4));
    Ok(working.map(|(_, ticks)| ticks).sum())
}
