//! What the handles of a centre and its driver share: what is subscribed to, under one short lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::AbortHandle;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::{ConfigBackend, ConfigKey, ConfigSettings, ConfigValue};
use crate::backend::Link;
use crate::complaints::Complaints;
use crate::contact::Contact;
use crate::convergence::{Convergence, Key, Kind};
use crate::error::{RegistryError, RegistryErrorKind};
use crate::topic::Progress;

/// So many requests are under way at a time.
const CONCURRENCY: usize = 64;

/// So many keys can be subscribed to at a time: far more than any program has rules, and an end to a mistake in a loop.
const KEYS: usize = 16_384;

pub(super) struct Shared {
    /// Without credentials.
    pub(super) address: Arc<str>,
    pub(super) settings: ConfigSettings,
    pub(super) backend: Arc<dyn ConfigBackend>,
    pub(super) link: watch::Receiver<Link>,
    pub(super) state: Mutex<State>,
    /// Wakes the driver: what is wanted has changed.
    pub(super) nudge: Notify,
    /// Whether the driver has ended.
    pub(super) ended: watch::Sender<bool>,
}

pub(super) struct State {
    pub(super) convergence: Convergence,
    pub(super) topics: HashMap<Key, Watched>,
    by_key: HashMap<ConfigKey, Key>,
    /// Since when the link is not up; at first, since the driver runs.
    pub(super) down_since: Option<Instant>,
    pub(super) closing: bool,
    pub(super) complaints: Complaints,
}

/// A key that is wanted, shared by all who subscribed to it.
pub(super) struct Topic {
    pub(super) key: ConfigKey,
    pub(super) value: watch::Sender<ConfigValue>,
    pub(super) progress: watch::Sender<Progress>,
}

pub(super) struct Watched {
    pub(super) topic: Arc<Topic>,
    subscribers: usize,
    /// The session in which its stream is read.
    pub(super) session: Option<u64>,
    /// Ends what is under way for it.
    pub(super) under_way: Option<AbortHandle>,
}

impl Shared {
    pub(super) fn new(address: Arc<str>, settings: ConfigSettings, backend: Arc<dyn ConfigBackend>) -> Shared {
        Shared {
            address,
            settings,
            link: backend.link(),
            backend,
            state: Mutex::new(State {
                convergence: Convergence::new(CONCURRENCY),
                topics: HashMap::new(),
                by_key: HashMap::new(),
                down_since: Some(Instant::now()),
                closing: false,
                complaints: Complaints::default(),
            }),
            nudge: Notify::new(),
            ended: watch::Sender::new(false),
        }
    }

    /// Wants a key to be watched.
    pub(super) fn subscribe(&self, key: ConfigKey) -> Result<(Key, Arc<Topic>), RegistryError> {
        let mut state = self.open()?;
        let known = state.by_key.get(&key).copied();
        if let Some((known, watched)) = known.and_then(|known| Some((known, state.topics.get_mut(&known)?))) {
            watched.subscribers += 1;
            return Ok((known, Arc::clone(&watched.topic)));
        }
        if state.topics.len() >= KEYS {
            let what = format!("no more than {KEYS} keys can be subscribed to");
            return Err(self
                .contact()
                .error(RegistryErrorKind::Invalid, what)
                .at(key.to_string()));
        }
        let item = state.convergence.want(Kind::Watch, self.settings.retry, Instant::now());
        let topic = Arc::new(Topic {
            key: key.clone(),
            value: watch::Sender::new(ConfigValue::not_ready()),
            progress: watch::Sender::new(Progress::Pending),
        });
        let watched = Watched {
            topic: Arc::clone(&topic),
            subscribers: 1,
            session: None,
            under_way: None,
        };
        state.topics.insert(item, watched);
        state.by_key.insert(key, item);
        self.nudge.notify_one();
        Ok((item, topic))
    }

    /// One of those who subscribed does so no more. The last one ends the watch.
    pub(super) fn unsubscribe(&self, key: Key) {
        let mut state = self.state.lock();
        let Some(watched) = state.topics.get_mut(&key) else {
            return;
        };
        watched.subscribers = watched.subscribers.saturating_sub(1);
        if watched.subscribers > 0 {
            return;
        }
        state.convergence.unwant(key, Instant::now());
        if let Some(watched) = state.topics.remove(&key) {
            state.by_key.remove(&watched.topic.key);
            if let Some(under_way) = watched.under_way {
                under_way.abort();
            }
        }
        self.nudge.notify_one();
    }

    /// That everything is over; the driver then ends.
    pub(super) fn end(&self) {
        self.state.lock().closing = true;
        self.nudge.notify_one();
    }

    /// Logs a failure, unless many have been logged just now.
    pub(super) fn complain(&self, what: &str, key: &ConfigKey, reason: &dyn std::fmt::Display) {
        let admitted = self.state.lock().complaints.admit(Instant::now());
        if let Some(suppressed) = admitted {
            let address = &*self.address;
            tracing::warn!(%key, address, %reason, suppressed, "{what}");
        } else {
            tracing::debug!(%key, %reason, "{what}");
        }
    }

    /// Until when one that is not checked waits, so that what works at once is there on return. A link that is not up has
    /// had its time from when it began to be so: whoever asks for a hundred keys waits for a silent centre once.
    pub(super) fn short_patience(&self) -> Instant {
        let is_up = self.link.borrow().is_up();
        let down_since = self.state.lock().down_since.filter(|_| !is_up);
        let patience = self.settings.timeout.min(Duration::from_millis(500));
        down_since.unwrap_or_else(Instant::now) + patience
    }

    /// The centre in words.
    pub(super) fn contact(&self) -> Contact<'_> {
        Contact {
            what: "configuration centre",
            address: &self.address,
            link: &self.link,
        }
    }

    fn open(&self) -> Result<MutexGuard<'_, State>, RegistryError> {
        let state = self.state.lock();
        if state.closing {
            Err(self.contact().closed())
        } else {
            Ok(state)
        }
    }
}

impl State {
    /// Drops everything, which tells subscribers that nothing will follow.
    pub(super) fn clear(&mut self) {
        self.topics.clear();
        self.by_key.clear();
    }
}
