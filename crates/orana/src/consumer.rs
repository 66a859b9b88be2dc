//! References to services of others: subscribe, choose, call.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orana_cluster::filter::{self, ProgramFilter};
use orana_cluster::{ClusterInvoker, Directory, DirectoryOptions, LoadBalance, Router, cluster, load_balance};
use orana_core::{BoxFuture, Connector, Filter, Invoker, RpcError, RpcErrorCode, ServiceKey, ServiceUrl, filtered};
use orana_registry::Registry;
use orana_rpc::ServiceDefinition;
use orana_rpc::dubbo::DubboConnector;
use orana_wire::hessian::Value;

use crate::Result;
use crate::advertise;
use crate::application::Application;
use crate::client::Client;
use crate::config::{Said, Settings};
use crate::explain::Nowhere;
use crate::governance::{OwnRules, Rules, Steering};
use crate::merger::ValueMergers;
use crate::mock::ValueMocks;
use crate::path::{Path, together};
use crate::provider_url::methods;
use crate::reference::{Bound, Reference};

/// How long `check` waits for somebody to be there.
const DEFAULT_CHECK_WAIT: Duration = Duration::from_secs(3);

/// The consuming side of an application. Its references share connections.
#[derive(Clone)]
pub struct Consumer {
    application: Application,
    connector: Arc<dyn Connector>,
    /// Whether that connects to anybody.
    connects: bool,
    host: Option<String>,
    parameters: Vec<(String, String)>,
}

/// A reference that is being put together; awaiting it makes it.
#[must_use = "nothing is referred to before this is awaited"]
pub struct Refer<C> {
    consumer: Consumer,
    service: Asked,
    direct: Vec<String>,
    parameters: Vec<(String, String)>,
    filters: Vec<Arc<dyn Filter>>,
    own_rules: OwnRules,
    balances: Vec<(String, Arc<dyn LoadBalance>)>,
    mergers: ValueMergers,
    mocks: ValueMocks,
    check: Option<bool>,
    check_wait: Duration,
    kind: PhantomData<fn() -> C>,
}

/// What is asked for.
struct Asked {
    definition: ServiceDefinition,
    group: Option<String>,
    version: Option<String>,
}

impl Consumer {
    pub(crate) fn new(application: Application) -> Consumer {
        Consumer {
            application,
            connector: Arc::new(DubboConnector::default()),
            connects: true,
            host: None,
            parameters: Vec::new(),
        }
    }

    /// Puts a parameter into the URL of every reference: `timeout`, `retries`, `say.timeout`, …
    #[must_use]
    pub fn parameter(mut self, key: &str, value: impl ToString) -> Consumer {
        self.parameters.push((key.to_owned(), value.to_string()));
        self
    }

    /// Says that this is its own address, as it registers it and as rules see it, in place of the one that is found out.
    #[must_use]
    pub fn host(mut self, host: &str) -> Consumer {
        self.host = Some(host.to_owned());
        self
    }

    /// Connects to no provider: every one counts as reachable, and calls fail. For explanations
    /// ([`Reference::explain`]) where nobody is to be called.
    #[must_use]
    pub fn connecting_nowhere(mut self) -> Consumer {
        self.connector = Arc::new(Nowhere::like(self.connector));
        self.connects = false;
        self
    }

    /// Begins a reference to the service of a typed client.
    pub fn refer<C: Client>(&self) -> Refer<C> {
        self.begin(C::definition().clone())
    }

    /// Begins a reference to any interface; its methods are called by name.
    pub fn refer_to(&self, interface: &str) -> Refer<Reference> {
        self.begin(ServiceDefinition::new(interface.to_owned(), Vec::new()))
    }

    fn begin<C>(&self, definition: ServiceDefinition) -> Refer<C> {
        let own = |name: &Option<std::borrow::Cow<'static, str>>| name.as_deref().map(str::to_owned);
        Refer {
            consumer: self.clone(),
            service: Asked {
                group: own(&definition.group),
                version: own(&definition.version),
                definition,
            },
            direct: Vec::new(),
            parameters: Vec::new(),
            filters: Vec::new(),
            own_rules: OwnRules::default(),
            balances: Vec::new(),
            mergers: ValueMergers::default(),
            mocks: ValueMocks::default(),
            check: None,
            check_wait: DEFAULT_CHECK_WAIT,
            kind: PhantomData,
        }
    }
}

impl<C> Refer<C> {
    /// Of that group; `*` for any, `a,b` for one of several; empty for none.
    pub fn group(mut self, group: &str) -> Refer<C> {
        self.service.group = Some(group.to_owned()).filter(|group| !group.is_empty());
        self
    }

