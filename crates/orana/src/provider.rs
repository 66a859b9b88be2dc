//! Services at a port, registered for as long as they can be called.
//!
//! Start: listen, export everything, then register everything, so that a registered address always answers. Stop, the other way round: consumers
//! are told at once over their connections, registrations go, calls under way are finished, then the port closes.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orana_core::{Invoker, RpcError, RpcErrorCode, ServiceUrl, filtered};
use orana_registry::{Registration, Registry};
use orana_rpc::dubbo::{DubboServer, ServerOptions, Stopped};
use orana_rpc::{Exported, LocalInvoker, MethodDefinition, ServiceDefinition};

use crate::Result;
use crate::advertise::{self, ADDRESS_VARIABLES, Known, NONE, PORT_VARIABLES};
use crate::application::Application;
use crate::export::Export;
use crate::provider_url::{self, Facts};

/// Where a provider listens unless it is told: Dubbo's port, for this machine alone.
const DEFAULT_LISTEN: &str = "127.0.0.1:20880";

/// How long [`Provider::stop`] takes at most.
const DEFAULT_STOP_LIMIT: Duration = Duration::from_secs(10);

/// A provider that is being put together.
#[must_use = "nothing is provided before `start`"]
pub struct ProviderBuilder {
    application: Application,
    listen: String,
    advertise: Option<String>,
    options: ServerOptions,
    exports: Vec<Export>,
    parameters: Vec<(String, String)>,
    stop_limit: Duration,
}

/// Services that can be called, until [`Provider::stop`]. Dropping it ends everything at once, calls under way included.
pub struct Provider {
    server: DubboServer,
    address: SocketAddr,
    exported: Vec<Exported>,
    urls: Vec<ServiceUrl>,
    registrations: Vec<Registration>,
    registries: Vec<Registry>,
    stop_limit: Duration,
}

impl ProviderBuilder {
    pub(crate) fn new(application: Application) -> ProviderBuilder {
        ProviderBuilder {
            application,
            listen: DEFAULT_LISTEN.to_owned(),
            advertise: None,
            options: ServerOptions::default(),
            exports: Vec::new(),
            parameters: Vec::new(),
            stop_limit: DEFAULT_STOP_LIMIT,
        }
    }

    /// Listens at `address`, `host:port`; port 0 takes any free one. `0.0.0.0` is every address of the machine; without this only programs on
    /// this machine can call, at port 20880.
    pub fn listen(mut self, address: impl Into<String>) -> ProviderBuilder {
        self.listen = address.into();
        self
    }

    /// The host under which consumers are to call it, optionally with a port, if it is not found out right: behind a translated
    /// address, for instance.
    pub fn advertise(mut self, host: impl Into<String>) -> ProviderBuilder {
        self.advertise = Some(host.into());
        self
    }

    /// Settings of the server.
    pub fn options(mut self, options: ServerOptions) -> ProviderBuilder {
        self.options = options;
        self
    }

    /// Puts a parameter into the URL of every service.
    pub fn parameter(mut self, key: &str, value: impl ToString) -> ProviderBuilder {
        self.parameters.push((key.to_owned(), value.to_string()));
        self
    }

    /// How long stopping takes at most, calls under way included.
    pub fn stop_limit(mut self, limit: Duration) -> ProviderBuilder {
        self.stop_limit = limit;
        self
    }

    /// Provides a service too.
    pub fn export(mut self, service: impl Into<Export>) -> ProviderBuilder {
        self.exports.push(service.into());
        self
    }

