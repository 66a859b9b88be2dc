//! Rules that an operator writes for those who provide, while they are called: what a user of the SDK sees, with registry and configuration
//! centre in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::time::Duration;

use orana::registry::backend::MemoryCentre;
use orana::registry::config_center::MemoryConfig;
use orana::registry::{Registration, Registry};
use orana::{Application, Client, ErrorCode, Export, Provider, ServiceUrl};
use orana_core::Category;
use tokio::sync::Notify;

#[orana::service(interface = "org.example.Till")]
trait Till {
    async fn ring(&self, sum: i64) -> orana::Result<i64>;
    async fn hold(&self) -> orana::Result<String>;
}

/// Holds calls until it is told to let them go.
#[derive(Default)]
struct Drawer {
    entered: Notify,
    open: Notify,
}

struct Shared(Arc<Drawer>);

impl Till for Shared {
    async fn ring(&self, sum: i64) -> orana::Result<i64> {
        Ok(sum)
    }

    async fn hold(&self) -> orana::Result<String> {
        self.0.entered.notify_one();
        self.0.open.notified().await;
        Ok("held".to_owned())
    }
}

const OF_SERVICE: &str = "org.example.Till::.configurators";

struct Shop {
    application: Application,
    registry: MemoryCentre,
    rules: MemoryConfig,
    drawer: Arc<Drawer>,
}

impl Shop {
    fn new(name: &str) -> Shop {
        Shop {
            application: Application::new("shop").registry(&format!("memory://{name}:1")),
            registry: MemoryCentre::named(name),
            rules: MemoryConfig::named(name),
            drawer: Arc::default(),
        }
    }

    async fn provide(&self, parameters: &[(&str, &str)]) -> Provider {
        let export = Export::from(TillService::new(Shared(Arc::clone(&self.drawer)))).parameter("weight", 50);
        let export = parameters
            .iter()
            .fold(export, |export, (key, value)| export.parameter(key, value));
        let builder = self.application.provider().listen("127.0.0.1:0");
        builder.export(export).start().await.unwrap()
    }

    async fn client(&self) -> TillClient {
        let consumer = self.application.consumer().parameter("retries", 0);
        consumer.refer::<TillClient>().await.unwrap()
    }

    fn rule(&self, parameters: &str) {
        let text = format!(
            "configVersion: v3.0\nscope: service\nkey: org.example.Till\nconfigs:\n  - side: provider\n    parameters: {{ {parameters} }}\n"
        );
        self.rules.put("dubbo", OF_SERVICE, &text).unwrap();
    }

    fn no_rule(&self) {
        self.rules.delete("dubbo", OF_SERVICE).unwrap();
    }

    fn registered(&self) -> Vec<ServiceUrl> {
        self.registry.list("org.example.Till", Category::Providers)
    }

    fn values(&self, key: &str) -> Vec<String> {
        let urls = self.registered();
        let values = urls.iter().map(|url| url.parameter(key).unwrap_or("none").to_owned());
        values.collect()
    }
}

/// Waits until it is so, for ten seconds on a machine that is busy.
async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if is() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not become so: {what}");
}

#[tokio::test]
async fn a_weight_is_registered_anew_without_a_failed_call_and_the_last_rule_that_goes_leaves_the_very_same_url() {
    let shop = Shop::new("provider-weight");
    let provider = shop.provide(&[]).await;
    let till = shop.client().await;
    let original = shop.registered();
    assert_eq!(original, provider.urls());

    let calling: tokio::task::JoinHandle<orana::Result<Vec<String>>> = tokio::spawn(async move {
        let mut calls = 0;
        loop {
            till.ring(calls).await?;
            calls += 1;
            tokio::time::sleep(Duration::from_millis(1)).await;
            if calls > 400 {
                return Ok(till.reference().addresses());
            }
        }
    });
    for weight in [0, 7, 200] {
        shop.rule(&format!("weight: {weight}"));
        until("the weight", || shop.values("weight") == [weight.to_string()]).await;
        assert_eq!(provider.urls(), shop.registered());
        let others = provider.urls()[0].edit().set("weight", 50).build();
        assert_eq!(others, original[0], "nothing else has changed");
    }
    shop.no_rule();
    until("the original", || shop.registered() == original).await;
    let addresses = calling.await.unwrap().expect("no call fails");
    assert_eq!(addresses, [provider.address().to_string()]);

    provider.stop().await;
    assert!(shop.registered().is_empty());
}

#[tokio::test]
async fn a_limit_holds_from_the_next_call_on_and_calls_under_way_are_finished() {
    let shop = Shop::new("provider-executes");
    let provider = shop.provide(&[]).await;
    let till = Arc::new(shop.client().await);
    let hold = || {
        let till = Arc::clone(&till);
        tokio::spawn(async move { till.hold().await })
    };
    let before = hold();
    shop.drawer.entered.notified().await;

    shop.rule("hold.executes: 1");
    until("the limit", || shop.values("hold.executes") == ["1"]).await;
    let within = hold();
    shop.drawer.entered.notified().await;
    let error = till.hold().await.unwrap_err();
    assert!(error.to_string().contains("executes=\"1\""), "{error}");
    assert_eq!(till.ring(3).await.unwrap(), 3, "the other method has no limit");

    shop.no_rule();
    until("no limit", || shop.values("hold.executes") == ["none"]).await;
    let after = hold();
    shop.drawer.entered.notified().await;
    for call in [before, within, after] {
        shop.drawer.open.notify_waiters();
        shop.drawer.open.notify_one();
        assert_eq!(call.await.unwrap().unwrap(), "held");
    }
    drop(provider);
}

