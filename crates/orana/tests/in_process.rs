//! A provider and a consumer of one program, with the registry in its memory: what a user of the SDK sees.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orana::{Application, Client, Context, Error, ErrorCode, Export, MethodDefinition, Value};

/// Sells.
#[orana::service(interface = "org.example.Shop", version = "1.0.0")]
trait Shop {
    /// What `item` costs.
    async fn price_of(&self, item: String) -> orana::Result<i64>;
    /// The same for many.
    #[method(name = "priceOf")]
    async fn prices_of(&self, items: Vec<String>) -> orana::Result<HashMap<String, i64>>;
    /// Takes `count` of `item` away.
    async fn buy(&self, item: String, #[java("java.lang.Integer")] count: i32) -> orana::Result<()>;
    /// How many calls of `note` there were.
    async fn noted(&self) -> orana::Result<i32>;
    /// Is not answered.
    #[method(one_way)]
    async fn note(&self, text: String) -> orana::Result<()>;
    /// Has parameters with names that generated code is tempted to use.
    async fn odd(&self, arguments: String, method: i32, input: bool, out: i64) -> orana::Result<String>;
    /// Says on what thread it was begun.
    #[method(blocking)]
    async fn thread(&self) -> orana::Result<String>;
    /// Takes its time.
    async fn slow(&self, millis: u32) -> orana::Result<Option<String>>;
}

#[derive(Default)]
struct Corner {
    noted: AtomicU32,
}

impl Shop for Corner {
    async fn price_of(&self, item: String) -> orana::Result<i64> {
        let context = Context::current().expect("a call is under way");
        context.answer_with("caller", context.application().unwrap_or("nobody"));
        if let Some(tag) = context.attachments().get("tag") {
            context.answer_with("tagged", tag);
        }
        Ok(item.len() as i64)
    }

    async fn prices_of(&self, items: Vec<String>) -> orana::Result<HashMap<String, i64>> {
        Ok(items
            .into_iter()
            .map(|item| (item.clone(), item.len() as i64))
            .collect())
    }

    async fn buy(&self, item: String, count: i32) -> orana::Result<()> {
        match count {
            0..10 => Ok(()),
            10..100 => Err(Error::thrown("org.example.SoldOut", format!("no {count} of {item}"))),
            _ => panic!("nobody buys {count}"),
        }
    }

    async fn noted(&self) -> orana::Result<i32> {
        Ok(self.noted.load(Ordering::SeqCst) as i32)
    }

