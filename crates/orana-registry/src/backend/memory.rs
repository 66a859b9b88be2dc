//! A registry inside the process, shared by name: `memory://name`. For tests, for programs whose provider and consumer live
//! together, and as the example of a back-end; it has switches to make it fail as real ones do. Keeps nothing on disk.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Weak};

use orana_core::{BoxFuture, Category, ServiceUrl};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::{Feed, Link, RegistryBackend, Row, Watching};
use crate::error::{RegistryError, RegistryErrorKind};
use crate::query::Query;
use crate::snapshot::Snapshot;

/// Its row in the table of back-ends.
pub(super) const ROW: Row = Row {
    scheme: "memory",
    connect: MemoryBackend::open,
};

/// One registry of this kind, with its switches.
#[derive(Clone)]
pub struct MemoryCentre(Arc<Centre>);

/// A session with it.
pub struct MemoryBackend {
    centre: Arc<Centre>,
    session: u64,
}

struct Centre {
    name: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    services: BTreeMap<Arc<str>, [Vec<Entry>; 4]>,
    sessions: HashMap<u64, Session>,
    next_session: u64,
    cut: bool,
    refused: Option<Arc<str>>,
    /// How many requests are still to fail.
    failing: usize,
    requests: usize,
}

struct Entry {
    url: ServiceUrl,
    /// The session and its epoch that it goes with.
    owner: Option<(u64, u64)>,
}

struct Session {
    link: watch::Sender<Link>,
    epoch: u64,
    /// It was lost; the client learns of it when it is connected again.
    lost: bool,
    watches: Vec<(Query, Feed)>,
}

static NAMED: LazyLock<Mutex<HashMap<Arc<str>, Weak<Centre>>>> = LazyLock::new(Mutex::default);

impl MemoryCentre {
    /// The registry of that name; it lives as long as anybody holds it or a session with it.
    pub fn named(name: &str) -> MemoryCentre {
        let mut named = NAMED.lock();
        if let Some(centre) = named.get(name).and_then(Weak::upgrade) {
            return MemoryCentre(centre);
        }
        named.retain(|_, centre| centre.strong_count() > 0);
        let name = Arc::<str>::from(name);
        let centre = Arc::new(Centre {
            name: Arc::clone(&name),
            state: Mutex::default(),
        });
        named.insert(name, Arc::downgrade(&centre));
        MemoryCentre(centre)
    }

    /// A new session.
    pub fn connect(&self) -> MemoryBackend {
        let mut state = self.0.state.lock();
        let session = state.next_session;
        state.next_session += 1;
        let link = state.link(1);
        state.sessions.insert(
            session,
            Session {
                link: watch::Sender::new(link),
                epoch: 1,
                lost: false,
                watches: Vec::new(),
            },
        );
        MemoryBackend {
            centre: Arc::clone(&self.0),
            session,
        }
    }

    /// Cuts every connection; sessions live on, and what they published stays.
    pub fn cut(&self) {
        let mut state = self.0.state.lock();
        state.cut = true;
        state.tell_links();
    }

    /// Connects everybody again. Who kept its session gets its lists anew.
    pub fn mend(&self) {
        let mut state = self.0.state.lock();
        state.cut = false;
        state.admit();
    }

    /// Ends every session: what was published as dynamic goes, watches end, and everybody connected gets a new session.
    pub fn lose_sessions(&self) {
        let mut state = self.0.state.lock();
        for session in state.sessions.values_mut() {
            session.lost = true;
            session.watches.clear();
        }
        let touched = state.drop_entries(|entry| entry.owner.is_some());
        state.tell_watches(&touched);
        state.admit();
    }

