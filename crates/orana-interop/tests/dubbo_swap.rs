//! A real ZooKeeper with Dubbo 3.3.6, 2.7.23 and dubbo-go on it is stopped under calls, and the subject takes its port
//! with an empty tree: no call fails, and everybody registers again.
//!
//! What the applications bring along is part of the scenario. Dubbo Java registers and subscribes again by a timer, twice
//! its retry period after the new session. A consumer that is sooner than a provider reads a list without it, and drops
//! it; then calls may fail, with the original as successor just as well. So the consumers here have a longer retry period
//! than the providers. And Dubbo Java remembers which directories it has made and does not make them anew; here dubbo-go
//! does, which makes them each time. Java applications alone need them to be there: `/dubbo/SERVICE/providers` and so on.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Product, Setup, Tree, drill,
    drill::eventually,
    dubbo::{Application, Consumer, Dubbo, SERVICE, await_registered, instances},
};

const SESSION: Duration = Duration::from_secs(6);

/// Dubbo's own is 5 s.
const CONSUMERS_RETRY: Duration = Duration::from_secs(8);

#[test]
fn a_zookeeper_is_replaced_under_running_applications() {
    drill("dubbo-swap", 4, swap);
}

fn swap(drill: &Drill) -> Result<()> {
    let mut original = drill.server(Setup::new(Product::Zookeeper))?;
    let tree = Tree::at(original.address())?;
    let address = original.address();
    let all = [Dubbo::Java33, Dubbo::Java27, Dubbo::Go];
    // Dubbo 3 as it is without any settings: registered both ways, the registry is all centres, sessions of 40 s.
    let application = |dubbo| match dubbo {
        Dubbo::Java33 => Application::new(drill, dubbo, address.as_str()).with("mode=all"),
        _ => Application::new(drill, dubbo, address.as_str()).bare(SESSION),
    };
    let starting = all.map(|dubbo| application(dubbo).provider(&format!("provider-{dubbo}")));
    let providers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    let ports: Vec<u16> = providers.iter().map(|provider| provider.port).collect();
    await_registered(&tree, &ports, Duration::from_secs(30))?;
    let consumer = |dubbo| application(dubbo).with(format!("retry={}", CONSUMERS_RETRY.as_millis()));
    let starting = all.map(|dubbo| consumer(dubbo).consumer(&format!("consumer-{dubbo}")));
    let mut consumers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    use_all_they_should(&mut consumers, &ports)?;
    for consumer in &mut consumers {
        consumer.settle()?;
    }

    let swapped = Instant::now();
    original.terminate()?;
    let subject = drill.server(Setup::new(Product::chosen()?).port(original.port()))?;
    eprintln!("{} has the port after {:.1?}", subject.product(), swapped.elapsed());
    await_registered(&tree, &ports, Duration::from_secs(60).saturating_sub(swapped.elapsed()))?;
    eventually(Duration::from_secs(60).saturating_sub(swapped.elapsed()), || {
        let there = instances(&tree, "provider-java33")?;
        ensure!(there == ports[..1], "the instances are {there:?}");
        Ok(())
    })?;
    eprintln!("all providers are registered after {:.1?}", swapped.elapsed());
    eventually(Duration::from_secs(60).saturating_sub(swapped.elapsed()), || {
        let there = tree.children(&format!("/dubbo/{SERVICE}/consumers"))?;
        ensure!(there.len() == consumers.len(), "the consumers are {there:?}");
        Ok(())
    })?;
    eprintln!("everybody is registered after {:.1?}", swapped.elapsed());
    // The time that consumers hold a new list back, and some.
    thread::sleep(Duration::from_secs(7));
    for consumer in &mut consumers {
        let calls = consumer.lost_nothing()?;
        eprintln!("{}: {calls}", consumer.peer.name());
    }
    // Not dubbo-go: v3.3.0 closes its own listener on every reconnect and may miss who comes back.
    use_all_they_should(&mut consumers[..2], &ports)
}

/// Dubbo 3 prefers applications, and of the providers only the first is one; the other consumers use all of them.
fn use_all_they_should(consumers: &mut [Consumer], ports: &[u16]) -> Result<()> {
    for (nth, consumer) in consumers.iter_mut().enumerate() {
        consumer.until_answered_by(if nth == 0 { &ports[..1] } else { ports })?;
    }
    Ok(())
}
