//! Dubbo Java 3.3.6 registers applications (`register-mode` `instance` and `all`), with the registry as metadata report
//! and configuration centre too.

use std::{thread, time::Duration};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, Tree, drill,
    drill::eventually,
    dubbo::{Application, Dubbo, SERVICE, instances, registered},
};

const SESSION: Duration = Duration::from_secs(6);

/// The application that both providers belong to.
const SHOP: &str = "shop";

#[test]
fn a_consumer_follows_the_instances_of_an_application() {
    drill("dubbo33-instance", 3, |drill| follows(drill, "instance"));
}

#[test]
fn a_consumer_follows_providers_that_register_both_ways() {
    drill("dubbo33-all", 3, |drill| follows(drill, "all"));
}

/// Calls succeed; a second instance is used; a killed one is gone once its session has ended, and not before.
fn follows(drill: &Drill, mode: &str) -> Result<()> {
    let server = drill.subject()?;
    let tree = Tree::at(server.address())?;
    // The discovery client keeps to the session that it is given, whoever opens the other connection.
    let application = Application::new(drill, Dubbo::Java33, server.address())
        .with(format!("mode={mode}"))
        .with(format!("session={}", SESSION.as_millis()));
    let shop = application.clone().with(format!("name={SHOP}"));

    let first = shop.provider("first")?;
    let consumer = application.consumer("consumer")?;
    let first = first.ready()?;
    let mut consumer = consumer.ready()?;
    let calls = consumer.during(Duration::from_secs(1))?;
    ensure!(
        calls.failed == 0 && calls.by.keys().eq([&first.port]),
        "with one instance: {calls}"
    );
    is_described(&tree)?;

    let mut second = shop.provider("second")?.ready()?;
    eventually(Duration::from_secs(5), || {
        has_instances(&tree, &[first.port, second.port])
    })?;
    let interfaces = registered(&tree)?;
    ensure!(
        interfaces.len() == if mode == "all" { 2 } else { 0 },
        "providers of the interface: {interfaces:?}"
    );
    consumer.until_answered_by(&[first.port, second.port])?;

    second.peer.process().kill()?;
    thread::sleep(SESSION / 3);
    has_instances(&tree, &[first.port, second.port]).context("before the killed one's session ended")?;
    eventually(SESSION + Duration::from_secs(2), || has_instances(&tree, &[first.port]))?;
    consumer.until_answered_by(&[first.port])?;
    Ok(())
}

fn has_instances(tree: &Tree, ports: &[u16]) -> Result<()> {
    let mut wanted = ports.to_vec();
    wanted.sort_unstable();
    let there = instances(tree, SHOP)?;
    ensure!(there == wanted, "the instances are {there:?} instead of {wanted:?}");
    Ok(())
}

/// The metadata report knows which application offers the service, and what its methods are.
fn is_described(tree: &Tree) -> Result<()> {
    let mapping = tree.data(&format!("/dubbo/mapping/{SERVICE}"))?.context("no mapping")?;
    ensure!(
        mapping == SHOP.as_bytes(),
        "the mapping is `{}`",
        String::from_utf8_lossy(&mapping)
    );
    let definition = format!("/dubbo/metadata/{SERVICE}/provider/{SHOP}");
    let definition = eventually(Duration::from_secs(5), || {
        tree.data(&definition)?.context("no definition")
    })?;
    ensure!(
        String::from_utf8_lossy(&definition).contains("greet"),
        "the definition does not name the method"
    );
    Ok(())
}
