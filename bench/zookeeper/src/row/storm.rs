//! A rolling restart of everything: the 50 providers of each of 20 services leave and come back one after the other, and
//! each of 20 consumers, which use all services, reads a directory again whenever it is told that it has changed.

use std::{
    collections::{BTreeSet, VecDeque},
    time::Instant,
};

use anyhow::{Result, bail, ensure};
use orana_wire::zookeeper::{
    OpCode, Reply as Record, Request, Stat, WatchedEvent,
    record::Reader,
    request::{PathAndVersion, PathAndWatch},
};

use super::Round;
use crate::{
    connection::Requests,
    contestant::Contestant,
    cost::Stopwatch,
    crowd::{Crowd, Reply, Script},
    name, plant,
};

const SERVICES: usize = 20;
const PROVIDERS: usize = 50;
const CONSUMERS: usize = 20;
const NAME_BYTES: usize = 2_000;
const EPHEMERAL: i32 = 1;

/// Before and after the restart, as the time stamp in the names.
const BEFORE: u64 = 1;
const AFTER: u64 = 2;

/// The connections: consumers first, then one session with the providers of each service.
const EVERYBODY: usize = CONSUMERS + SERVICES;

struct Storm {
    consumers: Vec<Consumer>,
    services: Vec<Service>,
    /// Whether providers leave and come, or the first lists are still being read.
    restarting: bool,
    full_reads: u64,
    /// Pairs of consumer and service that have seen the end.
    settled: usize,
}

/// The providers of one service.
struct Service {
    directory: String,
    /// The final names, sorted.
    names: Vec<String>,
    /// Creates and deletes that were answered.
    answered: usize,
    /// The directory's counter of changes once all is over.
    last_cversion: i32,
}

#[derive(Default)]
struct Consumer {
    /// The services of the reads under way, oldest first.
    reading: VecDeque<usize>,
    /// The services whose final list has come.
    settled: BTreeSet<usize>,
}

pub(super) fn run(contestant: &mut Contestant) -> Result<Round> {
    let server = contestant.serving()?;
    let mut storm = Storm::new();
    let directories: Vec<String> = storm.services.iter().map(|service| service.directory.clone()).collect();
    plant::nodes(server.port, &directories, b"")?;
    let mut crowd = Crowd::open(server.port, EVERYBODY)?;

    crowd.ask(CONSUMERS..EVERYBODY, |who, requests, now| {
        for provider in 0..PROVIDERS {
            let path = Storm::path(who - CONSUMERS, provider, BEFORE);
            requests.queue(&plant::request(&path, b"", EPHEMERAL), now);
        }
    })?;
    crowd.run(&mut storm)?;
    crowd.ask(0..CONSUMERS, |who, requests, now| {
        for service in 0..SERVICES {
            storm.read(who, service, requests, now);
        }
    })?;
    crowd.run(&mut storm)?;

    storm.begin();
    let received = crowd.received(0..CONSUMERS);
    let watch = Stopwatch::start(server.process())?;
    crowd.ask(CONSUMERS..EVERYBODY, |who, requests, now| {
        Storm::step(who - CONSUMERS, 0, requests, now);
    })?;
    crowd.run(&mut storm)?;
    let spent = watch.stop()?;
    let received = crowd.received(0..CONSUMERS) - received;
    crowd.close()?;
    Ok(Round {
        figures: vec![
            spent.wall.as_secs_f64() * 1e3,
            storm.full_reads as f64,
            received as f64 / 1e6,
            spent.server.as_secs_f64() * 1e3,
            spent.loader.as_secs_f64() * 1e3,
        ],
        others: spent.others,
    })
}

impl Storm {
    fn new() -> Storm {
        let service = |service| {
            let mut names: Vec<String> = (0..PROVIDERS)
                .map(|provider| name::provider(NAME_BYTES, service, provider, AFTER))
                .collect();
            names.sort();
            Service {
                directory: name::directory(service),
                names,
                answered: 0,
                last_cversion: 0,
            }
        };
        Storm {
            consumers: (0..CONSUMERS).map(|_| Consumer::default()).collect(),
            services: (0..SERVICES).map(service).collect(),
            restarting: false,
            full_reads: 0,
            settled: 0,
        }
    }

