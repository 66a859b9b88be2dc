//! The policy of a registry, once for every product: what a program registered and subscribed to is kept true through every
//! interruption, and what is known outlives the registry. Knows no protocol.

use std::path::PathBuf;
use std::sync::Arc;

use orana_core::{Category, ServiceUrl};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::backend::{Backends, Link, RegistryBackend};
use crate::contact::Waited;
use crate::driver;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::lists::{Lists, OnEmpty, Trust};
use crate::notification::Freshness;
use crate::query::Query;
use crate::registration::Registration;
use crate::settings::Settings;
use crate::shared::Shared;
use crate::subscription::{LazySubscription, Subscription};

/// A registry at one address; cheap to clone. With the last clone, registration and subscription the connection ends.
#[derive(Clone)]
pub struct Registry(Arc<Handle>);

/// Makes a [`Registry`].
pub struct RegistryBuilder {
    url: ServiceUrl,
    backends: Backends,
    settings: Option<Settings>,
    home: Option<PathBuf>,
}

/// The last one to go ends the driver.
pub(crate) struct Handle {
    pub(crate) shared: Arc<Shared>,
}

impl Registry {
    /// Begins a registry at the address of `url`: `zookeeper://user:password@host:port?backup=…`, `memory://name`, …
    pub fn builder(url: &ServiceUrl) -> RegistryBuilder {
        RegistryBuilder {
            url: url.clone(),
            backends: Backends::built_in(),
            settings: None,
            home: std::env::home_dir(),
        }
    }

    /// Registers a URL and keeps it registered.
    ///
    /// It is checked that it worked when neither the registry's nor the URL's `check` is off and the URL has a port.
    /// Otherwise it goes on in the background if it does not work at once.
    ///
    /// # Errors
    /// If it is checked: the registry could not be reached in time, refused it or failed. Nothing is registered then.
    /// [`RegistryErrorKind::Closed`] and [`RegistryErrorKind::Invalid`] always.
    pub async fn register(&self, url: &ServiceUrl) -> Result<Registration, RegistryError> {
        let shared = &self.0.shared;
        let (key, progress) = shared.register(url)?;
        // Whatever ends this future early, the wish ends with it.
        let registration = Registration::new(Arc::clone(&self.0), url.clone(), key);
        // Consumers have no port, and never keep a program from starting.
        let checked = shared.settings.check && url.flag_or("check", true) && url.port().is_some();
        let until = if checked {
            Instant::now() + shared.settings.timeout
        } else {
            shared.short_patience()
        };
        match shared.wait(progress, until, checked).await {
            Waited::Not(error) if checked || error.kind() == RegistryErrorKind::Invalid => {
                Err(error.at(url.to_string()))
            }
            _ => Ok(registration),
        }
    }

    /// Registers a URL and keeps it registered, without waiting: [`Registration::settled`] does. What fails is tried again as everything that this
    /// registry keeps.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Closed`] and [`RegistryErrorKind::Invalid`].
    pub fn register_in_background(&self, url: &ServiceUrl) -> Result<Registration, RegistryError> {
        let (key, _) = self.0.shared.register(url)?;
        Ok(Registration::new(Arc::clone(&self.0), url.clone(), key))
    }

    /// Subscribes to what answers `url`, and keeps it up to date. The first notification is there on return: from the
    /// registry, or from disk if the registry does not answer at once, or, unless it is checked, one that is not ready.
    ///
    /// A consumer is registered as well, so that others see it, unless its URL says `register=false`.
    ///
    /// # Errors
    /// If neither the registry's nor the URL's `check` is off: the registry could not be reached in time, refused it or
    /// failed, and nothing is known from before. [`RegistryErrorKind::Closed`] and [`RegistryErrorKind::Invalid`] always.
    pub async fn subscribe(&self, url: &ServiceUrl) -> Result<Subscription, RegistryError> {
        let shared = &self.0.shared;
        let query = Query::from_url(url)?;
        let registration = self.register_consumer(url, &query)?;
        let (key, topic) = shared.subscribe(url, query)?;
        let subscription = Subscription::new(Arc::clone(&self.0), key, topic.listen(), registration);
        let checked = shared.settings.check && url.flag_or("check", true);
        let began = Instant::now();
        let known = || topic.current().freshness != Freshness::NotReady;
        let short = shared
            .wait(topic.progress.subscribe(), shared.short_patience(), false)
            .await;
        let Waited::Not(mut error) = short else {
            return Ok(subscription.seen());
        };
        if known() {
            return Ok(subscription.seen());
        }
        if let Some(snapshot) = shared.recall(&topic.query, url).await {
            topic.remember(snapshot, Instant::now(), &shared.pool);
            return Ok(subscription.seen());
        }
        if checked {
            match shared
                .wait(topic.progress.subscribe(), began + shared.settings.timeout, true)
                .await
            {
                Waited::Settled => return Ok(subscription.seen()),
                Waited::Not(last) => error = last,
            }
        }
        if checked || error.kind() == RegistryErrorKind::Invalid {
            return Err(error.at(Arc::clone(topic.query.interface())));
        }
        Ok(subscription.seen())
    }

