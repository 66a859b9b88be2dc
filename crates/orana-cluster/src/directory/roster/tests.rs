//! The roster beside a naive one that works every list through from the beginning.

use std::collections::HashMap;

use indexmap::IndexMap;
use orana_core::{BoxFuture, RpcErrorCode};
use proptest::prelude::*;

use super::*;
use crate::Configurator;
use crate::endpoint::tests::Silent;

/// Even ports are connected at once, odd ones have to be opened.
struct Net;

impl Connector for Net {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        Box::pin(async move { Ok(Silent::at(url) as Arc<dyn Invoker>) })
    }

    fn connected(&self, url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        is_connected(url).then(|| Silent::at(url) as Arc<dyn Invoker>)
    }

    fn supports(&self, protocol: &str) -> bool {
        protocol == "dubbo"
    }
}

fn is_connected(url: &ServiceUrl) -> bool {
    url.port().is_some_and(|port| port % 2 == 0)
}

/// Sets a parameter for ports that are multiples of a number.
struct Sets(&'static str, &'static str, u16);

impl Configurator for Sets {
    fn configure(&self, url: &ServiceUrl) -> ServiceUrl {
        match url.port().is_some_and(|port| port % self.2 == 0) {
            true => url.edit().set(self.0, self.1).build(),
            false => url.clone(),
        }
    }
}

/// What happens.
#[derive(Clone, Debug)]
enum Event {
    /// A list of these entries; of every one that is marked an object of another making.
    List(Vec<(u16, bool)>),
    /// The list before without one entry, and with a new one at its end.
    Change(prop::sample::Index, u16),
    /// The list before backwards.
    Turn,
    /// The list before, all of its entries made anew.
    Again,
    Nobody,
    Useless,
    Configure(usize),
    /// The end of an opening.
    Opened(prop::sample::Index, bool),
    Later,
}

fn event() -> impl Strategy<Value = Event> {
    let entries = || prop::collection::vec((0..60_u16, prop::bool::weighted(0.2)), 1..50);
    prop_oneof![
        2 => entries().prop_map(Event::List),
        4 => (any::<prop::sample::Index>(), 0..60_u16).prop_map(|(index, entry)| Event::Change(index, entry)),
        1 => Just(Event::Turn),
        1 => Just(Event::Again),
        1 => prop_oneof![Just(Event::Nobody), Just(Event::Useless)],
        2 => (0..4_usize).prop_map(Event::Configure),
        6 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(index, up)| Event::Opened(index, up)),
        1 => Just(Event::Later),
    ]
}

/// One of the entries that registries list. Every third is another URL of the same provider, which differs in what a merged URL leaves out.
fn entry(number: u16) -> ServiceUrl {
    let port = number / 3 + 1;
    let text = match (number % 3, port % 7) {
        (0, 5) => format!("tri://h:{port}/i"),
        (0, 6) => format!("dubbo://h:{port}/i?disabled=true"),
        (0, _) => format!("dubbo://h:{port}/i?methods=say"),
        (1, _) => format!("dubbo://h:{port}/i?methods=say&threads=9"),
        (_, _) => format!("dubbo://h:{port}/i?methods=say,hear&weight=7"),
    };
    ServiceUrl::parse(&text).unwrap()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Opening(u32),
    Up,
    Aside(u32),
}

/// Everything from the beginning, every time.
#[derive(Default)]
struct Naive {
    governance: Governance,
    told: Option<Arc<[ServiceUrl]>>,
    registered: usize,
    listed: IndexMap<ServiceUrl, (ServiceUrl, Status)>,
    leaving: Vec<(ServiceUrl, ServiceUrl)>,
}

impl Naive {
    fn accept(&mut self, providers: &Arc<[ServiceUrl]>, consumer: &ServiceUrl) -> Vec<ServiceUrl> {
        self.told = Some(Arc::clone(providers));
        if providers.is_empty() {
            *self = Naive {
                governance: self.governance.clone(),
                told: self.told.take(),
                ..Naive::default()
            };
            return Vec::new();
        }
        let mut listed = IndexMap::new();
        let mut open = Vec::new();
        for provider in providers.iter().filter(|url| unusable(url, consumer, &Net).is_none()) {
            let url = as_called(provider, consumer, &self.governance);
            if is_disabled(&url) || listed.contains_key(&url) {
                continue;
            }
            let status = match self.listed.get(&url) {
                Some((_, status)) => *status,
                None if is_connected(&url) => Status::Up,
                None => {
                    open.push(url.clone());
                    Status::Opening(0)
                }
            };
            listed.insert(url, (provider.clone(), status));
        }
        if listed.is_empty() {
            return Vec::new();
        }
        self.registered = providers.len();
        let before = std::mem::replace(&mut self.listed, listed);
        let gone = before.into_iter().filter(|(url, _)| !self.listed.contains_key(url));
        let up = gone.filter(|(_, (_, status))| *status == Status::Up);
        self.leaving.extend(up.map(|(url, (original, _))| (url, original)));
        open
    }

    fn untried(&self) -> impl Iterator<Item = &ServiceUrl> {
        let untried = self
            .listed
            .iter()
            .filter(|(_, (_, status))| *status == Status::Opening(0));
        untried.map(|(url, _)| url)
    }

    fn up(&self) -> impl Iterator<Item = (ServiceUrl, ServiceUrl)> {
        let up = self.listed.iter().filter(|(_, (_, status))| *status == Status::Up);
        up.map(|(url, (original, _))| (url.clone(), original.clone()))
    }

