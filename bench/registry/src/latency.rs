//! A registration through the original ZooKeeper until it is in a consumer's list: Dubbo Java and Orana in turns, one
//! registration each, so that whatever else the machine does meets both.

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use orana_interop::peer::Peer;
use orana_interop::ports;
use orana_interop::process::Log;
use orana_interop::program::{Java, java};
use orana_interop::subject::{Product, Setup, Subject};
use serde_json::json;

use crate::quantile::Quantiles;

/// In milliseconds; a missed one is printed, it is not a failure.
const GOAL_P50: f64 = 2.0;
const GOAL_P99: f64 = 10.0;

const PATIENCE: Duration = Duration::from_secs(60);

const JAVA: Java = Java {
    project: "dubbo33",
    main: "org.example.peer.Listed",
    with_sources_of: &[],
};

/// How much is measured.
pub(crate) struct Extent {
    /// Measured ones, of each side.
    pub(crate) registrations: u16,
    /// Those before.
    pub(crate) warm: u16,
    pub(crate) pause: Duration,
    pub(crate) threads: usize,
    pub(crate) orana_only: bool,
}

/// A registrant and a watcher, and what was seen of them.
struct Pair {
    name: &'static str,
    registrant: Peer,
    watcher: Peer,
    /// From the begin of the registration until the list, in microseconds.
    added: Vec<u64>,
    /// The same when it is taken back.
    removed: Vec<u64>,
    /// From its begin until the registrant itself knows.
    answered: Vec<u64>,
}

/// Measures and prints.
pub(crate) fn run(extent: &Extent) -> Result<()> {
    let home = tempfile::tempdir()?;
    let port = ports::claim()?;
    let admin = ports::claim()?;
    let setup = Setup::new(Product::Zookeeper).port(port.number());
    let zookeeper = Subject::start(setup, admin.number(), home.path())?;
    let registry = format!("zookeeper://{}", zookeeper.address());
    let mut pairs = Vec::new();
    if !extent.orana_only {
        pairs.push(Pair::start("java", home.path(), |role| {
            dubbo_java(home.path(), role, &registry)
        })?);
    }
    pairs.push(Pair::start("orana", home.path(), |role| {
        orana(extent.threads, role, &registry)
    })?);

    for nth in 0..extent.warm + extent.registrations {
        for pair in &mut pairs {
            pair.turn(20_000 + nth, nth >= extent.warm)
                .with_context(|| format!("{}, registration {nth}", pair.name))?;
            sleep(extent.pause);
        }
    }

    println!(
        "registration → list of the consumer, through ZooKeeper; {} each, ms",
        extent.registrations
    );
    println!(
        "{:<8}{:>10}{:>10}{:>10}{:>14}{:>14}{:>16}{:>16}",
        "", "p50", "p99", "max", "removal p50", "removal p99", "registered p50", "registered p99"
    );
    let rows: Vec<_> = pairs.into_iter().map(Pair::result).collect();
    for (name, row) in &rows {
        println!(
            "{name:<8}{:>10.2}{:>10.2}{:>10.2}{:>14.2}{:>14.2}{:>16.2}{:>16.2}",
            row.added.at(0.5),
            row.added.at(0.99),
            row.added.at(1.0),
            row.removed.at(0.5),
            row.removed.at(0.99),
            row.answered.at(0.5),
            row.answered.at(0.99),
        );
    }
    if let [(_, theirs), (_, ours)] = rows.as_slice() {
        println!(
            "orana / java: p50 {:.2}, p99 {:.2}, max {:.2}",
            ours.added.at(0.5) / theirs.added.at(0.5),
            ours.added.at(0.99) / theirs.added.at(0.99),
            ours.added.at(1.0) / theirs.added.at(1.0),
        );
    }
    if let Some((_, ours)) = rows.last() {
        for (part, goal) in [(0.5, GOAL_P50), (0.99, GOAL_P99)] {
            let verdict = if ours.added.at(part) <= goal {
                "reached"
            } else {
                "MISSED"
            };
            println!("goal p{} ≤ {goal} ms: {verdict}", part * 100.0);
        }
    }
    let figures = rows.iter().map(|(name, row)| {
        json!({
            "side": name, "registrations": row.added.count(), "p50_ms": row.added.at(0.5),
            "p99_ms": row.added.at(0.99), "max_ms": row.added.at(1.0), "removal_p50_ms": row.removed.at(0.5),
            "removal_p99_ms": row.removed.at(0.99), "registered_p50_ms": row.answered.at(0.5),
            "registered_p99_ms": row.answered.at(0.99),
        })
    });
    println!("{}", json!({ "latency": figures.collect::<Vec<_>>() }));
    Ok(())
}

