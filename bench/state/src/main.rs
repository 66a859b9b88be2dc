//! Measures `orana-state` as a member uses it: one writer, snapshots taken from clones on another thread, the
//! allocator of the server. Each scenario runs in a process of its own, so that memory figures are its own.
//!
//! ```text
//! cargo run --release -p bench-state                 all scenarios
//! cargo run --release -p bench-state -- snapshot     those whose name begins so
//! ```
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod figures;
mod layout;
mod scenario;

use anyhow::{Context, Result, ensure};
use scenario::ONE;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [ONE, name, ref rest @ ..] => {
            let mut all = scenario::ALL.iter();
            let (_, run) = all.find(|(known, _)| *known == name).context("no such scenario")?;
            run(rest)
        }
        [] => run_each(""),
        [prefix] => run_each(prefix),
        _ => anyhow::bail!("usage: bench-state [SCENARIO]"),
    }
}

fn run_each(prefix: &str) -> Result<()> {
    let mut ran = 0;
    for (name, _) in scenario::ALL.iter().filter(|(name, _)| name.starts_with(prefix)) {
        println!("== {name}");
        scenario::child(&[name])?;
        ran += 1;
    }
    ensure!(ran > 0, "no scenario begins with `{prefix}`");
    Ok(())
}
