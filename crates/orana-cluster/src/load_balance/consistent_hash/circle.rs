//! The circle of a list of providers, and how it changes when the list does.
//!
//! ```text
//!   point ──▶ bucket (by its highest bits) ──▶ entries, ascending: point | slot        slot ──▶ place in the list
//! ```
//!
//! Buckets are shared between versions: when one provider of 10,000 goes, the few hundred buckets with its points are made anew, and
//! nobody else's points are computed again.

use std::sync::Arc;

use ahash::{HashMap, HashMapExt};

use super::points;
use crate::endpoint::Endpoint;

/// How many entries a bucket has about.
const PER_BUCKET: usize = 256;

/// No place: the slot is free.
const NOWHERE: u32 = u32::MAX;

/// The circle of one version of a list.
pub(super) struct Circle {
    nodes: u32,
    /// By the highest bits of points; a power of two.
    buckets: Arc<[Arc<[u64]>]>,
    /// Whose points bear the number of a slot.
    addresses: Vec<Option<Arc<str>>>,
    /// The slot of each provider of the list; each has its own, several with one address too.
    slots: Vec<u32>,
    /// The place in the list of each slot.
    places: Vec<u32>,
}

/// One point of a provider: the point above, the slot or place below, so that they sort by point.
pub(super) fn entry(point: u32, bearer: u32) -> u64 {
    u64::from(point) << 32 | u64::from(bearer)
}

fn point(entry: u64) -> u32 {
    (entry >> 32) as u32
}

/// The slot or place.
fn bearer(entry: u64) -> u32 {
    entry as u32
}

impl Circle {
    /// Of nobody.
    pub(super) fn empty(nodes: u32) -> Circle {
        Circle {
            nodes,
            buckets: Arc::new([Arc::new([])]),
            addresses: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
        }
    }

    /// How many points each provider has.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Whether it is that of exactly these providers in this order.
    pub(super) fn is_of(&self, list: &[Arc<Endpoint>]) -> bool {
        self.slots.len() == list.len() && self.common_start(list) == list.len()
    }

    /// That of `list`, by way of the difference.
    pub(super) fn changed_to(&self, list: &[Arc<Endpoint>]) -> Circle {
        let start = self.common_start(list);
        let end = self.common_end(list, start);
        let mut addresses = self.addresses.clone();
        let middle = self.slots.get(start..self.slots.len() - end).unwrap_or_default();
        let mut known: HashMap<Arc<str>, u32> = HashMap::with_capacity(middle.len());
        for slot in middle {
            if let Some(Some(address)) = addresses.get(*slot as usize) {
                known.insert(Arc::clone(address), *slot);
            }
        }
        let mut free = (0..)
            .zip(&self.addresses)
            .filter(|(_, one)| one.is_none())
            .map(|(slot, _)| slot);
        let mut added = Vec::new();
        let mut slots = Vec::with_capacity(list.len());
        slots.extend(self.slots.iter().take(start));
        for endpoint in list.iter().take(list.len() - end).skip(start) {
            let address = endpoint.address();
            let slot = known.remove(address).unwrap_or_else(|| {
                let slot = free.next().unwrap_or(addresses.len() as u32);
                match addresses.get_mut(slot as usize) {
                    Some(place) => *place = Some(Arc::clone(address)),
                    None => addresses.push(Some(Arc::clone(address))),
                }
                added.push(slot);
                slot
            });
            slots.push(slot);
        }
        slots.extend(self.slots.iter().skip(self.slots.len() - end));

        let mut places = vec![NOWHERE; addresses.len()];
        for (place, slot) in (0..).zip(&slots) {
            if let Some(of_slot) = places.get_mut(*slot as usize) {
                *of_slot = place;
            }
        }
        let (change, gone) = self.change(&added, &places, &addresses);
        for slot in gone {
            if let Some(address) = addresses.get_mut(slot) {
                *address = None;
            }
        }
        let points = (slots.len() * self.nodes as usize).max(1);
        Circle {
            nodes: self.nodes,
            buckets: self.changed_buckets(change, &places, points),
            addresses,
            slots,
            places,
        }
    }

    /// The place in the list of the first provider from `key` on, clockwise, that `may` be called.
    ///
    /// Of several providers with the same point it is the last of the list, since in Java each takes over the point from the one before.
    pub(super) fn first_from(&self, key: u32, may: impl Fn(usize) -> bool) -> Option<usize> {
        let place = |entry: u64| {
            let place = *self.places.get(bearer(entry) as usize)?;
            (place != NOWHERE && may(place as usize)).then_some(place)
        };
        let home = bucket_of(key, self.buckets.len());
        let (before, from) = self.buckets.split_at_checked(home)?;
        let (own, after) = from.split_first()?;
        let (behind, ahead) = own.split_at_checked(own.partition_point(|entry| point(*entry) < key))?;
        let mut parts = std::iter::once(ahead)
            .chain(after.iter().map(|bucket| &**bucket))
            .chain(before.iter().map(|bucket| &**bucket))
            .chain(std::iter::once(behind));
        parts.find_map(|part| first_of(part, place))
    }

    fn common_start(&self, list: &[Arc<Endpoint>]) -> usize {
        let mut pairs = self.slots.iter().zip(list);
        pairs
            .position(|(slot, endpoint)| !self.is_at(*slot, endpoint))
            .unwrap_or(self.slots.len().min(list.len()))
    }

