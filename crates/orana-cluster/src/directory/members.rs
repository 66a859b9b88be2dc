//! Everybody on the list once, and how it stands with each: found by URL or by number, with counts of what is asked for often, so that no
//! change of one looks at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use ahash::HashMap;
use orana_core::ServiceUrl;
use tokio::time::Instant;

use crate::endpoint::Endpoint;

/// Those who are listed, by number. A number is another one's only after its member went.
#[derive(Default)]
pub(super) struct Members {
    slots: Vec<Option<Member>>,
    free: Vec<u32>,
    by_url: HashMap<ServiceUrl, u32>,
    /// The number of the list that is being taken.
    list: u64,
    up: usize,
    /// How many at each address are connected to for the first time.
    untried: HashMap<Box<str>, usize>,
    aside: BTreeSet<(Instant, u32)>,
}

/// One that is listed.
pub(super) struct Member {
    url: ServiceUrl,
    original: ServiceUrl,
    known: Known,
    /// The last list that had it.
    list: u64,
}

/// How it stands with a member.
#[derive(Clone)]
pub(super) enum Known {
    Opening { failures: u32 },
    Up(Arc<Endpoint>),
    Aside { failures: u32, again_at: Instant },
}

impl Members {
    pub(super) fn len(&self) -> usize {
        self.by_url.len()
    }

    /// The member with that merged URL.
    pub(super) fn find(&self, url: &ServiceUrl) -> Option<u32> {
        self.by_url.get(url).copied()
    }

    pub(super) fn get(&self, index: u32) -> Option<&Member> {
        self.slots.get(index as usize)?.as_ref()
    }

    /// The endpoint, if it is up.
    pub(super) fn up(&self, index: u32) -> Option<&Arc<Endpoint>> {
        match &self.get(index)?.known {
            Known::Up(endpoint) => Some(endpoint),
            Known::Opening { .. } | Known::Aside { .. } => None,
        }
    }

    pub(super) fn anybody_up(&self) -> bool {
        self.up > 0
    }

    /// At least once.
    pub(super) fn everybody_tried(&self) -> bool {
        self.untried.is_empty()
    }

    /// Whether somebody at this address is connected to for the first time.
    pub(super) fn awaits(&self, address: &str) -> bool {
        self.untried.contains_key(address)
    }

    /// When somebody is to be tried again.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.aside.first().map(|(again_at, _)| *again_at)
    }

    /// Whom to try again now; they are being connected to from now on.
    pub(super) fn due(&mut self, now: Instant) -> Vec<ServiceUrl> {
        let due: Vec<u32> = self
            .aside
            .iter()
            .take_while(|(again_at, _)| *again_at <= now)
            .map(|(_, index)| *index)
            .collect();
        let mut urls = Vec::with_capacity(due.len());
        for index in due {
            let Some(member) = self.get(index) else { continue };
            let Known::Aside { failures, .. } = member.known else {
                continue;
            };
            urls.push(member.url.clone());
            self.set(index, Known::Opening { failures });
        }
        urls
    }

    /// Takes one that is not here yet.
    pub(super) fn add(&mut self, url: ServiceUrl, original: ServiceUrl, known: Known) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            // A list of more than 4 billion is beyond any memory.
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        self.note(index, &url, &known);
        self.by_url.insert(url.clone(), index);
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = Some(Member {
                url,
                original,
                known,
                list: 0,
            });
        }
        index
    }

    /// Says how it stands with a member now.
    pub(super) fn set(&mut self, index: u32, known: Known) {
        let Some(mut member) = self.slots.get_mut(index as usize).and_then(Option::take) else {
            return;
        };
        self.forget(index, &member);
        self.note(index, &member.url, &known);
        member.known = known;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = Some(member);
        }
    }

    /// Puts a member, registered as `original`, into the list that is being taken; whether it is not there already.
    pub(super) fn list(&mut self, index: u32, original: &ServiceUrl) -> bool {
        let list = self.list;
        let Some(Some(member)) = self.slots.get_mut(index as usize) else {
            return false;
        };
        let first = std::mem::replace(&mut member.list, list + 1) != list + 1;
        if first && !member.original.ptr_eq(original) {
            member.register_as(original);
        }
        first
    }

    /// Ends the list that was being taken: those of `before` that are not in it go. Gives their endpoints.
    pub(super) fn end_of_list(&mut self, before: impl Iterator<Item = u32>) -> Vec<Option<Arc<Endpoint>>> {
        self.list += 1;
        let list = self.list;
        let gone: Vec<u32> = before
            .filter(|index| self.get(*index).is_some_and(|member| member.list != list))
            .collect();
        gone.into_iter().map(|index| self.remove(index)).collect()
    }

    fn remove(&mut self, index: u32) -> Option<Arc<Endpoint>> {
        let member = self.slots.get_mut(index as usize)?.take()?;
        self.forget(index, &member);
        self.by_url.remove(&member.url);
        self.free.push(index);
        match member.known {
            Known::Up(endpoint) => Some(endpoint),
            Known::Opening { .. } | Known::Aside { .. } => None,
        }
    }

    /// Counts one in.
    fn note(&mut self, index: u32, url: &ServiceUrl, known: &Known) {
        match known {
            Known::Up(_) => self.up += 1,
            Known::Opening { failures: 0 } => *self.untried.entry(url.address().into()).or_default() += 1,
            Known::Opening { .. } => {}
            Known::Aside { again_at, .. } => {
                self.aside.insert((*again_at, index));
            }
        }
    }

    /// Counts one out.
    fn forget(&mut self, index: u32, member: &Member) {
        match &member.known {
            Known::Up(_) => self.up -= 1,
            Known::Opening { failures: 0 } => {
                let address = member.url.address();
                if let Some(count) = self.untried.get_mut(&*address) {
                    *count -= 1;
                    if *count == 0 {
                        self.untried.remove(&*address);
                    }
                }
            }
            Known::Opening { .. } => {}
            Known::Aside { again_at, .. } => {
                self.aside.remove(&(*again_at, index));
            }
        }
    }
}

impl Member {
    /// What it was registered as.
    pub(super) fn original(&self) -> &ServiceUrl {
        &self.original
    }

    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    fn register_as(&mut self, original: &ServiceUrl) {
        if self.original != *original
            && let Known::Up(endpoint) = &mut self.known
        {
            *endpoint = Arc::new(endpoint.registered_as(original.clone()));
        }
        self.original = original.clone();
    }
}
