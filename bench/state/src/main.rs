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

use std::process::Command;

use anyhow::{Context, Result, ensure};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Given to the process that runs one scenario.
const ONE: &str = "--one";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [ONE, name] => {
            let (_, run) = scenario::ALL
                .iter()
                .find(|(known, _)| *known == name)
                .context("no such scenario")?;
            run()
        }
        [] => run_each(""),
        [prefix] => run_each(prefix),
        _ => anyhow::bail!("usage: bench-state [SCENARIO]"),
    }
}

fn run_each(prefix: &str) -> Result<()> {
    let myself = std::env::current_exe()?;
    let chosen = scenario::ALL.iter().filter(|(name, _)| name.starts_with(prefix));
    let mut ran = 0;
    for (name, _) in chosen {
        println!("== {name}");
        let status = Command::new(&myself).args([ONE, name]).status()?;
        ensure!(status.success(), "scenario `{name}` ended with {status}");
        ran += 1;
    }
    ensure!(ran > 0, "no scenario begins with `{prefix}`");
    Ok(())
}