    async fn note(&self, _: String) -> orana::Result<()> {
        self.noted.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn odd(&self, arguments: String, method: i32, input: bool, out: i64) -> orana::Result<String> {
        Ok(format!("{arguments} {method} {input} {out}"))
    }

    async fn thread(&self) -> orana::Result<String> {
        Ok(format!("{:?}", std::thread::current().id()))
    }

    async fn slow(&self, millis: u32) -> orana::Result<Option<String>> {
        tokio::time::sleep(Duration::from_millis(millis.into())).await;
        Ok(None)
    }
}

/// An application with a registry of its own.
fn application(name: &str) -> Application {
    Application::new(name).registry(&format!("memory://{name}:1"))
}

#[tokio::test]
async fn a_service_is_found_by_the_registry_and_called_by_its_trait() {
    let app = application("typed");
    let provider = app
        .provider()
        .listen("127.0.0.1:0")
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    let shop = app.consumer().refer::<ShopClient>().await.unwrap();
    assert_eq!(shop.price_of("apple".into()).await.unwrap(), 5);
    let prices = shop.prices_of(vec!["fig".into(), "plum".into()]).await.unwrap();
    assert_eq!(prices, HashMap::from([("fig".to_owned(), 3), ("plum".to_owned(), 4)]));
    assert_eq!(shop.slow(1).await.unwrap(), None);
    assert_eq!(shop.odd("a".into(), 1, true, 2).await.unwrap(), "a 1 true 2");
    assert_eq!(shop.reference().addresses(), [provider.address().to_string()]);
    provider.stop().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let error = shop.price_of("apple".into()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Forbidden, "{error}");
}

#[tokio::test]
async fn what_java_would_call_is_what_the_trait_says() {
    let definition = ShopClient::definition();
    assert_eq!(definition.interface, "org.example.Shop");
    assert_eq!(definition.version.as_deref(), Some("1.0.0"));
    let methods: Vec<_> = definition
        .methods
        .iter()
        .map(|method| (&*method.name, &*method.descriptor, &*method.returns))
        .collect();
    assert_eq!(
        methods,
        [
            ("priceOf", "Ljava/lang/String;", "long"),
            ("priceOf", "Ljava/util/List;", "java.util.Map"),
            ("buy", "Ljava/lang/String;Ljava/lang/Integer;", "void"),
            ("noted", "", "int"),
            ("note", "Ljava/lang/String;", "void"),
            ("odd", "Ljava/lang/String;IZJ", "java.lang.String"),
            ("thread", "", "java.lang.String"),
            ("slow", "J", "java.lang.String"),
        ]
    );
    let said = |said: fn(&MethodDefinition) -> bool| {
        let methods = definition.methods.iter().filter(|method| said(method));
        methods.map(|method| &*method.name).collect::<Vec<_>>()
    };
    assert_eq!(said(|method| method.one_way), ["note"]);
    assert_eq!(said(|method| method.blocking), ["thread"]);
}

#[tokio::test]
async fn a_method_that_is_said_to_block_is_begun_on_a_thread_of_its_own_from_the_first_call_on() {
    let app = application("blocking");
    let builder = app.provider().listen("127.0.0.1:0");
    let _provider = builder
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    let shop = app.consumer().refer::<ShopClient>().await.unwrap();
    // All tasks of this test run on one thread.
    let own = format!("{:?}", std::thread::current().id());
    assert_ne!(shop.thread().await.unwrap(), own);
}

#[tokio::test]
async fn exceptions_come_with_their_class_and_a_panic_ends_its_call_alone() {
    let app = application("thrown");
    let builder = app.provider().listen("127.0.0.1:0");
    let _provider = builder
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    let shop = app.consumer().refer::<ShopClient>().await.unwrap();
    shop.buy("fig".into(), 1).await.unwrap();
    let error = shop.buy("fig".into(), 12).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Business, "{error}");
    let exception = error.exception().unwrap();
    assert_eq!(&*exception.class, "org.example.SoldOut");
    assert_eq!(exception.message.as_deref(), Some("no 12 of fig"));
    let error = shop.buy("fig".into(), 1000).await.unwrap_err();
    assert!(!error.to_string().is_empty());
    shop.buy("fig".into(), 1).await.unwrap();
}

#[tokio::test]
async fn attachments_go_both_ways_and_a_call_has_its_own_time_out_and_target() {
    let app = application("settled");
    let shops = [(); 2].map(|()| {
        app.provider()
            .listen("127.0.0.1:0")
            .export(ShopService::new(Corner::default()))
    });
    let mut providers = Vec::new();
    for shop in shops {
        providers.push(shop.start().await.unwrap());
    }
    let shop = app.consumer().refer::<ShopClient>().retries(0).await.unwrap();

    let tagged = shop.with(|calls| calls.attachment("tag", "blue"));
    let (price, answered) = orana::observed(tagged.price_of("fig".into())).await;
    assert_eq!(price.unwrap(), 3);
    assert_eq!(answered.attachments.get("tagged"), Some("blue"));
    assert_eq!(answered.attachments.get("caller"), Some("settled"));
    let provider = answered.provider.unwrap();
    assert!(
        providers.iter().any(|one| one.address().to_string() == *provider),
        "{provider}"
    );

    let hasty = shop.with(|calls| calls.timeout(Duration::from_millis(50)));
    let error = hasty.slow(5_000).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Timeout, "{error}");
    hasty.slow(1).await.unwrap();

