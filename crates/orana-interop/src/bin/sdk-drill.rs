//! A Rust application, provider or consumer of `org.orana.interop.Greeter`, that a test drives by lines, as it drives the
//! Java and Go ones:
//!
//! ```text
//!   registry=HOST:PORT name=APPLICATION [session=MILLIS]
//!   provider: port=PORT [seen=PORT]                 seen: the port that consumers are to call
//!   consumer: [rate=CALLS_PER_SECOND] [timeout=MILLIS] [heartbeat=MILLIS]
//! ```
//!
//! A provider says `READY PORT` once it is registered; a consumer says `READY MILLIS` after its first answer, with the time
//! since its start. `COUNT` and `DELAY MILLIS` are a consumer's commands. Both leave in good order when their standard
//! input ends or when they are told to by SIGTERM.
#![allow(clippy::print_stdout, reason = "a peer talks to the test by its standard output")]

use std::io::BufRead;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use orana_interop::sdk_drill::arguments::Arguments;
use orana_interop::sdk_drill::caller::Caller;
use orana_interop::sdk_drill::greeter::{At, GreeterClient, GreeterService};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<()> {
    let started = Instant::now();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let commands = commands();
    match &*arguments.role {
        "provider" => provide(&arguments, commands).await,
        "consumer" => consume(&arguments, commands, started).await,
        other => bail!("`{other}` is no role"),
    }
}

async fn provide(arguments: &Arguments, commands: mpsc::Receiver<String>) -> Result<()> {
    let application = arguments.application()?;
    let port: u16 = arguments.number("port")?.context("`port=PORT` is missing")?;
    let seen = arguments.number("seen")?.unwrap_or(port);
    let builder = application.provider().listen(format!("127.0.0.1:{port}"));
    // Else a provider that was just started gets few calls in its first ten minutes.
    let builder = builder.parameter("warmup", 1).advertise(format!("127.0.0.1:{seen}"));
    let provider = builder.export(GreeterService::new(At(seen))).start().await?;
    println!("READY {seen}");
    obey(commands, |command| bail!("a provider knows no `{command}`")).await?;
    let stopped = provider.stop().await;
    application.close().await;
    println!("STOPPED unfinished={}", stopped.unfinished);
    Ok(())
}

async fn consume(arguments: &Arguments, commands: mpsc::Receiver<String>, started: Instant) -> Result<()> {
    let application = arguments.application()?;
    let timeout = Duration::from_millis(arguments.number("timeout")?.unwrap_or(5_000));
    let mut refer = application.consumer().refer::<GreeterClient>();
    if let Some(heartbeat) = arguments.text("heartbeat") {
        refer = refer.parameter("heartbeat", heartbeat);
    }
    let greeter = refer.check(false).retries(0).timeout(timeout).await?;
    let caller = Caller::new(greeter);
    caller.first_answer().await;
    println!("READY {}", started.elapsed().as_millis());
    let rate = arguments.number("rate")?.unwrap_or(50);
    let calls = tokio::spawn({
        let caller = caller.clone();
        async move { caller.run(rate).await }
    });
    let outcome = obey(commands, |command| {
        match command.split_once(' ') {
            None if command == "COUNT" => println!("{}", caller.count()),
            Some(("DELAY", millis)) => caller.delay(millis.parse()?),
            _ => bail!("a consumer knows no `{command}`"),
        }
        Ok(())
    });
    let outcome = outcome.await;
    calls.abort();
    application.close().await;
    outcome
}

/// The lines of standard input.
fn commands() -> mpsc::Receiver<String> {
    let (said, commands) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if said.blocking_send(line).is_err() {
                return;
            }
        }
    });
    commands
}

/// Takes commands until there are no more or the system says that it is over.
async fn obey(mut commands: mpsc::Receiver<String>, mut take: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    loop {
        tokio::select! {
            command = commands.recv() => match command {
                Some(command) => take(&command)?,
                None => return Ok(()),
            },
            _ = terminated.recv() => return Ok(()),
        }
    }
}