    /// Of that version; `*` for any; empty for none.
    pub fn version(mut self, version: &str) -> Refer<C> {
        self.service.version = Some(version.to_owned()).filter(|version| !version.is_empty());
        self
    }

    /// Calls the provider at `url` (`dubbo://host:port`), without asking a registry; may be said several times.
    pub fn direct(mut self, url: &str) -> Refer<C> {
        self.direct.push(url.to_owned());
        self
    }

    /// Each attempt of a call takes no longer than this.
    pub fn timeout(self, timeout: Duration) -> Refer<C> {
        self.parameter("timeout", timeout.as_millis())
    }

    /// How many further providers are tried when a call fails in a way that allows it.
    pub fn retries(self, retries: u32) -> Refer<C> {
        self.parameter("retries", retries)
    }

    /// Puts a parameter into the consumer's URL; it wins over what the provider says.
    pub fn parameter(mut self, key: &str, value: impl ToString) -> Refer<C> {
        self.parameters.push((key.to_owned(), value.to_string()));
        self
    }

    /// Puts a filter before its calls, behind those of the application.
    pub fn filter(mut self, filter: impl Filter) -> Refer<C> {
        self.filters.push(Arc::new(filter));
        self
    }

    /// Puts a router behind those of the rules that operators write.
    pub fn router(mut self, router: impl Router) -> Refer<C> {
        self.own_rules.routers.push(Arc::new(router));
        self
    }

    /// Adds a load balance that `loadbalance` may name.
    pub fn load_balance(mut self, name: &str, balance: impl LoadBalance) -> Refer<C> {
        self.balances.push((name.to_owned(), Arc::new(balance)));
        self
    }

    /// Adds a way to join the results of several groups, which `merger` may name.
    pub fn merger<F>(mut self, name: &str, merge: F) -> Refer<C>
    where
        F: Fn(Vec<Value>) -> Result<Value> + Send + Sync + 'static,
    {
        self.mergers = self.mergers.with(name, merge);
        self
    }

    /// Adds an implementation in the program that `mock` may name; one of the name of the interface and `Mock` is what `mock=true` means.
    pub fn mock(mut self, name: &str, service: impl orana_rpc::Service) -> Refer<C> {
        self.mocks = self.mocks.with(name, Arc::new(service));
        self
    }

    /// Whether it is an error that the registry cannot be reached, or that nobody provides the service now. If not, calls are errors until
    /// somebody does.
    pub fn check(mut self, check: bool) -> Refer<C> {
        self.check = Some(check);
        self
    }

    /// How long that somebody is waited for.
    pub fn check_wait(mut self, wait: Duration) -> Refer<C> {
        self.check_wait = wait;
        self
    }

    /// Makes the reference.
    async fn make(mut self) -> Result<Reference> {
        let settings = self.settle();
        let registries = match self.direct.is_empty() {
            true => self.consumer.application.registries()?,
            false => Vec::new(),
        };
        let check = settings.flag_or("check", true);
        let url = self.url(registries.first().map(|(url, _)| url), &settings);
        let service = Arc::new(ServiceKey::new(
            &self.service.definition.interface,
            self.service.group.as_deref(),
            self.service.version.as_deref(),
        ));
        if self.direct.is_empty() && registries.is_empty() {
            let message =
                "the application has no registry and the reference names no provider: say `registry` or `direct`";
            return Err(RpcError::new(RpcErrorCode::Registry, message).about(service));
        }
        let mut paths = Vec::new();
        if self.direct.is_empty() {
            for (registry_url, registry) in registries {
                // The registry registers whoever subscribes, unless it is told not to.
                if registry_url.parameter("subscribe") != Some("false") {
                    paths.push(self.through(&registry_url, registry, &url, &service, check).await?);
                }
            }
        } else {
            paths.push(self.straight(&url, &service)?);
        }
        if check {
            // What is missing then is told by the error of the list itself. One registry that knows somebody is enough.
            let settled = paths.iter().map(|path| Box::pin(path.directory().settled()));
            if !paths.is_empty() {
                let _ = tokio::time::timeout(self.check_wait, futures_util::future::select_all(settled)).await;
            }
            if !wait_available(&paths, self.check_wait).await {
                return Err(match paths.first() {
                    Some(path) => path.invoker.why_unavailable().about(service),
                    None => RpcError::new(RpcErrorCode::Registry, "no registry is to be subscribed to").about(service),
                });
            }
        }
        let call_filters = self.call_filters(&url).map_err(|error| error.about(&service))?;
        let invoker = filtered(
            &call_filters,
            together(&url, &paths, &self.mocks.clone().of(&self.service.definition)),
        );
        let (methods, one_way) = Bound::methods(&self.service.definition, &service);
        let bound = Bound {
            service,
            methods,
            one_way,
            invoker,
            paths,
            settings,
            connects: self.consumer.connects,
        };
        Ok(Reference::new(bound, self.consumer.application.name()))
    }