    let second = providers[1].address().to_string();
    let pinned = shop.with(|calls| calls.target(&second));
    for _ in 0..10 {
        pinned.note("here".into()).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(pinned.noted().await.unwrap(), 10);
    let first = providers[0].address().to_string();
    assert_eq!(shop.with(|calls| calls.target(&first)).noted().await.unwrap(), 0);
}

#[tokio::test]
async fn a_service_can_be_called_without_its_trait() {
    let app = application("untyped");
    let builder = app.provider().listen("127.0.0.1:0");
    let _provider = builder
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    let shop = app
        .consumer()
        .refer_to("org.example.Shop")
        .version("1.0.0")
        .await
        .unwrap();
    let price = shop
        .call("priceOf", &["java.lang.String"], &[Value::from("apple")])
        .await
        .unwrap();
    assert_eq!(price.as_integer(), Some(5));
    let types = ["java.util.List"];
    let prices = shop
        .call_generic("priceOf", Some(&types), &[Value::list([Value::from("fig")])])
        .await
        .unwrap();
    assert_eq!(prices.get("fig").and_then(Value::as_integer), Some(3));
    let error = shop
        .call_generic("buy", None, &[Value::from("fig"), Value::Int(12)])
        .await
        .unwrap_err();
    let exception = error.exception().unwrap();
    assert_eq!(&*exception.class, "org.example.SoldOut");
    assert_eq!(exception.message.as_deref(), Some("no 12 of fig"));
    let error = shop.call("sellAll", &[], &[]).await.unwrap_err();
    assert!(error.to_string().contains("sellAll"), "{error}");
}

#[tokio::test]
async fn groups_and_versions_are_different_services_at_one_port() {
    let app = application("groups");
    let export = |group: &str| Export::new(ShopService::new(Corner::default())).group(group);
    let builder = app.provider().listen("127.0.0.1:0");
    let _provider = builder.export(export("a")).export(export("b")).start().await.unwrap();
    for group in ["a", "b", "*", "c,b"] {
        let shop = app.consumer().refer::<ShopClient>().group(group).await.unwrap();
        assert_eq!(shop.price_of("fig".into()).await.unwrap(), 3, "{group}");
    }
    for group in ["", "c"] {
        let refer = app.consumer().refer::<ShopClient>().group(group);
        let error = refer.check_wait(Duration::from_millis(100)).await.err().unwrap();
        assert_eq!(error.code(), ErrorCode::Forbidden, "{group}: {error}");
    }
}

#[tokio::test]
async fn stopping_a_provider_loses_no_call() {
    let app = application("graceful");
    let start = || async {
        let builder = app.provider().listen("127.0.0.1:0");
        builder
            .export(ShopService::new(Corner::default()))
            .start()
            .await
            .unwrap()
    };
    let mut current = start().await;
    let shop = app.consumer().refer::<ShopClient>().retries(0).await.unwrap();
    let failed = Arc::new(AtomicU32::new(0));
    let made = Arc::new(AtomicU32::new(0));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let (shop, failed, made) = (shop.clone(), Arc::clone(&failed), Arc::clone(&made));
            tokio::spawn(async move {
                loop {
                    if let Err(error) = shop.slow(3).await {
                        eprintln!("{error}");
                        failed.fetch_add(1, Ordering::SeqCst);
                    }
                    made.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let next = start().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        current.stop().await;
        current = next;
    }
    for caller in callers {
        caller.abort();
    }
    assert_eq!(failed.load(Ordering::SeqCst), 0, "of {}", made.load(Ordering::SeqCst));
    assert!(made.load(Ordering::SeqCst) > 500);
}

#[tokio::test]
async fn without_a_registry_and_without_an_address_the_error_says_what_to_do() {
    let error = Application::new("lost")
        .consumer()
        .refer::<ShopClient>()
        .await
        .err()
        .unwrap();
    assert_eq!(error.code(), ErrorCode::Registry);
    assert!(error.to_string().contains("direct"), "{error}");
}

/// Two methods that differ in Rust alone.
#[orana::service(interface = "org.example.Twins")]
trait Twins {
    async fn sum(&self, of: Vec<i32>) -> orana::Result<i32>;
    #[method(name = "sum")]
    async fn sum_of_longs(&self, of: Vec<i64>) -> orana::Result<i64>;
}

struct Adding;

impl Twins for Adding {
    async fn sum(&self, of: Vec<i32>) -> orana::Result<i32> {
        Ok(of.iter().sum())
    }

    async fn sum_of_longs(&self, of: Vec<i64>) -> orana::Result<i64> {
        Ok(of.iter().sum())
    }
}

#[tokio::test]
async fn methods_that_java_cannot_tell_apart_are_not_exported() {
    let builder = Application::new("twins").provider().listen("127.0.0.1:0");
    let error = builder.export(TwinsService::new(Adding)).start().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Validation);
    assert!(error.to_string().contains("sum(java.util.List)"), "{error}");
}

#[tokio::test]
async fn an_application_leaves_only_the_registries_that_it_named() {
    let shared = Arc::new(orana::registry::Registries::default());
    let with = |name: &str| Application::new(name).with_registries(Arc::clone(&shared));
    let b = with("b").registry("memory://leaving:1");
    let builder = b.provider().listen("127.0.0.1:0");
    let _provider = builder
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    with("a").close().await;
    let shop = with("c")
        .registry("memory://leaving:1")
        .consumer()
        .refer::<ShopClient>()
        .await
        .unwrap();
    assert_eq!(shop.price_of("fig".into()).await.unwrap(), 3);
}

#[tokio::test]
async fn a_consumer_is_registered_unless_its_registry_says_otherwise() {
    use orana::registry::{Query, Registries};
    let shared = Arc::new(Registries::default());
    let with = |name: &str| Application::new(name).with_registries(Arc::clone(&shared));
    let provider = with("p").registry("memory://quiet:1").provider().listen("127.0.0.1:0");
    let _provider = provider
        .export(ShopService::new(Corner::default()))
        .start()
        .await
        .unwrap();
    let url = orana::ServiceUrl::parse("memory://quiet:1").unwrap();
    let registry = shared.get(&url).unwrap();
    let asked = orana::ServiceUrl::parse("admin://h/org.example.Shop?category=consumers&version=*").unwrap();
    let consumers = || async { registry.lookup(&Query::from_url(&asked).unwrap()).await.unwrap() };
    let quiet = with("q").registry("memory://quiet:1?register=false");
    let _quiet = quiet.consumer().refer::<ShopClient>().await.unwrap();
    assert!(consumers().await.is_empty());
    let loud = with("l").registry("memory://quiet:1");
    let shop = loud.consumer().refer::<ShopClient>().await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let listed = consumers().await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].parameter("application"), Some("l"));
    drop(shop);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(consumers().await.is_empty(), "and goes with its reference");
}
