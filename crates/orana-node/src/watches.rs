//! Who wants to be told of what. A change is turned into events, and each event is handed to its observers
//! while the state is still held exclusively: no answer can reflect the change before the event is queued.
//! The kinds and their rules are ZooKeeper's (`DataTree`, `WatchManager` of 3.9). How an event is encoded,
//! and whether its receiver may see it, is not known here.
//!
//! ```text
//!  change of P (parent Q)   data, persistent of P   child of P   recursive of P and above   child, persistent of Q
//!  created                  NodeCreated P                        NodeCreated P              ChildrenChanged Q
//!  deleted                  NodeDeleted P           NodeDeleted P NodeDeleted P             ChildrenChanged Q
//!  data set                 NodeDataChanged P                    NodeDataChanged P
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahash::RandomState;
use orana_state::{Acl, Change, ChangeKind, Zxid, path};
use parking_lot::Mutex;

use crate::wakes::Wakes;

/// How something is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum WatchKind {
    /// Once: creation, deletion or new data of the node.
    Data = 0,
    /// Once: the list of children, or the deletion of the node.
    Child = 1,
    /// Again and again: what `Data` and `Child` tell.
    Persistent = 2,
    /// Again and again: creation, deletion and new data of the node and of all below it.
    Recursive = 3,
}

const KINDS: [WatchKind; 4] = [
    WatchKind::Data,
    WatchKind::Child,
    WatchKind::Persistent,
    WatchKind::Recursive,
];

/// What happened to the path of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The node appeared.
    Created,
    /// The node vanished.
    Deleted,
    /// The node's data was set.
    DataChanged,
    /// The node's list of children changed.
    ChildrenChanged,
}

/// One thing to tell one observer.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The command that caused it.
    pub zxid: Zxid,
    /// What happened.
    pub kind: EventKind,
    /// To which path.
    pub path: &'a str,
    /// The list that says who may know; `None` when everybody may.
    pub acl: Option<&'a Acl>,
    /// Until when it may be held back so that it is joined with the next ones of the same directory; `None`
    /// for events that must leave at once.
    pub hold_until: Option<Instant>,
}

/// Is told of what it watches. Called while the state is held: it must only queue.
pub trait Observer: Send + Sync + 'static {
    /// Queues the event.
    fn notify(&self, event: &Event<'_>, wakes: &mut Wakes);
}

/// Counts of what is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchCensus {
    /// Observers that watch something.
    pub observers: usize,
    /// Paths that are watched.
    pub paths: usize,
    /// Single watches.
    pub watches: usize,
}

/// All watches of a member.
pub(crate) struct Watches {
    table: Mutex<Table>,
    window: Duration,
}

#[derive(Default)]
struct Table {
    paths: HashMap<Arc<str>, Interest, RandomState>,
    observers: Vec<Option<Registered>>,
    vacant: Vec<u32>,
    watches: usize,
    recursive: usize,
    // Directories that changed lately, and when; whoever changes again within the window is a storm.
    recent: HashMap<Arc<str>, Instant, RandomState>,
    // When the first of all windows began.
    first_window: Option<Instant>,
}

struct Registered {
    observer: Arc<dyn Observer>,
    held: HashMap<Arc<str>, [bool; 4], RandomState>,
}

/// Observers of one path by kind, each list sorted.
#[derive(Default)]
struct Interest([Vec<u32>; 4]);

/// One observer's place in the table; dropping it ends all its watches.
pub struct Watcher {
    watches: Arc<Watches>,
    number: u32,
}

impl Watches {
    pub(crate) fn new(window: Duration) -> Watches {
        Watches {
            table: Mutex::default(),
            window,
        }
    }

    pub(crate) fn register(self: &Arc<Self>, observer: Arc<dyn Observer>) -> Watcher {
        let mut table = self.table.lock();
        let registered = Some(Registered {
            observer,
            held: HashMap::default(),
        });
        let number = match table.vacant.pop() {
            Some(number) => {
                table.observers[number as usize] = registered;
                number
            }
            None => {
                table.observers.push(registered);
                table.observers.len() as u32 - 1
            }
        };
        Watcher {
            watches: self.clone(),
            number,
        }
    }

    /// Tells everybody who watches what changed, in the order of the changes.
    pub(crate) fn dispatch(&self, changes: &[Change], now: Instant, wakes: &mut Wakes) {
        if changes.is_empty() {
            return;
        }
        let mut table = self.table.lock();
        for change in changes {
            table.dispatch(change, now, self.window, wakes);
        }
    }

