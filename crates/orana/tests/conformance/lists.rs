//! What lists of providers come to: nobody, nothing said, and what of a provider's own settings counts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orana::registry::backend::{Backends, Feed, Link, RegistryBackend, Watching};
use orana::registry::{Query, Registries, RegistryError, Snapshot};
use orana::{Application, BoxFuture, Client, ErrorCode, Reference, ServiceUrl};
use orana_cluster::DirectoryState;
use orana_core::Category;
use parking_lot::Mutex;

use crate::fleet::{Fleet, PATIENCE, StockClient, becomes, find};
use crate::network::{ask, reference, urls};

/// A registry that says what the test says.
struct Scripted {
    first: Snapshot,
    feed: Mutex<Option<Feed>>,
    link: tokio::sync::watch::Sender<Link>,
}

impl Scripted {
    fn say(&self, snapshot: Snapshot) {
        assert!(self.feed.lock().as_ref().unwrap().put(snapshot), "nobody listens");
    }
}

impl RegistryBackend for Scripted {
    fn publish<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { Ok(()) })
    }

    fn withdraw<'a>(&'a self, _: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { Ok(()) })
    }

    fn watch<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>> {
        let (feed, watching) = Watching::channel();
        feed.put(self.first.clone());
        *self.feed.lock() = Some(feed);
        Box::pin(async { Ok(watching) })
    }

    fn lookup<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>> {
        Box::pin(async { Ok(vec![self.first.clone()]) })
    }

    fn link(&self) -> tokio::sync::watch::Receiver<Link> {
        self.link.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

fn snapshot() -> Snapshot {
    Snapshot::new("org.example.Stock")
}

/// Until exactly these addresses can be called.
async fn callable(reference: &Reference, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|address| (*address).to_owned()).collect();
    let start = Instant::now();
    loop {
        let seen: BTreeSet<String> = reference.addresses().into_iter().collect();
        if seen == expected {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "expected {expected:?}, saw {seen:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn nothing_said_about_providers_leaves_them_and_the_word_that_there_is_nobody_forbids_calls() {
    let fleet = Fleet::of("scripted-behind", &[("a", &[]), ("b", &[])]).await;
    let urls_of = |provider: &orana::Provider| provider.urls().to_vec();
    let provided: Vec<ServiceUrl> = fleet.providers.iter().flat_map(urls_of).collect();
    let addresses: Vec<String> = provided.iter().map(|url| url.address()).collect();
    let (a, b) = (&*addresses[0], &*addresses[1]);
    let scripted = Arc::new(Scripted {
        first: snapshot()
            .with(Category::Providers, provided.clone())
            .with(Category::Configurators, Vec::new())
            .with(Category::Routers, Vec::new()),
        feed: Mutex::default(),
        link: tokio::sync::watch::Sender::new(Link::Up { epoch: 1 }),
    });
    let backend = Arc::clone(&scripted);
    let backends = Backends::built_in().with(
        "scripted",
        move |_| Ok(Arc::clone(&backend) as Arc<dyn RegistryBackend>),
    );
    let shop = Application::new("shop")
        .with_registries(Arc::new(Registries::new(backends)))
        .registry("scripted://here:1");
    let stock = shop.consumer().refer::<StockClient>().retries(0).await.unwrap();
    let stock = stock.reference();
    callable(stock, &[a, b]).await;

    // Dubbo's `[]`. The list of rules behind it tells that it has been read.
    let everybody = "override://0.0.0.0/org.example.Stock?category=configurators&seen=1";
    scripted.say(snapshot());
    scripted.say(snapshot().with(Category::Configurators, vec![ServiceUrl::parse(everybody).unwrap()]));
    let start = Instant::now();
    while !stock.providers().iter().all(|url| url.parameter("seen").is_some()) {
        assert!(start.elapsed() < PATIENCE, "the rule is not seen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    callable(stock, &[a, b]).await;
    becomes(stock, Ok(&["a", "b"])).await;

    scripted.say(snapshot().with(Category::Providers, provided[..1].to_vec()));
    callable(stock, &[a]).await;
    becomes(stock, Ok(&["a"])).await;

    // Dubbo's `empty://`.
    scripted.say(snapshot().with(Category::Providers, Vec::new()));
    becomes(stock, Err(ErrorCode::Forbidden)).await;
    let said = find(stock, "x").await.unwrap_err().to_string();
    assert!(
        said.contains("no provider available") && said.contains("nobody is registered"),
        "{said}"
    );
}

#[tokio::test]
async fn an_empty_url_says_that_there_is_nobody() {
    let (_, invoker) = reference("retries=0", &["dubbo://h:1/i"]).await;
    let directory = invoker.directory();
    directory.notify(urls(&["empty://0.0.0.0/i?category=providers"]));
    while directory.state() != DirectoryState::Forbidden {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&invoker, "say", "x").await, Err(ErrorCode::Forbidden));
}

#[tokio::test]
async fn a_providers_balance_and_retries_are_defaults_and_its_mock_is_none() {
    let provider = "loadbalance=roundrobin&retries=0&mock=force:return+null";
    let providers = [1, 2].map(|port| format!("dubbo://h:{port}/i?{provider}"));
    let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
    let (network, invoker) = reference("", &providers).await;
    for _ in 0..6 {
        ask(&invoker, "say", "x").await.unwrap();
    }
    assert_eq!(network.called(), [1, 2, 1, 2, 1, 2]);
    assert_eq!(
        invoker.directory().list().unwrap().endpoints()[0]
            .url()
            .parameter("mock"),
        None
    );
    network.fail(&[1, 2]);
    ask(&invoker, "say", "x").await.unwrap_err();
    assert_eq!(network.called().len(), 1, "as 2.x has it");
    let (network, invoker) = reference("retries=1&loadbalance=roundrobin", &providers).await;
    network.fail(&[1, 2]);
    ask(&invoker, "say", "x").await.unwrap_err();
    assert_eq!(network.called(), [1, 2], "the consumer's word counts first");
}
