//! Threads that call while rules and lists change every millisecond.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orana::registry::backend::RegistryBackend;
use orana::{Client, ServiceUrl};
use parking_lot::Mutex;

use super::stage::{CONDITIONS, CONFIGURATORS, Stage, Stock as _, TAGS};

const LASTS: Duration = Duration::from_secs(5);
const CALLERS: usize = 8;

/// Each leaves somebody. The third provider is excluded by a rule that is always there.
const CHANGES: [(&str, Option<&str>); 12] = [
    (CONDITIONS, Some("conditions: [ '=> region=east' ]\n")),
    (
        TAGS,
        Some("tags: [ { name: gray, match: [ { key: region, value: { exact: west } } ] } ]\n"),
    ),
    (CONDITIONS, Some("conditions: [ '=> region=west' ]\n")),
    (CONDITIONS, Some("conditions: [ 'no rule at all' ]\n")),
    (
        CONFIGURATORS,
        Some("key: org.example.Stock\nconfigs: [ { side: consumer, parameters: { weight: 0 } } ]\n"),
    ),
    (CONDITIONS, Some("conditions: [ '=> region=east,west' ]\n")),
    (TAGS, None),
    (
        CONFIGURATORS,
        Some(
            "key: org.example.Stock\nconfigs: [ { side: consumer, parameters: { loadbalance: consistenthash, weight: 7 } } ]\n",
        ),
    ),
    (
        CONDITIONS,
        Some(
            "configVersion: v3.1\nconditions: [ { from: { match: 'method=find' }, to: [ { match: region=east, weight: 3 }, { match: region=west } ] } ]\n",
        ),
    ),
    (CONFIGURATORS, Some("key: org.example.Stock\nconfigs: nothing\n")),
    (CONDITIONS, None),
    (CONFIGURATORS, None),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn whoever_calls_while_everything_changes_reaches_somebody_who_is_allowed() {
    let stage = Stage::set("stress").await;
    stage.write(
        "shop.condition-router",
        "force: true\nconditions: [ '=> region!=north' ]\n",
    );
    stage.becomes(&["east", "west"]).await;
    let over = Arc::new(AtomicBool::new(false));
    let reached = Arc::new(Mutex::new(BTreeMap::<String, u64>::new()));
    let errors = Arc::new(Mutex::new(Vec::<String>::new()));
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let (over, reached, errors) = (Arc::clone(&over), Arc::clone(&reached), Arc::clone(&errors));
            let stock = match caller % 2 {
                0 => stage.stock.with(|calls| calls.attachment("dubbo.tag", "gray")),
                _ => stage.stock.with(|calls| calls),
            };
            tokio::spawn(async move {
                let mut longest = Duration::ZERO;
                while !over.load(Ordering::Relaxed) {
                    let start = Instant::now();
                    match stock.find("x".into()).await {
                        Ok(who) => *reached.lock().entry(who).or_default() += 1,
                        Err(error) => errors.lock().push(error.to_string()),
                    }
                    longest = longest.max(start.elapsed());
                }
                longest
            })
        })
        .collect();
    // Somebody else's provider comes and goes: the list changes, and nobody can be called there.
    let passing = ServiceUrl::parse("dubbo://127.0.0.1:1/org.example.Stock?region=north&application=stock").unwrap();
    let mut tick = tokio::time::interval(Duration::from_millis(1));
    let start = Instant::now();
    let mut changes = 0_usize;
    while start.elapsed() < LASTS {
        tick.tick().await;
        let (key, text) = CHANGES[changes % CHANGES.len()];
        match text {
            Some(text) => stage.write(key, text),
            None => stage.erase(key),
        }
        match changes % 10 {
            3 => stage.registry.publish(&passing).await.unwrap(),
            8 => stage.registry.withdraw(&passing).await.unwrap(),
            _ => {}
        }
        changes += 1;
    }
    over.store(true, Ordering::Relaxed);
    let mut longest = Duration::ZERO;
    for caller in callers {
        longest = longest.max(caller.await.expect("a caller does not panic"));
    }
    let reached = std::mem::take(&mut *reached.lock());
    let errors = std::mem::take(&mut *errors.lock());
    println!(
        "{changes} changes; reached {reached:?}; {} errors; the longest call took {longest:.0?}",
        errors.len()
    );
    assert!(errors.is_empty(), "{} errors; the first: {}", errors.len(), errors[0]);
    assert!(reached.keys().eq(["east", "west"]), "{reached:?}");
    assert!(
        changes > 500 && reached.values().sum::<u64>() > 500,
        "too little happened"
    );
    assert!(longest < Duration::from_secs(2), "a call took {longest:?}");
    for key in ["shop.condition-router", CONDITIONS, CONFIGURATORS, TAGS] {
        stage.erase(key);
    }
    stage.becomes(&["east", "north", "west"]).await;
}
