//! A member with many nodes (a million by default): how long writes wait while a snapshot is written, compared
//! with the same writes before it, and how long the start takes. `cargo run --release -p bench-node [NODES]`.
#![allow(clippy::print_stdout)] // a benchmark's figures are its output

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use orana_node::{Centre, Completion, MemberConfig, NodeError, Wakes};
use orana_state::{AclEntry, Action, Command, Lifetime, Outcome, State, Write};
use tokio::sync::mpsc;

/// Nodes of one directory.
const SIBLINGS: usize = 1000;
/// How long each phase of writes is watched at least.
const WATCHED: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() -> Result<()> {
    let nodes: usize = match std::env::args().nth(1) {
        Some(text) => text.parse().context("the number of nodes")?,
        None => 1_000_000,
    };
    let dir = tempfile::tempdir()?;
    let config = MemberConfig {
        dir: dir.path().to_owned(),
        tick: Duration::from_secs(2),
        event_window: Duration::from_millis(50),
        max_outstanding_bytes: 64 << 20,
        disk_reserve: 0,
        // Asked for below, when it is to be watched.
        snapshot_log_bytes: u64::MAX,
        snapshot_log_entries: u64::MAX,
        reap_interval: Duration::from_secs(60),
    };
    let centre = Centre::start(config.clone()).await?;
    let started = Instant::now();
    fill(&centre, nodes).await?;
    println!("{nodes} nodes written in {:.1} s", started.elapsed().as_secs_f64());
    let before = slowest(&centre, || true).await?;
    println!(
        "slowest of one write after the other, no snapshot: {:.1} ms",
        millis(before)
    );
    centre.stop(Duration::from_secs(5)).await;
    drop(centre);

    // The same directory again, with a limit that asks for a snapshot at once.
    let config = MemberConfig {
        snapshot_log_entries: 1,
        ..config
    };
    let centre = start(&config, "with the log alone").await?;
    let snapshot = centre.status().last_snapshot;
    let during = slowest(&centre, || centre.status().last_snapshot > snapshot).await?;
    println!(
        "slowest of one write after the other, while a snapshot is written: {:.1} ms",
        millis(during)
    );
    ensure!(centre.status().last_snapshot > snapshot, "no snapshot was written");
    centre.stop(Duration::from_secs(5)).await;
    drop(centre);
    let config = MemberConfig {
        snapshot_log_entries: u64::MAX,
        ..config
    };
    let centre = start(&config, "with snapshot and tail").await?;
    ensure!(centre.census().nodes > nodes, "nodes are missing");
    centre.stop(Duration::from_secs(5)).await;
    Ok(())
}

async fn start(config: &MemberConfig, how: &str) -> Result<Centre> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let started = Instant::now();
        match Centre::start(config.clone()).await {
            Ok(centre) => {
                println!("start {how}: {:.2} s", started.elapsed().as_secs_f64());
                return Ok(centre);
            }
            // The one before is still on its way out.
            Err(error) => ensure!(Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn fill(centre: &Centre, nodes: usize) -> Result<()> {
    let (told, mut done) = mpsc::unbounded_channel();
    let teller: Arc<dyn Completion> = Arc::new(Teller(told));
    let (mut sent, mut finished) = (0, 0);
    let total = nodes + nodes.div_ceil(SIBLINGS);
    let (mut directory, mut sibling) = (0, 0);
    while finished < total {
        while sent < total && sent - finished < 4096 {
            let path = match sibling {
                0 => format!("/directory-{directory}"),
                at => format!("/directory-{directory}/provider-{at}-of-an-application-with-a-name"),
            };
            centre.submit(create(&path), 256, teller.clone(), 0);
            sent += 1;
            sibling += 1;
            if sibling > SIBLINGS {
                (directory, sibling) = (directory + 1, 0);
            }
        }
        let ok = done.recv().await.context("the member is gone")?;
        ensure!(ok, "a write was refused");
        finished += 1;
    }
    Ok(())
}

/// The slowest of writes that wait for one another, until `enough` says so and for a while at least.
async fn slowest(centre: &Centre, enough: impl Fn() -> bool) -> Result<Duration> {
    let (started, mut slowest, mut number) = (Instant::now(), Duration::ZERO, 0u64);
    let mut looked = started;
    loop {
        let begun = Instant::now();
        let path = format!("/slowest-{}-{number}", started.elapsed().as_nanos());
        let outcome = centre.propose(create(&path)).await?;
        ensure!(outcome.result.is_ok(), "a write was refused");
        slowest = slowest.max(begun.elapsed());
        number += 1;
        if looked.elapsed() > Duration::from_millis(100) {
            looked = Instant::now();
            ensure!(
                started.elapsed() < Duration::from_secs(120),
                "nothing happened for too long"
            );
            if started.elapsed() > WATCHED && enough() {
                return Ok(slowest);
            }
        }
    }
}

fn create(path: &str) -> Command {
    let write = Write::Create {
        path: path.into(),
        data: Some(b"127.0.0.1".to_vec()),
        acl: vec![AclEntry::open()],
        lifetime: Lifetime::Persistent,
        sequential: false,
    };
    Command {
        issuer: None,
        identities: Arc::from([]),
        action: Action::Write(write),
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Says of each write whether it was done.
struct Teller(mpsc::UnboundedSender<bool>);

impl Completion for Teller {
    fn applied(&self, _tag: u64, _state: &State, outcome: Outcome, _wakes: &mut Wakes) {
        // The receiver counts all that were sent; if it is gone nobody needs to know.
        let _ = self.0.send(outcome.result.is_ok());
    }

    fn failed(&self, _tag: u64, _error: &NodeError, _wakes: &mut Wakes) {
        let _ = self.0.send(false);
    }
}
