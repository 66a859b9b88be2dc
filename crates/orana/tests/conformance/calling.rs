//! What strategies and the choice of a provider do in the cases that are easily got wrong.

use std::time::Duration;

use orana::{Client, ErrorCode};

use crate::fleet::{Fleet, Stock as _, becomes, find};
use crate::network::{ask, reference, urls};

const THREE: &[&str] = &["dubbo://h:1/i", "dubbo://h:2/i", "dubbo://h:3/i"];

#[tokio::test]
async fn the_only_candidate_is_called_though_it_is_down() {
    let (network, invoker) = reference("retries=0", &THREE[..1]).await;
    network.down(1, true);
    assert_eq!(ask(&invoker, "say", "x").await, Ok(1));
}

#[tokio::test]
async fn a_call_that_sticks_stays_with_one_provider_for_all_methods_until_that_is_down() {
    let (network, invoker) = reference("sticky=true&loadbalance=roundrobin&retries=0", THREE).await;
    let first = ask(&invoker, "say", "x").await.unwrap();
    for method in ["say", "hear", "say"] {
        assert_eq!(ask(&invoker, method, "x").await, Ok(first));
    }
    network.fail(&[first]);
    ask(&invoker, "say", "x").await.unwrap_err();
    network.fail(&[]);
    assert_eq!(
        ask(&invoker, "say", "x").await,
        Ok(first),
        "a failure alone does not part them"
    );
    network.down(first, true);
    let second = ask(&invoker, "say", "x").await.unwrap();
    assert_ne!(first, second);
    network.down(first, false);
    for _ in 0..5 {
        assert_eq!(ask(&invoker, "hear", "x").await, Ok(second), "it does not go back");
    }
}

#[tokio::test]
async fn round_robin_without_any_weight_takes_the_first_and_random_takes_anybody() {
    let none = [1, 2, 3].map(|port| format!("dubbo://h:{port}/i?weight=0"));
    let none: Vec<&str> = none.iter().map(String::as_str).collect();
    let (network, invoker) = reference("loadbalance=roundrobin", &none).await;
    for _ in 0..9 {
        ask(&invoker, "say", "x").await.unwrap();
    }
    assert_eq!(network.called(), [1; 9]);
    let (network, invoker) = reference("loadbalance=random", &none).await;
    for _ in 0..300 {
        ask(&invoker, "say", "x").await.unwrap();
    }
    let called = network.called();
    assert!([1, 2, 3].iter().all(|port| called.contains(port)));
}

#[tokio::test]
async fn failover_takes_a_provider_again_only_when_there_is_no_other() {
    let (network, invoker) = reference("retries=3", THREE).await;
    network.fail(&[1, 2, 3]);
    ask(&invoker, "say", "x").await.unwrap_err();
    let mut called = network.called();
    assert_eq!(called.len(), 4);
    called[..3].sort_unstable();
    assert_eq!(called[..3], [1, 2, 3]);
}

#[tokio::test]
async fn forks_are_no_more_than_there_are_providers_up() {
    let (network, invoker) = reference("cluster=forking&forks=3", THREE).await;
    network.down(2, true);
    network.down(3, true);
    assert_eq!(ask(&invoker, "say", "x").await, Ok(1));
    assert_eq!(network.called(), [1]);
}

#[tokio::test]
async fn broadcast_fails_if_anybody_failed_whatever_share_is_allowed() {
    for percent in [0, 10, 50, 100] {
        let query = format!("cluster=broadcast&broadcast.fail.percent={percent}");
        let (network, invoker) = reference(&query, THREE).await;
        network.fail(&[2]);
        assert_eq!(ask(&invoker, "say", "x").await, Err(ErrorCode::Network), "{percent}");
    }
}

#[tokio::test(start_paused = true)]
async fn failback_obeys_the_rules_and_the_list_of_the_moment_at_which_it_tries_again() {
    let (network, invoker) = reference("cluster=failback", &THREE[..1]).await;
    network.fail(&[1]);
    // Whoever calls gets null, which is no number.
    let call = tokio::spawn(async move {
        let method = orana_core::Method::new(orana_core::ServiceKey::new("i", None, None), "say", "");
        let invocation = orana_core::Invocation::new(method.into(), orana_core::Encoded::none());
        let reply = orana_core::Invoker::invoke(&invoker, &invocation).await.unwrap();
        assert!(reply.is_null());
        invoker
    });
    let invoker = call.await.unwrap();
    assert_eq!(network.called(), [1]);
    invoker.directory().notify(urls(&THREE[1..2]));
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(network.called(), [2]);
}

#[tokio::test]
async fn a_strategy_is_fixed_when_the_reference_is_made_and_the_rest_of_a_rule_counts_at_once() {
    let fleet = Fleet::of("fixed-strategy", &[("a", &[])]).await;
    let stock = fleet.refer(&[]).await;
    becomes(stock.reference(), Ok(&["a"])).await;
    let rule = "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nenabled: true\nconfigs:\n  - side: consumer\n    \
                parameters: { cluster: failsafe, retries: 4 }\n";
    fleet.write("org.example.Stock::.configurators", rule);
    let stock = stock.reference();
    let start = std::time::Instant::now();
    while !stock
        .providers()
        .iter()
        .all(|url| url.parameter("retries") == Some("4"))
    {
        assert!(start.elapsed() < crate::fleet::PATIENCE, "the rule is not seen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // `failsafe` would hide the error behind null.
    let item = [orana::Value::from("x")];
    stock
        .call("no_such_method", &["java.lang.String"], &item)
        .await
        .unwrap_err();
    assert_eq!(find(stock, "x").await.unwrap(), "a");
}

#[tokio::test]
async fn a_mock_does_not_hide_an_exception_of_the_service() {
    let fleet = Fleet::of("honest-mock", &[("a", &[])]).await;
    let stock = fleet.refer(&[("mock", "return null")]).await;
    let error = stock.find("trouble".into()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Business);
    let forced = fleet.refer(&[("mock", "forceful")]).await;
    let error = forced.find("x".into()).await.unwrap_err();
    assert!(
        error.to_string().contains("forceful"),
        "any text that begins so forces: {error}"
    );
    assert_eq!(fleet.calls(), 1);
}
