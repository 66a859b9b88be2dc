//! Provider and consumer in one process: `cargo run --release -p orana --example both -- --registry zookeeper://127.0.0.1:2181`
#![allow(clippy::print_stdout, reason = "an example talks to who runs it")]

mod greeter;

use clap::Parser;
use orana::Application;

use crate::greeter::{Greeter, GreeterClient, GreeterService, Hello};

#[derive(Parser)]
struct Arguments {
    /// The registry that both use.
    #[arg(long, default_value = "zookeeper://127.0.0.1:2181")]
    registry: String,
    /// The name of the application.
    #[arg(long, default_value = "rust-both")]
    application: String,
    /// The port to listen at; 0 takes any free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[tokio::main]
async fn main() -> orana::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    let application = Application::new(&arguments.application).registry(&arguments.registry);
    let builder = application.provider().listen(format!("127.0.0.1:{}", arguments.port));
    let provider = builder.export(GreeterService::new(Hello)).start().await?;
    let greeter = application.consumer().refer::<GreeterClient>().await?;
    println!("READY {}", provider.address());
    println!("{}", greeter.say_hello("both".to_owned()).await?);
    provider.stop().await;
    application.close().await;
    Ok(())
}
