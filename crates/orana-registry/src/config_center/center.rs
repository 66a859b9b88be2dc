//! The policy of a configuration centre, once for every product: what is subscribed to is kept true through every
//! interruption, and what is known outlives the centre. Knows no protocol, and not what a text means.

use std::sync::Arc;

use orana_core::ServiceUrl;
use tokio::sync::watch;
use tokio::time::Instant;

use super::driver;
use super::settings;
use super::shared::Shared;
use super::{ConfigBackend, ConfigBackends, ConfigKey, ConfigSettings, ConfigSubscription, Content};
use crate::backend::Link;
use crate::contact::Waited;
use crate::error::{RegistryError, RegistryErrorKind};

/// A configuration centre at one address; cheap to clone. With the last clone and subscription the connection ends.
#[derive(Clone)]
pub struct ConfigCenter(Arc<Handle>);

/// Makes a [`ConfigCenter`].
pub struct ConfigCenterBuilder {
    url: ServiceUrl,
    backends: ConfigBackends,
    settings: Option<ConfigSettings>,
}

/// The last one to go ends the driver.
pub(super) struct Handle {
    pub(super) shared: Arc<Shared>,
}

impl ConfigCenter {
    /// Begins a centre at the address of `url`: `zookeeper://user:password@host:port?namespace=…&backup=…`, `memory://name`.
    pub fn builder(url: &ServiceUrl) -> ConfigCenterBuilder {
        ConfigCenterBuilder {
            url: url.clone(),
            backends: ConfigBackends::built_in(),
            settings: None,
        }
    }

    /// The URL of the centre that a registry is as well, for a program that names no other: Dubbo's rule, with its group as
    /// namespace and group of the centre. `None` when its product is none, or its `use-as-config-center` is off.
    pub fn of_registry(registry: &ServiceUrl) -> Option<ServiceUrl> {
        let url = settings::of_registry(registry);
        let is_one = ConfigBackends::built_in().speaks(url.protocol().unwrap_or_default());
        (is_one && registry.flag_or("use-as-config-center", true)).then_some(url)
    }

    /// Subscribes to a key, be there a text or not, and keeps it up to date. The first value is there on return, or, unless
    /// it is checked and if the centre does not answer at once, one that is not ready.
    ///
    /// # Errors
    /// If `check` is on: the centre could not be reached in time, refused it or failed.
    /// [`RegistryErrorKind::Closed`] and [`RegistryErrorKind::Invalid`] always.
    pub async fn subscribe(&self, group: &str, key: &str) -> Result<ConfigSubscription, RegistryError> {
        let shared = &self.0.shared;
        let key = self.key(group, key)?;
        let (item, topic) = shared.subscribe(key.clone())?;
        // Whatever ends this future early, the wish ends with it.
        let subscription = ConfigSubscription::new(Arc::clone(&self.0), item, key, topic.value.subscribe());
        if topic.value.borrow().is_known() {
            return Ok(subscription.seen());
        }
        let check = shared.settings.check;
        let until = if check {
            Instant::now() + shared.settings.timeout
        } else {
            shared.short_patience()
        };
        match shared.contact().wait(topic.progress.subscribe(), until, check).await {
            Waited::Not(error) if check || error.kind() == RegistryErrorKind::Invalid => {
                Err(error.at(topic.key.to_string()))
            }
            _ => Ok(subscription.seen()),
        }
    }

    /// What is there now, asked once: the start of a program, and tools.
    ///
    /// # Errors
    /// It could not be asked in time, was refused, failed or is longer than the limit.
    pub async fn get(&self, group: &str, key: &str) -> Result<Content, RegistryError> {
        let key = self.key(group, key)?;
        let text = self.request(self.0.shared.backend.get(&key)).await?;
        self.check_length(&key, text.as_deref().unwrap_or_default())?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// Puts a text there. An empty one is an absent one.
    ///
    /// # Errors
    /// It is longer than the limit, or the centre could not be reached in time, refused it or failed.
    pub async fn publish(&self, group: &str, key: &str, text: &str) -> Result<(), RegistryError> {
        let key = self.key(group, key)?;
        self.check_length(&key, text)?;
        self.request(self.0.shared.backend.publish(&key, text)).await
    }

    /// Takes a text away; one that is not there is fine.
    ///
    /// # Errors
    /// The centre could not be reached in time, refused it or failed.
    pub async fn remove(&self, group: &str, key: &str) -> Result<(), RegistryError> {
        let key = self.key(group, key)?;
        self.request(self.0.shared.backend.remove(&key)).await
    }

    /// How the connection is.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.0.shared.link.clone()
    }

