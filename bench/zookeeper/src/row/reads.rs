//! Reads of a few nodes by everybody, as consumers read their services' directories and rules.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use orana_wire::zookeeper::{OpCode, Reply as Record, Request, Stat, WatchedEvent, request::PathAndWatch};

use super::{IN_FLIGHT, Round, SESSIONS, full_load};
use crate::{
    connection::Requests,
    contestant::{Contestant, Product},
    cost::Stopwatch,
    crowd::{Crowd, Reply, Script},
    name, plant,
};

/// Children of a directory that is read.
pub(crate) const CHILDREN: usize = 50;

/// Length of their names.
pub(crate) const CHILD_BYTES: usize = 300;

/// Length of the data that is read.
pub(crate) const DATA_BYTES: usize = 200;

/// How many nodes are read in turns.
const NODES: usize = 20;

/// How long a round lasts.
const ROUND: Duration = Duration::from_secs(2);

/// Length of a list's and a buffer's and a string's length on the wire.
const LENGTH: usize = 4;

struct Reads {
    op: OpCode,
    paths: Vec<String>,
    /// What every answer is long.
    body_bytes: usize,
    next: usize,
    until: Instant,
    under_way: usize,
    waits: Vec<Duration>,
}

pub(super) fn run_children(contestant: &mut Contestant) -> Result<Round> {
    let paths: Vec<String> = (0..NODES).map(name::directory).collect();
    let children = |service| {
        (0..CHILDREN).map(move |provider| {
            let name = name::provider(CHILD_BYTES, service, provider, 0);
            format!("{}/{name}", name::directory(service))
        })
    };
    let nodes: Vec<String> = (0..NODES).flat_map(children).collect();
    let body_bytes = LENGTH + CHILDREN * (LENGTH + CHILD_BYTES) + Stat::LEN;
    run(contestant, OpCode::GetChildren2, paths, &nodes, body_bytes)
}

pub(super) fn run_data(contestant: &mut Contestant) -> Result<Round> {
    let nodes: Vec<String> = (0..NODES)
        .map(|nth| format!("/dubbo/config/dubbo/org.orana.bench.Service{nth:04}.configurators"))
        .collect();
    let body_bytes = LENGTH + DATA_BYTES + Stat::LEN;
    run(contestant, OpCode::GetData, nodes.clone(), &nodes, body_bytes)
}

fn run(
    contestant: &mut Contestant,
    op: OpCode,
    paths: Vec<String>,
    nodes: &[String],
    body_bytes: usize,
) -> Result<Round> {
    let product = contestant.product();
    let server = contestant.serving()?;
    if product != Product::Null {
        plant::nodes(server.port, nodes, &[b'd'; DATA_BYTES])?;
    }
    let mut crowd = Crowd::open(server.port, SESSIONS)?;
    let watch = Stopwatch::start(server.process())?;
    let mut script = Reads {
        op,
        paths,
        body_bytes,
        next: 0,
        until: Instant::now() + ROUND,
        under_way: 0,
        waits: Vec::with_capacity(1 << 20),
    };
    crowd.ask(0..SESSIONS, |_, requests, now| {
        for _ in 0..IN_FLIGHT {
            script.ask(requests, now);
        }
    })?;
    crowd.run(&mut script)?;
    let spent = watch.stop()?;
    crowd.close()?;
    Ok(full_load(&mut script.waits, &spent))
}

impl Reads {
    fn ask(&mut self, requests: &mut Requests, now: Instant) {
        if now >= self.until {
            return;
        }
        let path = self.paths[self.next].as_str();
        self.next = (self.next + 1) % self.paths.len();
        let record = PathAndWatch {
            path: Some(path.into()),
            watch: false,
        };
        let request = match self.op {
            OpCode::GetChildren2 => Request::GetChildren2(record),
            _ => Request::GetData(record),
        };
        requests.queue(&request, now);
        self.under_way += 1;
    }

    /// Reads the answer as a client would.
    fn check(&self, body: &[u8]) -> Result<()> {
        match Record::decode(self.op, body)? {
            Record::ChildrenStat(names, _) => {
                ensure!(names.len() == CHILDREN, "{} children", names.len());
                let long = |name: &str| name.len() == CHILD_BYTES;
                ensure!(names.iter().all(|name| long(name)), "a name of another length");
            }
            Record::Data(data, _) => {
                let data = data.context("no data")?;
                ensure!(data == [b'd'; DATA_BYTES], "other data");
            }
            other => bail!("an answer to something else: {other:?}"),
        }
        Ok(())
    }
}

impl Script for Reads {
    fn reply(&mut self, reply: &Reply<'_>, requests: &mut Requests) -> Result<()> {
        ensure!(
            reply.body.len() == self.body_bytes,
            "an answer of {} bytes",
            reply.body.len()
        );
        // One in so many is looked at closely: a client pays for that, not the server.
        if self.waits.len().is_multiple_of(10_000) {
            self.check(reply.body)?;
        }
        self.waits.push(reply.now - reply.asked);
        self.under_way -= 1;
        self.ask(requests, reply.now);
        Ok(())
    }

    fn event(&mut self, _: usize, _: &WatchedEvent<'_>, _: &mut Requests, _: Instant) -> Result<()> {
        bail!("an event nobody asked for")
    }

    fn done(&self) -> bool {
        self.under_way == 0
    }
}
