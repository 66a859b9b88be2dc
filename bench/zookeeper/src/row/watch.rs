//! A change that a thousand clients wait for.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use orana_wire::zookeeper::{
    EventKind, Request, WatchedEvent,
    request::{PathAndWatch, SetData},
};

use super::{Round, percentile};
use crate::{
    connection::Requests,
    contestant::{Contestant, Product},
    cost::{Spent, Stopwatch},
    crowd::{Crowd, Reply, Script},
    plant,
};

/// The node that all watch.
pub(crate) const WATCHED: &str = "/dubbo/config/dubbo/bench.condition-router";

const CLIENTS: usize = 1_000;

/// Changes in a round; the middle one of the times counts.
const CHANGES: usize = 11;

/// A thousand clients on a thousand machines cost each other nothing; see [`Crowd::napping`].
const NAP: Duration = Duration::from_micros(50);

/// Expects so many replies and events.
#[derive(Default)]
struct Told {
    replies: usize,
    events: Vec<Instant>,
    expect_replies: usize,
    expect_events: usize,
}

pub(super) fn run(contestant: &mut Contestant) -> Result<Round> {
    let product = contestant.product();
    let server = contestant.serving()?;
    if product != Product::Null {
        plant::nodes(server.port, &[WATCHED.to_owned()], b"0")?;
    }
    // The last one writes.
    let mut crowd = Crowd::open(server.port, CLIENTS + 1)?.napping(NAP);
    let (mut last, mut half, mut first) = (Vec::new(), Vec::new(), Vec::new());
    let (mut server_time, mut loader_time) = (Duration::ZERO, Duration::ZERO);
    let round = Stopwatch::start(server.process())?;
    for change in 0..CHANGES {
        crowd.ask(0..CLIENTS, |_, requests, now| requests.queue(&read(), now))?;
        crowd.run(&mut Told {
            expect_replies: CLIENTS,
            ..Told::default()
        })?;
        let mut told = Told {
            expect_replies: 1,
            expect_events: CLIENTS,
            ..Told::default()
        };
        let data = change.to_string();
        let watch = Stopwatch::start(server.process())?;
        let began = Instant::now();
        crowd.ask(CLIENTS..CLIENTS + 1, |_, requests, now| {
            requests.queue(&write(data.as_bytes()), now);
        })?;
        crowd.run(&mut told)?;
        let spent = watch.stop()?;
        let times: Vec<Duration> = told.events.iter().map(|at| *at - began).collect();
        first.extend(times.first());
        half.extend(times.get(CLIENTS / 2));
        last.extend(times.last());
        server_time += spent.server;
        loader_time += spent.loader;
    }
    // A single change is too short for the kernel's accounts.
    let others = round.stop()?.others;
    crowd.close()?;
    last.sort_unstable();
    half.sort_unstable();
    first.sort_unstable();
    let told = (CLIENTS * CHANGES) as u64;
    Ok(Round {
        figures: vec![
            percentile(&last, 0.5),
            percentile(&half, 0.5),
            percentile(&first, 0.5),
            Spent::micros_each(server_time, told),
            Spent::micros_each(loader_time, told),
        ],
        others,
    })
}

fn read() -> Request<'static> {
    Request::GetData(PathAndWatch {
        path: Some(WATCHED.into()),
        watch: true,
    })
}

fn write(data: &[u8]) -> Request<'_> {
    Request::SetData(SetData {
        path: Some(WATCHED.into()),
        data: Some(data),
        version: -1,
    })
}

impl Script for Told {
    fn reply(&mut self, _: &Reply<'_>, _: &mut Requests) -> Result<()> {
        self.replies += 1;
        Ok(())
    }

    fn event(&mut self, _: usize, event: &WatchedEvent<'_>, _: &mut Requests, now: Instant) -> Result<()> {
        if event.kind != EventKind::NodeDataChanged {
            bail!("an event of another kind: {event:?}");
        }
        ensure!(event.path == WATCHED, "an event of {}", event.path);
        self.events.push(now);
        ensure!(self.events.len() <= self.expect_events, "an event too many");
        Ok(())
    }

    fn done(&self) -> bool {
        self.replies == self.expect_replies && self.events.len() == self.expect_events
    }
}
