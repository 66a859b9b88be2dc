//! What the handles of a registry and its driver share: the desired state under one short lock, and who waits for what.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use orana_core::{ServiceUrl, UrlPool};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::backend::{Link, RegistryBackend};
use crate::cache::DiskCache;
use crate::complaints::Complaints;
use crate::contact::{Contact, Waited};
use crate::convergence::{Convergence, Key, Kind};
use crate::error::{RegistryError, RegistryErrorKind};
use crate::lists::Trust;
use crate::query::Query;
use crate::settings::{self, Settings};
use crate::snapshot::Snapshot;
use crate::topic::{Progress, Topic};

/// So many requests are under way at a time.
const CONCURRENCY: usize = 128;

pub(crate) struct Shared {
    /// Without credentials.
    pub(crate) address: Arc<str>,
    pub(crate) settings: Settings,
    pub(crate) backend: Arc<dyn RegistryBackend>,
    pub(crate) link: watch::Receiver<Link>,
    pub(crate) cache: Option<DiskCache>,
    pub(crate) pool: Arc<UrlPool>,
    pub(crate) state: Mutex<State>,
    /// Wakes the driver: what is wanted has changed.
    pub(crate) nudge: Notify,
    /// Whether the driver has ended.
    pub(crate) ended: watch::Sender<bool>,
}

pub(crate) struct State {
    pub(crate) convergence: Convergence,
    pub(crate) registrations: HashMap<Key, Registered>,
    by_url: HashMap<ServiceUrl, Key>,
    pub(crate) topics: HashMap<Key, Watched>,
    by_query: HashMap<Query, Key>,
    /// Since when the link is not up; at first, since the driver runs.
    pub(crate) down_since: Option<Instant>,
    /// The newest session that there was.
    pub(crate) session: Option<u64>,
    pub(crate) closing: bool,
    pub(crate) complaints: Complaints,
}

/// A URL that is, or was, wanted in the registry.
pub(crate) struct Registered {
    pub(crate) url: ServiceUrl,
    /// How many asked for it.
    holders: usize,
    pub(crate) progress: watch::Sender<Progress>,
}

pub(crate) struct Watched {
    pub(crate) topic: Arc<Topic>,
    subscribers: usize,
    /// The task that reads its stream.
    pub(crate) reader: Option<tokio::task::AbortHandle>,
}

impl Shared {
    pub(crate) fn new(address: Arc<str>, settings: Settings, backend: Arc<dyn RegistryBackend>) -> Shared {
        Shared {
            address,
            link: backend.link(),
            backend,
            cache: settings.cache.as_ref().map(DiskCache::new),
            settings,
            pool: Arc::new(UrlPool::new()),
            state: Mutex::new(State {
                convergence: Convergence::new(CONCURRENCY),
                registrations: HashMap::new(),
                by_url: HashMap::new(),
                topics: HashMap::new(),
                by_query: HashMap::new(),
                down_since: Some(Instant::now()),
                session: None,
                closing: false,
                complaints: Complaints::default(),
            }),
            nudge: Notify::new(),
            ended: watch::Sender::new(false),
        }
    }

    /// Wants a URL to be registered.
    pub(crate) fn register(&self, url: &ServiceUrl) -> Result<(Key, watch::Receiver<Progress>), RegistryError> {
        let retry = settings::retry(url, self.settings.retry).map_err(|error| {
            self.error(RegistryErrorKind::Invalid, error.to_string())
                .at(url.to_string())
        })?;
        let dynamic = url.flag_or("dynamic", true);
        let now = Instant::now();
        let mut state = self.open()?;
        let State {
            convergence,
            registrations,
            by_url,
            ..
        } = &mut *state;
        let known = by_url.get(url).copied();
        if let Some((key, registered)) = known.and_then(|key| Some((key, registrations.get_mut(&key)?))) {
            registered.holders += 1;
            if registered.holders == 1 {
                registered.progress.send_replace(Progress::Pending);
                convergence.want_again(key, now);
                self.nudge.notify_one();
            }
            return Ok((key, registered.progress.subscribe()));
        }
        let key = convergence.want(Kind::Registration { dynamic }, retry, now);
        let (progress, receiver) = watch::channel(Progress::Pending);
        // A program registers many URLs that differ in little.
        let url = self.pool.intern(url);
        let registered = Registered {
            url: url.clone(),
            holders: 1,
            progress,
        };
        registrations.insert(key, registered);
        by_url.insert(url, key);
        self.nudge.notify_one();
        Ok((key, receiver))
    }

