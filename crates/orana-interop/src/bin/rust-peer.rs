//! The Rust peer: `corpus-provider` offers `org.example.peer.Corpus` and says `READY PORT`; `corpus-consumer` calls it,
//! whoever offers it, and says `READY`, a line for each case, and `DONE N ok M bad`. Flags:
//!
//! ```text
//!   --application NAME
//!   --registry URL     such as zookeeper://127.0.0.1:2181, or N/A for none (the default)
//!   --address URL      consumers: call that provider, whatever is registered
//!   --port N           providers (any free one)
//!   --only, --except   consumers: choose cases
//!   --peer go          consumers: the cases that dubbo-go passes
//! ```
//!
//! Providers leave, in good order, when their standard input ends.
#![allow(clippy::print_stdout, reason = "a peer talks to the test by its standard output")]

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use orana_interop::sdk::cases::Cases;
use orana_interop::sdk::contract::{CorpusClient, CorpusService};
use orana_interop::sdk::flags::Asked;
use orana_interop::sdk::{call_corpus, service::Told};

/// How long a consumer waits for somebody to call.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let role = arguments
        .next()
        .context("a role: `corpus-provider` or `corpus-consumer`")?;
    let asked = Asked::read(arguments)?;
    match &*role {
        "corpus-provider" => provide(&asked).await,
        "corpus-consumer" => consume(&asked).await,
        other => bail!("`{other}` is no role"),
    }
}

async fn provide(asked: &Asked) -> Result<ExitCode> {
    let port = asked.get("port").unwrap_or("0");
    let builder = asked.application().provider().listen(format!("127.0.0.1:{port}"));
    let provider = builder.export(CorpusService::new(Told::default())).start().await?;
    println!("READY {}", provider.address().port());
    let (ended, end) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = ended.send(());
    });
    let _ = end.await;
    provider.stop().await;
    asked.application().close().await;
    Ok(ExitCode::SUCCESS)
}

async fn consume(asked: &Asked) -> Result<ExitCode> {
    let corpus = asked.refer::<CorpusClient>().check_wait(PATIENCE).await?;
    println!("READY");
    let mut cases = Cases::new(asked);
    call_corpus(&corpus, asked, &mut cases).await?;
    drop(corpus);
    asked.application().close().await;
    Ok(if cases.done() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
