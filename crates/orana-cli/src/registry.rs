//! Asks a registry of any kind that the SDK speaks. Knows how to open one and what its errors mean for a script, not what the
//! answers are for.

use std::future::Future;
use std::time::Duration;

use clap::Args;
use orana::registry::{Query, Registry, RegistryError, RegistryErrorKind};
use orana::{ErrorCode, ServiceUrl};
use orana_core::{Category, ServiceKey};
use tokio::time::timeout;

use crate::entry::Entry;
use crate::failure::{Failure, Kind};
use crate::{nearest, print};

/// Which registry.
#[derive(Args)]
pub(crate) struct Source {
    /// The registry, for instance zookeeper://127.0.0.1:2181?backup=127.0.0.1:2182; HOST:PORT alone is a ZooKeeper's
    #[arg(
        long,
        value_name = "URL",
        env = "ORANA_REGISTRY",
        default_value = "zookeeper://127.0.0.1:2181"
    )]
    registry: String,
}

/// A question about one service.
#[derive(Args)]
pub(crate) struct AboutService {
    /// The service: GROUP/INTERFACE:VERSION; a group or version that is left out may be any
    #[arg(value_name = "SERVICE", value_parser = service)]
    service: ServiceKey,
    #[command(flatten)]
    source: Source,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl AboutService {
    /// Prints who is listed under `category`: JSON if that is wanted, else a table. Nobody is a failure for a person and an empty list for
    /// a program.
    pub(crate) fn list<const N: usize>(
        &self,
        category: Category,
        headings: [&str; N],
        row: fn(&Entry) -> [String; N],
    ) -> Result<(), Failure> {
        let (found, hint) = run(self.ask(category))?;
        let mut entries: Vec<Entry> = found.iter().map(Entry::of).collect();
        entries.sort_by(|one, other| one.identity().cmp(&other.identity()));
        if self.json {
            return print::json(&entries);
        }
        if entries.is_empty() {
            let (service, address) = (&self.service, self.source.address());
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let message = format!("there are no {category} of `{service}` at {address}{hint}");
            return Err(Failure::new(Kind::NotFound, message));
        }
        let rows: Vec<_> = entries.iter().map(row).collect();
        print::table(headings, &rows)
    }

    /// Who is listed, and for a person, if nobody is, what else he may have meant.
    async fn ask(&self, category: Category) -> Result<(Vec<ServiceUrl>, Option<String>), Failure> {
        let registry = self.source.open()?;
        let found = registry
            .lookup(&Query::from_url(&question(&self.service, category.name()))?)
            .await;
        let hint = match &found {
            Ok(found) if found.is_empty() && !self.json => meant(&registry, &self.service, category).await,
            _ => None,
        };
        registry.close().await;
        Ok((found?, hint))
    }
}

/// What somebody may have meant who asked for a service that has nobody under `category`.
async fn meant(registry: &Registry, service: &ServiceKey, category: Category) -> Option<String> {
    let everything = question(&ServiceKey::new("*", None, None), category.name());
    let query = Query::from_url(&everything).ok()?;
    let lookup = registry.lookup(&query);
    // It is help beside the error, so neither what fails here nor what takes long is worth another one.
    let found = timeout(HINT_PATIENCE, lookup).await.ok()?.ok()?;
    let known: Vec<ServiceKey> = found.iter().filter_map(ServiceUrl::service_key).collect();
    nearest::hint(service, &known)
}

/// How long it may take to find out what somebody may have meant.
const HINT_PATIENCE: Duration = Duration::from_secs(2);

/// The time that a registry gets to answer, if its URL does not say.
const PATIENCE_MILLIS: u32 = 5_000;

impl Source {
    /// A source named elsewhere on the command line.
    pub(crate) fn of(registry: &str) -> Source {
        Source {
            registry: registry.to_owned(),
        }
    }

    /// Its URL as the SDK is to use it: impatient, and without leaving anything on disk.
    pub(crate) fn url(&self) -> Result<ServiceUrl, Failure> {
        let url = ServiceUrl::parse(&self.registry).map_err(|error| {
            Failure::new(
                Kind::Usage,
                format_args!("`{}` is no url of a registry: {error}", self.registry),
            )
        })?;
        let url = url
            .edit()
            .set("file-cache", "false")
            .set_if_absent("timeout", PATIENCE_MILLIS);
        Ok(url.build())
    }

    /// The address, for messages.
    pub(crate) fn address(&self) -> &str {
        &self.registry
    }

    pub(crate) fn open(&self) -> Result<Registry, Failure> {
        Ok(Registry::builder(&self.url()?).build()?)
    }

    /// What somebody may have meant who asked for a service that nobody provides.
    pub(crate) async fn meant(&self, service: &ServiceKey) -> Option<String> {
        let registry = self.open().ok()?;
        let hint = meant(&registry, service, Category::Providers).await;
        registry.close().await;
        hint
    }

    /// All that answers `question` now.
    pub(crate) fn lookup(&self, question: &ServiceUrl) -> Result<Vec<ServiceUrl>, Failure> {
        let query = Query::from_url(question)?;
        run(async {
            let registry = self.open()?;
            let found = registry.lookup(&query).await;
            registry.close().await;
            Ok(found?)
        })
    }
}

/// A service as it is named on a command line: `[group/]interface[:version]`. What is not named may be anything.
pub(crate) fn service(text: &str) -> Result<ServiceKey, String> {
    let key = ServiceKey::parse(text);
    match key.interface() {
        "" => Err("it names no interface; write [GROUP/]INTERFACE[:VERSION]".to_owned()),
        _ => Ok(key),
    }
}

/// The URL that asks for everything of `categories` that is said of `service`.
pub(crate) fn question(service: &ServiceKey, categories: &str) -> ServiceUrl {
    ServiceUrl::builder("admin", "127.0.0.1")
        .path(service.interface())
        .set("interface", service.interface())
        .set("group", service.group().unwrap_or("*"))
        .set("version", service.version().unwrap_or("*"))
        .set("classifier", "*")
        .set("enabled", "*")
        .set("category", categories)
        .set("register", "false")
        .build()
}

/// Runs what waits for the network.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Kind::Failed, format_args!("cannot begin: {error}")))?;
    runtime.block_on(work)
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Failure {
        let kind = match error.kind() {
            RegistryErrorKind::Unreachable | RegistryErrorKind::TimedOut => Kind::Unreachable,
            RegistryErrorKind::Refused => Kind::Forbidden,
            RegistryErrorKind::Invalid | RegistryErrorKind::Unsupported => Kind::Usage,
            _ => Kind::Failed,
        };
        Failure::new(kind, error)
    }
}

/// Whether a provider said that it does not perform a call.
pub(crate) fn refused(error: &orana::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<orana::Refused>())
}

impl From<orana::Error> for Failure {
    fn from(error: orana::Error) -> Failure {
        let kind = match error.code() {
            // The provider was reached and would not.
            _ if refused(&error) => Kind::Failed,
            ErrorCode::Network | ErrorCode::Registry | ErrorCode::NoInvokerAfterFilter => Kind::Unreachable,
            ErrorCode::Forbidden | ErrorCode::MethodNotFound => Kind::NotFound,
            ErrorCode::Authorization => Kind::Forbidden,
            ErrorCode::Validation => Kind::Usage,
            _ => Kind::Failed,
        };
        Failure::new(kind, error)
    }
}