    /// The address, without credentials.
    pub fn address(&self) -> &str {
        &self.0.shared.address
    }

    /// How it is used.
    pub fn settings(&self) -> &ConfigSettings {
        &self.0.shared.settings
    }

    /// Whether everything that is subscribed to is watched.
    pub fn is_settled(&self) -> bool {
        self.0.shared.state.lock().convergence.is_settled()
    }

    /// Ends everything: subscriptions end, every later request fails.
    pub async fn close(&self) {
        let mut ended = self.0.shared.ended.subscribe();
        self.0.shared.end();
        // The driver holds the other end until it has told.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    pub(super) fn from_handle(handle: Arc<Handle>) -> ConfigCenter {
        ConfigCenter(handle)
    }

    pub(super) fn handle(&self) -> &Arc<Handle> {
        &self.0
    }

    async fn request<T>(&self, request: impl Future<Output = Result<T, RegistryError>>) -> Result<T, RegistryError> {
        let shared = &self.0.shared;
        if !self.0.is_open() {
            return Err(shared.contact().closed());
        }
        let limit = shared.settings.timeout;
        shared.contact().reach(limit).await?;
        shared.contact().in_time(limit, request).await
    }

    fn key(&self, group: &str, key: &str) -> Result<ConfigKey, RegistryError> {
        let invalid = |what: String| self.0.shared.contact().error(RegistryErrorKind::Invalid, what);
        ConfigKey::new(group, key).map_err(invalid)
    }

    fn check_length(&self, key: &ConfigKey, text: &str) -> Result<(), RegistryError> {
        let limit = self.0.shared.settings.limit;
        if text.len() <= limit {
            return Ok(());
        }
        let what = format!("the text has {} bytes and may have {limit}", text.len());
        let error = self.0.shared.contact().error(RegistryErrorKind::Invalid, what);
        Err(error.at(key.to_string()))
    }
}

impl ConfigCenterBuilder {
    /// One more product, or another implementation of a known one.
    pub fn backend<C>(mut self, scheme: &str, connect: C) -> ConfigCenterBuilder
    where
        C: Fn(&ServiceUrl) -> Result<Arc<dyn ConfigBackend>, RegistryError> + Send + Sync + 'static,
    {
        self.backends = self.backends.with(scheme, connect);
        self
    }

    /// These products.
    pub fn backends(mut self, backends: ConfigBackends) -> ConfigCenterBuilder {
        self.backends = backends;
        self
    }

    /// The policy, in place of what the URL says.
    pub fn settings(mut self, settings: ConfigSettings) -> ConfigCenterBuilder {
        self.settings = Some(settings);
        self
    }

    /// Begins to connect, and returns at once. To be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`]: nobody speaks the scheme, or a parameter makes no sense.
    pub fn build(self) -> Result<ConfigCenter, RegistryError> {
        let settings = match self.settings {
            Some(settings) => settings,
            None => ConfigSettings::from_url(&self.url)?,
        };
        let backend = self.backends.connect(&self.url)?;
        let scheme = self.url.protocol().unwrap_or_default();
        let address = format!("{scheme}://{}", self.url.address()).into();
        let shared = Arc::new(Shared::new(address, settings, backend));
        tokio::spawn(driver::drive(Arc::clone(&shared)));
        Ok(ConfigCenter(Arc::new(Handle { shared })))
    }
}

impl Handle {
    /// Whether it still takes requests.
    pub(super) fn is_open(&self) -> bool {
        !self.shared.state.lock().closing
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.end();
    }
}
