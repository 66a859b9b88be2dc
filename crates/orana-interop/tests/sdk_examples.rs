//! The cargo examples of the crate `orana` do what they say, with Dubbo 3.3.6 on the other side.

use std::time::Duration;

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Peer, drill,
    sdk::peers::{Built, Kind},
};

const PATIENCE: Duration = Duration::from_secs(90);

#[test]
fn the_example_provider_is_called_by_java_and_leaves_in_good_order() {
    drill("sdk-example-provider", 1, |drill| {
        let registry = drill.subject()?;
        let (registry, port) = (format!("zookeeper://{}", registry.address()), drill.port()?.to_string());
        let example = Built::example("provider")?;
        let flags = [
            "--registry",
            &registry,
            "--application",
            "rust-provider",
            "--port",
            &port,
        ];
        let mut provider = drill.run(&example, "provider", &flags)?;
        ensure!(
            provider.expect("READY", PATIENCE)?.ends_with(&port),
            "it listens elsewhere"
        );
        let flags = words(&format!(
            "--registry {registry} --application java --name Rust --calls 5 --rate 10"
        ));
        let mut consumer = Kind::Java33.start(drill, &example, "greeter-consumer", &flags)?;
        for _ in 0..5 {
            consumer.expect("Hello Rust", PATIENCE)?;
        }
        let calls = consumer.expect("CALLS", PATIENCE)?;
        ensure!(calls == "ok=5 failed=0", "{calls}");
        let status = provider.process().terminate(Duration::from_secs(20))?;
        ensure!(status.success(), "the provider ended with {status}");
        Ok(())
    });
}

#[test]
fn the_example_consumer_calls_java_through_the_registry_and_directly() {
    drill("sdk-example-consumer", 1, |drill| {
        let registry = drill.subject()?;
        let registry = format!("zookeeper://{}", registry.address());
        let port = drill.port()?;
        let consumer = Built::example("consumer")?;
        let flags = words(&format!("--registry {registry} --application java --port {port}"));
        let mut provider = Kind::Java33.start(drill, &consumer, "greeter-provider", &flags)?;
        provider.expect("READY", PATIENCE)?;
        let flags = format!("--registry {registry} --application rust-consumer --calls 3");
        let said = all_that_it_says(drill, &consumer, "consumer", &flags)?;
        ensure!(
            said == ["READY", "Hello Rust 1", "Hello Rust 2", "Hello Rust 3"],
            "{said:?}"
        );
        let flags = format!("--address 127.0.0.1:{port}");
        let said = all_that_it_says(drill, &Built::example("direct")?, "direct", &flags)?;
        ensure!(said == ["READY", "Hello direct", "Hello untyped"], "{said:?}");
        Ok(())
    });
}

#[test]
fn the_example_of_both_in_one_process_calls_itself() {
    drill("sdk-example-both", 0, |drill| {
        let registry = drill.subject()?;
        let flags = format!("--registry zookeeper://{}", registry.address());
        let said = all_that_it_says(drill, &Built::example("both")?, "both", &flags)?;
        ensure!(said.len() == 2 && said[1] == "Hello both", "{said:?}");
        Ok(())
    });
}

fn all_that_it_says(drill: &Drill, program: &Built, name: &str, flags: &str) -> Result<Vec<String>> {
    let mut peer: Peer = drill.run(program, name, &words(flags))?;
    peer.finish(PATIENCE)
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
