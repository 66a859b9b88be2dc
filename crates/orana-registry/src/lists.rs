//! What a subscriber is told, made of what the registry says: the memory of one subscription, and the judgement whether an
//! empty or a shorter list is believed. Decides only; time is an argument.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use orana_core::{Category, ServiceUrl};
use tokio::time::Instant;

use crate::notification::{Freshness, Kept, List, Notification, Service, Standing};
use crate::query::Query;
use crate::snapshot::{Origin, Snapshot};

/// What to do when the registry says that there is no provider where there were some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEmpty {
    /// Believe it at once, as Dubbo does.
    Trust,
    /// Keep the last providers for that long before it is believed; `None` is for ever.
    Keep(Option<Duration>),
}

/// When a list is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trust {
    pub(crate) on_empty: OnEmpty,
    /// How long providers are kept that the first list of a new session lacks, or that go just after the link came back.
    pub(crate) grace: Duration,
}

/// The memory of one subscription.
#[derive(Debug)]
pub(crate) struct Lists {
    query: Query,
    trust: Trust,
    services: BTreeMap<Arc<str>, Known>,
    /// Whether the registry, or a disk, has spoken at all.
    origin: Option<Origin>,
    /// The newest session heard of.
    epoch: Option<u64>,
    link: LinkSeen,
}

/// What matters of the link.
#[derive(Debug)]
enum LinkSeen {
    /// Not up: what comes from the registry now comes because it is back, and that will be told soon.
    Lost,
    /// Back in the same session, at that time.
    Back { at: Instant },
    /// Up since the session began.
    Whole,
}

#[derive(Debug)]
struct Known {
    /// The session of the last list; `None` for one from a disk.
    epoch: Option<u64>,
    service: Arc<Service>,
    retained: Option<Retained>,
}

/// Providers that count although the registry does not list them.
#[derive(Debug)]
struct Retained {
    why: Kept,
    urls: Vec<ServiceUrl>,
    /// What the registry does list.
    listed: Arc<[ServiceUrl]>,
    until: Option<Instant>,
}

impl Lists {
    pub(crate) fn new(query: Query, trust: Trust) -> Lists {
        Lists {
            query,
            trust,
            services: BTreeMap::new(),
            origin: None,
            epoch: None,
            link: LinkSeen::Whole,
        }
    }

    /// The link is not up any more.
    pub(crate) fn link_lost(&mut self) {
        self.link = LinkSeen::Lost;
    }

    /// The link is up again.
    pub(crate) fn link_back(&mut self, same_session: bool, now: Instant) {
        self.link = match same_session {
            true => LinkSeen::Back { at: now },
            false => LinkSeen::Whole,
        };
    }

    /// Nobody has said anything.
    pub(crate) fn is_unknown(&self) -> bool {
        self.origin.is_none()
    }

