//! A configuration centre inside the process, shared by name: `memory://name`. For tests, for programs that set their own
//! rules, and as the example of a back-end; it has switches to make it fail as real ones do. Keeps nothing on disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Weak};

use orana_core::{BoxFuture, ServiceUrl};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::{ConfigBackend, ConfigFeed, ConfigKey, ConfigWatching, Content};
use crate::backend::{Link, Row};
use crate::error::{RegistryError, RegistryErrorKind};

/// Its row in the table of back-ends.
pub(super) const ROW: Row<dyn ConfigBackend> = Row {
    scheme: "memory",
    connect: MemoryConfigBackend::open,
};

/// One centre of this kind, with its switches.
#[derive(Clone)]
pub struct MemoryConfig(Arc<Centre>);

/// A session with it.
pub struct MemoryConfigBackend {
    centre: Arc<Centre>,
    session: u64,
}

struct Centre {
    name: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    texts: BTreeMap<ConfigKey, Arc<str>>,
    sessions: HashMap<u64, Session>,
    next_session: u64,
    cut: bool,
    refused: Option<Arc<str>>,
    /// How many requests are still to fail.
    failing: usize,
    requests: usize,
}

struct Session {
    link: watch::Sender<Link>,
    epoch: u64,
    /// It was lost; the client learns of it when it is connected again.
    lost: bool,
    watches: Vec<(ConfigKey, ConfigFeed)>,
}

static NAMED: LazyLock<Mutex<HashMap<Arc<str>, Weak<Centre>>>> = LazyLock::new(Mutex::default);

impl MemoryConfig {
    /// The centre of that name; it lives as long as anybody holds it or a session with it.
    pub fn named(name: &str) -> MemoryConfig {
        let mut named = NAMED.lock();
        if let Some(centre) = named.get(name).and_then(Weak::upgrade) {
            return MemoryConfig(centre);
        }
        named.retain(|_, centre| centre.strong_count() > 0);
        let name = Arc::<str>::from(name);
        let centre = Arc::new(Centre {
            name: Arc::clone(&name),
            state: Mutex::default(),
        });
        named.insert(name, Arc::downgrade(&centre));
        MemoryConfig(centre)
    }

    /// A new session.
    pub fn connect(&self) -> MemoryConfigBackend {
        let mut state = self.0.state.lock();
        let session = state.next_session;
        state.next_session += 1;
        let link = watch::Sender::new(state.link(1));
        let begun = Session {
            link,
            epoch: 1,
            lost: false,
            watches: Vec::new(),
        };
        state.sessions.insert(session, begun);
        MemoryConfigBackend {
            centre: Arc::clone(&self.0),
            session,
        }
    }

    /// Puts a text there, as an operator would: whatever the switches say.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`], and what is wrong with the key.
    pub fn put(&self, group: &str, key: &str, text: &str) -> Result<(), RegistryError> {
        let key = self.key(group, key)?;
        self.0.state.lock().put(key, Some(text));
        Ok(())
    }

    /// Takes a text away, as an operator would.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`], and what is wrong with the key.
    pub fn delete(&self, group: &str, key: &str) -> Result<(), RegistryError> {
        let key = self.key(group, key)?;
        self.0.state.lock().put(key, None);
        Ok(())
    }

    /// Cuts every connection; sessions live on.
    pub fn cut(&self) {
        let mut state = self.0.state.lock();
        state.cut = true;
        state.tell_links();
    }

    /// Connects everybody again. Who kept its session is told its texts anew.
    pub fn mend(&self) {
        let mut state = self.0.state.lock();
        state.cut = false;
        state.admit();
    }

    /// Ends every session: watches end, and everybody connected gets a new session.
    pub fn lose_sessions(&self) {
        let mut state = self.0.state.lock();
        for session in state.sessions.values_mut() {
            session.lost = true;
            session.watches.clear();
        }
        state.admit();
    }

    /// Lets nobody in, for that reason, until it is called with `None`.
    pub fn refuse(&self, reason: Option<&str>) {
        let mut state = self.0.state.lock();
        state.refused = reason.map(Arc::from);
        state.admit();
    }

    /// Fails the next `requests` requests.
    pub fn fail(&self, requests: usize) {
        self.0.state.lock().failing = requests;
    }

    /// How many requests have been made.
    pub fn requests(&self) -> usize {
        self.0.state.lock().requests
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.0.state.lock().sessions.len()
    }

    /// How many watches are read.
    pub fn watches(&self) -> usize {
        let state = self.0.state.lock();
        let watches = state.sessions.values().flat_map(|session| &session.watches);
        watches.filter(|(_, feed)| !feed.is_unread()).count()
    }

    fn key(&self, group: &str, key: &str) -> Result<ConfigKey, RegistryError> {
        ConfigKey::new(group, key)
            .map_err(|what| RegistryError::new(RegistryErrorKind::Invalid, Arc::clone(&self.0.name), what))
    }
}