    /// How it goes with a URL that is wanted to be registered.
    pub(crate) fn progress(&self, key: Key) -> Option<watch::Receiver<Progress>> {
        let state = self.state.lock();
        Some(state.registrations.get(&key)?.progress.subscribe())
    }

    /// One of those who wanted it does so no more.
    pub(crate) fn unregister(&self, key: Key) -> Option<watch::Receiver<Progress>> {
        let mut state = self.state.lock();
        let registered = state.registrations.get_mut(&key)?;
        registered.holders = registered.holders.saturating_sub(1);
        let progress = registered.progress.subscribe();
        if registered.holders == 0 {
            registered.progress.send_replace(Progress::Pending);
            if state.convergence.unwant(key, Instant::now()) {
                state.forget(key);
            }
            self.nudge.notify_one();
        } else {
            return None;
        }
        Some(progress)
    }

    /// Wants a query to be watched.
    pub(crate) fn subscribe(&self, url: &ServiceUrl, query: Query) -> Result<(Key, Arc<Topic>), RegistryError> {
        let retry = settings::retry(url, self.settings.retry).map_err(|error| {
            self.error(RegistryErrorKind::Invalid, error.to_string())
                .at(url.to_string())
        })?;
        let mut state = self.open()?;
        let State {
            convergence,
            topics,
            by_query,
            ..
        } = &mut *state;
        let known = by_query.get(&query).copied();
        if let Some((key, watched)) = known.and_then(|key| Some((key, topics.get_mut(&key)?))) {
            watched.subscribers += 1;
            return Ok((key, Arc::clone(&watched.topic)));
        }
        let key = convergence.want(Kind::Watch, retry, Instant::now());
        let trust = Trust {
            on_empty: self.settings.on_empty,
            grace: self.settings.grace,
        };
        let topic = Arc::new(Topic::new(url.clone(), query.clone(), trust));
        let watched = Watched {
            topic: Arc::clone(&topic),
            subscribers: 1,
            reader: None,
        };
        topics.insert(key, watched);
        by_query.insert(query, key);
        self.nudge.notify_one();
        Ok((key, topic))
    }

    /// One of those who subscribed does so no more. The last one ends the watch, whatever the link: what ends it is that
    /// nobody reads the stream.
    pub(crate) fn unsubscribe(&self, key: Key) {
        let mut state = self.state.lock();
        let Some(watched) = state.topics.get_mut(&key) else {
            return;
        };
        watched.subscribers -= 1;
        if watched.subscribers == 0 {
            state.convergence.unwant(key, Instant::now());
            state.forget(key);
            self.nudge.notify_one();
        }
    }

    /// What is watched for that query, if anybody subscribed to it.
    pub(crate) fn watched(&self, query: &Query) -> Option<Arc<Topic>> {
        let state = self.state.lock();
        let watched = state.topics.get(state.by_query.get(query)?)?;
        Some(Arc::clone(&watched.topic))
    }

    /// Waits for an item until `until`; see [`Contact::wait`].
    pub(crate) async fn wait(&self, progress: watch::Receiver<Progress>, until: Instant, patient: bool) -> Waited {
        self.contact().wait(progress, until, patient).await
    }

    pub(crate) fn closed(&self) -> RegistryError {
        self.contact().closed()
    }

    pub(crate) fn error(&self, kind: RegistryErrorKind, what: impl Into<Arc<str>>) -> RegistryError {
        self.contact().error(kind, what)
    }

