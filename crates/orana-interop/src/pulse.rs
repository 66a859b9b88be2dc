//! A client that does nothing but ping, to see whether it notices what others do to the server. Beside it another one
//! writes now and then to a node that is not there, so that whatever keeps writes waiting keeps pings waiting as well.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use orana_wire::zookeeper::Request;

use crate::{asks, raw::RawClient};

/// Between two pings.
const INTERVAL: Duration = Duration::from_millis(5);
/// The longest that a ping may take while others misbehave.
pub const BOUND: Duration = Duration::from_millis(200);

/// The client, until [`stop`](Pulse::stop).
#[derive(Debug)]
pub struct Pulse {
    stopped: Arc<AtomicBool>,
    pings: JoinHandle<Result<(usize, Duration)>>,
    writes: JoinHandle<Result<Duration>>,
    sleeps: JoinHandle<Duration>,
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
}

impl Pulse {
    /// Connects and begins.
    pub fn start(port: u16) -> Result<Pulse> {
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
        })
    }

    /// Ends it and says what it felt.
    pub fn stop(self) -> Result<Beat> {
        self.stopped.store(true, Ordering::Relaxed);
        let (pings, worst) = self.pings.join().map_err(|_| anyhow!("the pinging thread broke"))??;
        let worst_write = self.writes.join().map_err(|_| anyhow!("the writing thread broke"))??;
        let noise = self.sleeps.join().map_err(|_| anyhow!("the sleeping thread broke"))?;
        Ok(Beat {
            pings,
            worst,
            worst_write,
            noise,
        })
    }

    /// Ends it; an error if a ping took longer than [`BOUND`] and what the machine adds.
    pub fn undisturbed(self) -> Result<Beat> {
        let beat = self.stop()?;
        ensure!(
            beat.worst <= BOUND + beat.noise,
            "another client was disturbed: {beat}; allowed is {BOUND:?}"
        );
        Ok(beat)
    }
}

impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Beat {
            pings,
            worst,
            worst_write,
            noise,
        } = self;
        write!(
            f,
            "{pings} pings, the slowest {worst:.1?}, the slowest write {worst_write:.1?}, on a machine that oversleeps {noise:.1?}"
        )
    }
}
