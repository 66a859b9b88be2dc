//! Services at a port, registered for as long as they can be called.
//!
//! Start: listen, ask for rules, export everything, then register everything, so that a registered address always answers. Rules change what stands
//! before a service, and what registries have of it, while it is called. Stop, the other way round: consumers are told at once over their
//! connections, registrations go, calls under way are finished, then the port closes.

mod exposed;
mod governed;
mod registrar;
mod rules;
mod serving;
mod token;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use orana_cluster::filter::{Parts, ProgramFilter};
use orana_core::{RpcError, RpcErrorCode, ServiceUrl};
use orana_registry::Registry;
use orana_registry::config_center::ConfigCenter;
use orana_rpc::dubbo::{DubboServer, ServerOptions, Stopped};
use orana_rpc::{Exporter, MethodDefinition, ServiceDefinition};

use crate::Result;
use crate::advertise::{self, ADDRESS_VARIABLES, Known, NONE, PORT_VARIABLES};
use crate::application::Application;
use crate::config::{Configuration, Protocol, Said, Settings};
use crate::export::Export;
use crate::provider_url::{self, Facts};

use self::exposed::{Exposed, Offer};
use self::governed::{Governed, Origin, Sources};
use self::serving::Serving;

/// Where a provider listens unless it is told: Dubbo's port, for this machine alone.
const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 20880;

/// The protocol whose host and port are asked for.
const PROTOCOL: &str = "dubbo";

/// How long [`Provider::stop`] takes at most.
const DEFAULT_STOP_LIMIT: Duration = Duration::from_secs(10);

/// A provider that is being put together.
#[must_use = "nothing is provided before `start`"]
pub struct ProviderBuilder {
    application: Application,
    listen: Option<String>,
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
    services: Vec<Governed>,
    registries: Vec<Registry>,
    /// Where rules are read; it ends with the last who holds it.
    centre: Option<ConfigCenter>,
    stop_limit: Duration,
}

impl ProviderBuilder {
    pub(crate) fn new(application: Application) -> ProviderBuilder {
        ProviderBuilder {
            application,
            listen: None,
            advertise: None,
            options: ServerOptions::default(),
            exports: Vec::new(),
            parameters: Vec::new(),
            stop_limit: DEFAULT_STOP_LIMIT,
        }
    }