    /// Takes a snapshot that was read in session `epoch`; `None` is one from a disk. `true` when subscribers are to be told.
    pub(crate) fn take(&mut self, snapshot: Snapshot, epoch: Option<u64>, now: Instant) -> bool {
        // The last words of an old session may come after the first ones of the new.
        if epoch < self.epoch {
            return false;
        }
        self.epoch = epoch;
        let mut changed = self.origin != Some(snapshot.origin);
        self.origin = Some(snapshot.origin);
        let known = self.services.entry(Arc::clone(&snapshot.interface)).or_insert_with(|| {
            changed = true;
            Known {
                epoch: None,
                service: Arc::new(Service {
                    interface: Arc::clone(&snapshot.interface),
                    lists: Vec::new(),
                    skipped: Default::default(),
                }),
                retained: None,
            }
        });
        let why = match (known.epoch, &self.link) {
            (Some(before), _) if Some(before) != epoch => Some((Kept::NewSession, now)),
            (Some(_), LinkSeen::Lost) => Some((Kept::LinkBack, now)),
            (Some(_), LinkSeen::Back { at }) => Some((Kept::LinkBack, *at)),
            _ => None,
        };
        let doubt = why
            .map(|(why, since)| (why, since + self.trust.grace))
            .filter(|(_, until)| *until > now);
        known.epoch = epoch;
        let mut lists = known.service.lists.clone();
        for (category, urls) in snapshot.categories {
            if !self.query.categories().contains(&category) {
                continue;
            }
            let mut urls = admitted(&self.query, category, urls);
            let before = lists
                .iter()
                .find(|list| list.category == category)
                .map(|list| &list.urls);
            let mut standing = Standing::Listed;
            if category == Category::Providers {
                let before = before.map_or(&[][..], |list| list);
                known.retained = retain(known.retained.take(), before, &urls, doubt, self.trust.on_empty, now);
                if let Some(retained) = &known.retained {
                    standing = retained.standing();
                    urls = retained.shown();
                }
            }
            let list = List {
                category,
                urls,
                standing,
            };
            match lists.iter_mut().find(|list| list.category == category) {
                Some(before) if *before == list => {}
                Some(before) => {
                    *before = list;
                    changed = true;
                }
                None => {
                    lists.push(list);
                    changed = true;
                }
            }
        }
        changed |= known.service.skipped != snapshot.skipped;
        if changed {
            known.service = Arc::new(Service {
                interface: snapshot.interface,
                lists,
                skipped: snapshot.skipped,
            });
        }
        changed
    }

    /// All snapshots of a new watch are there: an interface that none of them was about has nothing any more.
    pub(crate) fn complete(&mut self, epoch: u64, now: Instant) -> bool {
        let mut changed = self.origin != Some(Origin::Registry);
        self.origin = Some(Origin::Registry);
        let silent: Vec<Arc<str>> = self
            .services
            .iter()
            .filter(|(_, known)| known.epoch != Some(epoch))
            .map(|(interface, _)| Arc::clone(interface))
            .collect();
        for interface in silent {
            let mut nothing = Snapshot::new(interface);
            for category in self.query.categories() {
                nothing.set(*category, Arc::from([]));
            }
            changed |= self.take(nothing, Some(epoch), now);
        }
        changed
    }

    /// When [`Lists::expire`] has something to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.services
            .values()
            .filter_map(|known| known.retained.as_ref()?.until)
            .min()
    }

    /// Believes the registry wherever the time for doubt is over. `true` when subscribers are to be told.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let mut changed = false;
        for known in self.services.values_mut() {
            let over = |retained: &mut Retained| retained.until.is_some_and(|until| until <= now);
            let Some(retained) = known.retained.take_if(over) else {
                continue;
            };
            let mut service = Service::clone(&known.service);
            for list in &mut service.lists {
                if list.category == Category::Providers {
                    list.urls = Arc::clone(&retained.listed);
                    list.standing = Standing::Listed;
                }
            }
            known.service = Arc::new(service);
            changed = true;
        }
        changed
    }

    /// What there is to tell.
    pub(crate) fn notification(&self) -> Notification {
        Notification {
            services: self.services.values().map(|known| Arc::clone(&known.service)).collect(),
            freshness: match self.origin {
                None => Freshness::NotReady,
                Some(Origin::Disk) => Freshness::FromDisk,
                Some(Origin::Registry) => Freshness::Fresh,
            },
        }
    }
}

impl Retained {
    fn standing(&self) -> Standing {
        Standing::Kept {
            why: self.why,
            listed: self.listed.len(),
            until: self.until,
        }
    }

    fn shown(&self) -> Arc<[ServiceUrl]> {
        self.listed.iter().chain(&self.urls).cloned().collect()
    }
}

