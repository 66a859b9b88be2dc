//! Who watches what, what is known about it, and what each reader has to be told: the deciding half of a session.
//!
//! Takes lists and changes, says which places must be watched from now on and which need not be any more, and puts
//! snapshots into the feeds of the readers. Knows no connection and no clock.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use orana_core::{Category, ServiceUrl, UrlPool};
use tokio::sync::oneshot;

use super::layout::{Place, check_interface, interface_of};
use super::listing::{Change, Listing};
use super::settings::Settings;
use crate::backend::Feed;
use crate::error::RegistryError;
use crate::query::Query;
use crate::snapshot::Snapshot;

/// Tells whoever began a watch that the first complete lists are in its feed, or why they never will be.
pub(super) type Ready = oneshot::Sender<Result<(), RegistryError>>;

/// Everything that is watched in one session.
pub(super) struct Watchlist {
    settings: Arc<Settings>,
    pool: Arc<UrlPool>,
    places: HashMap<Place, Known>,
    readers: HashMap<ReaderId, Reader>,
    /// Those whose first lists are not complete yet.
    waiting: BTreeSet<ReaderId>,
    next_reader: u64,
    /// Places about which readers have to be told something; bounded by the places watched.
    changed: Vec<(Place, Occasion)>,
}

/// A reader of this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ReaderId(u64);

/// What the session has to do with its watches.
#[derive(Debug, Default, PartialEq, Eq)]
#[must_use]
pub(super) struct Turnover {
    /// To be watched and read from now on.
    pub(super) begin: Vec<Place>,
    /// Not wanted any more.
    pub(super) end: Vec<Place>,
}

/// Why readers are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occasion {
    /// The whole list was read: said even if it is the same, because it is fresh.
    Read,
    /// Something came or went.
    Change,
}

struct Known {
    readers: BTreeSet<ReaderId>,
    /// Whether it was ever read in this session; only then its content means anything.
    read: bool,
    /// Whether the directory itself exists. A category without one is known to be empty.
    present: bool,
    content: Content,
}

enum Content {
    Interfaces(Vec<Arc<str>>),
    Urls(Listing),
}

struct Reader {
    query: Query,
    feed: Feed,
    ready: Option<Ready>,
    /// How many of its places were never read.
    missing: usize,
    told: HashMap<Arc<str>, Told>,
}

/// What a reader knows about an interface.
#[derive(Default)]
struct Told {
    /// Whether it was told anything; the first word is about every category.
    begun: bool,
    lists: HashMap<Category, Arc<[ServiceUrl]>>,
}

impl Watchlist {
    /// Nobody watches anything.
    pub(super) fn new(settings: Arc<Settings>, pool: Arc<UrlPool>) -> Watchlist {
        Watchlist {
            settings,
            pool,
            places: HashMap::new(),
            readers: HashMap::new(),
            waiting: BTreeSet::new(),
            next_reader: 0,
            changed: Vec::new(),
        }
    }

    /// Takes a new reader in.
    pub(super) fn enter(&mut self, query: Query, feed: Feed, ready: Ready) -> Turnover {
        let id = ReaderId(self.next_reader);
        self.next_reader += 1;
        let any = query.any_interface();
        let interface = Arc::clone(query.interface());
        let reader = Reader {
            query,
            feed,
            ready: Some(ready),
            missing: 0,
            told: HashMap::new(),
        };
        self.readers.insert(id, reader);
        self.waiting.insert(id);
        let mut turnover = Turnover::default();
        if any {
            self.want(id, Place::Root, &mut turnover);
            for interface in self.interfaces() {
                self.want_interface(id, &interface, &mut turnover);
            }
        } else {
            self.want_interface(id, &interface, &mut turnover);
        }
        // Somebody else may have had all of it read already.
        let first = self
            .readers
            .get(&id)
            .map(|reader| reader.told.keys().cloned().collect::<Vec<_>>());
        for interface in first.unwrap_or_default() {
            self.begin(id, &interface);
        }
        self.settle(id);
        turnover
    }

    /// Forgets a reader; one that is unknown is fine.
    pub(super) fn leave(&mut self, id: ReaderId) -> Turnover {
        let mut turnover = Turnover::default();
        self.waiting.remove(&id);
        if let Some(reader) = self.readers.remove(&id) {
            for interface in reader.told.keys() {
                for category in reader.query.categories() {
                    self.unwant(id, &Place::Category(Arc::clone(interface), *category), &mut turnover);
                }
            }
            self.unwant(id, &Place::Root, &mut turnover);
        }
        turnover
    }

