//! Calls that say something new each time, so that whatever is kept for each of them would grow without an end.

use std::time::Instant;

use orana::{Client, ErrorCode, Value};

use super::stage::{CONDITIONS, CONFIGURATORS, PATIENCE, Stage, Stock as _, TAGS, Warnings, resident_mib};

const CALLS: usize = 2_500;

#[tokio::test]
async fn a_tag_that_is_another_one_with_each_call_takes_no_memory_that_stays() {
    let stage = Stage::set("tags").await;
    stage.write(TAGS, "tags: [ { name: gray, addresses: ['10.9.9.9:1'] } ]\n");
    stage.write(CONDITIONS, "conditions: [ 'attachments[user]=vip => region=east' ]\n");
    let long = "t".repeat(32 << 10);
    let mut before = 0;
    let start = Instant::now();
    for number in 0..CALLS {
        let tagged = stage.stock.with(|calls| {
            let calls = calls.attachment("dubbo.tag", &format!("{number}{long}"));
            calls.attachment("user", &format!("u{number}"))
        });
        tagged.find("x".into()).await.unwrap();
        if number == CALLS / 10 {
            before = resident_mib();
        }
    }
    let now = resident_mib();
    println!("{CALLS} tags of 32 KiB: {before} -> {now} MiB, {:.1?}", start.elapsed());
    assert!(now < before + 40, "{before} MiB became {now}");
    stage.becomes(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn methods_that_nobody_ever_heard_of_take_no_memory_that_stays() {
    let stage = Stage::set("methods").await;
    let long = "m".repeat(8 << 10);
    let mut before = 0;
    let start = Instant::now();
    for number in 0..CALLS {
        let name = format!("m{number}{long}");
        let error = stage.reference().call_generic(&name, None, &[Value::from("x")]).await;
        assert!(error.is_err());
        if number == CALLS / 10 {
            before = resident_mib();
        }
    }
    let now = resident_mib();
    println!(
        "{CALLS} methods with names of 8 KiB: {before} -> {now} MiB, {:.1?}",
        start.elapsed()
    );
    assert!(now < before + 48, "{before} MiB became {now}");
    stage.becomes(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn a_hash_ring_of_more_points_than_memory_has_is_a_smaller_one_and_that_is_told() {
    let stage = Stage::set("ring").await;
    let before = resident_mib();
    let warnings = Warnings::listen();
    for nodes in ["2147483647", "4294967295", "99999999999999999999", "-1", "many"] {
        let rule = format!(
            "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nconfigs:\n  - side: consumer\n    parameters: {{ loadbalance: \
             consistenthash, hash.nodes: '{nodes}', hash.arguments: '0,1,-7,99999999999,x' }}\n"
        );
        stage.write(CONFIGURATORS, &rule);
        let start = Instant::now();
        while stage.reference().providers()[0].parameter("hash.nodes") != Some(nodes) {
            assert!(start.elapsed() < PATIENCE, "{nodes} does not come");
            tokio::task::yield_now().await;
        }
        let first = stage.stock.find("item".into()).await.unwrap();
        for _ in 0..20 {
            assert_eq!(stage.stock.find("item".into()).await.unwrap(), first, "{nodes}");
        }
        println!("hash.nodes={nodes}: {first}, {:.0?}", start.elapsed());
        assert!(start.elapsed() < PATIENCE / 2, "{nodes} took {:?}", start.elapsed());
    }
    let said = warnings.take();
    assert_eq!(
        said.iter().filter(|said| said.contains("hash.nodes")).count(),
        1,
        "{said:?}"
    );
    assert!(resident_mib() < before + 128, "{before} MiB became {}", resident_mib());
    stage.erase(CONFIGURATORS);
    stage.becomes(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn a_call_pinned_to_nobody_says_so_and_no_other_call_suffers() {
    let stage = Stage::set("pinned").await;
    for target in ["", "127.0.0.1", "127.0.0.1:99999", &"x".repeat(100_000)] {
        let pinned = stage.stock.with(|calls| calls.target(target));
        let error = pinned.find("x".into()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NoInvokerAfterFilter, "{target}");
    }
    stage.stays(&["east", "north", "west"]).await;
}