    /// Listens at `address`, `host:port`; port 0 takes any free one. `0.0.0.0` is every address of the machine; without this it is what
    /// `dubbo.protocol.host` and `.port` say, and else only programs on this machine can call, at port 20880.
    pub fn listen(mut self, address: impl Into<String>) -> ProviderBuilder {
        self.listen = Some(address.into());
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
        let configuration = self.application.configuration();
        let protocol = configuration
            .protocols()
            .into_iter()
            .find(|protocol| protocol.name == PROTOCOL);
        let listen = self.listening(protocol.as_ref());
        let server = DubboServer::bind(&listen, self.options.clone())
            .await
            .map_err(|error| {
                RpcError::new(RpcErrorCode::Network, format!("cannot listen: {error}"))
                    .at(&listen)
                    .because(error)
            })?;
        let address = server.local_addr();
        let (host, port) = self.advertised(address, &registries)?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();

        let mut origins = Vec::new();
        let settled: Vec<Settings> = self
            .exports
            .iter()
            .map(|export| self.settle(export, &configuration, protocol.as_ref()))
            .collect();
        for (export, settings) in self.exports.iter().zip(&settled) {
            distinct(export.service.definition())?;
            let facts = Facts {
                application: self.application.name(),
                host: &host,
                port,
                definition: export.service.definition(),
                group: settings.text("group"),
                version: settings.text("version"),
                any_host: address.ip().is_unspecified(),
                process: std::process::id(),
                started: u64::try_from(started.as_millis()).unwrap_or(u64::MAX),
            };
            origins.push(Origin {
                url: provider_url::of(&facts, settings.parameters()),
                token: drawn_token()?,
            });
        }

        let centre = self.config_centre(&registries)?;
        let asked: Vec<Registry> = registries
            .iter()
            .filter(|(url, _)| url.parameter("subscribe") != Some("false"))
            .map(|(_, registry)| registry.clone())
            .collect();
        let name = self.application.name();
        let opened = origins
            .iter()
            .map(|origin| Sources::open(origin, name, centre.as_ref(), &asked));
        let opened = join_all(opened).await;

        let mut services = Vec::new();
        for ((export, origin), sources) in self.exports.iter().zip(origins).zip(opened) {
            let exposed = self.expose(server.exporter(), export, &origin, &sources)?;
            services.push(Governed::new(origin, Arc::new(exposed), sources));
        }
        let mut failed = None;
        for (registry_url, registry) in &registries {
            if registry_url.parameter("register") == Some("false") {
                continue;
            }
            for (service, _) in services
                .iter_mut()
                .zip(&settled)
                .filter(|(_, settings)| settings.flag_or("register", true))
            {
                let url = service.url();
                match registry.register(&url).await {
                    Ok(registration) => service.registered(registry.clone(), registration),
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
            services,
            registries: registries.into_iter().map(|(_, registry)| registry).collect(),
            centre,
            stop_limit: self.stop_limit,
        };
        if let Some(error) = failed {
            // Who was told of it by another registry may be calling already.
            provider.stop().await;
            return Err(error);
        }
        tracing::info!(%address, advertised = %format!("{host}:{port}"), services = provider.services.len(), "providing");
        Ok(provider)
    }

    /// Where it listens: as code says, else as is said elsewhere.
    fn listening(&self, protocol: Option<&Protocol>) -> String {
        if let Some(listen) = &self.listen {
            return listen.clone();
        }
        let host = protocol.and_then(Protocol::host).unwrap_or(DEFAULT_HOST);
        let port = protocol.and_then(Protocol::port).unwrap_or(DEFAULT_PORT);
        match host.contains(':') && !host.starts_with('[') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        }
    }

    /// What counts for one service, of all that is said in code and elsewhere.
    fn settle(&self, export: &Export, configuration: &Configuration, protocol: Option<&Protocol>) -> Settings {
        let mut own = Vec::new();
        let said = |key: &str, value: &Option<String>| value.clone().map(|value| (key.to_owned(), value));
        own.extend(said("group", &export.group));
        own.extend(said("version", &export.version));
        if !export.register {
            own.push(("register".to_owned(), "false".to_owned()));
        }
        own.extend(export.parameters.iter().cloned());
        let definition = export.service.definition();
        let interface = &*definition.interface;
        let methods: Vec<&str> = definition.methods.iter().map(|method| &*method.name).collect();
        for warning in configuration.unknown_methods(interface, &methods) {
            tracing::warn!(service = interface, "{warning}");
        }
        let said = Said {
            application: self.application.said(),
            defaults: &self.parameters,
            interface: &own,
        };
        configuration.service(interface, &methods, protocol, &said)
    }

    /// Where rules stand: the centre that is named, else the first registry that is one.
    fn config_centre(&self, registries: &[(ServiceUrl, Registry)]) -> Result<Option<ConfigCenter>> {
        for (url, _) in registries {
            if let Some(centre) = self.application.config_centre(url)? {
                return Ok(Some(centre));
            }
        }
        Ok(None)
    }

    /// Makes a service callable as its rules have it.
    fn expose(&self, exporter: &Exporter, export: &Export, origin: &Origin, sources: &Sources) -> Result<Exposed> {
        let own = self.application.provider_filters().iter().chain(&export.filters);
        let offer = Offer {
            service: Arc::clone(&export.service),
            filters: own.cloned().map(ProgramFilter::new).collect(),
            parts: Parts {
                context: Arc::new(Serving),
                ..self.application.parts().clone()
            },
        };
        let definition = export.service.definition();
        let refuse = |error: &dyn fmt::Display| {
            RpcError::new(RpcErrorCode::Validation, error.to_string()).about(&definition.interface)
        };
        let mut url = origin.under(sources.rules());
        let invoker = match offer.at(&url) {
            Ok(invoker) => invoker,
            Err(error) => {
                // A rule must not keep a program from starting; the program's own mistake does.
                url = origin.alone();
                let invoker = offer.at(&url).map_err(|error| refuse(&error))?;
                tracing::warn!(service = &*definition.interface, %error, "what rules say cannot be done; it is provided without them");
                invoker
            }
        };
        let exported = exporter.export(definition.clone(), invoker)?;
        Ok(Exposed::new(offer, exported, url))
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

/// What `token=true` means for one service, for as long as it is provided.
fn drawn_token() -> Result<String> {
    let mut chance = [0; 16];
    getrandom::fill(&mut chance).map_err(|error| {
        RpcError::new(
            RpcErrorCode::Unknown,
            format!("the system has no random numbers: {error}"),
        )
    })?;
    Ok(token::of(chance))
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

    /// The URLs of its services, as registries are to have them now: rules may change them.
    pub fn urls(&self) -> Vec<ServiceUrl> {
        self.services.iter().map(Governed::url).collect()
    }

    /// Stops without a call lost: consumers are told over their connections, registrations go, calls under way and those that still come are
    /// served, and the port closes when nothing more comes or the limit is over. Says how many calls were not done by then.
    pub async fn stop(self) -> Stopped {
        self.server.announce(true);
        // A registry that does not answer must not take the time that calls need.
        let farewell = self.stop_limit / 3;
        let began = tokio::time::Instant::now();
        let mut leaving = tokio::task::JoinSet::new();
        let mut exposed = Vec::new();
        for service in self.services {
            let (serving, registered) = service.settle();
            exposed.push(serving);
            for registrar in registered {
                leaving.spawn(tokio::time::timeout(farewell, async {
                    match registrar.await {
                        Ok(registration) => registration.unregister().await,
                        // It was given up with the runtime, and what it held with it.
                        Err(_) => Ok(()),
                    }
                }));
            }
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
        drop(exposed);
        drop(self.centre);
        drop(self.registries);
        stopped
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("address", &self.address)
            .field("services", &self.services.len())
            .finish_non_exhaustive()
    }
}
