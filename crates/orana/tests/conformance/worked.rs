//! The ten worked cases, but for the first (`lists.rs`) and the last (`monitor.rs`).

use std::collections::BTreeSet;

use orana::{Client, ErrorCode};
use orana_cluster::{ClusterInvoker, EpochMillis};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::fleet::{Fleet, Stock as _, StockClient, becomes, find, reached};
use crate::network::{ask, reference, urls};

const CONDITIONS: &str = "org.example.Stock::.condition-router";

#[tokio::test]
async fn an_override_of_weight_zero_takes_one_provider_out_of_random() {
    let fleet = Fleet::of("weight-zero", &[("a", &[]), ("b", &[])]).await;
    let stock = fleet.refer(&[]).await;
    becomes(stock.reference(), Ok(&["a", "b"])).await;
    let a = fleet.providers[0].address();
    let rule = format!("override://{a}/org.example.Stock?category=configurators&dynamic=false&enabled=true&weight=0");
    fleet.register(&rule).await;
    becomes(stock.reference(), Ok(&["b"])).await;
    for _ in 0..500 {
        assert_eq!(find(stock.reference(), "x").await.unwrap(), "b");
    }
}

#[tokio::test]
async fn nobody_for_calls_from_the_consumers_own_host_is_an_error_of_code_6() {
    let fleet = Fleet::of("own-host", &[("a", &[]), ("b", &[])]).await;
    let stock = fleet.refer(&[]).await;
    let own = stock.reference().url().host().unwrap().to_owned();
    fleet.write(
        CONDITIONS,
        &format!("force: false\nconditions: [ 'host = {own} => false' ]\n"),
    );
    becomes(stock.reference(), Err(ErrorCode::NoInvokerAfterFilter)).await;
    assert_eq!(ErrorCode::NoInvokerAfterFilter.number(), 6);
    fleet.write(CONDITIONS, "conditions: [ 'host = 192.0.2.1 => false' ]\n");
    becomes(stock.reference(), Ok(&["a", "b"])).await;
}

#[tokio::test]
async fn a_tag_that_nobody_has_means_those_without_one_unless_the_call_forces_it() {
    let fleet = Fleet::of("nobody-has-it", &[("plain", &[]), ("blue", &[("dubbo.tag", "blue")])]).await;
    let stock = fleet.refer(&[]).await;
    let gray = stock.reference().clone().attachment("dubbo.tag", "gray");
    becomes(&gray, Ok(&["plain"])).await;
    let forced = gray.attachment("dubbo.force.tag", "true");
    assert_eq!(reached(&forced).await, Err(ErrorCode::NoInvokerAfterFilter));
    let blue = stock.reference().clone().attachment("dubbo.tag", "blue");
    becomes(&blue, Ok(&["blue"])).await;
    becomes(stock.reference(), Ok(&["plain"])).await;
}

/// Takes connections and hangs up at the first word of each; counts them.
async fn breaking_off() -> (u16, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            // What was read does not matter: the answer is that the connection is gone.
            let _ = socket.read(&mut [0; 64]).await;
        }
    });
    (port, task)
}

#[tokio::test]
async fn a_network_error_is_made_good_by_another_provider() {
    let fleet = Fleet::of("breaking-off", &[("b", &[])]).await;
    let (port, breaking) = breaking_off().await;
    let url = format!(
        "dubbo://127.0.0.1:{port}/org.example.Stock?interface=org.example.Stock&application=stock&weight=100000"
    );
    fleet.register(&url).await;
    let stock = fleet.refer(&[("retries", "2")]).await;
    for _ in 0..10 {
        assert_eq!(find(stock.reference(), "x").await.unwrap(), "b");
    }
    breaking.abort();
}

#[tokio::test]
async fn a_business_error_is_one_attempt() {
    let fleet = Fleet::of("business", &[("a", &[]), ("b", &[])]).await;
    let stock = fleet.refer(&[("retries", "5")]).await;
    let error = find(stock.reference(), "trouble").await.unwrap_err();
    assert_eq!(error.exception().unwrap().class.as_ref(), "org.example.Trouble");
    assert_eq!(fleet.calls(), 1);
}

