//! Draws candidates by chance, in proportion to their weights.

use std::sync::Arc;

use crate::call::{Call, scaled};
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// The weights of some candidates at the moment of a call, in the form that is quickest to draw by.
pub(super) enum Draw<'a, 'l> {
    /// All alike, or all 0.
    Even(usize),
    /// Running sums.
    Settled(&'l [u64]),
    /// Somebody warms up, or these are not what routing left: each is asked anew.
    Walk {
        call: &'a Call<'a>,
        candidates: &'a Candidates<'l>,
        total: u64,
    },
}

impl<'a, 'l> Draw<'a, 'l> {
    /// Of these candidates for such a call.
    pub(super) fn of(call: &'a Call<'a>, candidates: &'a Candidates<'l>) -> Draw<'a, 'l> {
        if let Some((sums, even)) = candidates.settled_weights(call.now) {
            let none = sums.last().is_none_or(|total| *total == 0);
            return match even || none {
                true => Draw::Even(candidates.len()),
                false => Draw::Settled(sums),
            };
        }
        let total = candidates.iter().map(|endpoint| weight(call, endpoint)).sum();
        match total {
            0 => Draw::Even(candidates.len()),
            total => Draw::Walk {
                call,
                candidates,
                total,
            },
        }
    }

    /// The place of one of them. There must be one.
    pub(super) fn one(&self, chance: u64) -> usize {
        match self {
            Draw::Even(count) => scaled(chance, *count as u64) as usize,
            Draw::Settled(sums) => {
                let point = scaled(chance, sums.last().copied().unwrap_or(0));
                sums.partition_point(|sum| *sum <= point)
            }
            Draw::Walk { total, .. } => self.walk(scaled(chance, *total), None),
        }
    }

    /// The place of one that is not `first`; `None` if nobody else is ever drawn.
    pub(super) fn other(&self, first: usize, chance: u64) -> Option<usize> {
        match self {
            Draw::Even(count) => {
                let others = count.checked_sub(1).filter(|others| *others > 0)?;
                let place = scaled(chance, others as u64) as usize;
                Some(if place < first { place } else { place + 1 })
            }
            Draw::Settled(sums) => {
                let upto = *sums.get(first)?;
                let before = first.checked_sub(1).and_then(|before| sums.get(before)).unwrap_or(&0);
                let others = (sums.last()? - (upto - before)).checked_sub(1)?;
                let mut point = scaled(chance, others + 1);
                if point >= *before {
                    point += upto - before;
                }
                Some(sums.partition_point(|sum| *sum <= point))
            }
            Draw::Walk {
                call,
                candidates,
                total,
            } => {
                let own = candidates.get(first).map_or(0, |endpoint| weight(call, endpoint));
                let others = total.checked_sub(own).filter(|others| *others > 0)?;
                Some(self.walk(scaled(chance, others), Some(first)))
            }
        }
    }

    /// The place in whose stretch `point` lies if `left_out` has none.
    fn walk(&self, mut point: u64, left_out: Option<usize>) -> usize {
        let Draw::Walk { call, candidates, .. } = self else {
            return 0;
        };
        let mut last = 0;
        for (place, endpoint) in candidates.iter().enumerate() {
            let own = weight(call, endpoint);
            if own == 0 || left_out == Some(place) {
                continue;
            }
            last = place;
            match point.checked_sub(own) {
                None => break,
                Some(rest) => point = rest,
            }
        }
        last
    }
}

/// The weight of one at the moment of a call.
pub(super) fn weight(call: &Call<'_>, endpoint: &Arc<Endpoint>) -> u64 {
    u64::from(endpoint.weight(&call.method, call.now))
}

/// The share of each by its weight now; all alike if every weight is 0.
pub(super) fn by_weight<'e>(call: &Call<'_>, endpoints: impl Iterator<Item = &'e Arc<Endpoint>>) -> Vec<f64> {
    let weights: Vec<f64> = endpoints.map(|endpoint| weight(call, endpoint) as f64).collect();
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    let share = |weight: f64| if total > 0.0 { weight / total } else { even };
    weights.into_iter().map(share).collect()
}
