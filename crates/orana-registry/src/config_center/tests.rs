//! The policy over a centre that fails on purpose; time is the test's own.

use std::sync::Arc;
use std::time::Duration;

use orana_core::{BoxFuture, ServiceUrl};
use tokio::sync::watch;
use tokio::time::{Instant, advance, timeout};

use super::*;
use crate::error::RegistryErrorKind;
use crate::notification::Freshness;

const LONG: Duration = Duration::from_secs(3600);

fn centre(name: &str, parameters: &str) -> (MemoryConfig, ConfigCenter) {
    let switches = MemoryConfig::named(name);
    let url = ServiceUrl::parse(&format!("memory://{name}?{parameters}")).unwrap();
    (switches, ConfigCenter::builder(&url).build().unwrap())
}

async fn changed(subscription: &mut ConfigSubscription) -> ConfigValue {
    let told = timeout(LONG, subscription.changed()).await;
    told.expect("nothing was told").expect("the centre was closed")
}

/// Lets the driver do all that it can do without time passing.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// A product that never connects, and says nothing about it.
struct Silent(watch::Sender<Link>);

impl ConfigBackend for Silent {
    fn get<'a>(&'a self, _: &'a ConfigKey) -> BoxFuture<'a, Result<Content, RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn publish<'a>(&'a self, _: &'a ConfigKey, _: &'a str) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn remove<'a>(&'a self, _: &'a ConfigKey) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn watch<'a>(&'a self, _: &'a ConfigKey) -> BoxFuture<'a, Result<ConfigWatching, RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.0.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

