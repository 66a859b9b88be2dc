//! A program by the name it has in the registry, and the registries it uses.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use orana_cluster::filter::Parts;
use orana_core::{Filter, RpcError, RpcErrorCode, ServiceUrl};
use orana_registry::config_center::{ConfigCenter, ConfigCenters};
use orana_registry::{Registries, Registry};

use crate::Result;
use crate::config::{Configuration, Layers};
use crate::consumer::Consumer;
use crate::external::{self, Followed};
use crate::provider::ProviderBuilder;

/// A program that provides services, consumes them, or both. Cheap to clone.
#[derive(Clone)]
pub struct Application {
    name: Arc<str>,
    registry_urls: Vec<String>,
    registries: Arc<Registries>,
    parameters: Vec<(String, String)>,
    consumer_filters: Vec<Arc<dyn Filter>>,
    provider_filters: Vec<Arc<dyn Filter>>,
    centre_url: Option<String>,
    centres: Arc<ConfigCenters>,
    filter_parts: Parts,
    configuration: Arc<ArcSwap<Configuration>>,
    followed: Option<Arc<Followed>>,
}

impl Application {
    /// An application of that name, without a registry.
    pub fn new(name: &str) -> Application {
        Application {
            name: name.into(),
            registry_urls: Vec::new(),
            registries: Arc::new(Registries::default()),
            parameters: Vec::new(),
            consumer_filters: Vec::new(),
            provider_filters: Vec::new(),
            centre_url: None,
            centres: Arc::new(ConfigCenters::default()),
            filter_parts: Parts::default(),
            configuration: Arc::default(),
            followed: None,
        }
    }

    /// Takes what stands in these places into account: files, the environment, properties ([`Layers::of_process`]). Which place is stronger than
    /// what code says is told in [`config`](crate::config).
    ///
    /// # Errors
    /// What is wrong there, with its place: a value of a wrong type, an address that is no URL.
    pub fn configure(mut self, layers: Layers) -> Result<Application> {
        let configuration = Configuration::load(layers).map_err(external::wrong)?;
        for warning in configuration.warnings() {
            tracing::warn!(application = &*self.name, "{warning}");
        }
        self.configuration = Arc::new(ArcSwap::from_pointee(configuration));
        self.take_name();
        Ok(self)
    }

    /// The same with the texts `dubbo.properties` of the configuration centre, for all applications and for this one, which are stronger than what
    /// code and files say. The centre is the one that code or `layers` name, else the first registry that is one. When a text changes later, that
    /// counts for references and services that are made from then on.
    ///
    /// # Errors
    /// Those of [`Application::configure`]; the centre cannot be asked, and its `check` is on.
    pub async fn configure_from_center(self, layers: Layers) -> Result<Application> {
        let mut known = self.configure(layers.clone())?;
        let of_registry = || {
            known
                .registry_endpoints()
                .map(|urls| urls.iter().find_map(ConfigCenter::of_registry))
        };
        let url = match known.named_centre()? {
            Some(url) => Some(url),
            None => of_registry()?,
        };
        let Some(url) = url else {
            return Ok(known);
        };
        // Not the one that rules are read from: that one must not be checked, and whoever comes first settles that.
        let centre = ConfigCenter::builder(&url).build().map_err(|error| {
            RpcError::new(RpcErrorCode::Registry, error.to_string())
                .about(format!("configuration centre {}", url.address()))
        })?;
        let configuration = Arc::clone(&known.configuration);
        let followed = Followed::start(centre, Arc::clone(&known.name), layers, configuration).await?;
        known.followed = Some(Arc::new(followed));
        known.take_name();
        Ok(known)
    }

    /// Where its name stands elsewhere, in a place above code, that one counts.
    fn take_name(&mut self) {
        let configuration = self.configuration.load();
        let name: Option<Arc<str>> = configuration.application(Some(&*self.name)).text("name").map(Arc::from);
        if let Some(name) = name {
            self.name = name;
        }
    }

    /// Uses the registry at `url`, for instance `zookeeper://127.0.0.1:2181?backup=127.0.0.1:2182`; may be said several times. Whether it
    /// is a URL of a known registry is found out when it is first used.
    #[must_use]
    pub fn registry(mut self, url: &str) -> Application {
        self.registry_urls.push(url.to_owned());
        self
    }

    /// Uses these registries' settings and back-ends instead of the built-in ones, and shares connections with whoever else uses them.
    #[must_use]
    pub fn with_registries(mut self, registries: Arc<Registries>) -> Application {
        self.registries = registries;
        self
    }

    /// Reads rules from the configuration centre at `url` instead of the one that a registry is as well.
    #[must_use]
    pub fn config_center(mut self, url: &str) -> Application {
        self.centre_url = Some(url.to_owned());
        self
    }