impl MemoryConfigBackend {
    /// The back-end for `memory://name`.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when there is no name.
    pub fn open(url: &ServiceUrl) -> Result<Arc<dyn ConfigBackend>, RegistryError> {
        let name = url.host().ok_or_else(|| {
            let what = "the configuration centre has no name: write `memory://name`";
            RegistryError::new(RegistryErrorKind::Invalid, "memory", what)
        })?;
        Ok(Arc::new(MemoryConfig::named(name).connect()))
    }

    /// Does something with the state if requests are answered at all.
    fn request<T>(&self, what: &'static str, run: impl FnOnce(&mut State) -> T) -> Result<T, RegistryError> {
        let mut state = self.centre.state.lock();
        state.requests += 1;
        let error = |kind, why: &str| {
            let address = Arc::clone(&self.centre.name);
            Err(RegistryError::new(kind, address, format!("cannot {what}: {why}")))
        };
        if !state.sessions.contains_key(&self.session) {
            return error(RegistryErrorKind::Closed, "it was closed");
        }
        if let Some(reason) = state.refused.clone() {
            return error(RegistryErrorKind::Refused, &reason);
        }
        if state.cut {
            return error(RegistryErrorKind::Unreachable, "the connection is cut");
        }
        if state.failing > 0 {
            state.failing -= 1;
            return error(RegistryErrorKind::Failed, "it was told to fail");
        }
        Ok(run(&mut state))
    }

    fn watch_now(&self, key: &ConfigKey) -> Result<ConfigWatching, RegistryError> {
        self.request("watch", |state| {
            let (feed, watching) = ConfigWatching::channel();
            feed.put(Ok(state.texts.get(key).cloned()));
            if let Some(session) = state.sessions.get_mut(&self.session) {
                session.watches.retain(|(_, feed)| !feed.is_unread());
                session.watches.push((key.clone(), feed));
            }
            watching
        })
    }
}

impl ConfigBackend for MemoryConfigBackend {
    fn get<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<Content, RegistryError>> {
        Box::pin(async { self.request("read", |state| state.texts.get(key).cloned()) })
    }

    fn publish<'a>(&'a self, key: &'a ConfigKey, text: &'a str) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { self.request("publish", |state| state.put(key.clone(), Some(text))) })
    }

    fn remove<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { self.request("remove", |state| state.put(key.clone(), None)) })
    }

    fn watch<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<ConfigWatching, RegistryError>> {
        Box::pin(async { self.watch_now(key) })
    }

    fn link(&self) -> watch::Receiver<Link> {
        match self.centre.state.lock().sessions.get(&self.session) {
            Some(session) => session.link.subscribe(),
            None => {
                let reason = Arc::from("it was closed");
                watch::Sender::new(Link::Down { reason }).subscribe()
            }
        }
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.centre.state.lock().end(self.session) })
    }
}

impl Drop for MemoryConfigBackend {
    fn drop(&mut self) {
        self.centre.state.lock().end(self.session);
    }
}

impl State {
    /// What a session of that epoch is to be told.
    fn link(&self, epoch: u64) -> Link {
        match (&self.refused, self.cut) {
            (Some(reason), _) => Link::Refused {
                reason: Arc::clone(reason),
            },
            (None, true) => Link::Down {
                reason: Arc::from("the connection is cut"),
            },
            (None, false) => Link::Up { epoch },
        }
    }

    fn tell_links(&mut self) {
        for session in self.sessions.values() {
            let link = self.link(session.epoch);
            session
                .link
                .send_if_modified(|known| std::mem::replace(known, link.clone()) != link);
        }
    }

    /// Connects whoever may be: with a new session where the old one was lost, else with all texts told again.
    fn admit(&mut self) {
        if !self.cut && self.refused.is_none() {
            for session in self.sessions.values_mut() {
                if std::mem::take(&mut session.lost) {
                    session.epoch += 1;
                }
                for (key, feed) in &session.watches {
                    feed.put(Ok(self.texts.get(key).cloned()));
                }
            }
        }
        self.tell_links();
    }

    /// Puts a text, or takes it away; an empty one is none. Whoever is connected and watches is told.
    fn put(&mut self, key: ConfigKey, text: Option<&str>) {
        let content: Content = text.filter(|text| !text.is_empty()).map(Arc::from);
        match &content {
            Some(text) => self.texts.insert(key.clone(), Arc::clone(text)),
            None => self.texts.remove(&key),
        };
        if self.cut || self.refused.is_some() {
            return;
        }
        for session in self.sessions.values_mut() {
            session.watches.retain(|(watched, feed)| match *watched == key {
                true => feed.put(Ok(content.clone())),
                false => !feed.is_unread(),
            });
        }
    }

    fn end(&mut self, session: u64) {
        if let Some(ended) = self.sessions.remove(&session) {
            ended.link.send_replace(Link::Down {
                reason: Arc::from("it was closed"),
            });
        }
    }
}