    /// Forgets directories that have been quiet for longer than the window.
    pub(crate) fn tidy(&self, now: Instant) {
        let mut table = self.table.lock();
        table
            .recent
            .retain(|_, changed| now.saturating_duration_since(*changed) <= self.window);
        if table.recent.is_empty() {
            table.recent.shrink_to_fit();
        }
    }

    /// Totals.
    pub(crate) fn census(&self) -> WatchCensus {
        let table = self.table.lock();
        WatchCensus {
            observers: table
                .observers
                .iter()
                .flatten()
                .filter(|registered| !registered.held.is_empty())
                .count(),
            paths: table.paths.len(),
            watches: table.watches,
        }
    }
}

impl Watcher {
    /// Watches a path; watching it twice in the same way is watching it once.
    pub fn arm(&self, path: &str, kind: WatchKind) {
        self.watches.table.lock().arm(self.number, path, kind);
    }

    /// Stops watching in one way, or in every way. False if there was nothing to stop.
    pub fn disarm(&self, path: &str, kind: Option<WatchKind>) -> bool {
        let mut table = self.watches.table.lock();
        let kinds = KINDS.into_iter().filter(|each| kind.is_none_or(|kind| kind == *each));
        kinds.filter(|kind| table.disarm(self.number, path, *kind)).count() > 0
    }

    /// True if it watches this path in this way, or in any way.
    pub fn is_armed(&self, path: &str, kind: Option<WatchKind>) -> bool {
        let table = self.watches.table.lock();
        let held = table.observers[self.number as usize]
            .as_ref()
            .and_then(|registered| registered.held.get(path));
        held.is_some_and(|held| kind.map_or(held.contains(&true), |kind| held[kind as usize]))
    }

    /// Number of paths it watches.
    pub fn len(&self) -> usize {
        let table = self.watches.table.lock();
        table.observers[self.number as usize]
            .as_ref()
            .map_or(0, |registered| registered.held.len())
    }

    /// True if it watches nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The paths it watches, sorted.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let table = self.watches.table.lock();
        let held = table.observers[self.number as usize]
            .as_ref()
            .map(|registered| &registered.held);
        let mut paths: Vec<_> = held.into_iter().flat_map(|held| held.keys().cloned()).collect();
        paths.sort_unstable();
        paths
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut table = self.watches.table.lock();
        let registered = table.observers[self.number as usize].take();
        for (path, kinds) in registered.map(|registered| registered.held).unwrap_or_default() {
            for kind in KINDS.into_iter().filter(|kind| kinds[*kind as usize]) {
                table.forget(self.number, &path, kind);
            }
        }
        table.vacant.push(self.number);
    }
}

impl Table {
    fn arm(&mut self, number: u32, path: &str, kind: WatchKind) {
        let Some(registered) = &mut self.observers[number as usize] else {
            return;
        };
        if let Some(held) = registered.held.get_mut(path) {
            if std::mem::replace(&mut held[kind as usize], true) {
                return;
            }
        } else {
            let shared = match self.paths.get_key_value(path) {
                Some((shared, _)) => shared.clone(),
                None => Arc::from(path),
            };
            let mut held = [false; 4];
            held[kind as usize] = true;
            registered.held.insert(shared.clone(), held);
            self.paths.entry(shared).or_default();
        }
        if let Some(interest) = self.paths.get_mut(path) {
            let list = &mut interest.0[kind as usize];
            if let Err(at) = list.binary_search(&number) {
                list.insert(at, number);
                self.watches += 1;
                self.recursive += usize::from(kind == WatchKind::Recursive);
            }
        }
    }

    fn disarm(&mut self, number: u32, path: &str, kind: WatchKind) -> bool {
        let Some(registered) = &mut self.observers[number as usize] else {
            return false;
        };
        let Some(held) = registered.held.get_mut(path) else {
            return false;
        };
        if !std::mem::replace(&mut held[kind as usize], false) {
            return false;
        }
        if !held.contains(&true) {
            registered.held.remove(path);
        }
        self.forget(number, path, kind);
        true
    }

    /// The path's half of `disarm`.
    fn forget(&mut self, number: u32, path: &str, kind: WatchKind) {
        let Some(interest) = self.paths.get_mut(path) else {
            return;
        };
        let list = &mut interest.0[kind as usize];
        if let Ok(at) = list.binary_search(&number) {
            list.remove(at);
            self.watches -= 1;
            self.recursive -= usize::from(kind == WatchKind::Recursive);
        }
        if interest.0.iter().all(Vec::is_empty) {
            self.paths.remove(path);
        }
    }