    /// What filters count with and write to: metrics, access logs, a monitor, traces.
    #[must_use]
    pub fn filter_parts(mut self, parts: Parts) -> Application {
        self.filter_parts = parts;
        self
    }

    /// Puts a parameter into every URL that this application registers or asks with.
    #[must_use]
    pub fn parameter(mut self, key: &str, value: impl ToString) -> Application {
        self.parameters.push((key.to_owned(), value.to_string()));
        self
    }

    /// Puts a filter before every call that this application makes; the first one said sees a call first.
    #[must_use]
    pub fn consumer_filter(mut self, filter: impl Filter) -> Application {
        self.consumer_filters.push(Arc::new(filter));
        self
    }

    /// Puts a filter before every call that this application serves; the first one said sees a call first.
    #[must_use]
    pub fn provider_filter(mut self, filter: impl Filter) -> Application {
        self.provider_filters.push(Arc::new(filter));
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Begins to provide services.
    pub fn provider(&self) -> ProviderBuilder {
        ProviderBuilder::new(self.clone())
    }

    /// Consumes services.
    pub fn consumer(&self) -> Consumer {
        Consumer::new(self.clone())
    }

    /// Leaves the registries that it named, at once: what was registered there goes now and not when a session runs out. References still
    /// call whom they know. Whoever shares a registry with it ([`Application::with_registries`]) loses it too.
    pub async fn close(&self) {
        // None that is not in use is begun for this.
        if self.registries.in_use().is_empty() {
            return;
        }
        for (_, registry) in self.registries().unwrap_or_default() {
            registry.close().await;
        }
    }

    pub(crate) fn consumer_filters(&self) -> &[Arc<dyn Filter>] {
        &self.consumer_filters
    }

    pub(crate) fn provider_filters(&self) -> &[Arc<dyn Filter>] {
        &self.provider_filters
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.filter_parts
    }

    /// Everything that stands in places other than code.
    pub(crate) fn configuration(&self) -> Arc<Configuration> {
        self.configuration.load_full()
    }

    /// What code says for all that this application does.
    pub(crate) fn said(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// The centre that code names, else a file or a variable.
    fn named_centre(&self) -> Result<Option<ServiceUrl>> {
        let refuse = |why: String| RpcError::new(RpcErrorCode::Registry, why).about("configuration centre");
        if let Some(text) = &self.centre_url {
            let url = ServiceUrl::parse(text).map_err(|error| refuse(format!("`{text}`: {error}")))?;
            return Ok(Some(url));
        }
        let centres = self
            .configuration()
            .config_centers()
            .map_err(|error| refuse(error.to_string()))?;
        Ok(centres.into_iter().next().map(|centre| centre.url))
    }

    /// Where rules stand for what the registry at `registry` lists: the centre that is named, else the registry itself if it is one.
    pub(crate) fn config_centre(&self, registry: &ServiceUrl) -> Result<Option<ConfigCenter>> {
        let Some(url) = self.named_centre()?.or_else(|| ConfigCenter::of_registry(registry)) else {
            return Ok(None);
        };
        // Rules are no condition for a start: they come when the centre does.
        let url = url.edit().set("check", false).build();
        let centre = self.centres.get(&url).map_err(|error| {
            RpcError::new(RpcErrorCode::Registry, error.to_string())
                .about(format!("configuration centre {}", url.address()))
        })?;
        Ok(Some(centre))
    }

    /// The registries' URLs, in the order in which they were named.
    fn registry_endpoints(&self) -> Result<Vec<ServiceUrl>> {
        let refuse = |why: String| RpcError::new(RpcErrorCode::Registry, why).about("registry");
        let endpoints = self
            .configuration()
            .registries(&self.registry_urls)
            .map_err(|error| refuse(error.to_string()))?;
        Ok(endpoints
            .into_iter()
            .filter(|endpoint| endpoint.default)
            .map(|endpoint| endpoint.url)
            .collect())
    }

    /// Each registry's URL with the registry itself, in the order in which they were named.
    pub(crate) fn registries(&self) -> Result<Vec<(ServiceUrl, Registry)>> {
        let open = |url: ServiceUrl| {
            let named = url.edit().set_if_absent("application", &self.name).build();
            let registry = self.registries.get(&named).map_err(|error| {
                RpcError::new(RpcErrorCode::Registry, error.to_string()).about(format!("registry {}", url.address()))
            })?;
            Ok((url, registry))
        };
        self.registry_endpoints()?.into_iter().map(open).collect()
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Application")
            .field("name", &self.name)
            .field("registries", &self.registry_urls.len())
            .finish_non_exhaustive()
    }
}
