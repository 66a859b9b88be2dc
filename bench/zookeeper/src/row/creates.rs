//! Providers register: ephemeral nodes in the directories of 20 services, always so many requests under way.

use std::time::{Duration, Instant};

use anyhow::Result;
use orana_wire::zookeeper::WatchedEvent;

use super::{IN_FLIGHT, Round, SESSIONS, full_load};
use crate::{
    connection::Requests,
    contestant::Contestant,
    cost::Stopwatch,
    crowd::{Crowd, Reply, Script},
    name, plant,
};

const NAME_BYTES: usize = 300;
const SERVICES: usize = 20;
const PER_SESSION: usize = 6_000;

/// A provider's node holds its address.
const DATA: &[u8] = b"10.20.30.40";

const EPHEMERAL: i32 = 1;

struct Creates {
    /// How many each session has asked for.
    asked: Vec<usize>,
    waits: Vec<Duration>,
}

pub(super) fn run(contestant: &mut Contestant) -> Result<Round> {
    let server = contestant.serving()?;
    let directories: Vec<String> = (0..SERVICES).map(name::directory).collect();
    plant::nodes(server.port, &directories, b"")?;
    let mut crowd = Crowd::open(server.port, SESSIONS)?;
    let mut script = Creates {
        asked: vec![0; SESSIONS],
        waits: Vec::with_capacity(SESSIONS * PER_SESSION),
    };
    let watch = Stopwatch::start(server.process())?;
    crowd.ask(0..SESSIONS, |who, requests, now| {
        for _ in 0..IN_FLIGHT {
            script.ask(who, requests, now);
        }
    })?;
    crowd.run(&mut script)?;
    let spent = watch.stop()?;
    crowd.close()?;
    Ok(full_load(&mut script.waits, &spent))
}

impl Creates {
    fn ask(&mut self, who: usize, requests: &mut Requests, now: Instant) {
        let nth = self.asked[who];
        if nth == PER_SESSION {
            return;
        }
        self.asked[who] += 1;
        let service = nth % SERVICES;
        let provider = name::provider(NAME_BYTES, service, who * PER_SESSION + nth, 0);
        let path = format!("{}/{provider}", name::directory(service));
        requests.queue(&plant::request(&path, DATA, EPHEMERAL), now);
    }
}

impl Script for Creates {
    fn reply(&mut self, reply: &Reply<'_>, requests: &mut Requests) -> Result<()> {
        self.waits.push(reply.now - reply.asked);
        self.ask(reply.who, requests, reply.now);
        Ok(())
    }

    fn event(&mut self, _: usize, _: &WatchedEvent<'_>, _: &mut Requests, _: Instant) -> Result<()> {
        anyhow::bail!("an event nobody asked for")
    }

    fn done(&self) -> bool {
        self.waits.len() == SESSIONS * PER_SESSION
    }
}