    /// Forgets everything, sessions too, as if its disk had been replaced.
    pub fn lose_data(&self) {
        let mut state = self.0.state.lock();
        for session in state.sessions.values_mut() {
            session.lost = true;
            session.watches.clear();
        }
        state.services.clear();
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

    /// What is registered for an interface in a category.
    pub fn list(&self, interface: &str, category: Category) -> Vec<ServiceUrl> {
        self.0.state.lock().list(interface, category).to_vec()
    }
}

impl MemoryBackend {
    /// The back-end for `memory://name`.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when there is no name.
    pub fn open(url: &ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> {
        let name = url.host().ok_or_else(|| {
            RegistryError::new(
                RegistryErrorKind::Invalid,
                "memory",
                "the registry has no name: write `memory://name`",
            )
        })?;
        Ok(Arc::new(MemoryCentre::named(name).connect()))
    }

    /// Does something with the state if requests are answered at all.
    fn request<T>(&self, what: &'static str, run: impl FnOnce(&mut State, u64) -> T) -> Result<T, RegistryError> {
        let mut state = self.centre.state.lock();
        state.requests += 1;
        let error = |kind, why: &str| {
            Err(RegistryError::new(
                kind,
                self.address(),
                format!("cannot {what}: {why}"),
            ))
        };
        let Some(session) = state.sessions.get(&self.session) else {
            return error(RegistryErrorKind::Closed, "it was closed");
        };
        let epoch = session.epoch;
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
        Ok(run(&mut state, epoch))
    }

    fn address(&self) -> Arc<str> {
        Arc::clone(&self.centre.name)
    }

    fn publish_now(&self, url: &ServiceUrl) -> Result<(), RegistryError> {
        let (interface, category) = self.place(url)?;
        self.request("register", |state, epoch| {
            let owner = url.flag_or("dynamic", true).then_some((self.session, epoch));
            let service = state.services.entry(Arc::clone(&interface)).or_default();
            let Some(entries) = service.get_mut(category as usize) else {
                return;
            };
            match entries.iter_mut().find(|entry| entry.url == *url) {
                Some(entry) => entry.owner = owner,
                None => {
                    entries.push(Entry {
                        url: url.clone(),
                        owner,
                    });
                    state.tell_watches(&[(interface, category)]);
                }
            }
        })
    }

    fn withdraw_now(&self, url: &ServiceUrl) -> Result<(), RegistryError> {
        self.request("unregister", |state, _| {
            let touched = state.drop_entries(|entry| entry.url == *url);
            state.tell_watches(&touched);
        })
    }

    fn watch_now(&self, query: &Query) -> Result<Watching, RegistryError> {
        self.request("subscribe", |state, _| {
            let (feed, watching) = Watching::channel();
            for snapshot in state.snapshots(query) {
                feed.put(snapshot);
            }
            if let Some(session) = state.sessions.get_mut(&self.session) {
                session.watches.push((query.clone(), feed));
            }
            watching
        })
    }

    fn place(&self, url: &ServiceUrl) -> Result<(Arc<str>, Category), RegistryError> {
        let interface = url.interface().map(Arc::from);
        interface.zip(url.category()).ok_or_else(|| {
            let what = "the url names no interface, or a category that no registry keeps";
            RegistryError::new(RegistryErrorKind::Invalid, self.address(), what).at(url.to_string())
        })
    }
}

impl RegistryBackend for MemoryBackend {
    fn publish<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { self.publish_now(url) })
    }

    fn withdraw<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(async { self.withdraw_now(url) })
    }

    fn watch<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>> {
        Box::pin(async { self.watch_now(query) })
    }

    fn lookup<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>> {
        Box::pin(async { self.request("look up", |state, _| state.snapshots(query)) })
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

impl Drop for MemoryBackend {
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

    /// Connects whoever may be: with a new session where the old one was lost, else with all lists read again.
    fn admit(&mut self) {
        if !self.cut && self.refused.is_none() {
            for session in self.sessions.values_mut() {
                if std::mem::take(&mut session.lost) {
                    session.epoch += 1;
                }
            }
            for session in self.sessions.values() {
                for (query, feed) in &session.watches {
                    for snapshot in self.snapshots(query) {
                        feed.put(snapshot);
                    }
                }
            }
        }
        self.tell_links();
    }

    /// Removes entries, and says from where.
    fn drop_entries(&mut self, which: impl Fn(&Entry) -> bool) -> Vec<(Arc<str>, Category)> {
        let mut touched = Vec::new();
        for (interface, lists) in &mut self.services {
            for (category, entries) in Category::ALL.into_iter().zip(lists) {
                let before = entries.len();
                entries.retain(|entry| !which(entry));
                if entries.len() != before {
                    touched.push((Arc::clone(interface), category));
                }
            }
        }
        touched
    }

    fn tell_watches(&mut self, touched: &[(Arc<str>, Category)]) {
        if self.cut || self.refused.is_some() {
            return;
        }
        for (interface, category) in touched {
            let list = self.list(interface, *category);
            for session in self.sessions.values_mut() {
                session.watches.retain(|(query, feed)| {
                    let interested = query.any_interface() || query.interface() == interface;
                    if interested && query.categories().contains(category) {
                        feed.put(Snapshot::new(Arc::clone(interface)).with(*category, Arc::clone(&list)))
                    } else {
                        !feed.is_unread()
                    }
                });
            }
        }
    }

    fn snapshots(&self, query: &Query) -> Vec<Snapshot> {
        let of = |interface: &Arc<str>| {
            let mut snapshot = Snapshot::new(Arc::clone(interface));
            for category in query.categories() {
                snapshot.set(*category, self.list(interface, *category));
            }
            snapshot
        };
        match query.any_interface() {
            true => self.services.keys().map(of).collect(),
            false => vec![of(query.interface())],
        }
    }

    fn list(&self, interface: &str, category: Category) -> Arc<[ServiceUrl]> {
        let entries = self
            .services
            .get(interface)
            .and_then(|lists| lists.get(category as usize));
        entries.into_iter().flatten().map(|entry| entry.url.clone()).collect()
    }

    fn end(&mut self, session: u64) {
        if let Some(ended) = self.sessions.remove(&session) {
            ended.link.send_replace(Link::Down {
                reason: Arc::from("it was closed"),
            });
            let touched = self.drop_entries(|entry| entry.owner.is_some_and(|(owner, _)| owner == session));
            self.tell_watches(&touched);
        }
    }
}
