//! What a node costs in memory: what is resident after so many were created, less what was before.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use orana_wire::zookeeper::WatchedEvent;

use super::Round;
use crate::{
    connection::Requests,
    contestant::Contestant,
    cost::{Stopwatch, resident},
    crowd::{Crowd, Reply, Script},
    name, plant,
};

const NODES: usize = 100_000;
const NAME_BYTES: usize = 2_000;
const PER_SERVICE: usize = 100;

const SESSIONS: usize = 4;
const IN_FLIGHT: usize = 64;

/// Memory counts as settled once it has not changed by more than a hundredth for this long.
const STEADY: Duration = Duration::from_secs(4);

/// What it has after this long it will keep.
const PATIENCE: Duration = Duration::from_secs(40);

#[derive(Default)]
struct Fill {
    asked: usize,
    answered: usize,
}

pub(super) fn run(contestant: &mut Contestant) -> Result<Round> {
    let server = contestant.fresh()?;
    let directories: Vec<String> = (0..NODES / PER_SERVICE).map(name::directory).collect();
    plant::nodes(server.port, &directories, b"")?;
    let (before, _) = settled(server.process())?;
    let mut crowd = Crowd::open(server.port, SESSIONS)?;
    let mut script = Fill::default();
    let watch = Stopwatch::start(server.process())?;
    crowd.ask(0..SESSIONS, |_, requests, now| {
        for _ in 0..IN_FLIGHT {
            script.ask(requests, now);
        }
    })?;
    crowd.run(&mut script)?;
    let spent = watch.stop()?;
    crowd.close()?;
    let (after, time) = settled(server.process())?;
    Ok(Round {
        figures: vec![after.saturating_sub(before) as f64 / NODES as f64, time.as_secs_f64()],
        others: spent.others,
    })
}

/// Resident bytes once they have settled, and how long that took.
fn settled(process: u32) -> Result<(u64, Duration)> {
    let began = Instant::now();
    let mut level = resident(process)?;
    let mut since = Instant::now();
    while since.elapsed() < STEADY && began.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(200));
        let now = resident(process)?;
        if now.abs_diff(level) > level / 100 {
            level = now;
            since = Instant::now();
        }
    }
    Ok((resident(process)?, since - began))
}

impl Fill {
    fn ask(&mut self, requests: &mut Requests, now: Instant) {
        if self.asked == NODES {
            return;
        }
        let (service, provider) = (self.asked / PER_SERVICE, self.asked % PER_SERVICE);
        self.asked += 1;
        let name = name::provider(NAME_BYTES, service, provider, 0);
        let path = format!("{}/{name}", name::directory(service));
        requests.queue(&plant::request(&path, b"", 0), now);
    }
}

impl Script for Fill {
    fn reply(&mut self, reply: &Reply<'_>, requests: &mut Requests) -> Result<()> {
        self.answered += 1;
        self.ask(requests, reply.now);
        Ok(())
    }

    fn event(&mut self, _: usize, _: &WatchedEvent<'_>, _: &mut Requests, _: Instant) -> Result<()> {
        bail!("an event nobody asked for")
    }

    fn done(&self) -> bool {
        self.answered == NODES
    }
}
