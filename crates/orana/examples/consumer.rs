//! A consumer: `cargo run --release -p orana --example consumer -- --registry zookeeper://127.0.0.1:2181`
//!
//! Calls and prints what comes back, once or at a steady rate.
#![allow(clippy::print_stdout, reason = "an example talks to who runs it")]

mod greeter;

use std::time::Duration;

use clap::Parser;
use orana::Application;

use crate::greeter::{Greeter, GreeterClient};

#[derive(Parser)]
struct Arguments {
    /// The registry to ask for providers.
    #[arg(long, default_value = "zookeeper://127.0.0.1:2181")]
    registry: String,
    /// The name of the application.
    #[arg(long, default_value = "rust-consumer")]
    application: String,
    /// How many calls to make; 0 for no end.
    #[arg(long, default_value_t = 1)]
    calls: u64,
    /// Calls in a second.
    #[arg(long, default_value_t = 10)]
    rate: u32,
}

#[tokio::main]
async fn main() -> orana::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    let application = Application::new(&arguments.application).registry(&arguments.registry);
    let greeter = application.consumer().refer::<GreeterClient>().await?;
    println!("READY");
    let mut tick = tokio::time::interval(Duration::from_secs(1) / arguments.rate.max(1));
    let mut calls = 0;
    while arguments.calls == 0 || calls < arguments.calls {
        tick.tick().await;
        calls += 1;
        match greeter.say_hello(format!("Rust {calls}")).await {
            Ok(greeting) => println!("{greeting}"),
            Err(error) => eprintln!("{error}"),
        }
    }
    application.close().await;
    Ok(())
}
