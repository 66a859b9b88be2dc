//! Reads what a process has cost: processor time, memory, bytes written. Knows Linux' `/proc`, not the stores.
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

/// Durations of one kind of step.
#[derive(Default)]
pub(crate) struct Spread(Vec<Duration>);

impl Spread {
    pub(crate) fn add(&mut self, taken: Duration) {
        self.0.push(taken);
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = |share: f64| {
            let place = ((sorted.len().saturating_sub(1)) as f64 * share) as usize;
            sorted.get(place).copied().unwrap_or_default().as_micros()
        };
        write!(
            f,
            "n {:>5} p50 {:>5} p99 {:>6} max {:>7} us",
            sorted.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        )
    }
}

/// User and system time of the whole process so far.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn figure(file: &str, name: &str) -> Result<u64> {
    let text = std::fs::read_to_string(file)?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .with_context(|| format!("no `{name}` in `{file}`"))?;
    let number: String = line.chars().filter(char::is_ascii_digit).collect();
    Ok(number.parse()?)
}

/// Resident memory that no file backs, which is what a store itself holds.
pub(crate) fn resident_kib() -> Result<u64> {
    figure("/proc/self/status", "RssAnon:")
}

pub(crate) fn written_bytes() -> Result<u64> {
    figure("/proc/self/io", "write_bytes:")
}

/// Bytes really allocated under a directory (sparse files count what they hold).
pub(crate) fn disk_bytes(dir: &Path) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        sum += if metadata.is_dir() {
            disk_bytes(&entry.path())?
        } else {
            metadata.blocks() * 512
        };
    }
    Ok(sum)
}
