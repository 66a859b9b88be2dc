//! Lists of a registry that are full of rules.

use std::time::Instant;

use orana::ServiceUrl;
use orana::registry::backend::{MemoryCentre, RegistryBackend};

use super::stage::{PATIENCE, Stage, Warnings, resident_mib};

const MANY: usize = 10_000;

async fn publish(stage: &Stage, urls: &[ServiceUrl]) {
    for url in urls {
        stage.registry.publish(url).await.unwrap();
    }
}

async fn withdraw(stage: &Stage, urls: &[ServiceUrl]) {
    for url in urls {
        stage.registry.withdraw(url).await.unwrap();
    }
}

fn route(number: usize, rule: &str) -> ServiceUrl {
    let text = format!(
        "route://0.0.0.0/org.example.Stock?category=routers&router=condition&dynamic=false&priority={number}&rule={rule}"
    );
    ServiceUrl::parse(&text).unwrap()
}

#[tokio::test]
async fn ten_thousand_rules_in_a_registry_are_obeyed_and_each_that_is_none_is_told_once() {
    let centre = MemoryCentre::named("crowd");
    let author = centre.connect();
    let only = route(0, "%3D%3E+region%3Deast");
    author.publish(&only).await.unwrap();
    for number in 1..MANY / 2 {
        let meant = route(number, &format!("host%3D10.1.1.{number}+%3D%3E+region%3Dwest"));
        author.publish(&meant).await.unwrap();
        author.publish(&route(number, "this+%3D%3D+is+no+rule")).await.unwrap();
    }
    let warnings = Warnings::listen();
    let before = resident_mib();
    let start = Instant::now();
    let stage = Stage::set_under("crowd", &["east"]).await;
    println!(
        "{MANY} rules: {:.1?}, {} MiB more",
        start.elapsed(),
        resident_mib().saturating_sub(before)
    );
    assert!(start.elapsed() < PATIENCE, "it took {:?}", start.elapsed());
    assert!(resident_mib() < before + 256, "{before} MiB became {}", resident_mib());
    let said = warnings.take();
    let told: Vec<_> = said.iter().filter(|said| said.contains("character")).collect();
    assert_eq!(told.len(), MANY / 2 - 1, "{:?}", said.first());
    // What was said is not said again when a provider comes or goes.
    let one = ServiceUrl::parse("dubbo://127.0.0.1:1/org.example.Stock?region=south&application=stock").unwrap();
    author.publish(&one).await.unwrap();
    stage.stays(&["east"]).await;
    author.withdraw(&one).await.unwrap();
    stage.stays(&["east"]).await;
    let again = warnings.take();
    assert!(
        again.iter().all(|said| !said.contains("character")),
        "{} are told again",
        again.len()
    );
    author.withdraw(&only).await.unwrap();
    stage.becomes(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn a_rule_that_disables_everybody_leaves_whom_there_was_as_dubbo_does_and_says_so() {
    let stage = Stage::set("nobody").await;
    let warnings = Warnings::listen();
    let everybody = "override://0.0.0.0/org.example.Stock?category=configurators&dynamic=false&enabled=true";
    let disabled = ServiceUrl::parse(&format!("{everybody}&disabled=true")).unwrap();
    publish(&stage, std::slice::from_ref(&disabled)).await;
    let said = warnings.next().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("disabled") && said[0].contains("skipped=3"),
        "{}",
        said[0]
    );
    stage.stays(&["east", "north", "west"]).await;
    withdraw(&stage, &[disabled]).await;

    let weightless = ServiceUrl::parse(&format!("{everybody}&weight=0")).unwrap();
    publish(&stage, std::slice::from_ref(&weightless)).await;
    let weight = || stage.reference().providers()[0].parameter("weight").map(str::to_owned);
    let start = Instant::now();
    while weight().as_deref() != Some("0") {
        assert!(start.elapsed() < PATIENCE, "{:?}", weight());
        tokio::task::yield_now().await;
    }
    stage.stays(&["east", "north", "west"]).await;
    withdraw(&stage, &[weightless]).await;
    while weight().as_deref() == Some("0") {
        assert!(start.elapsed() < PATIENCE, "{:?}", weight());
        tokio::task::yield_now().await;
    }
    stage.stays(&["east", "north", "west"]).await;
}
