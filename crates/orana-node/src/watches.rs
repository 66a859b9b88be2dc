//! Who wants to be told of what. A change is turned into events, and each event is handed to its observers
//! while the state is still held exclusively: no answer can reflect the change before the event is queued.
//! How an event is encoded, and whether its receiver may see it, is not known here.

mod dispatch;
mod table;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;
use std::time::{Duration, Instant};

use orana_state::{Acl, Change, Zxid};
use parking_lot::Mutex;

use self::table::{KINDS, Table};
use self::windows::Windows;
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
    /// Locked after the table, where both are.
    windows: Mutex<Windows>,
}

/// One observer's place in the table; dropping it ends all its watches.
pub struct Watcher {
    watches: Arc<Watches>,
    number: u32,
}

impl Watches {
    /// `window` is how long the news of a directory that changes quickly may be joined.
    pub(crate) fn new(window: Duration) -> Watches {
        Watches {
            table: Mutex::default(),
            windows: Mutex::new(Windows::new(window)),
        }
    }

    pub(crate) fn register(self: &Arc<Self>, observer: Arc<dyn Observer>) -> Watcher {
        let number = self.table.lock().register(observer);
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
        let (mut table, mut windows) = (self.table.lock(), self.windows.lock());
        for change in changes {
            dispatch::dispatch(&mut table, &mut windows, change, now, wakes);
        }
    }

    /// Forgets directories that have been quiet for longer than the window.
    pub(crate) fn tidy(&self, now: Instant) {
        self.windows.lock().tidy(now);
    }

    /// Totals.
    pub(crate) fn census(&self) -> WatchCensus {
        self.table.lock().census()
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
        let held = table.held_by(self.number).and_then(|held| held.get(path));
        held.is_some_and(|held| kind.map_or(held.contains(&true), |kind| held[kind as usize]))
    }

    /// Number of paths it watches.
    pub fn len(&self) -> usize {
        let table = self.watches.table.lock();
        table.held_by(self.number).map_or(0, |held| held.len())
    }

    /// True if it watches nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The paths it watches, sorted.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let table = self.watches.table.lock();
        let held = table.held_by(self.number);
        let mut paths: Vec<_> = held.into_iter().flat_map(|held| held.keys().cloned()).collect();
        paths.sort_unstable();
        paths
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.watches.table.lock().withdraw(self.number);
    }
}
