//! Who watches what: by path, so that a change finds its observers, and by observer, so that one who goes is forgotten.
//! What makes an event is not known here.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;

use super::{Event, Observer, WatchCensus, WatchKind};
use crate::wakes::Wakes;

pub(super) const KINDS: [WatchKind; 4] = [
    WatchKind::Data,
    WatchKind::Child,
    WatchKind::Persistent,
    WatchKind::Recursive,
];

#[derive(Default)]
pub(super) struct Table {
    paths: HashMap<Arc<str>, Interest, RandomState>,
    observers: Vec<Option<Registered>>,
    vacant: Vec<u32>,
    watches: usize,
    recursive: usize,
}

struct Registered {
    observer: Arc<dyn Observer>,
    held: HashMap<Arc<str>, [bool; 4], RandomState>,
}

/// Observers of one path by kind, each list sorted.
#[derive(Default)]
struct Interest([Vec<u32>; 4]);

impl Table {
    /// Gives an observer its number.
    pub(super) fn register(&mut self, observer: Arc<dyn Observer>) -> u32 {
        let registered = Some(Registered {
            observer,
            held: HashMap::default(),
        });
        match self.vacant.pop() {
            Some(number) => {
                self.observers[number as usize] = registered;
                number
            }
            None => {
                self.observers.push(registered);
                self.observers.len() as u32 - 1
            }
        }
    }

    /// Ends all watches of an observer and takes its number back.
    pub(super) fn withdraw(&mut self, number: u32) {
        let registered = self.observers[number as usize].take();
        for (path, kinds) in registered.map(|registered| registered.held).unwrap_or_default() {
            for kind in KINDS.into_iter().filter(|kind| kinds[*kind as usize]) {
                self.forget(number, &path, kind);
            }
        }
        self.vacant.push(number);
    }

    pub(super) fn census(&self) -> WatchCensus {
        let registered = self.observers.iter().flatten();
        WatchCensus {
            observers: registered.filter(|registered| !registered.held.is_empty()).count(),
            paths: self.paths.len(),
            watches: self.watches,
        }
    }

    /// In which ways an observer watches which paths.
    pub(super) fn held_by(&self, number: u32) -> Option<&HashMap<Arc<str>, [bool; 4], RandomState>> {
        self.observers[number as usize]
            .as_ref()
            .map(|registered| &registered.held)
    }

    /// True if somebody watches recursively.
    pub(super) fn is_recursive(&self) -> bool {
        self.recursive > 0
    }

    /// The path as it is kept, if somebody watches it in this way.
    pub(super) fn watched(&self, path: &str, kind: WatchKind) -> Option<&Arc<str>> {
        let (shared, interest) = self.paths.get_key_value(path)?;
        (!interest.0[kind as usize].is_empty()).then_some(shared)
    }

    pub(super) fn arm(&mut self, number: u32, path: &str, kind: WatchKind) {
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

    pub(super) fn disarm(&mut self, number: u32, path: &str, kind: WatchKind) -> bool {
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

    /// Takes the one-shot watches of a path.
    pub(super) fn fire(&mut self, path: &str, kind: WatchKind) -> Vec<u32> {
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

    /// Adds those who watch a path in this way again and again.
    pub(super) fn add(&self, told: &mut Vec<u32>, path: &str, kind: WatchKind) {
        if let Some(interest) = self.paths.get(path) {
            told.extend_from_slice(&interest.0[kind as usize]);
        }
    }

    pub(super) fn tell(&self, numbers: &[u32], event: &Event<'_>, wakes: &mut Wakes) {
        for number in numbers {
            if let Some(registered) = &self.observers[*number as usize] {
                registered.observer.notify(event, wakes);
            }
        }
    }
}
