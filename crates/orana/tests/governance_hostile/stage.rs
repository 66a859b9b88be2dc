//! What each of these tests begins with: providers, a consumer, the places where rules are written, and an ear for warnings.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orana::registry::backend::{MemoryBackend, MemoryCentre};
use orana::registry::config_center::MemoryConfig;
use orana::{Application, Client, ErrorCode, Export, Provider, Reference, Value};
use tokio::sync::{Mutex, MutexGuard};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// The key of the service's conditions.
pub(crate) const CONDITIONS: &str = "org.example.Stock::.condition-router";
/// The key of the service's configurators.
pub(crate) const CONFIGURATORS: &str = "org.example.Stock::.configurators";
/// The key of the tags of the application that provides.
pub(crate) const TAGS: &str = "stock.tag-router";

/// How long anything may take here, in a debug build on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

#[orana::service(interface = "org.example.Stock")]
pub(crate) trait Stock {
    /// Who answers.
    async fn find(&self, item: String) -> orana::Result<String>;
}

/// A provider that says which it is.
pub(crate) struct Shelf(&'static str);

impl Stock for Shelf {
    async fn find(&self, _item: String) -> orana::Result<String> {
        Ok(self.0.to_owned())
    }
}

/// These tests measure memory and time of their process: one runs after the other.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Three providers of an application `stock`, and a consumer of the application `shop`.
pub(crate) struct Stage {
    pub(crate) stock: StockClient,
    pub(crate) rules: MemoryConfig,
    pub(crate) registry: MemoryBackend,
    _providers: Vec<Provider>,
    _alone: MutexGuard<'static, ()>,
}

impl Stage {
    /// Under a name of its own, without rules.
    pub(crate) async fn set(name: &str) -> Stage {
        Stage::set_under(name, &["east", "north", "west"]).await
    }

    /// The same under rules that are there already, and let calls reach exactly these.
    pub(crate) async fn set_under(name: &str, reached: &[&str]) -> Stage {
        let alone = ALONE.lock().await;
        let url = format!("memory://{name}:1");
        let centre = MemoryCentre::named(name);
        let rules = MemoryConfig::named(name);
        let mut providers = Vec::new();
        for region in ["east", "west", "north"] {
            let provider = Application::new("stock").registry(&url).provider();
            let export = Export::from(StockService::new(Shelf(region))).parameter("region", region);
            let provider = provider.listen("127.0.0.1:0").parameter("warmup", 1).export(export);
            providers.push(provider.start().await.unwrap());
        }
        let consumer = Application::new("shop").registry(&url).consumer();
        let stock = consumer.refer::<StockClient>().retries(0).await.unwrap();
        let stage = Stage {
            stock,
            rules,
            registry: centre.connect(),
            _providers: providers,
            _alone: alone,
        };
        stage.becomes(reached).await;
        stage
    }

    pub(crate) fn reference(&self) -> &Reference {
        self.stock.reference()
    }

    /// Stores a document.
    pub(crate) fn write(&self, key: &str, text: &str) {
        self.rules.put("dubbo", key, text).unwrap();
    }

    /// Deletes a document.
    pub(crate) fn erase(&self, key: &str) {
        self.rules.delete("dubbo", key).unwrap();
    }

    /// Asks until exactly these are reached.
    pub(crate) async fn becomes(&self, expected: &[&str]) {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        let start = Instant::now();
        loop {
            let seen = reached(self.reference()).await;
            if seen.as_ref() == Ok(&expected) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "expected {expected:?}, saw {seen:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The same set is reached, by calls of now and of a little later.
    pub(crate) async fn stays(&self, expected: &[&str]) {
        for _ in 0..3 {
            let seen = reached(self.reference()).await.unwrap();
            assert!(seen.iter().eq(expected), "expected {expected:?}, saw {seen:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Who answers, of many calls; the code of the first that fails.
pub(crate) async fn reached(reference: &Reference) -> Result<BTreeSet<String>, ErrorCode> {
    let mut reached = BTreeSet::new();
    for _ in 0..40 {
        let answer = reference.call("find", &["java.lang.String"], &[Value::from("x")]).await;
        let answer = answer.map_err(|error| error.code())?;
        reached.insert(answer.as_text().unwrap().to_owned());
    }
    Ok(reached)
}

/// Hears the warnings of this thread for as long as it is held.
pub(crate) struct Warnings {
    heard: Heard,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Heard(Arc<parking_lot::Mutex<Vec<String>>>);

impl Warnings {
    /// From now on.
    pub(crate) fn listen() -> Warnings {
        let heard = Heard::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_ansi(false)
            .with_writer(heard.clone())
            .finish();
        Warnings {
            heard,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// What was said since this was last asked.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.0.lock())
    }

    /// How many wait to be taken.
    pub(crate) fn count(&self) -> usize {
        self.heard.0.lock().len()
    }

    /// Waits until something is said; everything that was said by then and shortly after it.
    pub(crate) async fn next(&self) -> Vec<String> {
        let start = Instant::now();
        while self.count() == 0 {
            assert!(start.elapsed() < PATIENCE, "nobody warns");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.take()
    }
}

impl Write for Heard {
    /// The subscriber writes each event at once.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let said = String::from_utf8_lossy(bytes).into_owned();
        // The providers of this process read the same configurators, and each warns of them on its own.
        if !said.contains(" orana::provider") {
            self.0.lock().push(said);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Heard {
    type Writer = Heard;

    fn make_writer(&'a self) -> Heard {
        self.clone()
    }
}

/// Resident memory of this process now, in MiB.
pub(crate) fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib = line.split_whitespace().next().unwrap();
    kib.parse::<u64>().unwrap() / 1024
}
