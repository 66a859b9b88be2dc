//! Rules that an operator writes while calls are made, with registry and configuration centre in memory: what a user of the SDK sees.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::time::Duration;

use orana::registry::config_center::MemoryConfig;
use orana::{Application, Client, Error, ErrorCode, Export, Provider, Reference, Value};

#[orana::service(interface = "org.example.Stock")]
trait Stock {
    async fn find(&self, item: String) -> orana::Result<Option<String>>;
    async fn all(&self) -> orana::Result<Vec<String>>;
}

/// Says who it is.
struct Shelf(&'static str);

impl Stock for Shelf {
    async fn find(&self, item: String) -> orana::Result<Option<String>> {
        match &*item {
            "trouble" => Err(Error::thrown("org.example.Trouble", "there")),
            _ => Ok(Some(self.0.to_owned())),
        }
    }

    async fn all(&self) -> orana::Result<Vec<String>> {
        Ok(vec![self.0.to_owned()])
    }
}

/// Three providers of an application `stock`: east, west and one without a region.
async fn fleet(name: &str) -> (Application, MemoryConfig, Vec<Provider>) {
    let registry = format!("memory://{name}:1");
    let mut providers = Vec::new();
    for (shelf, region) in [("east", "east"), ("west", "west"), ("none", "")] {
        let provider = Application::new("stock")
            .registry(&registry)
            .provider()
            .listen("127.0.0.1:0");
        let export = Export::from(StockService::new(Shelf(shelf)));
        let export = if region.is_empty() {
            export
        } else {
            export.parameter("region", region)
        };
        providers.push(provider.export(export).start().await.unwrap());
    }
    let consumer = Application::new("shop").registry(&registry);
    (consumer, MemoryConfig::named(name), providers)
}

/// Who answers `find(item)`, of many calls.
async fn reached(reference: &Reference, item: &str) -> Result<BTreeSet<String>, ErrorCode> {
    let mut reached = BTreeSet::new();
    for _ in 0..60 {
        let answer = reference
            .call("find", &["java.lang.String"], &[Value::from(item)])
            .await;
        match answer {
            Ok(who) => reached.insert(who.as_text().unwrap_or("null").to_owned()),
            Err(error) => return Err(error.code()),
        };
    }
    Ok(reached)
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Asks until it is as it should be, for a second.
async fn becomes(reference: &Reference, item: &str, expected: Result<BTreeSet<String>, ErrorCode>) {
    let mut seen = None;
    for _ in 0..50 {
        let now = reached(reference, item).await;
        if now == expected {
            return;
        }
        seen = Some(now);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("expected {expected:?}, saw {seen:?}");
}

const RULE: &str = "org.example.Stock::.condition-router";

#[tokio::test]
async fn a_condition_is_obeyed_when_it_comes_changes_breaks_and_goes() {
    let (application, rules, _providers) = fleet("conditions").await;
    let stock = application.consumer().refer::<StockClient>().await.unwrap();
    let stock = stock.reference();
    let all = || Ok(set(&["east", "none", "west"]));
    becomes(stock, "x", all()).await;

    let east = "force: true\nconditions:\n  - 'method=find => region=east'\n";
    rules.put("dubbo", RULE, east).unwrap();
    becomes(stock, "x", Ok(set(&["east"]))).await;
    rules
        .put("dubbo", RULE, "conditions: [ 'arguments[0]=vip => region!=east' ]\n")
        .unwrap();
    becomes(stock, "vip", Ok(set(&["west"]))).await;
    becomes(stock, "x", all()).await;
    rules
        .put("dubbo", RULE, "conditions: [ 'this == is no rule' ]\n")
        .unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    becomes(stock, "vip", Ok(set(&["west"]))).await;
    rules
        .put("dubbo", RULE, "force: true\nconditions: [ '=> region=north' ]\n")
        .unwrap();
    becomes(stock, "x", Err(ErrorCode::NoInvokerAfterFilter)).await;
    let error = stock
        .call("find", &["java.lang.String"], &[Value::from("x")])
        .await
        .unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("3 registered") && said.contains("0 after condition `=> region=north`") && said.contains(RULE),
        "{said}"
    );
    rules.delete("dubbo", RULE).unwrap();
    becomes(stock, "x", all()).await;
}

#[tokio::test]
async fn rules_that_are_there_already_hold_for_the_first_call() {
    let (application, rules, _providers) = fleet("early").await;
    rules
        .put(
            "dubbo",
            "stock.tag-router",
            "force: true\ntags: [ { name: gray, addresses: ['10.9.9.9:1'] } ]\n",
        )
        .unwrap();
    rules
        .put("dubbo", "shop.condition-router", "conditions: [ '=> region=west' ]\n")
        .unwrap();
    let stock = application.consumer().refer::<StockClient>().await.unwrap();
    let answer = stock.find("x".into()).await.unwrap();
    assert_eq!(answer.as_deref(), Some("west"));
    let gray = stock.with(|calls| calls.attachment("dubbo.tag", "gray"));
    let error = gray.find("x".into()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoInvokerAfterFilter);
    assert!(
        error.to_string().contains("tag `gray` (rule stock.tag-router"),
        "{error}"
    );
}

#[tokio::test]
async fn a_configurator_changes_one_provider_and_gives_it_back_as_it_was() {
    let (application, rules, providers) = fleet("overrides").await;
    let stock = application.consumer().refer::<StockClient>().await.unwrap();
    let stock = stock.reference();
    let before = stock.providers();
    let address = providers[0].address();
    let rule = format!(
        "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nenabled: true\nconfigs:\n  - side: consumer\n    \
         providerAddresses: ['{address}']\n    parameters: {{ weight: 0, timeout: 777 }}\n"
    );
    rules.put("dubbo", "org.example.Stock::.configurators", &rule).unwrap();
    becomes(stock, "x", Ok(set(&["none", "west"]))).await;
    let changed = stock
        .providers()
        .into_iter()
        .find(|url| url.address() == address.to_string())
        .unwrap();
    assert_eq!(changed.parameter("timeout"), Some("777"));
    rules.delete("dubbo", "org.example.Stock::.configurators").unwrap();
    becomes(stock, "x", Ok(set(&["east", "none", "west"]))).await;
    assert_eq!(stock.providers(), before);
}

#[tokio::test]
async fn a_mock_that_an_operator_forces_answers_without_a_call() {
    let (application, rules, _providers) = fleet("mocks").await;
    let stock = application.consumer().refer::<StockClient>().await.unwrap();
    let force = "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nenabled: true\nconfigs:\n  - side: consumer\n    parameters: { 'find.mock': 'force:return \"nobody\"' }\n";
    rules.put("dubbo", "org.example.Stock::.configurators", force).unwrap();
    becomes(stock.reference(), "trouble", Ok(set(&["nobody"]))).await;
    assert_eq!(stock.all().await.unwrap().len(), 1, "another method");
    rules.delete("dubbo", "org.example.Stock::.configurators").unwrap();
    becomes(stock.reference(), "x", Ok(set(&["east", "none", "west"]))).await;
}

#[tokio::test]
async fn a_mock_of_the_program_helps_out_when_nobody_answers() {
    let (application, _, providers) = fleet("helping").await;
    let stock = application
        .consumer()
        .refer::<StockClient>()
        .parameter("mock", "true")
        .mock("org.example.StockMock", StockService::new(Shelf("mock")))
        .await
        .unwrap();
    assert_ne!(stock.find("x".into()).await.unwrap().as_deref(), Some("mock"));
    for provider in providers {
        provider.stop().await;
    }
    assert_eq!(stock.find("x".into()).await.unwrap().as_deref(), Some("mock"));
}

#[tokio::test]
async fn groups_are_asked_together_and_their_lists_joined() {
    let registry = "memory://groups:1";
    let mut providers = Vec::new();
    for (shelf, group) in [("one", "a"), ("two", "b")] {
        let provider = Application::new("stock")
            .registry(registry)
            .provider()
            .listen("127.0.0.1:0");
        let export = Export::from(StockService::new(Shelf(shelf))).group(group);
        providers.push(provider.export(export).start().await.unwrap());
    }
    let consumer = Application::new("shop").registry(registry).consumer();
    let stock = consumer
        .refer::<StockClient>()
        .group("a,b")
        .parameter("merger", "true")
        .await
        .unwrap();
    let mut all = stock.all().await.unwrap();
    all.sort();
    assert_eq!(all, ["one", "two"]);
}

#[tokio::test]
async fn of_two_registries_the_preferred_one_is_called_through_until_it_has_nobody() {
    let mut providers = Vec::new();
    for (shelf, registry) in [("near", "memory://near:1"), ("far", "memory://far:1")] {
        let provider = Application::new("stock")
            .registry(registry)
            .provider()
            .listen("127.0.0.1:0");
        providers.push(provider.export(StockService::new(Shelf(shelf))).start().await.unwrap());
    }
    let application = Application::new("shop")
        .registry("memory://far:1")
        .registry("memory://near:1?preferred=true");
    let stock = application.consumer().refer::<StockClient>().await.unwrap();
    let stock = stock.reference();
    becomes(stock, "x", Ok(set(&["near"]))).await;
    providers.remove(0).stop().await;
    becomes(stock, "x", Ok(set(&["far"]))).await;
}

#[tokio::test]
async fn what_files_and_the_centre_say_counts_beside_code() {
    use orana::config::Layers;

    let (_, rules, _providers) = fleet("configured").await;
    rules
        .put(
            "dubbo",
            "dubbo.properties",
            "dubbo.reference.org.example.Stock.retries=7\n",
        )
        .unwrap();
    rules
        .put("shop", "dubbo.properties", "dubbo.consumer.actives=9\n")
        .unwrap();
    let file = "dubbo.application.name=shop\ndubbo.registry.address=memory://configured:1\n\
                dubbo.reference.org.example.Stock.timeout=1234\ndubbo.reference.org.example.Stock.find.timeout=99\n\
                dubbo.reference.org.example.Stock.retries=1\ndubbo.reference.org.example.Stock.cluster=failfast\n";
    let layers = Layers::new().file("dubbo.properties", file).unwrap();
    let application = Application::new("shop").configure_from_center(layers).await.unwrap();
    let refer = application
        .consumer()
        .refer::<StockClient>()
        .parameter("cluster", "failover");
    let stock = refer.await.unwrap();
    let url = stock.reference().url().clone();
    let says = |key: &str| url.parameter(key).map(str::to_owned);
    assert_eq!(says("timeout").as_deref(), Some("1234"), "the file alone says it");
    assert_eq!(says("find.timeout").as_deref(), Some("99"));
    assert_eq!(says("retries").as_deref(), Some("7"), "the centre is above the file");
    assert_eq!(says("actives").as_deref(), Some("9"));
    assert_eq!(says("cluster").as_deref(), Some("failover"), "code is above the file");
    becomes(stock.reference(), "x", Ok(set(&["east", "none", "west"]))).await;

    rules
        .put("shop", "dubbo.properties", "dubbo.consumer.actives=soon\n")
        .unwrap();
    rules
        .put(
            "dubbo",
            "dubbo.properties",
            "dubbo.reference.org.example.Stock.retries=5\n",
        )
        .unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let again = application.consumer().refer::<StockClient>().await.unwrap();
    assert_eq!(
        again.reference().url().parameter("retries"),
        Some("7"),
        "one text is wrong, so both stay"
    );
    rules.delete("shop", "dubbo.properties").unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let again = application.consumer().refer::<StockClient>().await.unwrap();
    assert_eq!(again.reference().url().parameter("retries"), Some("5"));
    assert_eq!(again.reference().url().parameter("actives"), None);

    let wrong = Layers::new()
        .file("dubbo.properties", "dubbo.consumer.timeout=soon\n")
        .unwrap();
    let error = Application::new("shop").configure(wrong).unwrap_err();
    assert!(
        error.to_string().contains("timeout") && error.to_string().contains("dubbo.properties"),
        "{error}"
    );
}

#[tokio::test]
async fn a_registry_that_is_away_does_not_hold_up_a_start() {
    let application = Application::new("shop").registry("zookeeper://127.0.0.1:1?file-cache=false&check=false");
    let began = std::time::Instant::now();
    let stock = application
        .consumer()
        .refer::<StockClient>()
        .check(false)
        .await
        .unwrap();
    assert!(began.elapsed() < Duration::from_millis(1_500), "{:?}", began.elapsed());
    assert!(stock.find("x".into()).await.is_err());
}

#[tokio::test]
async fn what_files_say_of_services_counts_beside_code() {
    use orana::config::Layers;

    let file = "dubbo.protocol.name=dubbo\ndubbo.protocol.port=-1\ndubbo.registry.address=memory://served:1\n\
                dubbo.provider.timeout=800\ndubbo.service.org.example.Stock.weight=7\n\
                dubbo.service.org.example.Stock.find.timeout=90\ndubbo.service.org.example.Stock.group=blue\n";
    let layers = Layers::new().file("dubbo.properties", file).unwrap();
    let application = Application::new("stock").configure(layers).unwrap();
    let export = Export::from(StockService::new(Shelf("one"))).parameter("weight", 9);
    let provider = application.provider().export(export).start().await.unwrap();
    let url = &provider.urls()[0];
    let says = |key: &str| url.parameter(key).map(str::to_owned);
    assert_ne!(provider.address().port(), 20880, "any free one");
    assert_eq!(says("weight").as_deref(), Some("9"), "code is above the file");
    assert_eq!(says("timeout").as_deref(), Some("800"));
    assert_eq!(says("find.timeout").as_deref(), Some("90"));
    assert_eq!(says("group").as_deref(), Some("blue"));
    let consumer = application.consumer().refer::<StockClient>().group("blue");
    assert_eq!(
        consumer.await.unwrap().find("x".into()).await.unwrap().as_deref(),
        Some("one")
    );
}
