//! What a program may expect of a registry that works, and of its handles.

mod place;

use std::sync::Arc;
use std::time::Duration;

use orana_core::{BoxFuture, Category, ServiceUrl};
use orana_registry::backend::{Backends, Link, MemoryBackend, MemoryCentre, RegistryBackend, Watching};
use orana_registry::{Freshness, Query, Registries, Registry, RegistryError, RegistryErrorKind, Snapshot, Standing};
use parking_lot::Mutex;
use place::*;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

const SOON: Duration = Duration::from_millis(100);

#[tokio::test]
async fn the_first_notification_is_there_when_subscribe_returns() {
    let (_centre, registry) = registry("first_notification", "");
    let _registration = registry.register(&provider(1)).await.unwrap();
    let subscription = registry.subscribe(&consumer()).await.unwrap();
    let mut subscription = subscription;
    assert!(
        tokio::time::timeout(SOON, subscription.changed()).await.is_err(),
        "it is told once"
    );
    let first = subscription.current();
    assert_eq!((ports(&first), first.freshness), (vec![1], Freshness::Fresh));
    // Nobody made a rule: that is known, too.
    let rules = first.list(Category::Routers).unwrap();
    assert!(rules.urls.is_empty());
    assert_eq!(rules.standing, Standing::Listed);
    assert_eq!(first.list(Category::Consumers), None);
}

#[tokio::test]
async fn changes_are_told_until_the_registry_is_closed() {
    let (_centre, registry) = registry("told_until_closed", "");
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(ports(&subscription.current()), [0; 0]);
    let registration = registry.register(&provider(1)).await.unwrap();
    told(&mut subscription, &[1]).await;
    registration.unregister().await.unwrap();
    told(&mut subscription, &[]).await;
    registry.close().await;
    while subscription.changed().await.is_some() {}
    let error = registry.register(&provider(1)).await.err().expect("an error");
    assert_eq!(error.kind(), RegistryErrorKind::Closed);
}

#[tokio::test]
async fn dropping_a_registration_unregisters_unless_somebody_else_holds_the_same() {
    let (centre, registry) = registry("somebody_else", "");
    let one = registry.register(&provider(1)).await.unwrap();
    let two = registry.register(&provider(1)).await.unwrap();
    one.unregister().await.unwrap();
    assert_eq!(registered(&centre), [1]);
    drop(two);
    within(SOON, "withdrawn", || registered(&centre).is_empty()).await;
}

#[tokio::test]
async fn the_connection_ends_with_the_last_handle_and_takes_what_was_dynamic() {
    let (centre, registry) = registry("last_handle", "");
    let registration = registry.register(&provider(1)).await.unwrap();
    let persistent = registry
        .register(&url("dubbo://h:2/com.a.B?dynamic=false"))
        .await
        .unwrap();
    registry
        .register(&url("dubbo://h:3/com.a.B?dynamic=false"))
        .await
        .unwrap()
        .keep();
    drop(registry);
    sleep(SOON).await;
    assert_eq!(registered(&centre), [1, 2, 3]);
    drop((registration, persistent));
    within(SOON, "only what was to be kept is left", || registered(&centre) == [3]).await;
    assert_eq!(centre.sessions(), 0);
}

