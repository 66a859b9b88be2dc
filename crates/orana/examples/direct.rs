//! A consumer that knows the address and needs no registry:
//! `cargo run --release -p orana --example direct -- --address 127.0.0.1:20880`
#![allow(clippy::print_stdout, reason = "an example talks to who runs it")]

mod greeter;

use std::time::Duration;

use clap::Parser;
use orana::{Application, Client, Value};

use crate::greeter::{Greeter, GreeterClient};

#[derive(Parser)]
struct Arguments {
    /// Where the provider listens.
    #[arg(long, default_value = "127.0.0.1:20880")]
    address: String,
    /// The name of the application.
    #[arg(long, default_value = "rust-direct")]
    application: String,
}

#[tokio::main]
async fn main() -> orana::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    let consumer = Application::new(&arguments.application).consumer();

    // By the trait, with settings for one call.
    let greeter = consumer.refer::<GreeterClient>().direct(&arguments.address).await?;
    println!("READY");
    let hasty = greeter.with(|calls| calls.timeout(Duration::from_millis(500)).attachment("who", "example"));
    println!("{}", hasty.say_hello("direct".to_owned()).await?);

    // And by name, without a trait.
    let any = consumer
        .refer_to("org.example.peer.Greeter")
        .direct(&arguments.address)
        .await?;
    let greeting = any
        .call("sayHello", &["java.lang.String"], &[Value::from("untyped")])
        .await?;
    println!("{}", greeting.as_text().unwrap_or("(no text)"));
    Ok(())
}
