//! Registers every provider of a fleet and holds them. The URLs are shaped like the recorded one of an interface of 60
//! methods, whose path in ZooKeeper was 1,052 bytes long.

use anyhow::{Result, ensure};
use orana_core::ServiceUrl;
use tokio::task::JoinSet;

use crate::cost::Held;

/// So many registrations are under way at a time.
const AT_ONCE: usize = 256;

/// Says `HELD BEFORE AFTER` once all are registered, and leaves when its input ends.
pub(crate) async fn run(registry: &str, interfaces: usize, addresses: usize) -> Result<()> {
    let registry = crate::connected(registry).await?;
    let before = Held::now()?;
    let mut registrations = Vec::with_capacity(interfaces * addresses);
    let mut under_way = JoinSet::new();
    for interface in 0..interfaces {
        for address in 0..addresses {
            if under_way.len() >= AT_ONCE
                && let Some(done) = under_way.join_next().await
            {
                registrations.push(done??);
            }
            let (registry, url) = (registry.clone(), provider(interface, address)?);
            under_way.spawn(async move { registry.register(&url).await });
        }
    }
    while let Some(done) = under_way.join_next().await {
        registrations.push(done??);
    }
    drop(under_way);
    ensure!(
        registrations.len() == interfaces * addresses,
        "only {} are registered",
        registrations.len()
    );
    crate::say(&format!("HELD {}", serde_json::to_string(&(before, Held::now()?))?));
    crate::input_ends().await;
    registry.close().await;
    Ok(())
}

/// The name of an interface of the fleet.
pub(crate) fn interface_name(interface: usize) -> String {
    format!("com.example.shop.orders.OrderService{interface:04}")
}

/// One of its providers, as Dubbo 3.3 writes it.
pub(crate) fn provider(interface: usize, address: usize) -> Result<ServiceUrl> {
    let methods: Vec<_> = (0..60).map(|method| format!("query{method:02}")).collect();
    let name = interface_name(interface);
    let (high, low) = (address / 250, address % 250 + 1);
    let timestamp = 1_796_093_839_018_u64 + address as u64;
    let pid = 1_000 + (interface * 7 + address) % 9_000;
    Ok(ServiceUrl::parse(&format!(
        "dubbo://10.20.{high}.{low}:20880/{name}?application=order-service&deprecated=false&dubbo=2.0.2&dynamic=true\
         &generic=false&interface={name}&methods={}&pid={pid}&prefer.serialization=hessian2,fastjson2&release=3.3.6\
         &service-name-mapping=true&side=provider&timestamp={timestamp}",
        methods.join(",")
    ))?)
}

#[cfg(test)]
mod tests {
    use super::{interface_name, provider};

    #[test]
    fn a_provider_of_the_fleet_is_as_long_as_the_recorded_one() {
        let node = provider(0, 0).unwrap().to_node_name();
        let path = format!("/dubbo/{}/providers/{node}", interface_name(0));
        assert!((1_040..1_060).contains(&path.len()), "{}", path.len());
    }
}