    /// A subscription that begins when it is first needed.
    pub fn subscribe_later(&self, url: &ServiceUrl) -> LazySubscription {
        LazySubscription::new(self.clone(), url.clone())
    }

    /// What answers `query` now, without a subscription: of memory if it is subscribed to, else asked. If the registry
    /// does not answer, what memory or disk remembers.
    ///
    /// # Errors
    /// The registry does not answer, and nothing is remembered.
    pub async fn lookup(&self, query: &Query) -> Result<Vec<ServiceUrl>, RegistryError> {
        let shared = &self.0.shared;
        let remembered = || {
            let topic = shared.watched(query)?;
            let known = topic.current();
            (known.freshness != Freshness::NotReady).then(|| known.urls().cloned().collect::<Vec<_>>())
        };
        let is_fresh = || self.link().borrow().is_up();
        if let Some(urls) = remembered().filter(|_| is_fresh()) {
            return Ok(urls);
        }
        let error = match self.ask(query).await {
            Ok(urls) => return Ok(urls),
            Err(error) => error,
        };
        if let Some(urls) = remembered() {
            return Ok(urls);
        }
        let subscriber = query.to_url();
        let Some(snapshot) = shared.recall(query, &subscriber).await else {
            return Err(error);
        };
        let lists = snapshot.categories.iter().flat_map(|(_, urls)| urls.iter());
        Ok(lists.filter(|url| query.admits(url)).cloned().collect())
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
    pub fn settings(&self) -> &Settings {
        &self.0.shared.settings
    }

    /// Whether everything is as it is wanted: registered, unregistered, subscribed.
    pub fn is_settled(&self) -> bool {
        self.0.shared.state.lock().convergence.is_settled()
    }

    /// Ends everything: what was registered as dynamic goes at once, subscriptions end, every later request fails.
    pub async fn close(&self) {
        let mut ended = self.0.shared.ended.subscribe();
        self.0.end();
        let _ = ended.wait_for(|ended| *ended).await;
    }

    pub(crate) fn from_handle(handle: Arc<Handle>) -> Registry {
        Registry(handle)
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        &self.0
    }

    async fn ask(&self, query: &Query) -> Result<Vec<ServiceUrl>, RegistryError> {
        let shared = &self.0.shared;
        if shared.state.lock().closing {
            return Err(shared.closed());
        }
        shared.contact().reach(shared.settings.timeout).await?;
        let snapshots = driver::in_time(shared, shared.backend.lookup(query)).await?;
        let trust = Trust {
            on_empty: OnEmpty::Trust,
            grace: std::time::Duration::ZERO,
        };
        let mut lists = Lists::new(query.clone(), trust);
        for snapshot in snapshots {
            lists.take(snapshot, Some(0), Instant::now());
        }
        Ok(lists.notification().urls().cloned().collect())
    }

    /// Wants a consumer to be seen by others; nobody waits for that.
    fn register_consumer(&self, url: &ServiceUrl, query: &Query) -> Result<Option<Registration>, RegistryError> {
        let consumer = url.protocol() == Some("consumer") || url.parameter("side") == Some("consumer");
        if !consumer || query.any_interface() || !url.flag_or("register", true) {
            return Ok(None);
        }
        let own = url
            .edit()
            .set("category", Category::Consumers.name())
            .set("check", "false")
            .build();
        let (key, _) = self.0.shared.register(&own)?;
        Ok(Some(Registration::new(Arc::clone(&self.0), own, key)))
    }
}

impl RegistryBuilder {
    /// One more product, or another implementation of a known one.
    pub fn backend<C>(mut self, scheme: &str, connect: C) -> RegistryBuilder
    where
        C: Fn(&ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> + Send + Sync + 'static,
    {
        self.backends = self.backends.with(scheme, connect);
        self
    }

    /// These products.
    pub fn backends(mut self, backends: Backends) -> RegistryBuilder {
        self.backends = backends;
        self
    }

    /// The policy, in place of what the URL says.
    pub fn settings(mut self, settings: Settings) -> RegistryBuilder {
        self.settings = Some(settings);
        self
    }

    /// Where `~` is, for the default place of the cache file.
    pub fn home(mut self, home: impl Into<PathBuf>) -> RegistryBuilder {
        self.home = Some(home.into());
        self
    }

    /// Begins to connect, and returns at once. To be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`]: nobody speaks the scheme, or a parameter makes no sense.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let settings = match self.settings {
            Some(settings) => settings,
            None => Settings::from_url(&self.url, self.home.as_deref())?,
        };
        let backend = self.backends.connect(&self.url)?;
        let scheme = self.url.protocol().unwrap_or_default();
        let address = format!("{scheme}://{}", self.url.address()).into();
        let shared = Arc::new(Shared::new(address, settings, backend));
        tokio::spawn(driver::drive(Arc::clone(&shared)));
        Ok(Registry(Arc::new(Handle { shared })))
    }
}

impl Handle {
    /// Whether it still takes requests.
    pub(crate) fn is_open(&self) -> bool {
        !self.shared.state.lock().closing
    }

    fn end(&self) {
        self.shared.state.lock().closing = true;
        self.shared.nudge.notify_one();
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.end();
    }
}