#[tokio::test]
async fn rules_that_are_there_already_hold_from_the_first_registration_on() {
    let shop = Shop::new("provider-early");
    let text = "configVersion: v3.0\nscope: application\nkey: shop\nconfigs: [ { side: provider, parameters: { weight: 9, dubbo.tag: gray } } ]";
    shop.rules.put("dubbo", "shop.configurators", text).unwrap();
    let provider = shop.provide(&[]).await;
    assert_eq!(
        (shop.values("weight"), shop.values("dubbo.tag")),
        (vec!["9".into()], vec!["gray".into()])
    );
    shop.rules.delete("dubbo", "shop.configurators").unwrap();
    until("the original", || {
        shop.values("weight") == ["50"] && shop.values("dubbo.tag") == ["none"]
    })
    .await;
    drop(provider);
}

#[tokio::test]
async fn an_override_that_stands_in_the_registry_is_obeyed_and_the_provider_is_no_consumer() {
    let shop = Shop::new("provider-url");
    let provider = shop.provide(&[]).await;
    let original = shop.registered();
    let operator = Registry::builder(&ServiceUrl::parse("memory://provider-url:1").unwrap())
        .build()
        .unwrap();
    let address = provider.address();
    let rule = format!(
        "override://{address}/org.example.Till?category=configurators&dynamic=false&enabled=true&interface=org.example.Till&weight=3"
    );
    let rule: Registration = operator.register(&ServiceUrl::parse(&rule).unwrap()).await.unwrap();
    until("the weight", || shop.values("weight") == ["3"]).await;
    rule.unregister().await.unwrap();
    until("the original", || shop.registered() == original).await;
    assert!(shop.registry.list("org.example.Till", Category::Consumers).is_empty());
    drop(provider);
}

#[tokio::test]
async fn what_cannot_be_read_or_done_leaves_what_was() {
    let shop = Shop::new("provider-broken");
    let provider = shop.provide(&[]).await;
    let till = shop.client().await;
    shop.rule("weight: 3");
    until("the weight", || shop.values("weight") == ["3"]).await;
    shop.rules.put("dubbo", OF_SERVICE, "configs: [ no rule").unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    shop.rule("weight: 4, service.filter: nobody-knows-it");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(shop.values("weight"), ["3"]);
    shop.rule("weight: 5, need-reexport: false");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(shop.values("weight"), ["3"]);
    assert_eq!(till.ring(1).await.unwrap(), 1);
    shop.rule("weight: 6");
    until("the weight", || shop.values("weight") == ["6"]).await;
    drop(provider);
}

#[tokio::test]
async fn token_true_is_a_secret_that_consumers_learn_from_the_registry() {
    let shop = Shop::new("provider-token");
    let provider = shop.provide(&[("token", "true")]).await;
    let token = shop.values("token").remove(0);
    assert_eq!(token.len(), 36, "{token}");
    assert_eq!(shop.client().await.ring(1).await.unwrap(), 1);

    let stranger = shop.application.consumer().refer::<TillClient>();
    let direct = format!("dubbo://{}/org.example.Till", provider.address());
    let stranger = stranger.direct(&direct).await.unwrap();
    let error = stranger.ring(1).await.unwrap_err();
    assert!(error.to_string().contains("Invalid token"), "{error}");
    assert!(!error.to_string().contains(&token));

    // A rule opens the door, and what comes back is the token that was.
    shop.rule("token: false");
    until("no token", || shop.values("token") == ["none"]).await;
    assert_eq!(stranger.ring(2).await.unwrap(), 2);
    shop.no_rule();
    until("the token", || shop.values("token") == [token.clone()]).await;
    let error = stranger.ring(1).await.unwrap_err();
    assert_ne!(error.code(), ErrorCode::NoInvokerAfterFilter, "{error}");
    let other = Shop::new("provider-token-of-another");
    let second = other.provide(&[("token", "default")]).await;
    assert_ne!(other.values("token"), [token]);
    drop((provider, second));
}

#[tokio::test]
async fn what_is_not_to_be_registered_obeys_rules_and_stays_unseen() {
    let shop = Shop::new("provider-unseen");
    let export = Export::from(TillService::new(Shared(Arc::clone(&shop.drawer)))).register(false);
    let builder = shop.application.provider().listen("127.0.0.1:0").export(export);
    let provider = builder.start().await.unwrap();
    let direct = format!("dubbo://{}/org.example.Till", provider.address());
    let till = shop.application.consumer().refer::<TillClient>().direct(&direct);
    let till = till.parameter("retries", 0).await.unwrap();
    assert_eq!(till.ring(1).await.unwrap(), 1);
    shop.rule("token: s3cret");
    until("the rule", || provider.urls()[0].parameter("token").is_some()).await;
    assert!(till.ring(1).await.unwrap_err().to_string().contains("Invalid token"));
    assert!(shop.registered().is_empty());
}