    /// The way through one registry: its list, its rules, and who calls by them.
    async fn through(
        &self,
        registry_url: &ServiceUrl,
        registry: Registry,
        url: &ServiceUrl,
        service: &Arc<ServiceKey>,
        check: bool,
    ) -> Result<Path> {
        let application = &self.consumer.application;
        let directory = self.directory(url, &registry_url.address());
        let rules = Rules::new(url.host().unwrap_or_default(), self.own_rules.clone());
        let centre = application.config_centre(registry_url)?;
        let asking = subscribing(url, check, registry_url.flag_or("register", true));
        let reading = Steering::new(
            &directory,
            ServiceKey::clone(service),
            application.name(),
            rules,
            centre.clone(),
        );
        let (steering, subscription) = tokio::join!(reading, registry.subscribe(&asking));
        let subscription = subscription.map_err(|error| {
            RpcError::new(RpcErrorCode::Registry, error.to_string())
                .about(service)
                .because(error)
        })?;
        let steered = steering.start(subscription).await;
        Ok(Path {
            registry: Some(registry_url.clone()),
            invoker: self.calling(directory, url, service)?,
            _steered: Some(steered),
            _registry: Some(registry),
            _centre: centre,
        })
    }

    /// The way to providers that were named.
    fn straight(&self, url: &ServiceUrl, service: &Arc<ServiceKey>) -> Result<Path> {
        let directory = self.directory(url, "a fixed list");
        let rules = Rules::new(url.host().unwrap_or_default(), self.own_rules.clone());
        directory.govern(rules.governance());
        directory.notify(self.direct_urls(service)?);
        Ok(Path {
            registry: None,
            invoker: self.calling(directory, url, service)?,
            _steered: None,
            _registry: None,
            _centre: None,
        })
    }

    fn directory(&self, url: &ServiceUrl, origin: &str) -> Arc<Directory> {
        let connector = Arc::clone(&self.consumer.connector);
        let options = DirectoryOptions {
            filters: self.consumer.application.parts().clone(),
            ..DirectoryOptions::default()
        };
        Arc::new(Directory::new(url.clone(), origin, connector, options))
    }

    /// Chooses among those of `directory` as `url` says.
    fn calling(
        &self,
        directory: Arc<Directory>,
        url: &ServiceUrl,
        service: &Arc<ServiceKey>,
    ) -> Result<Arc<ClusterInvoker>> {
        let named = |name: &str, known: Vec<&str>, what: &str| {
            let message = format!("there is no {what} `{name}`; known are {}", known.join(", "));
            RpcError::new(RpcErrorCode::Validation, message).about(service)
        };
        let balances = self
            .balances
            .iter()
            .fold(load_balance::Balances::new(), |balances, (name, balance)| {
                balances.with(name, Arc::clone(balance))
            });
        let balance = url.parameter("loadbalance").unwrap_or(load_balance::DEFAULT);
        if !balances.is_known(balance) {
            return Err(named(balance, balances.names(), "load balance"));
        }
        let several_groups = service.group().is_some_and(|group| group == "*" || group.contains(','));
        let usual = if several_groups { "mergeable" } else { cluster::DEFAULT };
        let cluster_name = url.parameter("cluster").filter(|_| !several_groups).unwrap_or(usual);
        let parts = cluster::Parts {
            consumer: url,
            mergers: Arc::new(self.mergers.clone()),
        };
        let strategy = cluster::named(cluster_name, &parts).ok_or_else(|| {
            let known = cluster::CLUSTERS.iter().map(|(name, _)| *name).collect();
            named(cluster_name, known, "cluster")
        })?;
        Ok(Arc::new(ClusterInvoker::new(directory, balances, strategy)))
    }

    /// The filters around each call: those that the URL asks for, then those of the application and of the reference.
    fn call_filters(&self, url: &ServiceUrl) -> Result<Vec<Arc<dyn Filter>>> {
        let application = &self.consumer.application;
        let own: Vec<ProgramFilter> = application
            .consumer_filters()
            .iter()
            .chain(&self.filters)
            .map(|filter| ProgramFilter::new(Arc::clone(filter)))
            .collect();
        filter::chain(filter::Side::ConsumerCall, url, application.parts(), &own)
            .map_err(|error| RpcError::new(RpcErrorCode::Validation, error.to_string()).because(error))
    }

