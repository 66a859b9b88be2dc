//! What tests with a whole application begin with: providers that count their calls, a consumer, a registry and the place of documents.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orana::registry::backend::{MemoryBackend, MemoryCentre, RegistryBackend};
use orana::registry::config_center::MemoryConfig;
use orana::{Application, Error, ErrorCode, Export, Provider, Reference, ServiceUrl, Value};

/// How long anything may take, in a debug build on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

#[orana::service(interface = "org.example.Stock")]
pub(crate) trait Stock {
    /// Who answers; an exception of the service for `trouble`.
    async fn find(&self, item: String) -> orana::Result<Option<String>>;
    /// The same.
    async fn count(&self, item: String) -> orana::Result<Option<String>>;
}

/// A provider that says which it is, and counts.
pub(crate) struct Shelf {
    name: &'static str,
    calls: Arc<AtomicUsize>,
}

impl Shelf {
    fn answer(&self, item: &str) -> orana::Result<Option<String>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match item {
            "trouble" => Err(Error::thrown("org.example.Trouble", "there")),
            _ => Ok(Some(self.name.to_owned())),
        }
    }
}

impl Stock for Shelf {
    async fn find(&self, item: String) -> orana::Result<Option<String>> {
        self.answer(&item)
    }

    async fn count(&self, item: String) -> orana::Result<Option<String>> {
        self.answer(&item)
    }
}

/// Providers of an application `stock`, and whoever wants to call them.
pub(crate) struct Fleet {
    pub(crate) registry_url: String,
    pub(crate) registry: MemoryBackend,
    pub(crate) documents: MemoryConfig,
    pub(crate) providers: Vec<Provider>,
    calls: Arc<AtomicUsize>,
    _centre: MemoryCentre,
}

impl Fleet {
    /// Nobody yet. Each test has a name of its own.
    pub(crate) fn empty(name: &str) -> Fleet {
        let centre = MemoryCentre::named(name);
        Fleet {
            registry_url: format!("memory://{name}"),
            registry: centre.connect(),
            documents: MemoryConfig::named(name),
            providers: Vec::new(),
            calls: Arc::default(),
            _centre: centre,
        }
    }

    /// A provider for each name, with the parameters that stand behind it; its weight is that from the start.
    pub(crate) async fn of(name: &str, shelves: &[(&'static str, &[(&str, &str)])]) -> Fleet {
        let mut fleet = Fleet::empty(name);
        for (shelf, parameters) in shelves {
            let export = Export::from(StockService::new(fleet.shelf(shelf)));
            let export = parameters
                .iter()
                .fold(export.parameter("warmup", 1), |export, (key, value)| {
                    export.parameter(key, value)
                });
            let provider = Application::new("stock").registry(&fleet.registry_url).provider();
            let provider = provider.listen("127.0.0.1:0").export(export).start().await.unwrap();
            fleet.providers.push(provider);
        }
        fleet
    }

    pub(crate) fn shelf(&self, name: &'static str) -> Shelf {
        Shelf {
            name,
            calls: Arc::clone(&self.calls),
        }
    }

    /// The application that calls.
    pub(crate) fn shop(&self) -> Application {
        Application::new("shop").registry(&self.registry_url)
    }

    /// A reference with these parameters; a call is made once unless they say otherwise.
    pub(crate) async fn refer(&self, parameters: &[(&str, &str)]) -> StockClient {
        let refer = self.shop().consumer().refer::<StockClient>().retries(0);
        let refer = parameters
            .iter()
            .fold(refer, |refer, (key, value)| refer.parameter(key, value));
        refer.await.unwrap()
    }

    /// Stores a document where Dubbo looks for it.
    pub(crate) fn write(&self, key: &str, text: &str) {
        self.documents.put("dubbo", key, text).unwrap();
    }

    /// Puts a URL into the registry.
    pub(crate) async fn register(&self, url: &str) {
        self.registry.publish(&ServiceUrl::parse(url).unwrap()).await.unwrap();
    }

    /// How many calls have arrived at anybody.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// One call of `find`.
pub(crate) async fn find(reference: &Reference, item: &str) -> orana::Result<String> {
    let answer = reference
        .call("find", &["java.lang.String"], &[Value::from(item)])
        .await?;
    Ok(answer.as_text().unwrap_or("null").to_owned())
}

/// Who answers, of many calls; the code of the first that fails.
pub(crate) async fn reached(reference: &Reference) -> Result<BTreeSet<String>, ErrorCode> {
    let mut reached = BTreeSet::new();
    for _ in 0..40 {
        reached.insert(find(reference, "x").await.map_err(|error| error.code())?);
    }
    Ok(reached)
}

/// Asks until it is as it should be.
pub(crate) async fn becomes(reference: &Reference, expected: Result<&[&str], ErrorCode>) {
    let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>());
    let start = Instant::now();
    loop {
        let seen = reached(reference).await;
        if seen == expected {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "expected {expected:?}, saw {seen:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