fn silent(parameters: &str, link: Link) -> ConfigCenter {
    let url = ServiceUrl::parse(&format!("silent://h:1?{parameters}")).unwrap();
    let builder = ConfigCenter::builder(&url);
    let builder = builder.backend("silent", move |_| {
        Ok(Arc::new(Silent(watch::Sender::new(link.clone()))))
    });
    builder.build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_that_is_checked_waits_for_the_first_value_no_longer_than_the_time_out() {
    for link in [Link::Connecting, Link::Up { epoch: 1 }] {
        let centre = silent("timeout=7000", link);
        let began = Instant::now();
        let error = centre.subscribe(DEFAULT_GROUP, "a").await.err().unwrap();
        assert!(
            (7.0..7.1).contains(&began.elapsed().as_secs_f64()),
            "{:?}",
            began.elapsed()
        );
        assert!(error.retryable(), "{error}");
        assert_eq!(error.path(), Some("dubbo/a"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_centre_is_waited_for_once_by_those_who_are_not_checked() {
    let centre = silent("check=false", Link::Connecting);
    let began = Instant::now();
    let mut subscriptions = Vec::new();
    for nth in 0..100 {
        subscriptions.push(centre.subscribe(DEFAULT_GROUP, &nth.to_string()).await.unwrap());
    }
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert!(
        subscriptions
            .iter()
            .all(|subscription| !subscription.current().is_known())
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_answers_ends_with_the_time_out() {
    let centre = silent("timeout=7000", Link::Up { epoch: 1 });
    let began = Instant::now();
    for outcome in [
        centre.get(DEFAULT_GROUP, "a").await.map(drop),
        centre.publish(DEFAULT_GROUP, "a", "text").await,
        centre.remove(DEFAULT_GROUP, "a").await,
    ] {
        assert_eq!(outcome.unwrap_err().kind(), RegistryErrorKind::TimedOut);
    }
    assert!(
        (21.0..21.1).contains(&began.elapsed().as_secs_f64()),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_tried_again_after_the_period_and_not_before() {
    let (switches, centre) = centre("config-retry", "check=false&retry.period=10000");
    switches.put(DEFAULT_GROUP, "a", "text").unwrap();
    switches.fail(3);
    let mut subscription = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    assert!(!subscription.current().is_known());
    let began = Instant::now();
    assert_eq!(changed(&mut subscription).await.text.as_deref(), Some("text"));
    assert_eq!(switches.requests(), 4);
    let took = began.elapsed().as_secs_f64();
    assert!((24.0..36.1).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn whoever_is_refused_asks_nothing_until_it_is_let_in() {
    let (switches, centre) = centre("config-refused", "check=false&retry.period=100");
    switches.refuse(Some("wrong password"));
    let mut subscription = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    advance(LONG).await;
    settle().await;
    assert_eq!(switches.requests(), 0);
    let error = centre.get(DEFAULT_GROUP, "a").await.unwrap_err();
    assert_eq!(error.kind(), RegistryErrorKind::Refused);
    assert!(error.to_string().contains("wrong password"), "{error}");
    switches.put(DEFAULT_GROUP, "a", "text").unwrap();
    switches.refuse(None);
    assert_eq!(changed(&mut subscription).await.text.as_deref(), Some("text"));
}

#[tokio::test(start_paused = true)]
async fn what_is_known_outlives_an_outage_and_is_stale_since_it_began() {
    let (switches, centre) = centre("config-outage", "");
    switches.put(DEFAULT_GROUP, "a", "before").unwrap();
    let mut subscription = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    let began = Instant::now();
    switches.cut();
    settle().await;
    advance(LONG).await;
    settle().await;
    let stale = subscription.current();
    assert_eq!(stale.text.as_deref(), Some("before"));
    assert_eq!(stale.freshness, Freshness::Stale { since: began });
    // Whoever comes now shares it, and does not wait.
    let late = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    assert_eq!(late.current(), stale);
    switches.put(DEFAULT_GROUP, "a", "after").unwrap();
    switches.lose_sessions();
    settle().await;
    assert_eq!(subscription.current(), stale);
    switches.mend();
    let news = changed(&mut subscription).await;
    assert_eq!(
        (news.text.as_deref(), news.freshness),
        (Some("after"), Freshness::Fresh)
    );
}

#[tokio::test(start_paused = true)]
async fn that_a_text_turns_stale_and_fresh_again_is_told_to_nobody() {
    let (switches, centre) = centre("config-quiet", "");
    switches.put(DEFAULT_GROUP, "a", "text").unwrap();
    let mut subscription = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    for lose in [false, true] {
        switches.cut();
        settle().await;
        assert!(matches!(subscription.current().freshness, Freshness::Stale { .. }));
        if lose {
            switches.lose_sessions();
        }
        switches.mend();
        settle().await;
        assert_eq!(subscription.current().freshness, Freshness::Fresh);
    }
    assert!(timeout(LONG, subscription.changed()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn subscribers_of_a_key_share_a_watch_and_the_last_one_ends_it() {
    let (switches, centre) = centre("config-shared", "");
    let first = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    let second = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    let third = second.clone();
    assert_eq!((switches.watches(), switches.requests()), (1, 1));
    drop((first, second));
    settle().await;
    assert_eq!(switches.watches(), 1);
    drop(third);
    settle().await;
    assert_eq!(switches.watches(), 0);
    assert!(centre.is_settled());
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_failed_or_was_given_up_leaves_nothing_behind() {
    let (switches, centre) = centre("config-failed", "timeout=1000&retry.period=100");
    switches.fail(usize::MAX);
    let error = centre.subscribe(DEFAULT_GROUP, "a").await.err().unwrap();
    assert_eq!(error.kind(), RegistryErrorKind::Failed);
    let abandoned = timeout(Duration::ZERO, centre.subscribe(DEFAULT_GROUP, "b")).await;
    assert!(abandoned.is_err());
    let requests = switches.requests();
    advance(LONG).await;
    settle().await;
    assert!(
        switches.requests() <= requests + 1,
        "{} after {requests}",
        switches.requests()
    );
}

#[tokio::test(start_paused = true)]
async fn with_the_last_handle_the_session_ends() {
    let (switches, centre) = centre("config-last", "");
    let subscription = centre.subscribe(DEFAULT_GROUP, "a").await.unwrap();
    drop(centre);
    settle().await;
    assert_eq!(switches.sessions(), 1);
    drop(subscription);
    settle().await;
    assert_eq!(switches.sessions(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_program_has_one_centre_for_each_address() {
    let centres = ConfigCenters::default();
    let url = |text: &str| ServiceUrl::parse(text).unwrap();
    let one = centres.get(&url("memory://config-one?check=false")).unwrap();
    let same = centres.get(&url("memory://config-one?timeout=1")).unwrap();
    let other = centres.get(&url("memory://config-other")).unwrap();
    assert!(!same.settings().check && other.settings().check);
    assert_eq!(centres.in_use().len(), 2);
    assert_eq!(MemoryConfig::named("config-one").sessions(), 1);
    drop((one, same));
    assert_eq!(centres.in_use().len(), 1);
}

#[tokio::test]
async fn a_scheme_that_nobody_speaks_names_those_that_are_spoken() {
    let url = ServiceUrl::parse("apollo://h:1").unwrap();
    let error = ConfigCenter::builder(&url).build().err().unwrap();
    assert_eq!(error.kind(), RegistryErrorKind::Invalid);
    assert!(error.to_string().contains("`memory`, `zookeeper`"), "{error}");
}

#[test]
fn a_registry_is_a_centre_as_well_if_its_product_is_one_and_nobody_forbids_it() {
    let of = |text: &str| ConfigCenter::of_registry(&ServiceUrl::parse(text).unwrap());
    assert_eq!(of("zookeeper://h:2181").unwrap().protocol(), Some("zookeeper"));
    assert_eq!(of("memory://name").unwrap().protocol(), Some("memory"));
    assert_eq!(of("multicast://224.5.6.7:1234"), None);
    assert_eq!(of("zookeeper://h:2181?use-as-config-center=false"), None);
}

#[tokio::test(start_paused = true)]
async fn more_keys_than_any_program_needs_are_refused() {
    let centre = silent("check=false&timeout=0", Link::Connecting);
    let mut held = Vec::new();
    let error = loop {
        match centre.subscribe(DEFAULT_GROUP, &held.len().to_string()).await {
            Ok(subscription) => held.push(subscription),
            Err(error) => break error,
        }
    };
    assert_eq!((held.len(), error.kind()), (16_384, RegistryErrorKind::Invalid));
    held.pop();
    assert!(centre.subscribe(DEFAULT_GROUP, "another").await.is_ok());
}