    fn is_settled(&self) -> bool {
        self.told.is_some() && (self.up().next().is_some() || self.untried().next().is_none())
    }

    /// Those in their order, then those of the list before, sorted.
    fn list(&mut self) -> Vec<(String, String)> {
        if self.up().next().is_some() || self.untried().next().is_none() {
            let awaited: Vec<String> = self.untried().map(ServiceUrl::address).collect();
            self.leaving.retain(|(url, _)| awaited.contains(&url.address()));
        }
        let mut leaving: Vec<_> = self.leaving.iter().map(texts).collect();
        leaving.sort();
        self.up().map(|pair| texts(&pair)).chain(leaving).collect()
    }
}

fn texts((url, original): &(ServiceUrl, ServiceUrl)) -> (String, String) {
    (url.full_text(), original.full_text())
}

fn governance(number: usize) -> Governance {
    let sets: Option<Arc<dyn Configurator>> = match number {
        0 => None,
        1 => Some(Arc::new(Sets("weight", "3", 1))),
        2 => Some(Arc::new(Sets("disabled", "true", 3))),
        _ => Some(Arc::new(Sets("mock", "force:return", 2))),
    };
    Governance {
        configurator: sets,
        ..Governance::default()
    }
}

proptest! {
    #[test]
    fn a_list_that_is_changed_is_the_one_that_is_made_from_the_beginning(events in prop::collection::vec(event(), 1..40)) {
        let objects: Vec<ServiceUrl> = (0..60).map(entry).collect();
        let rules: Vec<Governance> = (0..4).map(governance).collect();
        let consumer = ServiceUrl::parse("consumer://me/i?timeout=5").unwrap();
        let mut roster = Roster::new(consumer.clone(), Arc::new(Net), DirectoryOptions::default());
        let mut naive = Naive::default();
        let mut opening: Vec<ServiceUrl> = Vec::new();
        let mut now = Instant::now();
        for event in events {
            let told = naive.told.clone().unwrap_or_default();
            let next: Option<Arc<[ServiceUrl]>> = match event {
                Event::List(entries) => Some(entries.iter().map(|(number, anew)| match anew {
                    true => entry(*number),
                    false => objects[usize::from(*number)].clone(),
                }).collect()),
                Event::Change(index, number) => {
                    let mut entries = told.to_vec();
                    if !entries.is_empty() {
                        entries.remove(index.index(entries.len()));
                    }
                    entries.push(objects[usize::from(number)].clone());
                    Some(entries.into())
                }
                Event::Turn => Some(told.iter().rev().cloned().collect()),
                Event::Again => Some(told.iter().map(|url| ServiceUrl::parse(&url.full_text()).unwrap()).collect()),
                Event::Nobody => Some(Arc::default()),
                Event::Useless => Some(Arc::from([ServiceUrl::parse("tri://h:1/i").unwrap()])),
                Event::Configure(number) => {
                    naive.governance = rules[number].clone();
                    roster.govern(rules[number].clone()).then_some(told).filter(|_| naive.told.is_some())
                }
                Event::Opened(index, up) => {
                    if !opening.is_empty() {
                        let url = opening.swap_remove(index.index(opening.len()));
                        let outcome = match up {
                            true => Ok(Silent::at(&url) as Arc<dyn Invoker>),
                            false => Err(RpcError::new(RpcErrorCode::Network, "refused")),
                        };
                        roster.opened(&url, outcome, now, 0);
                        if let Some((_, status @ Status::Opening(_))) = naive.listed.get_mut(&url) {
                            let Status::Opening(failures) = *status else { unreachable!() };
                            *status = if up { Status::Up } else { Status::Aside(failures + 1) };
                        }
                    }
                    None
                }
                Event::Later => {
                    now += Duration::from_secs(60);
                    let due = roster.due(now);
                    let mut expected = 0;
                    for (url, (_, status)) in &mut naive.listed {
                        if let Status::Aside(failures) = *status {
                            *status = Status::Opening(failures);
                            prop_assert!(due.contains(url));
                            expected += 1;
                        }
                    }
                    prop_assert_eq!(due.len(), expected);
                    opening.extend(due);
                    None
                }
            };
            if let Some(next) = next {
                let (open, _) = roster.accept(&next);
                prop_assert_eq!(&open, &naive.accept(&next, &consumer));
                opening.retain(|url| roster.is_opening(url));
                opening.extend(open);
            }
            let list = roster.list();
            prop_assert_eq!(roster.is_settled(), naive.is_settled());
            let expected = naive.list();
            let up = naive.up().count();
            let mut found: Vec<_> = list.endpoints().iter().map(|endpoint| {
                texts(&(endpoint.url().clone(), endpoint.original().clone()))
            }).collect();
            found[up.min(list.endpoints().len())..].sort();
            prop_assert_eq!(found, expected);
            prop_assert_eq!((list.listed(), list.registered()), (naive.listed.len(), naive.registered));
            let aside = naive.listed.values().any(|(_, status)| matches!(status, Status::Aside(_)));
            prop_assert_eq!(roster.next_due().is_some(), aside);
            let mut shared: HashMap<&str, &Arc<str>> = HashMap::new();
            for methods in list.endpoints().iter().filter_map(|endpoint| endpoint.methods()) {
                prop_assert!(Arc::ptr_eq(shared.entry(methods).or_insert(methods), methods));
            }
        }
    }
}
