//! Dubbo Java 3.3.6, 2.7.23 and dubbo-go register each interface, call each other, and notice who comes and who dies.

use std::{thread, time::Duration};

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Tree, drill,
    dubbo::{Application, Dubbo, await_registered, registered},
};

const SESSION: Duration = Duration::from_secs(6);

#[test]
fn a_dubbo_33_consumer_follows_its_providers() {
    drill("dubbo33-follows", 3, |drill| follows(drill, Dubbo::Java33));
}

#[test]
fn a_dubbo_27_consumer_follows_its_providers() {
    drill("dubbo27-follows", 3, |drill| follows(drill, Dubbo::Java27));
}

#[test]
fn dubbo_33_and_27_and_go_call_each_other() {
    drill("dubbo-each-other", 4, call_each_other);
}

/// Calls succeed; a second provider is used; a killed one is gone once its session has ended, and not before.
fn follows(drill: &Drill, dubbo: Dubbo) -> Result<()> {
    let server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    let application = Application::new(drill, dubbo, server.address()).bare(SESSION);

    let first = application.provider("first")?;
    let consumer = application.consumer("consumer")?;
    let first = first.ready()?;
    let mut consumer = consumer.ready()?;
    let calls = consumer.during(Duration::from_secs(1))?;
    ensure!(
        calls.failed == 0 && calls.by.keys().eq([&first.port]),
        "with one provider: {calls}"
    );

    let mut second = application.provider("second")?.ready()?;
    await_registered(&tree, &[first.port, second.port], Duration::from_secs(5))?;
    consumer.until_answered_by(&[first.port, second.port])?;

    second.peer.process().kill()?;
    thread::sleep(SESSION / 3);
    ensure!(
        registered(&tree)?.contains(&second.port),
        "the killed provider was gone before its session ended"
    );
    await_registered(&tree, &[first.port], SESSION + Duration::from_secs(2))?;
    consumer.until_answered_by(&[first.port])?;
    Ok(())
}

/// Each consumer reaches the providers of all three.
fn call_each_other(drill: &Drill) -> Result<()> {
    let server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    let all = [Dubbo::Java33, Dubbo::Java27, Dubbo::Go];
    let application = |dubbo| Application::new(drill, dubbo, server.address()).bare(SESSION);

    let starting = all.map(|dubbo| application(dubbo).provider(&format!("provider-{dubbo}")));
    let providers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    let ports: Vec<u16> = providers.iter().map(|provider| provider.port).collect();
    await_registered(&tree, &ports, Duration::from_secs(30))?;

    let starting = all.map(|dubbo| application(dubbo).consumer(&format!("consumer-{dubbo}")));
    let consumers = starting
        .into_iter()
        .map(|starting| starting?.ready())
        .collect::<Result<Vec<_>>>()?;
    for mut consumer in consumers {
        consumer.until_answered_by(&ports)?;
        consumer.settle()?;
        thread::sleep(Duration::from_secs(1));
        let calls = consumer.lost_nothing()?;
        let fewest = calls.by.values().min().copied().unwrap_or(0);
        ensure!(
            calls.by.len() == 3 && fewest * 4 > calls.ok / 3,
            "{} favours some: {calls}",
            consumer.peer.name()
        );
    }
    Ok(())
}