    fn common_end(&self, list: &[Arc<Endpoint>], start: usize) -> usize {
        let most = self.slots.len().min(list.len()) - start;
        let mut pairs = self.slots.iter().rev().zip(list.iter().rev()).take(most);
        pairs
            .position(|(slot, endpoint)| !self.is_at(*slot, endpoint))
            .unwrap_or(most)
    }

    fn is_at(&self, slot: u32, endpoint: &Endpoint) -> bool {
        let address = self.addresses.get(slot as usize).and_then(Option::as_ref);
        address.is_some_and(|address| Arc::ptr_eq(address, endpoint.address()) || address == endpoint.address())
    }

    /// The entries to add and the points of those who are gone, ascending, each with whether it is added; and the slots of the latter.
    fn change(&self, added: &[u32], places: &[u32], addresses: &[Option<Arc<str>>]) -> (Vec<(u64, bool)>, Vec<usize>) {
        let mut gone: Vec<usize> = Vec::new();
        let mut change = Vec::with_capacity(added.len() * self.nodes as usize);
        let mut with_points = |slot: u32, adds: bool| {
            if let Some(Some(address)) = addresses.get(slot as usize) {
                change.extend(points::of_provider(address, self.nodes).map(|point| (entry(point, slot), adds)));
            }
        };
        for slot in added {
            with_points(*slot, true);
        }
        for (slot, place) in (0..self.addresses.len() as u32).zip(places) {
            let was_there = self.addresses.get(slot as usize).is_some_and(Option::is_some);
            if *place == NOWHERE && was_there {
                with_points(slot, false);
                gone.push(slot as usize);
            }
        }
        change.sort_unstable();
        (change, gone)
    }

    /// The buckets after `change`, in a number that suits so many `points`.
    fn changed_buckets(&self, change: Vec<(u64, bool)>, places: &[u32], points: usize) -> Arc<[Arc<[u64]>]> {
        if change.is_empty() {
            return Arc::clone(&self.buckets);
        }
        let stays = |entry: &u64| {
            places
                .get(bearer(*entry) as usize)
                .is_some_and(|place| *place != NOWHERE)
        };
        let suitable = points.div_ceil(PER_BUCKET).next_power_of_two();
        let now = self.buckets.len();
        if suitable > now * 2 || suitable * 4 < now {
            let old = self
                .buckets
                .iter()
                .flat_map(|bucket| bucket.iter().copied())
                .filter(stays);
            let new = change.into_iter().filter(|(_, adds)| *adds).map(|(entry, _)| entry);
            let mut all: Vec<u64> = old.chain(new).collect();
            all.sort_unstable();
            let cut = all.chunk_by(|one, other| bucket_of(point(*one), suitable) == bucket_of(point(*other), suitable));
            let nothing: Arc<[u64]> = Arc::new([]);
            let mut buckets: Vec<Arc<[u64]>> = std::iter::repeat_n(nothing, suitable).collect();
            for entries in cut {
                let home = entries.first().map_or(0, |first| bucket_of(point(*first), suitable));
                if let Some(bucket) = buckets.get_mut(home) {
                    *bucket = entries.into();
                }
            }
            return buckets.into();
        }
        let mut buckets = self.buckets.to_vec();
        let cut = change.chunk_by(|(one, _), (other, _)| bucket_of(point(*one), now) == bucket_of(point(*other), now));
        for changes in cut {
            let home = changes.first().map_or(0, |(first, _)| bucket_of(point(*first), now));
            if let Some(bucket) = buckets.get_mut(home) {
                let mut new = changes
                    .iter()
                    .filter(|(_, adds)| *adds)
                    .map(|(entry, _)| *entry)
                    .peekable();
                let mut entries = Vec::with_capacity(bucket.len() + changes.len());
                for old in bucket.iter().copied().filter(stays) {
                    while let Some(entry) = new.next_if(|entry| *entry < old) {
                        entries.push(entry);
                    }
                    entries.push(old);
                }
                entries.extend(new);
                *bucket = entries.into();
            }
        }
        buckets.into()
    }
}

/// The place of the first provider from `key` on among these entries of places, clockwise; the same rule for equal points.
pub(super) fn first_among(entries: &[u64], key: u32, may: impl Fn(usize) -> bool) -> Option<usize> {
    let place = |entry: u64| may(bearer(entry) as usize).then(|| bearer(entry));
    let (behind, ahead) = entries.split_at_checked(entries.partition_point(|entry| point(*entry) < key))?;
    first_of(ahead, place).or_else(|| first_of(behind, place))
}

/// The greatest place at the first point that has one.
fn first_of(entries: &[u64], place: impl Fn(u64) -> Option<u32>) -> Option<usize> {
    let mut rest = entries.iter();
    let (first, mut greatest) = rest.find_map(|entry| Some((point(*entry), place(*entry)?)))?;
    for entry in rest.take_while(|entry| point(**entry) == first) {
        greatest = greatest.max(place(*entry).unwrap_or(0));
    }
    Some(greatest as usize)
}

/// The place among so many buckets, a power of two, by the highest bits.
fn bucket_of(point: u32, buckets: usize) -> usize {
    ((u64::from(point) * buckets as u64) >> 32) as usize
}

#[cfg(test)]
impl Circle {
    /// How many buckets are the same ones.
    pub(super) fn shared_with(&self, other: &Circle) -> usize {
        let pairs = self.buckets.iter().zip(other.buckets.iter());
        pairs.filter(|(one, other)| Arc::ptr_eq(one, other)).count()
    }
}
