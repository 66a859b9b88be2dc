//! Measures lists of providers: how soon a registration is in a consumer's list, beside Dubbo Java and through the original
//! ZooKeeper, and what the lists of a large fleet cost in memory.
//!
//! ```text
//! cargo xtask bench registry                 both
//! cargo xtask bench registry --orana-only    without Java: quick
//! cargo xtask bench registry --only memory   one of them: `latency` or `memory`
//! bench-registry registrant|watcher …        a side of the first, in the lines of `org.example.peer.Listed`
//! bench-registry fleet|holder …              a side of the second
//! ```
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod cost;
mod counting;
mod fleet;
mod holder;
mod latency;
mod memory;
mod quantile;
mod registrant;
mod watcher;

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use orana_core::ServiceUrl;
use orana_registry::Registry;
use tokio::io::AsyncReadExt;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// How long a program waits for the registry.
const LINK: Duration = Duration::from_secs(30);

#[derive(Parser)]
#[command(name = "bench-registry", about = "Lists of providers: their delay and their memory")]
struct Arguments {
    /// Threads that run tasks in each of Orana's programs.
    #[arg(long, global = true, default_value_t = 2)]
    threads: usize,
    /// Measured registrations of each side.
    #[arg(long, default_value_t = 400)]
    registrations: u16,
    /// Registrations of each side before that, in which Java compiles what it runs.
    #[arg(long, default_value_t = 200)]
    warm: u16,
    /// Between two registrations.
    #[arg(long, default_value_t = 10)]
    pause_ms: u64,
    /// Interfaces of the fleet.
    #[arg(long, default_value_t = 1_000)]
    interfaces: usize,
    /// Providers of each.
    #[arg(long, default_value_t = 100)]
    addresses: usize,
    /// Without Java.
    #[arg(long)]
    orana_only: bool,
    /// Only this part.
    #[arg(long)]
    only: Option<Part>,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Latency,
    Memory,
}

#[derive(Subcommand)]
enum Role {
    /// Obeys `ADD PORT` and `REMOVE PORT`.
    Registrant(Service),
    /// Prints every list of providers that it is told.
    Watcher(Service),
    /// Registers a fleet and holds it.
    Fleet(Fleet),
    /// Subscribes to a fleet and says what its lists cost.
    Holder(Fleet),
}

/// One service in a registry.
#[derive(Args)]
struct Service {
    /// The registry's URL.
    #[arg(long)]
    registry: String,
    #[arg(long)]
    interface: String,
}

/// Many services in a registry.
#[derive(Args)]
struct Fleet {
    /// The registry's URL.
    #[arg(long)]
    registry: String,
    #[arg(long)]
    interfaces: usize,
    #[arg(long)]
    addresses: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(role) = arguments.role else {
        let wanted = |part| arguments.only.is_none_or(|only| only == part);
        if wanted(Part::Latency) {
            latency::run(&latency::Extent {
                registrations: arguments.registrations,
                warm: arguments.warm,
                pause: Duration::from_millis(arguments.pause_ms),
                threads: arguments.threads,
                orana_only: arguments.orana_only,
            })?;
        }
        if wanted(Part::Memory) {
            memory::run(&memory::Extent {
                interfaces: arguments.interfaces,
                addresses: arguments.addresses,
                threads: arguments.threads,
            })?;
        }
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(arguments.threads.max(1))
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match role {
            Role::Registrant(service) => registrant::run(&service.registry, &service.interface).await,
            Role::Watcher(service) => watcher::run(&service.registry, &service.interface).await,
            Role::Fleet(fleet) => fleet::run(&fleet.registry, fleet.interfaces, fleet.addresses).await,
            Role::Holder(fleet) => holder::run(&fleet.registry, fleet.interfaces, fleet.addresses).await,
        }
    })
}

/// The registry at `url`, once it can be talked to.
async fn connected(url: &str) -> Result<Registry> {
    let registry = Registry::builder(&ServiceUrl::parse(url)?).build()?;
    let mut link = registry.link();
    tokio::time::timeout(LINK, link.wait_for(|link| link.is_up()))
        .await
        .with_context(|| format!("`{url}` cannot be reached within {LINK:?}"))??;
    Ok(registry)
}

/// Prints a line that whoever started this program reads.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // If nobody reads it, nobody misses it.
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

async fn input_ends() {
    let mut input = tokio::io::stdin();
    let mut bytes = [0; 64];
    while !matches!(input.read(&mut bytes).await, Ok(0) | Err(_)) {}
}