    /// The whole list of a place was read: the names of its children, or `None` when there is no such directory.
    pub(super) fn read(&mut self, place: &Place, names: Option<&[String]>) -> Turnover {
        let mut turnover = Turnover::default();
        let Some(known) = self.places.get_mut(place) else {
            return turnover;
        };
        let first = !std::mem::replace(&mut known.read, true);
        known.present = names.is_some();
        let names = names.unwrap_or_default();
        let readers: Vec<_> = known.readers.iter().copied().collect();
        match &mut known.content {
            Content::Urls(listing) => {
                listing.replace(names.iter().map(String::as_str));
                self.changed.push((place.clone(), Occasion::Read));
            }
            Content::Interfaces(interfaces) => {
                let now: Vec<_> = names
                    .iter()
                    .filter_map(|name| interface_of(name))
                    .filter(|name| check_interface(name).is_ok())
                    .collect();
                let before = std::mem::replace(interfaces, now.clone());
                for id in &readers {
                    for interface in &now {
                        self.want_interface(*id, interface, &mut turnover);
                    }
                    for interface in before.iter().filter(|interface| !now.contains(interface)) {
                        self.unwant_interface(*id, interface, &mut turnover);
                    }
                }
            }
        }
        if first {
            for id in &readers {
                if let Some(reader) = self.readers.get_mut(id) {
                    reader.missing = reader.missing.saturating_sub(1);
                }
            }
        }
        turnover
    }

    /// One change of a place that was read. The readers are told by [`Watchlist::tell`].
    pub(super) fn change(&mut self, place: &Place, change: Change<'_>) {
        let Some(known) = self.places.get_mut(place) else {
            return;
        };
        let appeared = match change {
            Change::Came(_) => !std::mem::replace(&mut known.present, true),
            Change::Vanished => {
                known.present = false;
                false
            }
            Change::Went(_) => false,
        };
        let Content::Urls(listing) = &mut known.content else {
            return;
        };
        if (listing.apply(change) || appeared) && self.changed.last() != Some(&(place.clone(), Occasion::Change)) {
            self.changed.push((place.clone(), Occasion::Change));
        }
    }

    /// The directory of a place was made; what is in it follows.
    pub(super) fn appeared(&mut self, place: &Place) {
        if let Some(known) = self.places.get_mut(place)
            && !std::mem::replace(&mut known.present, true)
        {
            self.changed.push((place.clone(), Occasion::Change));
        }
    }

    /// A place cannot be read: whoever wants exactly that ends with this error. Whoever wants everything goes without.
    pub(super) fn refuse(&mut self, place: &Place, error: &RegistryError) -> Turnover {
        let mut turnover = Turnover::default();
        let readers = self
            .places
            .get(place)
            .map(|known| known.readers.clone())
            .unwrap_or_default();
        for id in readers {
            let tolerant = *place != Place::Root && self.readers.get(&id).is_some_and(|r| r.query.any_interface());
            if tolerant {
                self.unwant(id, place, &mut turnover);
                if let Place::Category(interface, _) = place {
                    self.begin(id, interface);
                }
                continue;
            }
            if let Some(ready) = self.readers.get_mut(&id).and_then(|reader| reader.ready.take()) {
                // Nobody may be waiting any more.
                let _ = ready.send(Err(error.clone()));
            }
            turnover.add(self.leave(id));
        }
        turnover
    }

    /// Those that still wait for their first lists get this error instead.
    pub(super) fn give_up(&mut self, error: &RegistryError) -> Turnover {
        let mut turnover = Turnover::default();
        for id in std::mem::take(&mut self.waiting) {
            if let Some(ready) = self.readers.get_mut(&id).and_then(|reader| reader.ready.take()) {
                let _ = ready.send(Err(error.clone()));
            }
            turnover.add(self.leave(id));
        }
        turnover
    }

    /// Tells the readers all that has changed since the last time.
    pub(super) fn tell(&mut self) {
        let mut begun_now = HashSet::new();
        for (place, occasion) in std::mem::take(&mut self.changed) {
            let Place::Category(interface, category) = &place else {
                continue;
            };
            let readers = self
                .places
                .get(&place)
                .map(|known| known.readers.clone())
                .unwrap_or_default();
            for id in readers {
                let told = self.readers.get(&id).and_then(|reader| reader.told.get(interface));
                if told.is_none_or(|told| !told.begun) {
                    self.begin(id, interface);
                    begun_now.insert((id, Arc::clone(interface)));
                } else if !begun_now.contains(&(id, Arc::clone(interface))) {
                    self.go_on(id, interface, *category, occasion);
                }
            }
        }
        for id in self.waiting.clone() {
            self.settle(id);
        }
    }

    /// Forgets the readers that are gone.
    pub(super) fn sweep(&mut self) -> Turnover {
        let gone: Vec<_> = self
            .readers
            .iter()
            .filter(|(_, r)| r.feed.is_unread())
            .map(|(id, _)| *id)
            .collect();
        let mut turnover = Turnover::default();
        for id in gone {
            turnover.add(self.leave(id));
        }
        turnover
    }

    /// How many children a place has as far as it is known.
    pub(super) fn count(&self, place: &Place) -> Option<usize> {
        let known = self.places.get(place).filter(|known| known.read)?;
        match &known.content {
            Content::Urls(listing) => Some(listing.len()),
            Content::Interfaces(_) => None,
        }
    }

    /// Every place that is watched.
    pub(super) fn places(&self) -> impl ExactSizeIterator<Item = &Place> {
        self.places.keys()
    }