    /// Listens, exports, registers. With a registry that cannot be reached it depends on the registry's `check` whether that is an error or
    /// goes on in the background.
    pub async fn start(self) -> Result<Provider> {
        let registries = self.application.registries()?;
        let server = DubboServer::bind(&self.listen, self.options.clone())
            .await
            .map_err(|error| {
                RpcError::new(RpcErrorCode::Network, format!("cannot listen: {error}"))
                    .at(&self.listen)
                    .because(error)
            })?;
        let address = server.local_addr();
        let (host, port) = self.advertised(address, &registries)?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();

        let mut exported = Vec::new();
        let mut urls = Vec::new();
        let mut registered = Vec::new();
        for export in &self.exports {
            distinct(export.service.definition())?;
            let facts = Facts {
                application: self.application.name(),
                host: &host,
                port,
                definition: export.service.definition(),
                group: export.group.as_deref(),
                version: export.version.as_deref(),
                any_host: address.ip().is_unspecified(),
                process: std::process::id(),
                started: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            };
            let own = self.parameters.iter().chain(&export.parameters);
            let parameters = own.map(|(key, value)| (&**key, &**value));
            let url = provider_url::of(&facts, self.application.parameters().chain(parameters));
            let local: Arc<dyn Invoker> = Arc::new(LocalInvoker::new(url.clone(), Arc::clone(&export.service)));
            let filters: Vec<_> = self
                .application
                .provider_filters()
                .iter()
                .chain(&export.filters)
                .cloned()
                .collect();
            let definition = export.service.definition().clone();
            exported.push(server.exporter().export(definition, filtered(&filters, local))?);
            if export.register {
                registered.push(url.clone());
            }
            urls.push(url);
        }

        let mut registrations = Vec::new();
        let mut failed = None;
        for (registry_url, registry) in &registries {
            if registry_url.parameter("register") == Some("false") {
                continue;
            }
            for url in &registered {
                match registry.register(url).await {
                    Ok(registration) => registrations.push(registration),
                    Err(error) => {
                        let error = RpcError::new(RpcErrorCode::Registry, format!("cannot register: {error}"))
                            .about(url.path().unwrap_or_default())
                            .because(error);
                        failed.get_or_insert(error);
                    }
                }
            }
        }
        let provider = Provider {
            server,
            address,
            exported,
            urls,
            registrations,
            registries: registries.into_iter().map(|(_, registry)| registry).collect(),
            stop_limit: self.stop_limit,
        };
        if let Some(error) = failed {
            // Who was told of it by another registry may be calling already.
            provider.stop().await;
            return Err(error);
        }
        tracing::info!(%address, advertised = %format!("{host}:{port}"), services = provider.urls.len(), "providing");
        Ok(provider)
    }

    /// Under which host and port consumers are to call.
    fn advertised(&self, address: SocketAddr, registries: &[(ServiceUrl, Registry)]) -> Result<(String, u16)> {
        let said = self.advertise.clone();
        let known = Known {
            said: said.clone(),
            variable: advertise::variable(&ADDRESS_VARIABLES),
            listening: Some(address.ip()),
            routes: registries
                .iter()
                .filter_map(|(url, _)| advertise::route_to(url))
                .collect(),
        };
        let host = advertise::decide(&known)
            .ok_or_else(|| RpcError::new(RpcErrorCode::Validation, NONE).about(format!("a provider at {address}")))?;
        let variable = advertise::variable(&PORT_VARIABLES).and_then(|port| port.parse().ok());
        // `host:port` is said in one; a bare IPv6 address has colons too, but more than one.
        let joined = host
            .rsplit_once(':')
            .filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
        match joined.map(|(host, port)| (host.to_owned(), port.parse())) {
            Some((host, Ok(port))) => Ok((host, port)),
            _ => Ok((host, variable.unwrap_or(address.port()))),
        }
    }
}

/// Fails if Java could not tell two methods apart.
fn distinct(definition: &ServiceDefinition) -> Result<()> {
    for (index, method) in definition.methods.iter().enumerate() {
        let same = |other: &MethodDefinition| other.name == method.name && other.descriptor == method.descriptor;
        if definition.methods.iter().take(index).any(same) {
            let message = format!(
                "two methods are `{}({})` to Java; give one of them another name",
                method.name,
                method.parameters.join(", ")
            );
            return Err(RpcError::new(RpcErrorCode::Validation, message).about(&definition.interface));
        }
    }
    Ok(())
}

impl Provider {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URLs of its services, as they are registered.
    pub fn urls(&self) -> &[ServiceUrl] {
        &self.urls
    }

    /// Stops without a call lost: consumers are told over their connections, registrations go, calls under way and those that still come are
    /// served, and the port closes when nothing more comes or the limit is over. Says how many calls were not done by then.
    pub async fn stop(self) -> Stopped {
        self.server.announce(true);
        // A registry that does not answer must not take the time that calls need.
        let farewell = self.stop_limit / 3;
        let began = tokio::time::Instant::now();
        let mut leaving = tokio::task::JoinSet::new();
        for registration in self.registrations {
            leaving.spawn(tokio::time::timeout(farewell, registration.unregister()));
        }
        while let Some(left) = leaving.join_next().await {
            match left {
                Ok(Ok(Ok(()))) => {}
                Ok(Ok(Err(error))) => {
                    tracing::warn!(%error, "a registration could not be taken back; it goes with its session");
                }
                Ok(Err(_)) | Err(_) => {
                    tracing::warn!("the registry does not answer; registrations go with their session")
                }
            }
        }
        let stopped = self.server.stop(self.stop_limit.saturating_sub(began.elapsed())).await;
        drop(self.exported);
        drop(self.registries);
        stopped
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("address", &self.address)
            .field("services", &self.urls.len())
            .finish_non_exhaustive()
    }
}
