//! Subscribes to every interface of a fleet, makes sure that the lists are true, and says what they cost.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use orana_core::ServiceUrl;

use crate::cost::Held;
use crate::fleet;

/// How long it rests before it is weighed again: jemalloc gives back in 10 s what is out of use.
const REST: Duration = Duration::from_secs(15);

/// Says `HELD BEFORE AFTER RESTED SECONDS` and leaves when its input ends.
pub(crate) async fn run(registry: &str, interfaces: usize, addresses: usize) -> Result<()> {
    let registry = crate::connected(registry).await?;
    let before = Held::now()?;
    let begun = Instant::now();
    let mut subscriptions = Vec::with_capacity(interfaces);
    for interface in 0..interfaces {
        let name = fleet::interface_name(interface);
        let consumer = ServiceUrl::parse(&format!(
            "consumer://10.30.0.1/{name}?application=shop&category=providers,configurators,routers&interface={name}\
             &side=consumer"
        ))?;
        subscriptions.push(registry.subscribe(&consumer).await?);
    }
    let taken = begun.elapsed().as_secs_f64();
    let after = Held::now()?;
    for (interface, subscription) in subscriptions.iter().enumerate() {
        let known = subscription.current();
        let providers = known.providers().context("a list is not known")?;
        ensure!(
            providers.len() == addresses,
            "interface {interface} has {} providers instead of {addresses}",
            providers.len()
        );
        for address in [0, addresses - 1] {
            let expected = fleet::provider(interface, address)?;
            ensure!(
                providers.contains(&expected),
                "interface {interface} lacks `{}`",
                expected.to_node_name()
            );
        }
    }
    let rested = Instant::now();
    while rested.elapsed() < REST {
        // The allocator looks after its unused pages when it is used.
        tokio::time::sleep(Duration::from_millis(10)).await;
        std::hint::black_box(vec![0_u8; 4_096]);
    }
    let held = serde_json::to_string(&(before, after, Held::now()?, taken))?;
    crate::say(&format!("HELD {held}"));
    crate::input_ends().await;
    drop(subscriptions);
    registry.close().await;
    Ok(())
}
