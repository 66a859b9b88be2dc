//! Measures the way from a call to its provider, and what a changed list costs.
//!
//! ```text
//! cargo xtask bench governance                 all, with Dubbo Java 3.3.6 at the same picks in the same run
//! cargo xtask bench governance --orana-only    without Java: quick
//! cargo xtask bench governance --only rebuild  one part: `picks`, `balances`, `calls` or `rebuild`
//! ```
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod counting;
mod fleet;
mod java;
mod parts;
mod picks;
mod quiet;
mod rebuild;
mod rules;

use std::time::Duration;

use anyhow::Result;
use clap::{Parser, ValueEnum};

use crate::picks::Extent;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

#[derive(Parser)]
#[command(
    name = "bench-governance",
    about = "From a call to its provider: directory, rules, load balance"
)]
struct Arguments {
    /// How many providers there are.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 1_000, 10_000])]
    sizes: Vec<usize>,
    /// How often each load is run; the best counts.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// How long a round is, in milliseconds.
    #[arg(long, default_value_t = 200)]
    round_ms: u64,
    /// How long Java measures each load, after the same time to get warm.
    #[arg(long, default_value_t = 2.0)]
    java_seconds: f64,
    /// How often a provider is changed.
    #[arg(long, default_value_t = 50)]
    changes: usize,
    /// Without Java.
    #[arg(long)]
    orana_only: bool,
    /// Only this part.
    #[arg(long)]
    only: Option<Part>,
    /// Before each part, wait up to this many seconds until the machine has nothing else to do.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait_for_quiet: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Picks,
    Balances,
    Calls,
    Rebuild,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    // The tasks of directories run beside the thread that measures.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let bench = parts::Bench {
        handle: runtime.handle().clone(),
        sizes: arguments.sizes,
        extent: Extent {
            rounds: arguments.rounds.max(1),
            round: Duration::from_millis(arguments.round_ms),
            threads: 1,
        },
    };
    let wanted = |part| arguments.only.is_none_or(|only| only == part);
    let quiet = || quiet::wait(Duration::from_secs(arguments.wait_for_quiet));
    let mut figures = serde_json::Map::new();
    if wanted(Part::Picks) {
        let java = match arguments.orana_only {
            true => Vec::new(),
            false => {
                quiet()?;
                let home = tempfile::tempdir()?;
                java::measured(home.path(), &bench.sizes, arguments.java_seconds)?
            }
        };
        quiet()?;
        figures.insert("picks".into(), bench.picks(&java)?);
    }
    if wanted(Part::Balances) {
        quiet()?;
        figures.insert("balances".into(), bench.balances()?);
    }
    if wanted(Part::Calls) {
        quiet()?;
        figures.insert("calls".into(), bench.calls()?);
    }
    if wanted(Part::Rebuild) {
        quiet()?;
        figures.insert("rebuild".into(), bench.rebuild(arguments.changes.max(1))?);
    }
    println!("{}", serde_json::Value::Object(figures));
    Ok(())
}
