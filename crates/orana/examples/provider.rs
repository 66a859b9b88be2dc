//! A provider: `cargo run --release -p orana --example provider -- --registry zookeeper://127.0.0.1:2181 --port 20880`
//!
//! Serves until it is told to end (SIGTERM, ctrl-c), and then stops without losing a call.
#![allow(clippy::print_stdout, reason = "an example talks to who runs it")]

mod greeter;

use clap::Parser;
use orana::{Application, Container, Part, Provider};

use crate::greeter::{GreeterService, Hello};

#[derive(Parser)]
struct Arguments {
    /// The registry; without one, consumers must know the address.
    #[arg(long)]
    registry: Option<String>,
    /// The name of the application.
    #[arg(long, default_value = "rust-provider")]
    application: String,
    /// The port to listen at; 0 takes any free one.
    #[arg(long, default_value_t = 20880)]
    port: u16,
}

/// The provider as a part of a program.
struct Serving {
    application: Application,
    port: u16,
    provider: Option<Provider>,
}

impl Part for Serving {
    fn name(&self) -> &str {
        "provider"
    }

    fn start(&mut self) -> orana::BoxFuture<'_, orana::Result<()>> {
        Box::pin(async {
            let builder = self.application.provider().listen(format!("127.0.0.1:{}", self.port));
            let provider = builder.export(GreeterService::new(Hello)).start().await?;
            println!("READY {}", provider.address());
            self.provider = Some(provider);
            Ok(())
        })
    }

    fn stop(&mut self) -> orana::BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(provider) = self.provider.take() {
                provider.stop().await;
            }
            self.application.close().await;
        })
    }
}

#[tokio::main]
async fn main() -> orana::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    let application = arguments
        .registry
        .iter()
        .fold(Application::new(&arguments.application), |application, url| {
            application.registry(url)
        });
    let serving = Serving {
        application,
        port: arguments.port,
        provider: None,
    };
    Container::new().part(serving).run().await
}
