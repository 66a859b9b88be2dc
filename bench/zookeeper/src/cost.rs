//! What a piece of work has cost: time, the processor time of the server and of the loader, and what everybody else on the
//! machine used meanwhile. Knows Linux' `/proc`, nothing of servers.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use rustix::{
    param::clock_ticks_per_second,
    time::{ClockId, clock_gettime},
};

/// Runs from [`Stopwatch::start`] to [`Stopwatch::stop`].
pub(crate) struct Stopwatch {
    process: u32,
    began: Instant,
    server: Duration,
    loader: Duration,
    machine: Duration,
}

/// What was spent between start and stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// User and system time of the server.
    pub(crate) server: Duration,
    /// User and system time of this program.
    pub(crate) loader: Duration,
    /// How many processors all others kept busy, on average.
    pub(crate) others: f64,
}

impl Stopwatch {
    /// Starts to watch the server with this process id.
    pub(crate) fn start(process: u32) -> Result<Stopwatch> {
        Ok(Stopwatch {
            process,
            machine: machine_busy()?,
            server: cpu_of(process)?,
            loader: own_cpu(),
            began: Instant::now(),
        })
    }

    /// What was spent since the start.
    pub(crate) fn stop(&self) -> Result<Spent> {
        let wall = self.began.elapsed();
        let loader = own_cpu().saturating_sub(self.loader);
        let server = cpu_of(self.process)?.saturating_sub(self.server);
        let machine = machine_busy()?.saturating_sub(self.machine);
        let others = machine.saturating_sub(loader + server);
        Ok(Spent {
            wall,
            server,
            loader,
            others: others.as_secs_f64() / wall.as_secs_f64(),
        })
    }
}

impl Spent {
    /// Microseconds of `time` for each of `count`.
    pub(crate) fn micros_each(time: Duration, count: u64) -> f64 {
        time.as_secs_f64() * 1e6 / count as f64
    }
}

/// User and system time of a process with all its threads so far.
fn cpu_of(process: u32) -> Result<Duration> {
    let path = format!("/proc/{process}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    // The name in parentheses may contain anything; the fields begin after it with the third, and 14 and 15 are wanted.
    let (_, fields) = text.rsplit_once(')').context("a stat file with a name")?;
    ticks(fields.split_whitespace().skip(11).take(2))
}

/// User and system time of this process so far.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// All time that the machine's processors were not idle since it started.
fn machine_busy() -> Result<Duration> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("an empty /proc/stat")?;
    // user nice system idle iowait irq softirq steal
    let fields = line.split_whitespace().skip(1).take(8).enumerate();
    ticks(fields.filter(|(nth, _)| *nth != 3 && *nth != 4).map(|(_, field)| field))
}

fn ticks<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Duration> {
    let mut sum = 0u64;
    for field in fields {
        sum += field.parse::<u64>()?;
    }
    Ok(Duration::from_millis(sum * 1000 / clock_ticks_per_second()))
}

/// Bytes of a process that are in memory.
pub(crate) fn resident(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let line = line.context("no `VmRSS` in the status of the server")?;
    let number = line.split_whitespace().next().context("no number after `VmRSS`")?;
    Ok(number.parse::<u64>()? * 1024)
}

/// How many processors are busy just now, over one second.
pub(crate) fn busy_now() -> Result<f64> {
    let (before, began) = (machine_busy()?, Instant::now());
    std::thread::sleep(Duration::from_secs(1));
    let busy = machine_busy()?.saturating_sub(before);
    Ok(busy.as_secs_f64() / began.elapsed().as_secs_f64())
}