    fn interfaces(&self) -> Vec<Arc<str>> {
        match self.places.get(&Place::Root).map(|known| &known.content) {
            Some(Content::Interfaces(interfaces)) => interfaces.clone(),
            _ => Vec::new(),
        }
    }

    fn want_interface(&mut self, id: ReaderId, interface: &Arc<str>, turnover: &mut Turnover) {
        let Some(reader) = self.readers.get_mut(&id) else {
            return;
        };
        reader.told.entry(Arc::clone(interface)).or_default();
        for category in reader.query.categories().to_vec() {
            self.want(id, Place::Category(Arc::clone(interface), category), turnover);
        }
    }

    fn unwant_interface(&mut self, id: ReaderId, interface: &Arc<str>, turnover: &mut Turnover) {
        let Some(reader) = self.readers.get_mut(&id) else {
            return;
        };
        reader.told.remove(interface);
        for category in reader.query.categories().to_vec() {
            self.unwant(id, &Place::Category(Arc::clone(interface), category), turnover);
        }
    }

    fn want(&mut self, id: ReaderId, place: Place, turnover: &mut Turnover) {
        let known = self.places.entry(place.clone()).or_insert_with(|| {
            turnover.begin.push(place.clone());
            Known {
                readers: BTreeSet::new(),
                read: false,
                present: false,
                content: match place {
                    Place::Root => Content::Interfaces(Vec::new()),
                    Place::Category(..) => Content::Urls(Listing::new(Arc::clone(&self.pool))),
                },
            }
        });
        if known.readers.insert(id)
            && !known.read
            && let Some(reader) = self.readers.get_mut(&id)
        {
            reader.missing += 1;
        }
    }

    fn unwant(&mut self, id: ReaderId, place: &Place, turnover: &mut Turnover) {
        let Some(known) = self.places.get_mut(place) else {
            return;
        };
        if known.readers.remove(&id)
            && !known.read
            && let Some(reader) = self.readers.get_mut(&id)
        {
            reader.missing = reader.missing.saturating_sub(1);
        }
        if known.readers.is_empty() {
            self.places.remove(place);
            turnover.end.push(place.clone());
        }
    }

    /// The first word about an interface: all of its categories, once all are read. A child of the root that has none of
    /// the directories of an interface is no interface, and nobody asked for it by name.
    fn begin(&mut self, id: ReaderId, interface: &Arc<str>) {
        let Some(reader) = self.readers.get_mut(&id) else {
            return;
        };
        let mut snapshot = Snapshot::new(Arc::clone(interface));
        let mut lists = HashMap::new();
        let mut present = !reader.query.any_interface();
        for category in reader.query.categories() {
            let place = Place::Category(Arc::clone(interface), *category);
            // One that is not watched is one that cannot be read: nothing is said about it.
            let Some(known) = self.places.get_mut(&place).filter(|known| known.readers.contains(&id)) else {
                continue;
            };
            if !known.read {
                return;
            }
            present |= known.present;
            if let Content::Urls(listing) = &mut known.content {
                let urls = listing.admitted(&reader.query);
                lists.insert(*category, Arc::clone(&urls));
                snapshot.set(*category, urls);
                listing.count_skipped(&mut snapshot.skipped, &self.settings.path(&place));
            }
        }
        if present && let Some(told) = reader.told.get_mut(interface) {
            *told = Told { begun: true, lists };
            reader.feed.put(snapshot);
        }
    }

    /// A later word: about one category.
    fn go_on(&mut self, id: ReaderId, interface: &Arc<str>, category: Category, occasion: Occasion) {
        let place = |category| Place::Category(Arc::clone(interface), category);
        let (Some(reader), Some(known)) = (self.readers.get_mut(&id), self.places.get_mut(&place(category))) else {
            return;
        };
        let (Some(told), Content::Urls(listing)) = (reader.told.get_mut(interface), &mut known.content) else {
            return;
        };
        let urls = listing.admitted(&reader.query);
        // A change among those that the query does not admit is none for this reader.
        if occasion == Occasion::Change && told.lists.get(&category) == Some(&urls) {
            return;
        }
        told.lists.insert(category, Arc::clone(&urls));
        let mut snapshot = Snapshot::new(Arc::clone(interface)).with(category, urls);
        // What is left out is counted over all categories: a reader keeps the last count only.
        for category in reader.query.categories() {
            let place = place(*category);
            if let Some(Content::Urls(listing)) = self.places.get(&place).map(|known| &known.content) {
                listing.count_skipped(&mut snapshot.skipped, &self.settings.path(&place));
            }
        }
        reader.feed.put(snapshot);
    }

    /// Says that the first lists are there, once they are.
    fn settle(&mut self, id: ReaderId) {
        if let Some(reader) = self.readers.get_mut(&id)
            && reader.missing == 0
            && let Some(ready) = reader.ready.take()
        {
            self.waiting.remove(&id);
            // Nobody may be waiting any more.
            let _ = ready.send(Ok(()));
        }
    }
}

impl Turnover {
    fn add(&mut self, more: Turnover) {
        self.begin.extend(more.begin);
        self.end.extend(more.end);
    }
}

#[cfg(test)]
mod tests;