#[tokio::test]
async fn the_watch_ends_with_the_last_subscription() {
    let (centre, registry) = registry("last_subscription", "");
    let one = registry.subscribe(&consumer()).await.unwrap();
    let two = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(centre.watches(), 1);
    drop(one);
    sleep(SOON).await;
    assert_eq!(centre.watches(), 1);
    drop(two);
    within(SOON, "the watch has ended", || centre.watches() == 0).await;
    within(SOON, "the consumer has gone", || {
        centre.list(INTERFACE, Category::Consumers).is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_consumer_is_seen_by_others_unless_it_does_not_want_to() {
    let (centre, registry) = registry("seen_by_others", "");
    let quiet = consumer().edit().set("register", "false").build();
    let _quiet = registry.subscribe(&quiet).await.unwrap();
    sleep(SOON).await;
    assert!(centre.list(INTERFACE, Category::Consumers).is_empty());
    let _seen = registry.subscribe(&consumer()).await.unwrap();
    within(SOON, "seen", || !centre.list(INTERFACE, Category::Consumers).is_empty()).await;
    let own = &centre.list(INTERFACE, Category::Consumers)[0];
    assert_eq!(own.parameter("category"), Some("consumers"));
    assert_eq!(own.parameter("check"), Some("false"));
}

#[tokio::test]
async fn every_interface_may_be_subscribed_to() {
    let (_centre, registry) = registry("every_interface", "");
    let all = url("admin://127.0.0.1/*?interface=*&group=*&version=*&classifier=*&enabled=*&category=*&check=false");
    let mut subscription = registry.subscribe(&all).await.unwrap();
    assert_eq!(subscription.freshness(), Freshness::Fresh);
    assert!(subscription.current().services.is_empty());
    let _one = registry.register(&provider(1)).await.unwrap();
    let _two = registry
        .register(&url("dubbo://h:2/com.a.C?group=g&version=2"))
        .await
        .unwrap();
    let wait = async {
        while subscription.current().urls().count() != 2 {
            subscription.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(5), wait)
        .await
        .expect("both are seen");
    let names: Vec<_> = subscription
        .current()
        .services
        .iter()
        .map(|service| service.interface.to_string())
        .collect();
    assert_eq!(names, ["com.a.B", "com.a.C"]);
}

#[tokio::test(start_paused = true)]
async fn a_lone_change_is_told_at_once_and_a_burst_together_after_the_window() {
    let (_centre, registry) = registry("window", "delay-notification=1000");
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    let begun = Instant::now();
    let mut held = Vec::new();
    for port in 1..=50 {
        held.push(registry.register(&provider(port)).await.unwrap());
    }
    subscription.changed().await.unwrap();
    assert!(begun.elapsed() < SOON);
    let mut notifications = 1;
    while ports(&subscription.current()).len() < 50 {
        subscription.changed().await.unwrap();
        notifications += 1;
    }
    assert!(begun.elapsed() < Duration::from_millis(1100), "{:?}", begun.elapsed());
    assert!(notifications <= 2, "{notifications}");
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_fails_is_called_again_with_what_is_newest() {
    let (_centre, registry) = registry("listener", "");
    let subscription = registry.subscribe(&consumer()).await.unwrap();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&calls);
    let listening = subscription.listen(move |notification| {
        let mut log = log.lock();
        log.push(ports(notification));
        match log.len() {
            2 => Err("not now"),
            3 => panic!("a fault of the listener"),
            _ => Ok(()),
        }
    });
    sleep(SOON).await;
    let _one = registry.register(&provider(1)).await.unwrap();
    sleep(SOON).await;
    let _two = registry.register(&provider(2)).await.unwrap();
    sleep(Duration::from_secs(30)).await;
    assert_eq!(*calls.lock(), [vec![], vec![1], vec![1, 2], vec![1, 2]]);
    drop(listening);
    let _three = registry.register(&provider(3)).await.unwrap();
    sleep(SOON).await;
    assert_eq!(calls.lock().len(), 4);
}

#[tokio::test]
async fn a_lookup_asks_and_answers_from_memory_while_the_registry_does_not() {
    let (centre, registry) = registry("lookup", "");
    let _one = registry.register(&provider(1)).await.unwrap();
    let query = Query::from_url(&consumer()).unwrap();
    let found = registry.lookup(&query).await.unwrap();
    assert_eq!(found, [provider(1)]);
    assert_eq!(centre.watches(), 0);
    let subscription = registry.subscribe(&consumer()).await.unwrap();
    centre.cut();
    assert_eq!(registry.lookup(&query).await.unwrap(), [provider(1)]);
    drop(subscription);
    assert_eq!(
        registry.lookup(&query).await.unwrap_err().kind(),
        RegistryErrorKind::Unreachable
    );
}

#[tokio::test]
async fn a_subscription_may_begin_later() {
    let (centre, registry) = registry("begin_later", "");
    let lazy = registry.subscribe_later(&consumer());
    assert!(lazy.begun().is_none());
    assert_eq!(centre.watches(), 0);
    assert_eq!(ports(&lazy.get().await.unwrap().current()), [0; 0]);
    assert_eq!(centre.watches(), 1);
    assert!(lazy.begun().is_some());
}

#[tokio::test]
async fn registries_at_one_address_are_one_and_kept_while_used() {
    let centre = MemoryCentre::named("at_one_address");
    let registries = Registries::default();
    let one = registries.get(&url("memory://at_one_address?timeout=1")).unwrap();
    let two = registries.get(&url("memory://at_one_address?application=x")).unwrap();
    let other = registries.get(&url("memory://at_one_address?group=g")).unwrap();
    assert_eq!(centre.sessions(), 2);
    let registration = one.register(&provider(1)).await.unwrap();
    drop((one, two, other));
    within(SOON, "unused ones end", || centre.sessions() == 1).await;
    assert_eq!(registries.in_use().len(), 1);
    drop(registration);
    within(SOON, "unused ones end", || centre.sessions() == 0).await;
    let closed = registries.get(&url("memory://at_one_address")).unwrap();
    closed.close().await;
    let again = registries.get(&url("memory://at_one_address")).unwrap();
    again.register(&provider(1)).await.unwrap().unregister().await.unwrap();
}

#[tokio::test]
async fn a_scheme_that_nobody_speaks_is_told_with_those_that_are_known() {
    let error = Registry::builder(&url("etcd://h:2379"))
        .build()
        .err()
        .expect("an error");
    assert_eq!(error.kind(), RegistryErrorKind::Invalid);
    let text = error.to_string();
    assert!(
        text.contains("`etcd`") && text.contains("`memory`") && text.contains("h:2379"),
        "{text}"
    );
}

/// A back-end from outside the crate: it is asked in vain.
struct Silent(watch::Sender<Link>);

impl RegistryBackend for Silent {
    fn publish<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn withdraw<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { panic!("a fault of the back-end") })
    }

    fn watch<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn lookup<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.0.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_back_end_from_outside_is_one_line_and_its_silence_is_bounded() {
    let registry = Registry::builder(&url("silent://h:1?timeout=2000"))
        .backend("silent", |_| {
            Ok(Arc::new(Silent(watch::Sender::new(Link::Up { epoch: 1 }))))
        })
        .build()
        .unwrap();
    let begun = Instant::now();
    let error = registry.register(&provider(1)).await.err().expect("an error");
    assert!(
        matches!(
            error.kind(),
            RegistryErrorKind::TimedOut | RegistryErrorKind::Unreachable
        ),
        "{error}"
    );
    let error = registry
        .lookup(&Query::from_url(&consumer()).unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), RegistryErrorKind::TimedOut);
    assert!(registry.subscribe(&consumer()).await.is_err());
    registry.close().await;
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn one_row_may_be_replaced_for_all_registries_of_a_program() {
    let centre = MemoryCentre::named("replaced");
    let table = Backends::built_in().with("zookeeper", |url| {
        assert_eq!(url.host(), Some("h"));
        let backend: MemoryBackend = MemoryCentre::named("replaced").connect();
        Ok(Arc::new(backend))
    });
    let registry = Registries::new(table).get(&url("zookeeper://h:2181")).unwrap();
    let _registration = registry.register(&provider(1)).await.unwrap();
    assert_eq!(registered(&centre), [1]);
}

#[tokio::test]
async fn a_thousand_services_are_registered_and_watched_together() {
    let (centre, registry) = registry("a_thousand", "");
    let mut registrations = Vec::new();
    let mut subscriptions = Vec::new();
    for service in 0..1000 {
        registrations.push(
            registry
                .register(&url(&format!("dubbo://h:1/com.a.S{service}")))
                .await
                .unwrap(),
        );
        let consumer = url(&format!("consumer://h/com.a.S{service}"));
        subscriptions.push(registry.subscribe(&consumer).await.unwrap());
    }
    assert!(
        subscriptions
            .iter()
            .all(|subscription| ports(&subscription.current()) == [1])
    );
    within(Duration::from_secs(5), "settled", || registry.is_settled()).await;
    // All of it is said again in a new session, though not all at the same time.
    centre.lose_data();
    assert!(centre.list("com.a.S7", Category::Providers).is_empty());
    let again = || {
        (0..1000).all(|service| {
            !centre
                .list(&format!("com.a.S{service}"), Category::Providers)
                .is_empty()
        })
    };
    within(Duration::from_secs(5), "registered again", again).await;
    within(Duration::from_secs(5), "watched again", || {
        centre.watches() == 1000 && registry.is_settled()
    })
    .await;
}
