//! `consistenthash`: equal arguments go to the same provider, whoever asks (`ConsistentHashLoadBalance`).
//!
//! Clients in Java and here must agree, so `points` and the way keys are made follow Java exactly, and weights do not count. How the circle
//! is kept is our own: Java makes it anew for each method and each change of a list.

mod circle;
mod points;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use md5::{Digest, Md5};
use parking_lot::Mutex;

use self::circle::{Circle, entry, first_among};
use super::LoadBalance;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// `hash.nodes` unless it is set.
const DEFAULT_NODES: u32 = 160;

/// The most points of one provider; a rule may say anything.
const MOST_NODES: u32 = 1 << 14;

/// The most points of a circle.
const MOST_POINTS: usize = 1 << 24;

/// With no more points than this, candidates have a circle of their own instead of a share in that of the whole list.
const FEW_POINTS: usize = 4_096;

/// The most circles, one for each number of nodes; methods with yet another one use the circle of the others.
const MOST_CIRCLES: usize = 4;

/// The most arguments that make up a key.
const MOST_ARGUMENTS: usize = 64;

/// The provider whose point is next to that of the call.
///
/// `hash.nodes` (160) says how many points each provider has, `hash.arguments` (`0`) which arguments make up the key; both are read from
/// the URL of the first candidate, for the method. Of a provider that was tried or is down the calls go where they would go if it were not
/// listed. The circle is made when it is first used and changed by the difference when the list changes; it belongs to the whole list
/// and serves every method and every part of the list that rules leave.
///
/// One difference from Java: an argument that has no text of its own (an object) counts by its bytes, and so do all arguments of a generic
/// call; Java takes the object's `toString`.
#[derive(Default)]
pub struct ConsistentHash {
    circles: Mutex<Vec<Arc<Circle>>>,
    complained: AtomicBool,
}

/// What is kept for what routing left.
struct Note {
    arguments: Box<[usize]>,
    ring: Ring,
}

enum Ring {
    /// Points with places in the list.
    Own(Box<[u64]>),
    /// That of the whole list.
    Shared(Arc<Circle>),
}

impl Note {
    fn find<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        let key = key(call, &self.arguments);
        let may = |place: usize| candidates.at_place(place).is_some();
        let place = match &self.ring {
            Ring::Own(entries) => first_among(entries, key, may),
            Ring::Shared(circle) => circle.first_from(key, may),
        };
        candidates.at_place(place?)
    }
}

impl ConsistentHash {
    /// For `whole`, which are what routing left, or a set that does not come of routing.
    fn note(&self, call: &Call<'_>, whole: &Candidates<'_>) -> Note {
        let first = whole.get(0).map(|endpoint| endpoint.url());
        let setting = |name| first.and_then(|url| url.method_parameter(&call.method, name));
        let nodes = setting("hash.nodes")
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(DEFAULT_NODES);
        let list = whole.list().endpoints();
        let nodes = self.bounded(nodes, list.len());
        let ring = match whole.len() * nodes as usize {
            ..=FEW_POINTS => Ring::Own(entries(whole, nodes)),
            _ => Ring::Shared(self.circle(nodes, list)),
        };
        Note {
            arguments: arguments(setting("hash.arguments").unwrap_or("0")),
            ring,
        }
    }

    /// The circle of `list`, made of the newest one.
    fn circle(&self, nodes: u32, list: &[Arc<Endpoint>]) -> Arc<Circle> {
        let mut circles = self.circles.lock();
        if circles.len() >= MOST_CIRCLES && !circles.iter().any(|circle| circle.nodes() == nodes) {
            self.complain(
                "methods have too many different numbers of `hash.nodes`; some use another number than they say",
            );
        }
        let known = circles.iter().position(|circle| circle.nodes() == nodes);
        let place = match known {
            Some(place) => place,
            None if circles.len() >= MOST_CIRCLES => 0,
            None => {
                circles.push(Arc::new(Circle::empty(nodes)));
                circles.len() - 1
            }
        };
        let Some(circle) = circles.get_mut(place) else {
            return Arc::new(Circle::empty(nodes).changed_to(list));
        };
        if !circle.is_of(list) {
            *circle = Arc::new(circle.changed_to(list));
        }
        Arc::clone(circle)
    }

    /// `nodes`, or as many as so many providers may have.
    fn bounded(&self, nodes: u32, providers: usize) -> u32 {
        // A power of two, so that it is not another number with each change of the list.
        let room = u32::try_from(MOST_POINTS / providers.max(1)).unwrap_or(u32::MAX).max(4);
        let most = (1 << room.ilog2()).min(MOST_NODES);
        if nodes > most {
            self.complain("`hash.nodes` is greater than what can be kept in memory; fewer are used, and other clients may choose other providers");
        }
        // Less than four make no point at all.
        nodes.clamp(4, most)
    }

    fn complain(&self, of: &'static str) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            tracing::warn!("{of}");
        }
    }

    fn chosen<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        let whole = candidates.routed().unwrap_or_else(|| candidates.clone());
        match whole.remembered(|| self.note(call, &whole)) {
            Some(note) => note.find(call, candidates),
            None => self.note(call, &whole).find(call, candidates),
        }
    }
}

impl LoadBalance for ConsistentHash {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        self.chosen(call, candidates)
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        let chosen = self.select(call, candidates)?;
        let share = |endpoint: &Arc<Endpoint>| f64::from(u8::from(Arc::ptr_eq(endpoint, chosen)));
        Some(candidates.iter().map(share).collect())
    }
}

/// The points of some candidates with their places in the list, ascending.
fn entries(candidates: &Candidates<'_>, nodes: u32) -> Box<[u64]> {
    let mut entries = Vec::with_capacity(candidates.len() * nodes as usize);
    for (index, endpoint) in candidates.iter().enumerate() {
        let place = match candidates.indices() {
            Some(indices) => indices.get(index).copied().unwrap_or(0),
            None => index as u32,
        };
        entries.extend(points::of_provider(endpoint.address(), nodes).map(|point| entry(point, place)));
    }
    entries.sort_unstable();
    entries.into()
}

/// The indices in `hash.arguments`. Java fails each call if one is no number; here it is passed over.
fn arguments(text: &str) -> Box<[usize]> {
    let indices = text.split(',').filter_map(|index| index.trim().parse().ok());
    indices.take(MOST_ARGUMENTS).collect()
}

/// Where the call stands: by the texts of the chosen arguments, one behind the other.
fn key(call: &Call<'_>, arguments: &[usize]) -> u32 {
    let mut digest = Md5::new();
    let invocation = call.invocation;
    let given = invocation.arguments();
    if invocation.is_generic() {
        digest.update(given.bytes());
        return points::of_call(digest);
    }
    for index in arguments.iter().copied().filter(|index| *index < given.count()) {
        match invocation.argument_text(index) {
            Some(text) => digest.update(text.as_bytes()),
            None => digest.update(given.bytes()),
        }
    }
    points::of_call(digest)
}

#[cfg(test)]
mod tests;
