//! Outages with Java on one side: Rust calls Java providers and Java calls Rust providers 500 times a second without
//! retries, while the registry goes and comes back and providers leave in good order. No call may fail.

use std::{thread, time::Duration, time::Instant};

use anyhow::{Result, bail};
use orana_interop::{
    drill,
    dubbo::{Application, Consumer, Dubbo},
    sdk::peers::Built,
    sdk_drill::fleet::{self, Fleet, RATE, SESSION},
};

/// Curator declares a session dead by its own clock, and Dubbo may then be missing in the registry for seconds: long enough
/// for a server to start on a busy machine.
const JAVA_SESSION: Duration = Duration::from_secs(12);

#[test]
fn java_providers_that_leave_and_a_registry_that_is_killed_cost_a_rust_consumer_no_call() {
    drill("sdk-java-providers", 3, |drill| {
        let rust = rust();
        let registry = drill.server(fleet::registry()?)?;
        let start = |dubbo: Dubbo, name: &str| {
            let java = Application::new(drill, dubbo, registry.address());
            java.bare(JAVA_SESSION).provider(&format!("{dubbo}-{name}"))
        };
        let starting = [
            start(Dubbo::Java33, "stays")?,
            start(Dubbo::Java33, "leaves")?,
            start(Dubbo::Java27, "leaves")?,
        ];
        let providers = starting.into_iter().map(|starting| starting.ready());
        let providers = providers.collect::<Result<Vec<_>>>()?;
        let application = fleet::applications(drill, &rust, &registry);
        let mut fleet = Fleet::of(registry, application, providers)?;

        fleet.registry.kill()?;
        thread::sleep(Duration::from_secs(1));
        fleet.registry.restart()?;
        // As long as it takes until a session that nobody has resumed would be over.
        thread::sleep(JAVA_SESSION + Duration::from_secs(2));
        fleet.until_registered()?;
        fleet.account("registry killed and back", 0)?;

        fleet.consumer.delay(Duration::from_millis(10))?;
        while let Some(mut leaving) = fleet.providers.pop() {
            leaving.peer.leave(Duration::from_secs(30))?;
            fleet.until_all_answer()?;
            fleet.account(&format!("{} is gone", leaving.peer.name()), 0)?;
            if fleet.providers.len() == 1 {
                break;
            }
        }
        Ok(())
    });
}

#[test]
fn a_rust_provider_that_is_stopped_costs_java_consumers_no_call() {
    drill("sdk-java-consumers", 2, |drill| {
        let rust = rust();
        let registry = drill.server(fleet::registry()?)?;
        let application = fleet::applications(drill, &rust, &registry);
        let starting = ["provider-1", "provider-2"].map(|name| application.provider(name));
        let providers = starting.into_iter().map(|starting| starting?.ready());
        let mut providers = providers.collect::<Result<Vec<_>>>()?;
        let [first, second] = providers.as_mut_slice() else {
            bail!("two providers")
        };
        let ports = [first.port, second.port];
        let starting = [Dubbo::Java33, Dubbo::Java27].map(|dubbo| {
            let java = Application::new(drill, dubbo, registry.address()).bare(SESSION);
            java.with(format!("rate={RATE}")).consumer(&format!("consumer-{dubbo}"))
        });
        let consumers = starting.into_iter().map(|starting| starting?.ready());
        let mut consumers = consumers.collect::<Result<Vec<_>>>()?;
        until_answered_by(&mut consumers, &ports)?;
        for consumer in &mut consumers {
            consumer.delay(Duration::from_millis(2))?;
            consumer.settle()?;
        }
        let began = Instant::now();
        for provider in [first, second] {
            fleet::stop(provider)?;
            let others: Vec<u16> = ports.into_iter().filter(|port| *port != provider.port).collect();
            until_answered_by(&mut consumers, &others)?;
            *provider = application.provider_at(provider.peer.name(), provider.port)?.ready()?;
            until_answered_by(&mut consumers, &ports)?;
        }
        for consumer in &mut consumers {
            // Its four callers wait for answers, so that a busy machine makes them slower than they were asked to be.
            let calls = consumer.settle()?;
            fleet::account(
                consumer.peer.name(),
                "both providers restarted",
                &calls,
                began.elapsed(),
                0,
            )?;
        }
        Ok(())
    });
}

fn until_answered_by(consumers: &mut [Consumer], ports: &[u16]) -> Result<()> {
    for consumer in consumers {
        consumer.until_answered_by(ports)?;
    }
    Ok(())
}

fn rust() -> Built {
    Built(env!("CARGO_BIN_EXE_sdk-drill").into())
}
