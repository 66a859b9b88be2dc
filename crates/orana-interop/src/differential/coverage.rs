//! What has occurred so far, counted where the original showed it: each operation with each error, each event with each
//! sort of watch.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use orana_wire::zookeeper::{EventKind, Request};

use super::{
    script::{SLOTS, Step},
    seen::Seen,
    side::Scene,
};

/// How often each thing has to occur.
pub const ENOUGH: usize = 20;

/// Something that has to occur.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// An operation and the error it ends with.
    Answer(&'static str, String),
    /// An event and the sort of watch that it is due to.
    Event(EventKind, &'static str),
}

/// Counts of what has occurred.
#[derive(Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<Goal, usize>,
    watches: [Watches; SLOTS],
}

/// The watches that a connection holds, as far as its requests tell.
#[derive(Debug, Default)]
struct Watches {
    sets: BTreeMap<&'static str, BTreeSet<String>>,
}

/// Sorts of watches as the table has them. One that setWatches brought back counts apart: its events may be of the past.
const DATA: &str = "data";
const EXIST: &str = "exist";
const CHILD: &str = "child";
const PERSISTENT: &str = "persistent";
const RECURSIVE: &str = "recursive";

impl Coverage {
    /// Nodes are new, so nobody watches them yet.
    pub fn begin(&mut self) {
        self.watches = Default::default();
    }

    /// Counts what a step showed.
    pub fn note(&mut self, step: &Step, scene: &Scene) {
        for (slot, saw) in scene {
            let mut asks = match step {
                Step::Ask { slot: asking, asks } if asking == slot => asks.iter(),
                _ => [].iter(),
            };
            for one in saw {
                match one {
                    Seen::Connected { .. } | Seen::Closed | Seen::Silent => self.watches[*slot] = Watches::default(),
                    Seen::Answer { op, code, parts, .. } => {
                        self.count(Goal::Answer(op, code.clone()));
                        for (op, code) in parts {
                            self.count(Goal::Answer(op, code.clone()));
                        }
                        if let Some(request) = asks.next().and_then(|ask| ask.request()) {
                            self.watches[*slot].arm(request, code);
                        }
                    }
                    Seen::Event { kind, path } => {
                        // Events of the past come before the answer to the setWatches that asks for them.
                        let asked = asks.clone().next().and_then(|ask| ask.request());
                        for sort in self.watches[*slot].fire(*kind, path, asked) {
                            self.count(Goal::Event(*kind, sort));
                        }
                    }
                    Seen::Refused | Seen::Broken(_) => {}
                }
            }
        }
        if let Step::HangUp { slot } | Step::Expire { slot } = step {
            self.watches[*slot] = Watches::default();
        }
    }

    fn count(&mut self, goal: Goal) {
        *self.counts.entry(goal).or_default() += 1;
    }

    /// How often a goal has been reached.
    pub fn reached(&self, goal: &Goal) -> usize {
        self.counts.get(goal).copied().unwrap_or(0)
    }

    /// The goals that have not been reached often enough.
    pub fn lacking(&self, goals: &[Goal]) -> Vec<Goal> {
        goals
            .iter()
            .filter(|goal| self.reached(goal) < ENOUGH)
            .cloned()
            .collect()
    }
}

impl Watches {
    fn set(&mut self, sort: &'static str) -> &mut BTreeSet<String> {
        self.sets.entry(sort).or_default()
    }

    fn arm(&mut self, request: &Request<'_>, code: &str) {
        let ok = code == "OK";
        match request {
            Request::GetData(read) if ok && read.watch => self.insert(DATA, read.path.as_deref()),
            Request::Exists(read) if ok && read.watch => self.insert(DATA, read.path.as_deref()),
            Request::Exists(read) if read.watch => self.insert(EXIST, read.path.as_deref()),
            Request::GetChildren(read) | Request::GetChildren2(read) if ok && read.watch => {
                self.insert(CHILD, read.path.as_deref());
            }
            Request::AddWatch(watch) if ok => {
                self.insert(
                    if watch.mode == 0 { PERSISTENT } else { RECURSIVE },
                    watch.path.as_deref(),
                );
            }
            Request::SetWatches(watches) if ok => {
                for (sort, paths) in [(DATA, &watches.data), (EXIST, &watches.exist), (CHILD, &watches.child)] {
                    paths
                        .iter()
                        .flatten()
                        .for_each(|path| self.insert(sort, path.as_deref()));
                }
            }
            Request::SetWatches2(watches) if ok => {
                for (sort, paths) in [(PERSISTENT, &watches.persistent), (RECURSIVE, &watches.recursive)] {
                    paths
                        .iter()
                        .flatten()
                        .for_each(|path| self.insert(sort, path.as_deref()));
                }
                self.arm(&Request::SetWatches(watches.one_shot.clone()), code);
            }
            Request::RemoveWatches(watches) if ok => {
                let path = watches.path.as_deref().unwrap_or("");
                for set in self.sets.values_mut() {
                    set.remove(path);
                }
            }
            _ => {}
        }
    }

    fn insert(&mut self, sort: &'static str, path: Option<&str>) {
        self.set(sort).insert(path.unwrap_or("").to_owned());
    }

    /// The sorts that an event can be due to; the one-shot ones among them are used up.
    fn fire(&mut self, kind: EventKind, path: &str, asked: Option<&Request<'_>>) -> Vec<&'static str> {
        if let Some(Request::SetWatches(_) | Request::SetWatches2(_)) = asked {
            return vec!["catching up"];
        }
        let mut sorts = Vec::new();
        let once: &[&'static str] = match kind {
            EventKind::NodeCreated => &[EXIST],
            EventKind::NodeDataChanged => &[DATA],
            EventKind::NodeChildrenChanged => &[CHILD],
            EventKind::NodeDeleted => &[DATA, CHILD],
        };
        for sort in once {
            if self.set(sort).remove(path) {
                sorts.push(*sort);
            }
        }
        if self.set(PERSISTENT).contains(path) {
            sorts.push(PERSISTENT);
        }
        let above = |set: &BTreeSet<String>| {
            set.iter().any(|top| {
                path == top
                    || path
                        .strip_prefix(top.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
            })
        };
        if kind != EventKind::NodeChildrenChanged && above(self.set(RECURSIVE)) {
            sorts.push(RECURSIVE);
        }
        sorts
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Answer(op, code) => write!(out, "{op} {code}"),
            Goal::Event(kind, sort) => write!(out, "{kind:?} {sort}"),
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (goal, count) in &self.counts {
            let (row, cell) = match goal {
                Goal::Answer(op, code) => ((*op).to_owned(), format!("{code} {count}")),
                Goal::Event(kind, sort) => (format!("event {kind:?}"), format!("{sort} {count}")),
            };
            rows.entry(row).or_default().push(cell);
        }
        for (row, cells) in rows {
            writeln!(out, "  {row:<28} {}", cells.join(" · "))?;
        }
        Ok(())
    }
}
