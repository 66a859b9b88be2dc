//! The Rust side of the scenarios about rules.
//!
//! ```text
//! rule-peer fleet --registry URL    twelve providers; says READY, leaves when its input ends
//! rule-peer consumer FLAGS          answers questions; the flags are those of the Java consumer
//! ```
#![allow(clippy::print_stdout, reason = "a peer talks to the test by its standard output")]

use std::io::{self, BufReader};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use orana_interop::governance::{consumer, fleet};
use tokio::runtime::Runtime;

/// The variable by which the SDK, as Dubbo does, learns its own address.
const HOST: &str = "DUBBO_IP_TO_REGISTRY";

fn main() -> Result<()> {
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (role, flags) = arguments.split_first().context("a role: `fleet` or `consumer`")?;
    match role.as_str() {
        "fleet" => Runtime::new()?.block_on(provide(flags)),
        "consumer" => consume(flags),
        other => bail!("`{other}` is no role"),
    }
}

async fn provide(flags: &[String]) -> Result<()> {
    let [flag, registry] = flags else {
        bail!("`fleet --registry URL`")
    };
    ensure!(flag == "--registry", "`{flag}` is no flag");
    let providers = fleet::start(registry).await?;
    println!("READY");
    tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink())).await??;
    for provider in providers {
        provider.stop().await;
    }
    Ok(())
}

fn consume(flags: &[String]) -> Result<()> {
    match consumer::host(flags) {
        // The environment of a process that runs cannot be changed safely: it starts itself once more.
        Some(host) if std::env::var_os(HOST).is_none() => {
            use std::os::unix::process::CommandExt;
            let this = std::env::current_exe()?;
            Err(Command::new(this)
                .arg("consumer")
                .args(flags)
                .env(HOST, host)
                .exec()
                .into())
        }
        _ => Runtime::new()?.block_on(consumer::run(flags, BufReader::new(io::stdin()), io::stdout())),
    }
}
