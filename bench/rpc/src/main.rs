//! Measures calls over `dubbo://` between a consumer and a provider in two processes.
//!
//! ```text
//! bench-rpc provider --port 20880      serves; says READY PORT
//! bench-rpc consumer --address H:P     says READY, then obeys `RUN text|order CALLERS WARM SECONDS`
//! ```
#![allow(clippy::print_stdout)] // the figures are what this program is for

mod consumer;
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
    /// Threads that run tasks; 0 is one that also waits.
    #[arg(long, global = true, default_value_t = 0)]
    threads: usize,
    #[command(subcommand)]
    role: Role,
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
    let mut builder = match arguments.threads {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(arguments.threads.max(1)).enable_all().build()?;
    runtime.block_on(async {
        match arguments.role {
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
