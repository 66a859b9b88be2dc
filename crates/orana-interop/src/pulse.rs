//! A client that does nothing but ping, to see whether it notices what others do to the server. Beside it another one
//! writes now and then to a node that is not there, so that whatever keeps writes waiting keeps pings waiting as well.

use std::{
    fmt, fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use orana_wire::zookeeper::Request;

use crate::{asks, raw::RawClient, subject::Subject};

/// Between two pings.
const INTERVAL: Duration = Duration::from_millis(5);
/// The longest that a ping may take while others misbehave.
pub const BOUND: Duration = Duration::from_millis(200);
/// A machine that gives others no more than this part of its time is quiet.
const QUIET: f64 = 0.25;

/// The client, until [`stop`](Pulse::stop).
#[derive(Debug)]
pub struct Pulse {
    stopped: Arc<AtomicBool>,
    pings: JoinHandle<Result<(usize, Duration)>>,
    writes: JoinHandle<Result<Duration>>,
    sleeps: JoinHandle<Duration>,
    before: Spent,
    server: u32,
}

/// What it felt.
#[derive(Debug, Clone, Copy)]
pub struct Beat {
    /// How many pings were answered.
    pub pings: usize,
    /// The longest time until an answer.
    pub worst: Duration,
    /// The longest time until a write was answered.
    pub worst_write: Duration,
    /// How much longer than it asked for a thread of the test slept at worst: what the machine itself adds.
    pub noise: Duration,
    /// Which part of the machine's time went to others than the server and the test.
    pub foreign: f64,
}

/// Processor time in ticks, as the kernel counts it.
#[derive(Debug, Clone, Copy)]
struct Spent {
    /// All there was, idle or not.
    total: u64,
    /// What was not idle.
    busy: u64,
    /// What the server and this test used.
    ours: u64,
}

impl Spent {
    fn now(server: u32) -> Result<Spent> {
        let text = fs::read_to_string("/proc/stat")?;
        let line = text.lines().next().context("/proc/stat is empty")?;
        let numbers = line.split_whitespace().skip(1).take(8).map(str::parse);
        let numbers = numbers.collect::<Result<Vec<u64>, _>>()?;
        let total = numbers.iter().sum();
        let idle: u64 = numbers.iter().skip(3).take(2).sum();
        let ours = used(server)? + used(std::process::id())?;
        Ok(Spent {
            total,
            busy: total - idle,
            ours,
        })
    }

    fn foreign_since(self, before: Spent) -> f64 {
        let busy = (self.busy - before.busy).saturating_sub(self.ours - before.ours);
        busy as f64 / (self.total - before.total).max(1) as f64
    }
}

/// User and system time of a process.
fn used(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name before the last parenthesis can hold spaces.
    let (_, fields) = text.rsplit_once(')').context("no name")?;
    let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(times.collect::<Result<Vec<_>, _>>()?.iter().sum())
}

impl Pulse {
    /// Connects to the server and begins.
    pub fn start(server: &mut Subject) -> Result<Pulse> {
        let (port, server) = (server.port(), server.process()?.id());
        let before = Spent::now(server)?;
        let mut client = RawClient::connect(port, 10_000)?;
        let stopped = Arc::new(AtomicBool::new(false));
        let mut writer = RawClient::connect(port, 10_000)?;
        let [stop, stop_writes, stop_sleeps] = [&stopped; 3].map(Arc::clone);
        let pings = thread::spawn(move || {
            let (mut pings, mut worst) = (0, Duration::ZERO);
            while !stop.load(Ordering::Relaxed) {
                let start = Instant::now();
                let answer = client.call(&Request::Ping);
                answer.with_context(|| format!("the pinging client is disturbed after {pings} pings"))?;
                worst = worst.max(start.elapsed());
                pings += 1;
                thread::sleep(INTERVAL);
            }
            client.close()?;
            Ok((pings, worst))
        });
        let writes = thread::spawn(move || {
            let mut worst = Duration::ZERO;
            while !stop_writes.load(Ordering::Relaxed) {
                let start = Instant::now();
                let answer = writer.call(&asks::set("/nobody-has-this", b""));
                answer.context("the client that writes beside the pinging one is disturbed")?;
                worst = worst.max(start.elapsed());
                thread::sleep(4 * INTERVAL);
            }
            writer.close()?;
            Ok(worst)
        });
        let sleeps = thread::spawn(move || {
            let mut worst = Duration::ZERO;
            while !stop_sleeps.load(Ordering::Relaxed) {
                let start = Instant::now();
                thread::sleep(INTERVAL);
                worst = worst.max(start.elapsed().saturating_sub(INTERVAL));
            }
            worst
        });
        Ok(Pulse {
            stopped,
            pings,
            writes,
            sleeps,
            before,
            server,
        })
    }

    /// Ends it and says what it felt.
    pub fn stop(self) -> Result<Beat> {
        self.stopped.store(true, Ordering::Relaxed);
        let (pings, worst) = self.pings.join().map_err(|_| anyhow!("the pinging thread broke"))??;
        let worst_write = self.writes.join().map_err(|_| anyhow!("the writing thread broke"))??;
        let noise = self.sleeps.join().map_err(|_| anyhow!("the sleeping thread broke"))?;
        let foreign = Spent::now(self.server)?.foreign_since(self.before);
        Ok(Beat {
            pings,
            worst,
            worst_write,
            noise,
            foreign,
        })
    }

    /// Ends it; an error if a ping took longer than [`Beat::allowed`].
    pub fn undisturbed(self) -> Result<Beat> {
        let beat = self.stop()?;
        ensure!(
            beat.worst <= beat.allowed(),
            "another client was disturbed: {beat}; allowed is {:.0?}",
            beat.allowed()
        );
        Ok(beat)
    }
}

impl Beat {
    /// True if the server and the test had the machine nearly to themselves.
    pub fn is_quiet(&self) -> bool {
        self.foreign <= QUIET
    }

    /// The longest that a ping may have taken: [`BOUND`] as it is on a quiet machine. Elsewhere what the machine adds
    /// counts, too: a server that gets half of the machine needs twice the time.
    pub fn allowed(&self) -> Duration {
        if self.is_quiet() {
            BOUND
        } else {
            BOUND.div_f64((1.0 - self.foreign).max(0.2)) + self.noise
        }
    }
}

impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Beat {
            pings,
            worst,
            worst_write,
            noise,
            foreign,
        } = self;
        let bound = if self.is_quiet() { "as it is" } else { "scaled" };
        let foreign = foreign * 100.0;
        write!(
            f,
            "{pings} pings, the slowest {worst:.1?} (the bound of {BOUND:?} holds {bound}), the slowest write \
             {worst_write:.1?}, on a machine that oversleeps {noise:.1?} and gives {foreign:.0} % of its time to others"
        )
    }
}