    /// The providers that were named, as a registry would list them.
    fn direct_urls(&self, service: &ServiceKey) -> Result<Arc<[ServiceUrl]>> {
        let provider = |text: &String| {
            let whole = match text.contains("://") {
                true => text.clone(),
                false => format!("dubbo://{text}"),
            };
            let url = ServiceUrl::parse(&whole).map_err(|error| {
                RpcError::new(RpcErrorCode::Validation, format!("`{text}` is no address: {error}")).about(service)
            })?;
            let mut url = url
                .edit()
                .path(service.interface())
                .set("interface", service.interface());
            if let Some(group) = service.group().filter(|group| *group != "*") {
                url = url.set_if_absent("group", group);
            }
            if let Some(version) = service.version().filter(|version| *version != "*") {
                url = url.set_if_absent("version", version);
            }
            Ok(url.build())
        };
        self.direct.iter().map(provider).collect()
    }

    /// The consumer's URL: who asks, for what, and how calls are to be made.
    fn url(&self, registry: Option<&ServiceUrl>, settings: &Settings) -> ServiceUrl {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let route = registry.and_then(advertise::route_to);
        let named = self.consumer.host.clone();
        let host = named
            .or_else(|| advertise::variable(&advertise::ADDRESS_VARIABLES))
            .or_else(|| route.map(|route| route.from.to_string()))
            .unwrap_or_else(|| "127.0.0.1".to_owned());
        let definition = &self.service.definition;
        let mut url = ServiceUrl::builder("consumer", &host)
            .path(&definition.interface)
            .set("application", self.consumer.application.name())
            .set("category", "consumers")
            .set("check", "false")
            .set("dubbo", "2.0.2")
            .set("interface", &definition.interface)
            .set("methods", methods(definition))
            .set("pid", std::process::id())
            .set("side", "consumer")
            .set("timestamp", now.as_millis());
        if let Some(group) = &self.service.group {
            url = url.set("group", group);
        }
        if let Some(version) = &self.service.version {
            url = url.set("version", version);
        }
        url.extend(settings.parameters()).build()
    }

    /// What counts for this reference, of all that is said in code and elsewhere. Group, version and providers that are named elsewhere become
    /// its own.
    fn settle(&mut self) -> Settings {
        let mut own = Vec::new();
        let said = |key: &str, value: &Option<String>| value.clone().map(|value| (key.to_owned(), value));
        own.extend(said("group", &self.service.group));
        own.extend(said("version", &self.service.version));
        own.extend(self.check.map(|check| ("check".to_owned(), check.to_string())));
        own.extend(self.parameters.iter().cloned());
        let definition = &self.service.definition;
        let interface = &*definition.interface;
        let methods: Vec<&str> = definition.methods.iter().map(|method| &*method.name).collect();
        let application = &self.consumer.application;
        let configuration = application.configuration();
        for warning in configuration.unknown_methods(interface, &methods) {
            tracing::warn!(service = interface, "{warning}");
        }
        let said = Said {
            application: application.said(),
            defaults: &self.consumer.parameters,
            interface: &own,
        };
        let settings = configuration.reference(interface, &methods, &said);
        let text = |key: &str| settings.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        self.service.group = text("group");
        self.service.version = text("version");
        if self.direct.is_empty()
            && let Some(urls) = text("url")
        {
            let urls = urls.split(';').map(str::trim).filter(|url| !url.is_empty());
            self.direct.extend(urls.map(str::to_owned));
        }
        settings
    }
}

impl<C: Client + 'static> IntoFuture for Refer<C> {
    type Output = Result<C>;
    type IntoFuture = BoxFuture<'static, Result<C>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.make().await.map(C::over) })
    }
}

/// A reference is a client of any interface.
impl Client for Reference {
    fn definition() -> &'static ServiceDefinition {
        static ANY: ServiceDefinition = ServiceDefinition {
            interface: std::borrow::Cow::Borrowed("*"),
            group: None,
            version: None,
            methods: Vec::new(),
        };
        &ANY
    }

    fn over(reference: Reference) -> Reference {
        reference
    }

    fn reference(&self) -> &Reference {
        self
    }
}

/// The URL to subscribe with: the same, asking for everything that bears on a call.
fn subscribing(url: &ServiceUrl, check: bool, register: bool) -> ServiceUrl {
    let asking = url
        .edit()
        .set("category", "providers,configurators,routers")
        .set("check", check);
    match register {
        true => asking.build(),
        false => asking.set("register", false).build(),
    }
}

/// Whether somebody is there within `wait`.
async fn wait_available(paths: &[Path], wait: Duration) -> bool {
    let until = tokio::time::Instant::now() + wait;
    loop {
        if paths.iter().any(|path| path.invoker.is_available()) {
            return true;
        }
        if tokio::time::Instant::now() >= until {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
