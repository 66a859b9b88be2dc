//! Measures Orana's ZooKeeper face against the real ZooKeeper, both in turns in the same run, by a loader of its own on the
//! raw protocol.
//!
//! ```text
//! cargo xtask bench zookeeper                        everything; builds the server first
//! cargo xtask bench zookeeper --only storm           one kind of work; several are separated by commas
//! cargo xtask bench zookeeper --write-docs           and write docs/performance.md
//! ```
//!
//! `ORANA_BIN` names another binary of the server. A missed goal is printed, it is not a failure.
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod connection;
mod contestant;
mod cost;
mod crowd;
mod document;
mod name;
mod null;
mod plant;
mod row;
mod table;

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};

use crate::{
    contestant::{Contestant, Product},
    document::Circumstances,
    row::{ROWS, Round, Row},
    table::{RowResult, number},
};

/// A machine on which others use less than this much of a processor is quiet.
const QUIET: f64 = 0.10;

/// What is asked for.
#[derive(Parser)]
#[command(
    name = "bench-zookeeper",
    about = "Orana and ZooKeeper under the same load, in turns"
)]
struct Arguments {
    #[command(subcommand)]
    role: Option<Role>,
    /// Only these kinds of work.
    #[arg(long, value_delimiter = ',', value_parser = row_names())]
    only: Vec<String>,
    /// Measured rounds per product, of which the best counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Without the original: no ratios, but quick.
    #[arg(long)]
    orana_only: bool,
    /// Before each round, wait up to this many seconds until the machine has nothing else to do.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait_for_quiet: u64,
    /// Write all figures of all rounds to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write docs/performance.md.
    #[arg(long, conflicts_with_all = ["only", "orana_only"])]
    write_docs: bool,
}

#[derive(Subcommand)]
enum Role {
    /// What the bench starts to know its own cost.
    #[command(hide = true)]
    NullServer {
        /// The port on 127.0.0.1.
        port: u16,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.role {
        Some(Role::NullServer { port }) => null::serve(port),
        None => bench(&arguments),
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let circumstances = Circumstances::now(usize::from(arguments.rounds))?;
    let chosen = |row: &&Row| arguments.only.is_empty() || arguments.only.iter().any(|name| name == row.name);
    let mut results = Vec::new();
    for row in ROWS.iter().filter(chosen) {
        let result = measure(row, arguments).with_context(|| format!("`{}` cannot be measured", row.name))?;
        println!("{}", result.text());
        results.push(result);
    }
    let (met, judged) = results
        .iter()
        .map(RowResult::goals)
        .fold((0, 0), |sum, goals| (sum.0 + goals.0, sum.1 + goals.1));
    println!("{met} of {judged} goals met");
    if let Some(path) = &arguments.json {
        fs::write(path, format!("{:#}\n", circumstances.json(&results)))?;
    }
    if arguments.write_docs {
        circumstances.write_page(&results)?;
    }
    Ok(())
}

/// Warms all up, then lets them take turns.
fn measure(row: &'static Row, arguments: &Arguments) -> Result<RowResult> {
    let mut contestants = Vec::new();
    if !arguments.orana_only {
        contestants.push(Contestant::new(Product::Zookeeper)?);
    }
    contestants.push(Contestant::new(Product::Orana)?);
    if row.floor {
        contestants.push(Contestant::new(Product::Null)?);
    }
    for contestant in &mut contestants {
        for _ in 0..row.warm_up {
            progress(row, contestant.product(), "warm", &run(row, contestant)?);
        }
    }
    let mut result = RowResult::new(row);
    for _ in 0..arguments.rounds {
        for contestant in &mut contestants {
            wait_for_quiet(Duration::from_secs(arguments.wait_for_quiet))?;
            let round = run(row, contestant)?;
            progress(row, contestant.product(), "", &round);
            result.add(contestant.product(), round);
        }
    }
    Ok(result)
}

fn run(row: &Row, contestant: &mut Contestant) -> Result<Round> {
    let product = contestant.product();
    let round = (row.run)(contestant).with_context(|| format!("with {product}"))?;
    ensure!(
        round.figures.len() == row.figures.len(),
        "a row with other figures than it has"
    );
    Ok(round)
}

fn progress(row: &Row, product: Product, note: &str, round: &Round) {
    let figures = row.figures.iter().zip(&round.figures);
    let text: Vec<String> = figures
        .map(|(figure, value)| format!("{} {} {}", figure.name, number(Some(*value)), figure.unit))
        .collect();
    eprintln!(
        "{:<9} {product:<11} {note:<4} {} (others {:.2})",
        row.name,
        text.join(", "),
        round.others
    );
}

fn wait_for_quiet(patience: Duration) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < patience && cost::busy_now()? > QUIET {
        thread::sleep(Duration::from_secs(1));
    }
    Ok(())
}

fn row_names() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_and_the_null_server_understand_each_other() {
        let port = orana_interop::ports::claim().expect("a port");
        let number = port.number();
        thread::spawn(move || null::serve(number));
        let deadline = Instant::now() + Duration::from_secs(10);
        let crowd = loop {
            match crowd::Crowd::open(number, 3) {
                Ok(crowd) => break crowd,
                Err(error) => assert!(Instant::now() < deadline, "{error:#}"),
            }
        };
        crowd.close().expect("a server that closes when it is told to");
    }
}
