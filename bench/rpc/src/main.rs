//! Measures calls over `dubbo://` between a consumer and a provider in two processes.
//!
//! ```text
//! cargo xtask bench rpc                the same load on Orana and on Dubbo Java 3.3.6, in turns, with ratios
//! cargo xtask bench rpc --orana-only   without the original: quick
//! bench-rpc provider --port 20880      serves; says READY PORT
//! bench-rpc consumer --address H:P     says READY, then obeys `RUN text|order CALLERS WARM SECONDS`
//! ```
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod compare;
mod consumer;
mod contestant;
mod order;
mod provider;

use std::io::Write;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tokio::io::AsyncReadExt;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[derive(Parser)]
#[command(name = "bench-rpc", about = "Calls over dubbo:// between two processes")]
struct Arguments {
    /// Threads that run tasks in each of Orana's programs; 0 is one that also waits.
    #[arg(long, global = true, default_value_t = 2)]
    threads: usize,
    /// How often each load is run; the best counts.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// How long a load is measured.
    #[arg(long, default_value_t = 5)]
    seconds: u32,
    /// Without Java.
    #[arg(long)]
    orana_only: bool,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Subcommand)]
enum Role {
    /// Serves `org.example.peer.Echo`.
    Provider {
        /// The port on 127.0.0.1; 0 is any.
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// Calls it.
    Consumer {
        /// Of the provider.
        #[arg(long)]
        address: String,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(role) = arguments.role else {
        return compare::run(compare::Extent {
            rounds: arguments.rounds,
            seconds: arguments.seconds,
            threads: arguments.threads,
            orana_only: arguments.orana_only,
        });
    };
    let mut builder = match arguments.threads {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(arguments.threads.max(1)).enable_all().build()?;
    runtime.block_on(async {
        match role {
            Role::Provider { port } => provider::run(port).await,
            Role::Consumer { address } => consumer::run(&address).await,
        }
    })
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