    fn begin(&mut self) {
        self.restarting = true;
        self.full_reads = 0;
        for service in &mut self.services {
            service.answered = 0;
        }
    }

    fn path(service: usize, provider: usize, started: u64) -> String {
        let name = name::provider(NAME_BYTES, service, provider, started);
        format!("{}/{name}", name::directory(service))
    }

    /// The next step of a service's restart: a provider leaves, or comes back.
    fn step(service: usize, nth: usize, requests: &mut Requests, now: Instant) {
        let provider = nth / 2;
        if nth.is_multiple_of(2) {
            let leave = PathAndVersion {
                path: Some(Self::path(service, provider, BEFORE).into()),
                version: -1,
            };
            requests.queue(&Request::Delete(leave), now);
        } else {
            let path = Self::path(service, provider, AFTER);
            requests.queue(&plant::request(&path, b"", EPHEMERAL), now);
        }
    }

    fn read(&mut self, consumer: usize, service: usize, requests: &mut Requests, now: Instant) {
        let request = PathAndWatch {
            path: Some(self.services[service].directory.as_str().into()),
            watch: true,
        };
        requests.queue(&Request::GetChildren2(request), now);
        self.consumers[consumer].reading.push_back(service);
    }

    /// A consumer has got a list.
    fn list(&mut self, consumer: usize, body: &[u8]) -> Result<()> {
        let Some(nth) = self.consumers[consumer].reading.pop_front() else {
            bail!("a list nobody asked for");
        };
        self.full_reads += 1;
        // Counting is cheap; the names are read only when they have to be right.
        let stat = body.get(body.len().saturating_sub(Stat::LEN)..).unwrap_or_default();
        let stat: Stat = Reader::new(stat).read()?;
        let service = &mut self.services[nth];
        if !self.restarting {
            ensure!(
                usize::try_from(stat.num_children)? == PROVIDERS,
                "{} providers at first",
                stat.num_children
            );
            service.last_cversion = stat.cversion + i32::try_from(2 * PROVIDERS)?;
            return Ok(());
        }
        ensure!(stat.cversion <= service.last_cversion, "more changes than were made");
        if stat.cversion == service.last_cversion {
            let Record::ChildrenStat(mut names, _) = Record::decode(OpCode::GetChildren2, body)? else {
                bail!("not a list of children");
            };
            names.sort_unstable();
            ensure!(names == service.names, "the final list is not what was registered");
            self.settled += usize::from(self.consumers[consumer].settled.insert(nth));
        }
        Ok(())
    }
}

impl Script for Storm {
    fn reply(&mut self, reply: &Reply<'_>, requests: &mut Requests) -> Result<()> {
        let Some(service) = reply.who.checked_sub(CONSUMERS) else {
            return self.list(reply.who, reply.body);
        };
        self.services[service].answered += 1;
        let answered = self.services[service].answered;
        if self.restarting && answered < 2 * PROVIDERS {
            Storm::step(service, answered, requests, reply.now);
        }
        Ok(())
    }

    fn event(&mut self, who: usize, event: &WatchedEvent<'_>, requests: &mut Requests, now: Instant) -> Result<()> {
        let same = |service: &Service| service.directory == event.path;
        let Some(service) = self.services.iter().position(same) else {
            bail!("an event of {}", event.path);
        };
        self.read(who, service, requests, now);
        Ok(())
    }

    fn done(&self) -> bool {
        if self.restarting {
            return self.settled == CONSUMERS * SERVICES;
        }
        // Either all have registered and nobody reads yet, or everything is read.
        let registered = self.services.iter().all(|service| service.answered == PROVIDERS);
        registered && self.consumers.iter().all(|consumer| consumer.reading.is_empty())
    }
}
