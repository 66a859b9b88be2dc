//! A registry that accepts connections and says nothing, or cannot be connected to for long: nobody waits for it more than once, and
//! the log does not grow.

mod place;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use orana_core::{BoxFuture, ServiceUrl};
use orana_registry::backend::{Link, RegistryBackend, Watching};
use orana_registry::{Freshness, Query, Registry, RegistryError, RegistryErrorKind, Snapshot};
use place::*;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::span;

/// The patience with what need not work at once, and some room for the machine.
const PATIENCE: Duration = Duration::from_millis(600);
const AT_ONCE: Duration = Duration::from_millis(50);

/// Answers nothing; its link is what the test says.
struct Mute(watch::Sender<Link>);

impl RegistryBackend for Mute {
    fn publish<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(std::future::pending())
    }

    fn withdraw<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(std::future::pending())
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
        Box::pin(std::future::ready(()))
    }
}

fn mute(parameters: &str, link: &watch::Sender<Link>) -> Registry {
    let link = link.clone();
    Registry::builder(&url(&format!("mute://h:1?{parameters}")))
        .backend("mute", move |_| Ok(Arc::new(Mute(link.clone()))))
        .build()
        .expect("a registry")
}

fn consumer_of(number: usize) -> ServiceUrl {
    url(&format!(
        "consumer://127.0.0.1/com.a.B{number}?category=providers,configurators,routers&side=consumer"
    ))
}

#[tokio::test(start_paused = true)]
async fn many_services_together_wait_once_for_a_silent_registry() {
    let registry = mute("check=false", &watch::Sender::new(Link::Connecting));
    let begun = Instant::now();
    let mut subscriptions = Vec::new();
    for number in 0..20 {
        let subscription = registry.subscribe(&consumer_of(number)).await.unwrap();
        assert_eq!(subscription.current().freshness, Freshness::NotReady);
        subscriptions.push(subscription);
    }
    let registration = registry.register(&provider(1)).await.unwrap();
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    drop((subscriptions, registration));
}

#[tokio::test]
async fn services_that_the_disk_knows_wait_once_for_a_silent_registry() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    let known: String = (0..20)
        .map(|number| format!("com.a.B{number}=dubbo\\://10.0.0.1\\:20880/com.a.B{number}?side\\=provider\n"))
        .collect();
    fs::write(&file, known).unwrap();
    let registry = mute(
        &format!("file={}", file.display()),
        &watch::Sender::new(Link::Connecting),
    );
    let begun = Instant::now();
    let mut subscriptions = Vec::new();
    for number in 0..20 {
        let subscription = registry.subscribe(&consumer_of(number)).await.unwrap();
        assert_eq!(ports(&subscription.current()), [20880]);
        assert_eq!(subscription.current().freshness, Freshness::FromDisk);
        subscriptions.push(subscription);
    }
    // One patience; the rest is reading a file of the size of a page.
    assert!(begun.elapsed() < 2 * PATIENCE, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_checked_request_still_has_its_whole_time() {
    let link = watch::Sender::new(Link::Connecting);
    let registry = mute("timeout=3000", &link);
    sleep(Duration::from_secs(10)).await;
    let begun = Instant::now();
    let error = registry.subscribe(&consumer()).await.err().expect("an error");
    assert_eq!(error.kind(), RegistryErrorKind::Unreachable);
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn a_link_that_is_up_again_is_waited_for_again() {
    let link = watch::Sender::new(Link::Connecting);
    let registry = mute("check=false", &link);
    sleep(Duration::from_secs(10)).await;
    let begun = Instant::now();
    let _early = registry.subscribe(&consumer_of(0)).await.unwrap();
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    link.send_replace(Link::Up { epoch: 1 });
    let begun = Instant::now();
    let _late = registry.subscribe(&consumer_of(1)).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::from_millis(500), "it may answer");
}

#[tokio::test(start_paused = true)]
async fn a_long_outage_is_one_warning() {
    let warnings = Arc::new(AtomicUsize::new(0));
    let _log = tracing::subscriber::set_default(Log(Arc::clone(&warnings)));
    let link = watch::Sender::new(Link::Connecting);
    let registry = mute("check=false", &link);
    let _subscription = registry.subscribe(&consumer()).await.unwrap();
    for attempt in 0..1000 {
        let reason = Arc::from(format!("attempt {attempt}: connection refused"));
        link.send_replace(Link::Down { reason });
        sleep(Duration::from_secs(3)).await;
    }
    assert_eq!(warnings.load(Ordering::Relaxed), 1);
    // A session in which nothing is answered: what was asked for fails the same way again and again.
    link.send_replace(Link::Up { epoch: 1 });
    sleep(Duration::from_secs(3600)).await;
    let said = warnings.load(Ordering::Relaxed);
    assert_eq!(said, 3, "one for each of the two wishes");
    link.send_replace(Link::Down { reason: "reset".into() });
    sleep(Duration::from_secs(1)).await;
    assert_eq!(warnings.load(Ordering::Relaxed), said + 1);
}

/// Counts warnings.
struct Log(Arc<AtomicUsize>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