#[tokio::test]
async fn weights_five_one_one_are_called_a_a_b_a_c_a_a() {
    let (_, invoker) = reference(
        "loadbalance=roundrobin",
        &[
            "dubbo://h:1/i?weight=5",
            "dubbo://h:2/i?weight=1",
            "dubbo://h:3/i?weight=1",
        ],
    )
    .await;
    let mut order = Vec::new();
    for _ in 0..14 {
        order.push(ask(&invoker, "say", "x").await.unwrap());
    }
    assert_eq!(order, [1, 1, 2, 1, 3, 1, 1, 1, 1, 2, 1, 3, 1, 1]);
}

/// Two references with hash rings, to the same providers in two orders.
async fn rings(ports: std::ops::RangeInclusive<u16>) -> [ClusterInvoker; 2] {
    let forwards: Vec<String> = ports.map(|port| format!("dubbo://10.0.0.1:{port}/i")).collect();
    let forwards: Vec<&str> = forwards.iter().map(String::as_str).collect();
    let backwards: Vec<&str> = forwards.iter().rev().copied().collect();
    let (_, one) = reference("loadbalance=consistenthash", &forwards).await;
    let (_, other) = reference("loadbalance=consistenthash", &backwards).await;
    [one, other]
}

#[tokio::test]
async fn the_same_key_finds_the_same_provider_whatever_the_order_of_the_list() {
    let [one, other] = rings(20881..=20892).await;
    let mut reached = BTreeSet::new();
    for key in 0..300 {
        let key = key.to_string();
        let port = ask(&one, "say", &key).await.unwrap();
        assert_eq!(port, ask(&other, "say", &key).await.unwrap(), "{key}");
        reached.insert(port);
    }
    assert_eq!(reached.len(), 12);
}

#[tokio::test]
async fn a_point_that_two_addresses_have_in_common_is_the_later_ones() {
    // The 21st point of `10.0.0.1:1` and the first of `10.0.0.1:12` are made of one text, and in Java's map the later one replaces.
    let [one, other] = rings(1..=12).await;
    assert_eq!(ask(&one, "say", "3").await, Ok(12));
    assert_eq!(ask(&other, "say", "3").await, Ok(1));
}

#[tokio::test]
async fn after_a_tenth_of_its_warm_up_a_provider_has_a_tenth_of_its_weight() {
    let (_, invoker) = reference("timestamp=5", &["dubbo://h:1/i?timestamp=1000000&warmup=600000"]).await;
    let weight = |now| invoker.directory().list().unwrap().endpoints()[0].weight("say", EpochMillis(now));
    assert_eq!(
        weight(1_000_000 + 60_000),
        10,
        "the consumer's own start does not count"
    );
    assert_eq!(weight(1_000_000 + 600_000), 100);
    let merged_by_2_6 = urls(&["dubbo://h:1/i?timestamp=7&remote.timestamp=1000000"]);
    invoker.directory().notify(merged_by_2_6);
    while invoker.directory().list().unwrap().endpoints()[0]
        .url()
        .parameter("remote.timestamp")
        .is_none()
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(weight(1_000_000 + 60_000), 10);
}

#[tokio::test]
async fn a_forced_mock_makes_no_call_and_needs_no_provider() {
    let fleet = Fleet::of("forced-mock", &[("a", &[])]).await;
    let stock = fleet.refer(&[("mock", "force:return null")]).await;
    for _ in 0..20 {
        assert_eq!(stock.find("trouble".into()).await.unwrap(), None);
    }
    assert_eq!(fleet.calls(), 0);
    let nobody = Fleet::empty("forced-mock-nobody");
    let refer = nobody.shop().consumer().refer::<StockClient>();
    let stock = refer.check(false).parameter("mock", "force:return null").await.unwrap();
    assert_eq!(stock.find("x".into()).await.unwrap(), None);
}