/// Decides who is kept, now that `listed` replaces `before`; `doubt` says why it may lack providers that live, and until when that is so.
fn retain(
    doubts: Option<Retained>,
    before: &[ServiceUrl],
    listed: &Arc<[ServiceUrl]>,
    doubt: Option<(Kept, Instant)>,
    on_empty: OnEmpty,
    now: Instant,
) -> Option<Retained> {
    // Those whose time is over do not count any more, although nobody has been told yet.
    let over = doubts
        .as_ref()
        .filter(|doubts| doubts.until.is_some_and(|until| until <= now));
    let over = over.map(|over| Arc::clone(&over.listed));
    let before = over.as_deref().unwrap_or(before);
    let missing = |among: &[ServiceUrl]| -> Vec<ServiceUrl> {
        let present: HashSet<_> = listed.iter().map(place).collect();
        among
            .iter()
            .filter(|url| !present.contains(&place(url)))
            .cloned()
            .collect()
    };
    let kept = |why, urls: Vec<ServiceUrl>, until| {
        (!urls.is_empty()).then(|| Retained {
            why,
            urls,
            listed: Arc::clone(listed),
            until,
        })
    };
    let doubts = doubts.filter(|doubts| doubts.until.is_none_or(|until| until > now));
    if listed.is_empty()
        && let OnEmpty::Keep(period) = on_empty
    {
        return match doubts {
            // The time of the first cause counts.
            Some(doubts) if doubts.why == Kept::Empty => kept(Kept::Empty, doubts.urls, doubts.until),
            _ => kept(Kept::Empty, before.to_vec(), period.map(|period| now + period)),
        };
    }
    match doubts {
        // The time of the first cause counts, so that a link that comes and goes keeps nobody for ever.
        Some(doubts) if doubts.why != Kept::Empty => {
            let among = if doubt.is_some() { before } else { &doubts.urls };
            kept(doubts.why, missing(among), doubts.until)
        }
        _ => doubt.and_then(|(why, until)| kept(why, missing(before), Some(until))),
    }
}

/// What makes two registrations the same provider: everything but when and by which process it was written.
fn place(url: &ServiceUrl) -> impl Eq + Hash + use<'_> {
    let own = ["group", "version"].map(|key| url.parameter(key));
    (url.protocol(), url.host(), url.port(), url.path(), own)
}

/// Those that answer the query. A provider that restarted is listed twice until its old session ends, with another
/// timestamp: only the newest counts.
fn admitted(query: &Query, category: Category, urls: Arc<[ServiceUrl]>) -> Arc<[ServiceUrl]> {
    let stale = match category {
        Category::Providers => outdated(&urls),
        _ => HashSet::new(),
    };
    let counts = |index: usize, url: &ServiceUrl| !stale.contains(&index) && query.admits(url);
    if urls.iter().enumerate().all(|(index, url)| counts(index, url)) {
        return urls;
    }
    let counted = urls.iter().enumerate().filter(|(index, url)| counts(*index, url));
    counted.map(|(_, url)| url.clone()).collect()
}

/// The places in the list of those that differ from a newer one in nothing but `timestamp` and `pid`.
fn outdated(urls: &[ServiceUrl]) -> HashSet<usize> {
    let mut newest: HashMap<_, Vec<usize>> = HashMap::with_capacity(urls.len());
    let mut stale = HashSet::new();
    for (index, url) in urls.iter().enumerate() {
        let others = newest.entry(place(url)).or_default();
        let same = others
            .iter_mut()
            .find(|other| urls.get(**other).is_some_and(|other| lasting(other).eq(lasting(url))));
        match same {
            None => others.push(index),
            Some(other) => {
                let written = |index: usize| urls.get(index).and_then(|url| url.number::<u64>("timestamp"));
                let (old, new) = if written(*other) <= written(index) {
                    (*other, index)
                } else {
                    (index, *other)
                };
                stale.insert(old);
                *other = new;
            }
        }
    }
    stale
}

fn lasting(url: &ServiceUrl) -> impl Iterator<Item = (&str, &str)> {
    url.parameters().filter(|(key, _)| !matches!(*key, "timestamp" | "pid"))
}
