//! `p2c`: two by chance, and of these the one with less to do.

use std::sync::Arc;

use super::LoadBalance;
use super::counters::{self, Counters};
use super::draw::{Draw, weight};
use super::pairs;
use crate::call::{Call, another};
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// Draws two different candidates by weight and takes the one with fewer calls under way for its weight; of two that have equally much
/// to do, the one that was drawn first, so that idle providers are called by weight. Who fails at present loses against who does not.
///
/// dubbo-go asks the providers how many more calls they would take (`adaptive-service.remaining`) and needs its own cluster strategy for
/// that. Here only what the consumer counts itself decides, so that it works with every provider; the contract is the same: of two, the
/// freer one.
#[derive(Clone, Copy, Debug, Default)]
pub struct PowerOfTwo;

/// One that was drawn.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    fails: bool,
    active: u64,
    weight: u64,
}

impl Drawn {
    fn at(known: Option<&Counters>, call: &Call<'_>, index: usize, endpoint: &Arc<Endpoint>) -> Drawn {
        counters::read(known, call, index, endpoint, |counters| Drawn {
            fails: counters.stands_back(call.now),
            active: u64::from(counters.active()),
            weight: weight(call, endpoint).max(1),
        })
    }

    /// Whether it is called although `first` was drawn before it.
    fn is_freer_than(self, first: Drawn) -> bool {
        match (self.fails, first.fails) {
            (true, false) => false,
            (false, true) => true,
            _ => self.active * first.weight < first.active * self.weight,
        }
    }
}

impl LoadBalance for PowerOfTwo {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        let draw = Draw::of(call, candidates);
        let first = draw.one(call.chance);
        let one = candidates.get(first)?;
        let Some(second) = draw.other(first, another(call.chance)) else {
            return Some(one);
        };
        let other = candidates.get(second)?;
        let known = candidates.remembered(|| Counters::of(call, candidates));
        let freer = Drawn::at(known, call, second, other).is_freer_than(Drawn::at(known, call, first, one));
        Some(if freer { other } else { one })
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        let drawn: Vec<Drawn> = candidates
            .iter()
            .enumerate()
            .map(|(index, endpoint)| Drawn::at(None, call, index, endpoint))
            .collect();
        pairs::shares_by_weight(call, candidates, |first, second| {
            match drawn.get(second)?.is_freer_than(*drawn.get(first)?) {
                true => Some(0.0),
                false => Some(1.0),
            }
        })
    }
}