    pub(crate) fn contact(&self) -> Contact<'_> {
        Contact {
            what: "registry",
            address: &self.address,
            link: &self.link,
        }
    }

    /// What the disk remembers of an answer to `query`.
    pub(crate) async fn recall(&self, query: &Query, url: &ServiceUrl) -> Option<Snapshot> {
        let cache = self.cache.as_ref()?;
        if query.any_interface() {
            return None;
        }
        let urls = cache.recall(&url.service_key()?.to_string(), &self.pool).await?;
        let mut snapshot = Snapshot::new(Arc::clone(query.interface()));
        for &category in query.categories() {
            let mut of_category = urls.iter().filter(|url| category_of(url) == Some(category)).peekable();
            if of_category.peek().is_some() {
                // `empty://` alone says that there is nobody; beside others it says nothing.
                let real = of_category.filter(|url| url.protocol() != Some("empty"));
                snapshot.set(category, real.cloned().collect());
            }
        }
        (!snapshot.categories.is_empty()).then_some(snapshot)
    }

    /// The lists that are worth keeping, by service key.
    pub(crate) fn to_keep(&self) -> Vec<(String, Vec<ServiceUrl>)> {
        let topics: Vec<_> = {
            let state = self.state.lock();
            state
                .topics
                .values()
                .map(|watched| Arc::clone(&watched.topic))
                .collect()
        };
        let mut kept: HashMap<String, Vec<ServiceUrl>> = HashMap::new();
        for topic in topics {
            let Some((key, known)) = topic.subscriber.service_key().zip(topic.to_keep()) else {
                continue;
            };
            let urls = kept.entry(key.to_string()).or_default();
            for list in known.services.iter().flat_map(|service| &service.lists) {
                // Two subscriptions of one key share an entry.
                urls.retain(|url| category_of(url) != Some(list.category));
                match list.urls.is_empty() {
                    false => urls.extend(list.urls.iter().cloned()),
                    true => {
                        let empty = topic.subscriber.edit().protocol("empty");
                        urls.push(empty.set("category", list.category.name()).build());
                    }
                }
            }
        }
        let mut kept: Vec<_> = kept.into_iter().collect();
        kept.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        kept
    }

    /// Logs a failure, unless many have been logged just now.
    pub(crate) fn complain(&self, what: &str, service: &dyn std::fmt::Display, error: &RegistryError) {
        let admitted = self.state.lock().complaints.admit(Instant::now());
        if let Some(suppressed) = admitted {
            let address = &*self.address;
            tracing::warn!(%service, address, %error, suppressed, "{what}");
        } else {
            tracing::debug!(%service, %error, "{what}");
        }
    }

    fn open(&self) -> Result<parking_lot::MutexGuard<'_, State>, RegistryError> {
        let state = self.state.lock();
        if state.closing { Err(self.closed()) } else { Ok(state) }
    }

    /// Until when one that is not checked waits, so that what works at once is there on return. A link that is not up has had its time
    /// from when it began to be so: a program that asks for a hundred services waits for a silent registry once.
    pub(crate) fn short_patience(&self) -> Instant {
        let is_up = self.link.borrow().is_up();
        let down_since = self.state.lock().down_since.filter(|_| !is_up);
        let patience = self.settings.timeout.min(Duration::from_millis(500));
        down_since.unwrap_or_else(Instant::now) + patience
    }
}

impl State {
    /// Drops what is known of an item whose key is no longer in the desired state.
    pub(crate) fn forget(&mut self, key: Key) {
        if let Some(registered) = self.registrations.remove(&key) {
            self.by_url.remove(&registered.url);
            registered.progress.send_replace(Progress::Gone);
        }
        if let Some(watched) = self.topics.remove(&key) {
            self.by_query.remove(&watched.topic.query);
            if let Some(reader) = watched.reader {
                reader.abort();
            }
        }
    }

    /// Drops everything, which tells subscribers that nothing will follow.
    pub(crate) fn clear(&mut self) {
        self.registrations.clear();
        self.by_url.clear();
        self.topics.clear();
        self.by_query.clear();
    }
}

/// The category of a URL that stands in a cache file: rules of old releases say it by their protocol alone.
fn category_of(url: &ServiceUrl) -> Option<orana_core::Category> {
    use orana_core::Category;
    match url.protocol() {
        _ if url.parameter("category").is_some() => url.category(),
        Some("override" | "absent") => Some(Category::Configurators),
        Some("route") => Some(Category::Routers),
        _ => url.category(),
    }
}