    fn dispatch(&mut self, change: &Change, now: Instant, window: Duration, wakes: &mut Wakes) {
        let path = &*change.path;
        let parent = path::parent(path);
        let structural = change.kind != ChangeKind::DataSet;
        let hold_until = if structural {
            self.storm(parent, now, window)
        } else {
            None
        };
        let kind = match change.kind {
            ChangeKind::Created => EventKind::Created,
            ChangeKind::Deleted => EventKind::Deleted,
            ChangeKind::DataSet => EventKind::DataChanged,
        };
        let mut told = self.fire(path, WatchKind::Data);
        self.add(&mut told, path, WatchKind::Persistent);
        if self.recursive > 0 {
            let mut above = path;
            loop {
                self.add(&mut told, above, WatchKind::Recursive);
                if above == "/" {
                    break;
                }
                above = path::parent(above);
            }
        }
        if change.kind == ChangeKind::Deleted {
            // One NodeDeleted for a connection that watches both the data and the children.
            let children = self.fire(path, WatchKind::Child);
            told.extend(children);
        }
        told.sort_unstable();
        told.dedup();
        let event = Event {
            zxid: change.zxid,
            kind,
            path,
            acl: change.acl.as_ref(),
            hold_until: None,
        };
        self.tell(&told, &event, wakes);
        if structural && path != "/" {
            let once = self.fire(parent, WatchKind::Child);
            let mut always = Vec::new();
            self.add(&mut always, parent, WatchKind::Persistent);
            let kind = EventKind::ChildrenChanged;
            let event = Event {
                kind,
                path: parent,
                acl: change.parent_acl.as_ref(),
                ..event
            };
            if always.is_empty() {
                self.tell(&once, &Event { hold_until, ..event }, wakes);
            } else {
                // Only one-shot watches may be joined: a persistent one counts every change.
                let once: Vec<u32> = once.into_iter().filter(|number| !always.contains(number)).collect();
                self.tell(&always, &event, wakes);
                self.tell(&once, &Event { hold_until, ..event }, wakes);
            }
        }
    }

    /// Takes the one-shot watches of a path.
    fn fire(&mut self, path: &str, kind: WatchKind) -> Vec<u32> {
        let Some(interest) = self.paths.get_mut(path) else {
            return Vec::new();
        };
        let fired = std::mem::take(&mut interest.0[kind as usize]);
        if fired.is_empty() {
            return fired;
        }
        if interest.0.iter().all(Vec::is_empty) {
            self.paths.remove(path);
        }
        self.watches -= fired.len();
        for number in &fired {
            if let Some(registered) = &mut self.observers[*number as usize]
                && let Some(held) = registered.held.get_mut(path)
            {
                held[kind as usize] = false;
                if !held.contains(&true) {
                    registered.held.remove(path);
                }
            }
        }
        fired
    }

    fn add(&self, told: &mut Vec<u32>, path: &str, kind: WatchKind) {
        if let Some(interest) = self.paths.get(path) {
            told.extend_from_slice(&interest.0[kind as usize]);
        }
    }

    fn tell(&self, numbers: &[u32], event: &Event<'_>, wakes: &mut Wakes) {
        for number in numbers {
            if let Some(registered) = &self.observers[*number as usize] {
                registered.observer.notify(event, wakes);
            }
        }
    }

    /// Until when the news of a directory may wait. A lone change is told at once; whoever changes again
    /// within the window is told at the end of the present one.
    fn storm(&mut self, directory: &str, now: Instant, window: Duration) -> Option<Instant> {
        if window.is_zero() {
            return None;
        }
        let window_end = self.window_end(now, window);
        match self.recent.get_mut(directory) {
            Some(changed) => {
                let lone = now.saturating_duration_since(*changed) > window;
                *changed = now;
                (!lone).then_some(window_end)
            }
            None => {
                // Nobody watches: nothing to join.
                let (shared, interest) = self.paths.get_key_value(directory)?;
                if interest.0[WatchKind::Child as usize].is_empty() {
                    return None;
                }
                let shared = shared.clone();
                self.recent.insert(shared, now);
                None
            }
        }
    }

    /// All directories share their windows. Events leave in their order, so whoever watches many directories is
    /// told of all of them when the first is due: with windows of their own that would be nearly always.
    fn window_end(&mut self, now: Instant, window: Duration) -> Instant {
        let first = *self.first_window.get_or_insert(now);
        let into = now.saturating_duration_since(first).as_nanos() % window.as_nanos();
        now + window - Duration::from_nanos(into as u64)
    }
}

#[cfg(test)]
mod tests;
