//! What a registry is told, in which order, when the registered form of a service changes.

use std::time::Duration;

use orana_core::Category;
use orana_registry::Registries;
use orana_registry::backend::MemoryCentre;
use tokio::time::timeout;

use super::*;

fn url(weight: u32) -> ServiceUrl {
    let text = format!("dubbo://10.0.0.1:20880/demo.Hi?interface=demo.Hi&side=provider&weight={weight}");
    ServiceUrl::parse(&text).unwrap()
}

struct Fixture {
    centre: MemoryCentre,
    registry: Registry,
    wanted: watch::Sender<ServiceUrl>,
    keeping: tokio::task::JoinHandle<Registration>,
}

/// A registrar that holds a service of weight 1.
async fn fixture(name: &str) -> Fixture {
    let centre = MemoryCentre::named(name);
    let registries = Registries::default();
    let address = ServiceUrl::parse(&format!("memory://{name}:1")).unwrap();
    let registry = registries.get(&address).unwrap();
    let held = registry.register(&url(1)).await.unwrap();
    let (wanted, told) = watch::channel(url(1));
    let keeping = tokio::spawn(keep(registry.clone(), held, told));
    Fixture {
        centre,
        registry,
        wanted,
        keeping,
    }
}

impl Fixture {
    fn weights(&self) -> Vec<String> {
        let listed = self.centre.list("demo.Hi", Category::Providers);
        let weights = listed.iter().filter_map(|url| url.parameter("weight"));
        weights.map(str::to_owned).collect()
    }

    /// Lets everybody do what can be done without time passing.
    async fn quiet(&self) {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_new_url_is_there_before_the_old_one_goes() {
    let fixture = fixture("registrar-order").await;
    let consumer = ServiceUrl::parse("consumer://10.0.0.9/demo.Hi?side=consumer").unwrap();
    let mut list = fixture.registry.subscribe(&consumer).await.unwrap();
    fixture.wanted.send_replace(url(2));
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| *last != ["2"]) {
        let news = timeout(Duration::from_secs(60), list.changed()).await.unwrap().unwrap();
        let weights = news.providers().unwrap().iter();
        let mut weights: Vec<String> = weights.map(|url| url.parameter("weight").unwrap().to_owned()).collect();
        weights.sort_unstable();
        assert!(!weights.is_empty(), "the service was missing: {seen:?}");
        seen.push(weights);
    }
    assert_eq!(fixture.weights(), ["2"]);
}

#[tokio::test(start_paused = true)]
async fn the_old_url_stays_until_a_registry_that_fails_takes_the_new_one() {
    let fixture = fixture("registrar-retry").await;
    fixture.centre.fail(2);
    fixture.wanted.send_replace(url(2));
    fixture.quiet().await;
    assert_eq!(fixture.weights(), ["1"]);
    // Two tries later, a `retry.period` of five seconds each.
    tokio::time::sleep(Duration::from_secs(20)).await;
    fixture.quiet().await;
    assert_eq!(fixture.weights(), ["2"]);
}

#[tokio::test(start_paused = true)]
async fn only_the_newest_wish_counts_after_an_outage() {
    let fixture = fixture("registrar-outage").await;
    fixture.centre.cut();
    for weight in [2, 3, 4] {
        fixture.wanted.send_replace(url(weight));
        fixture.quiet().await;
    }
    fixture.centre.mend();
    tokio::time::sleep(Duration::from_secs(20)).await;
    fixture.quiet().await;
    assert_eq!(fixture.weights(), ["4"]);
}

#[tokio::test(start_paused = true)]
async fn a_wish_that_is_taken_back_in_time_leaves_the_old_url_untouched() {
    let fixture = fixture("registrar-back").await;
    fixture.centre.cut();
    fixture.wanted.send_replace(url(2));
    fixture.quiet().await;
    fixture.wanted.send_replace(url(1));
    fixture.quiet().await;
    fixture.centre.mend();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(fixture.weights(), ["1"]);
    assert!(!fixture.keeping.is_finished());
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_who_wants_and_gives_back_what_is_registered() {
    let fixture = fixture("registrar-end").await;
    fixture.wanted.send_replace(url(2));
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(fixture.wanted);
    let held = timeout(Duration::from_secs(1), fixture.keeping).await.unwrap().unwrap();
    assert_eq!(held.url(), &url(2));
    held.unregister().await.unwrap();
    assert!(fixture.centre.list("demo.Hi", Category::Providers).is_empty());
}