/// The times of one side.
struct Times {
    added: Quantiles,
    removed: Quantiles,
    answered: Quantiles,
}

impl Pair {
    fn start(name: &'static str, home: &Path, command: impl Fn(&str) -> Result<Command>) -> Result<Pair> {
        let start = |role: &str| {
            let log = Log::at(home.join(format!("{name}-{role}.log")));
            let mut peer = Peer::start(command(role)?, format!("{name} {role}"), log)?;
            peer.expect("READY", PATIENCE)?;
            Ok::<_, anyhow::Error>(peer)
        };
        Ok(Pair {
            name,
            registrant: start("registrant")?,
            watcher: start("watcher")?,
            added: Vec::new(),
            removed: Vec::new(),
            answered: Vec::new(),
        })
    }

    /// One provider comes and goes again.
    fn turn(&mut self, port: u16, counts: bool) -> Result<()> {
        let (begun, ended) = self.tell("ADD", "ADDED", port)?;
        let added = self.list_with(port, true)?;
        let (begun_to_go, _) = self.tell("REMOVE", "REMOVED", port)?;
        let removed = self.list_with(port, false)?;
        if counts {
            self.added.push(added.saturating_sub(begun));
            self.answered.push(ended.saturating_sub(begun));
            self.removed.push(removed.saturating_sub(begun_to_go));
        }
        Ok(())
    }

    /// When it began and ended to do so.
    fn tell(&mut self, verb: &str, done: &str, port: u16) -> Result<(u64, u64)> {
        let answer = self.registrant.ask(&format!("{verb} {port}"), done, PATIENCE)?;
        let numbers: Vec<u64> = answer.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [answered, begun, ended] = numbers.as_slice() else {
            anyhow::bail!("`{done} {answer}` has not three numbers");
        };
        ensure!(*answered == u64::from(port), "asked for {port}, answered `{answer}`");
        Ok((*begun, *ended))
    }

    /// When the watcher was told the first list with, or without, this port.
    fn list_with(&mut self, port: u16, there: bool) -> Result<u64> {
        let port = port.to_string();
        self.watcher.until(PATIENCE, |line| {
            let mut words = line.strip_prefix("LIST ")?.split(' ');
            let time = words.next()?.parse().ok()?;
            (words.any(|word| word == port) == there).then_some(time)
        })
    }

    fn result(self) -> (&'static str, Times) {
        let times = Times {
            added: Quantiles::of(self.added),
            removed: Quantiles::of(self.removed),
            answered: Quantiles::of(self.answered),
        };
        (self.name, times)
    }
}

/// This program.
fn orana(threads: usize, role: &str, registry: &str) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--threads", &threads.to_string(), role]);
    command.args(["--registry", registry, "--interface", "org.example.peer.ListedByOrana"]);
    Ok(command)
}

/// Dubbo Java 3.3.6, with a machine that may optimise, unlike those of the tests.
fn dubbo_java(home: &Path, role: &str, registry: &str) -> Result<Command> {
    let class_path = JAVA.class_path()?;
    let home = home.join(format!("java-{role}"));
    std::fs::create_dir_all(&home)?;
    let mut command = java(&home);
    command.args([
        "-Xmx1g",
        "-XX:TieredStopAtLevel=4",
        "-XX:-UseSerialGC",
        "-XX:+UseParallelGC",
    ]);
    command.args(["-cp", &class_path, JAVA.main, "--role", role]);
    command.args(["--registry", registry, "--interface", "org.example.peer.ListedByJava"]);
    Ok(command)
}
