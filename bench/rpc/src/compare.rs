//! Both pairs under the same load, in turns, and what comes of it: a table with ratios.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use orana_interop::program::{Java, java};
use serde_json::json;

use crate::contestant::{Outcome, Pair, Work};

const CALLERS: [u32; 3] = [1, 64, 256];

/// Of the ratios; a missed one is printed, it is not a failure.
const GOAL_ALONE: f64 = 2.5;
const GOAL_MANY: f64 = 4.0;

const JAVA: Java = Java {
    project: "dubbo33",
    main: "org.example.peer.EchoProvider",
    with_sources_of: &[],
};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) rounds: u32,
    pub(crate) seconds: u32,
    pub(crate) threads: usize,
    pub(crate) orana_only: bool,
}

/// Measures and prints.
pub(crate) fn run(extent: Extent) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut orana = orana(extent.threads)?;
    let mut java = match extent.orana_only {
        true => None,
        false => Some(dubbo_java(home.path())?),
    };
    println!(
        "{:<12}{:<8}{:>12}{:>10}{:>10}{:>14}{:>10}{:>8}",
        "", "", "calls/s", "p50 µs", "p99 µs", "CPU s/million", "RSS MiB", "failed"
    );
    let mut rows = Vec::new();
    for what in ["text", "order"] {
        for callers in CALLERS {
            let work = |warm_seconds| Work {
                what,
                callers,
                warm_seconds,
                seconds: extent.seconds,
            };
            let (mut ours, mut theirs) = (None, None);
            for round in 0..extent.rounds {
                // The first time Java has to compile what it runs.
                let warm = if round == 0 { 5 } else { 1 };
                if let Some(java) = &mut java {
                    theirs = Some(better(theirs, java.run(work(warm))?));
                }
                ours = Some(better(ours, orana.run(work(1))?));
            }
            let ours = ours.context("no round was run")?;
            row(what, callers, "orana", &ours);
            if let Some(theirs) = &theirs {
                row(what, callers, "java", theirs);
                let rate = ours.measured.calls_per_second / theirs.measured.calls_per_second;
                let goal = if callers == 1 { GOAL_ALONE } else { GOAL_MANY };
                println!(
                    "{:<20}{:>11.1}x{:>9.2}x{:>9.2}x{:>13.2}x{:>9.2}x   goal {goal}x {}",
                    "  orana / java",
                    rate,
                    ours.measured.p50_us / theirs.measured.p50_us,
                    ours.measured.p99_us / theirs.measured.p99_us,
                    ours.cpu_seconds_per_million / theirs.cpu_seconds_per_million,
                    ours.resident_mib / theirs.resident_mib,
                    if rate >= goal { "reached" } else { "MISSED" },
                );
            }
            rows.push(json!({
                "what": what, "callers": callers, "orana": figures(&ours), "java": theirs.as_ref().map(figures),
            }));
        }
    }
    println!("{}", json!({ "rows": rows }));
    Ok(())
}

/// This program in both roles.
fn orana(threads: usize) -> Result<Pair> {
    let program = env::current_exe()?;
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--threads", &threads.to_string()]).args(arguments);
        command
    };
    Pair::start(command(&["provider"]), |address| {
        command(&["consumer", "--address", address])
    })
}

/// Dubbo Java 3.3.6, with a machine that may optimise, unlike those of the tests.
fn dubbo_java(home: &Path) -> Result<Pair> {
    let class_path = JAVA.class_path()?;
    let command = |main: &str, arguments: &[&str]| {
        let mut command = java(home);
        command.args([
            "-Xmx1g",
            "-XX:TieredStopAtLevel=4",
            "-XX:-UseSerialGC",
            "-XX:+UseParallelGC",
        ]);
        command.args(["-cp", &class_path, main]).args(arguments);
        command
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port()
        .to_string();
    let provider = command("org.example.peer.EchoProvider", &["--port", &port, "--threads", "400"]);
    Pair::start(provider, |address| {
        command(
            "org.example.peer.EchoLoad",
            &["--address", &format!("dubbo://{address}")],
        )
    })
}

fn better(known: Option<Outcome>, new: Outcome) -> Outcome {
    match known {
        Some(known) if known.measured.calls_per_second >= new.measured.calls_per_second => known,
        _ => new,
    }
}

fn row(what: &str, callers: u32, name: &str, outcome: &Outcome) {
    println!(
        "{:<12}{name:<8}{:>12.0}{:>10.0}{:>10.0}{:>14.2}{:>10.1}{:>8}",
        format!("{what} x{callers}"),
        outcome.measured.calls_per_second,
        outcome.measured.p50_us,
        outcome.measured.p99_us,
        outcome.cpu_seconds_per_million,
        outcome.resident_mib,
        outcome.measured.failed,
    );
}

fn figures(outcome: &Outcome) -> serde_json::Value {
    json!({
        "calls_per_second": outcome.measured.calls_per_second, "p50_us": outcome.measured.p50_us,
        "p99_us": outcome.measured.p99_us, "failed": outcome.measured.failed,
        "cpu_seconds_per_million": outcome.cpu_seconds_per_million, "resident_mib": outcome.resident_mib,
    })
}
