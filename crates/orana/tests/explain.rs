//! Why calls go where they go, with registry and configuration centre in memory: rules as operators write them, and the places of values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::time::Duration;

use orana::config::Layers;
use orana::registry::config_center::MemoryConfig;
use orana::{Application, Decided, Error, ErrorCode, Explanation, Export, Provider, Reference, Value};

#[orana::service(interface = "org.example.Stock")]
trait Stock {
    async fn find(&self, item: String) -> orana::Result<Option<String>>;
}

struct Shelf;

impl Stock for Shelf {
    async fn find(&self, item: String) -> orana::Result<Option<String>> {
        match &*item {
            "trouble" => Err(Error::thrown("org.example.Trouble", "there")),
            _ => Ok(Some(item)),
        }
    }
}

/// A provider of an application `stock` for each of these regions.
async fn fleet(registry: &str, regions: &[&str]) -> Vec<Provider> {
    let mut providers = Vec::new();
    for region in regions {
        let export = Export::from(StockService::new(Shelf))
            .parameter("region", region)
            .parameter("warmup", 0);
        let provider = Application::new("stock").registry(registry).provider();
        providers.push(provider.listen("127.0.0.1:0").export(export).start().await.unwrap());
    }
    providers
}

/// The explanation of `find("x")` once it is so.
async fn once(reference: &Reference, ready: impl Fn(&Explanation) -> bool) -> Explanation {
    for _ in 0..250 {
        let explanation = reference.explain("find", &[Value::from("x")]).unwrap();
        if ready(&explanation) {
            return explanation;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{}", reference.explain("find", &[Value::from("x")]).unwrap());
}

fn rule_of(explanation: &Explanation, name: &str) -> String {
    let stage = explanation.stages.iter().find(|stage| stage.name == name);
    stage.map_or_else(String::new, |stage| stage.rule.clone())
}

#[tokio::test]
async fn the_error_of_a_call_says_in_short_what_the_explanation_says_at_length() {
    let registry = "memory://short:1";
    let _providers = fleet(registry, &["east", "west", "west"]).await;
    let rules = MemoryConfig::named("short");
    let application = Application::new("shop").registry(registry);
    let calls = application.consumer().refer_to("org.example.Stock").await.unwrap();
    let tags =
        "configVersion: v3.0\nforce: true\ntags:\n- name: gray\n  match: [ { key: region, value: { exact: west } } ]\n";
    rules.put("dubbo", "stock.tag-router", tags).unwrap();
    let conditions = "force: true\nconditions:\n- host = 10.9.9.9 => region = south\n- => region = north\n";
    rules
        .put("dubbo", "org.example.Stock::.condition-router", conditions)
        .unwrap();
    let overrides = "configVersion: v3.0\nkey: org.example.Stock\nscope: service\nconfigs:\n- side: consumer\n  parameters: { timeout: 77 }\n";
    rules
        .put("dubbo", "org.example.Stock::.configurators", overrides)
        .unwrap();
    let gray = calls.attachment("dubbo.tag", "gray");
    let explanation = once(&gray, |now| {
        now.candidates.is_empty() && !rule_of(now, "configurator").is_empty() && !rule_of(now, "tag").is_empty()
    })
    .await;
    let flows: Vec<_> = explanation
        .stages
        .iter()
        .map(|stage| (&*stage.name, stage.before, stage.after))
        .collect();
    assert_eq!(
        flows,
        [
            ("configurator", 3, 3),
            ("reachable", 3, 3),
            ("method", 3, 3),
            ("tag", 3, 2),
            ("condition", 2, 2),
            ("condition", 2, 0)
        ]
    );
    assert!(
        rule_of(&explanation, "configurator").contains("timeout none → 77 at 3 of 3"),
        "{explanation}"
    );
    let short = "no provider available: 3 registered, 3 after configurators, 2 after tag `gray` (rule stock.tag-router line 4), \
                 0 after condition `=> region = north` (rule org.example.Stock::.condition-router line 4)";
    let nobody = explanation.nobody.unwrap();
    assert!(nobody.starts_with(short), "{nobody}");
    let call = gray.call("find", &["java.lang.String"], &[Value::from("x")]).await;
    let error = call.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoInvokerAfterFilter);
    assert!(error.to_string().contains(short), "{error}");
}

#[tokio::test]
async fn each_value_names_the_place_that_it_came_from() {
    let registry = "memory://places:1";
    let _providers = fleet(registry, &["east", "west"]).await;
    let file = "dubbo.reference.org.example.Stock.find.timeout=99\ndubbo.consumer.cluster=failfast\n";
    let layers = Layers::new().file("shop.properties", file).unwrap();
    let application = Application::new("shop").registry(registry).configure(layers).unwrap();
    let refer = application.consumer().refer_to("org.example.Stock").retries(5);
    let calls = refer.await.unwrap();
    let explanation = once(&calls, |now| now.candidates.len() == 2).await;
    let origin = "shop.properties:1: dubbo.reference.org.example.Stock.find.timeout";
    assert_eq!(explanation.timeout, Decided::new(99, origin));
    let origin = "shop.properties:2: dubbo.consumer.cluster";
    assert_eq!(explanation.cluster, Decided::new("failfast".to_owned(), origin));
    assert_eq!(explanation.retries, Decided::new(5, "code"));
    assert_eq!(explanation.loadbalance, Decided::new("random".to_owned(), "default"));
    let hurried = calls.timeout(Duration::from_millis(7)).explain("find", &[]).unwrap();
    assert_eq!(hurried.timeout, Decided::new(7, "this call"));
}

#[tokio::test]
async fn a_consumer_that_connects_nowhere_explains_the_same_and_calls_nobody() {
    let registry = "memory://nowhere:1";
    let _providers = fleet(registry, &["east", "west"]).await;
    let rule = "force: true\nconditions: [ 'host = 10.1.2.3 => region = west' ]\n";
    let rules = MemoryConfig::named("nowhere");
    rules
        .put("dubbo", "org.example.Stock::.condition-router", rule)
        .unwrap();
    let application = Application::new("shop").registry(registry);
    let consumer = application.consumer().host("10.1.2.3").connecting_nowhere();
    let calls = consumer.refer_to("org.example.Stock").await.unwrap();
    calls.settled().await;
    let explanation = calls.explain("find", &[]).unwrap();
    assert_eq!(explanation.candidates.len(), 1, "{explanation}");
    assert!(rule_of(&explanation, "reachable").contains("every provider counts as reachable"));
    let call = calls.call("find", &["java.lang.String"], &[Value::from("x")]).await;
    assert_eq!(call.unwrap_err().code(), ErrorCode::Network);
}

#[tokio::test]
async fn of_several_registries_each_has_its_stages_and_its_share() {
    let (near, far) = ("memory://near-explained:1", "memory://far-explained:1");
    let _near = fleet(near, &["east"]).await;
    let _far = fleet(far, &["west", "west"]).await;
    let application = Application::new("shop")
        .registry(&format!("{near}?weight=300"))
        .registry(far);
    let calls = application.consumer().refer_to("org.example.Stock").await.unwrap();
    let explanation = once(&calls, |now| now.candidates.len() == 3).await;
    assert_eq!(explanation.registered, 3);
    let shares: Vec<_> = explanation.candidates.iter().map(|one| one.probability).collect();
    assert_eq!(shares, [Some(0.75), Some(0.125), Some(0.125)]);
    assert!(
        explanation.stages.iter().all(|stage| stage.rule.contains("(registry ")),
        "{explanation}"
    );
}
