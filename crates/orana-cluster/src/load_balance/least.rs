//! The candidates of which something is least, and one of them by weight.

use std::sync::Arc;

use super::draw::{by_weight, weight};
use crate::call::{Call, scaled};
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// How many share the least value, where the first of them is, and the sum of their weights.
struct Tie<K> {
    least: K,
    first: usize,
    count: u64,
    total: u64,
}

/// The candidate whose `value` is least; of several one by weight, and evenly if none of them has any.
pub(super) fn least<'l, K: PartialOrd>(
    call: &Call<'_>,
    candidates: &Candidates<'l>,
    value: impl Fn(usize, &Arc<Endpoint>) -> K,
) -> Option<&'l Arc<Endpoint>> {
    let tie = tie(call, candidates, &value)?;
    if tie.count == 1 {
        return candidates.get(tie.first);
    }
    let mut point = scaled(call.chance, if tie.total > 0 { tie.total } else { tie.count });
    let chosen = candidates.iter().enumerate().skip(tie.first).find(|(index, endpoint)| {
        // Values may have changed since: whoever has the least one now is meant.
        if value(*index, endpoint) != tie.least {
            return false;
        }
        let own = if tie.total > 0 { weight(call, endpoint) } else { 1 };
        let here = point < own;
        point = point.saturating_sub(own);
        here
    });
    chosen.map(|(_, endpoint)| endpoint).or(candidates.get(tie.first))
}

/// The probability of each to be chosen so.
pub(super) fn shares<K: PartialOrd>(
    call: &Call<'_>,
    candidates: &Candidates<'_>,
    value: impl Fn(usize, &Arc<Endpoint>) -> K,
) -> Option<Vec<f64>> {
    let values: Vec<K> = candidates
        .iter()
        .enumerate()
        .map(|(index, endpoint)| value(index, endpoint))
        .collect();
    let least = values
        .iter()
        .reduce(|least, value| if value < least { value } else { least })?;
    let of_the_least = || candidates.iter().zip(&values).filter(|(_, value)| *value == least);
    let mut by_weight = by_weight(call, of_the_least().map(|(endpoint, _)| endpoint)).into_iter();
    let share = |value: &K| if value == least { by_weight.next() } else { Some(0.0) };
    values.iter().map(share).collect()
}

fn tie<K: PartialOrd>(
    call: &Call<'_>,
    candidates: &Candidates<'_>,
    value: &impl Fn(usize, &Arc<Endpoint>) -> K,
) -> Option<Tie<K>> {
    let mut tie: Option<Tie<K>> = None;
    for (index, endpoint) in candidates.iter().enumerate() {
        let own = value(index, endpoint);
        match &mut tie {
            Some(tie) if own > tie.least => {}
            Some(tie) if own == tie.least => {
                tie.count += 1;
                tie.total += weight(call, endpoint);
            }
            _ => {
                tie = Some(Tie {
                    least: own,
                    first: index,
                    count: 1,
                    total: weight(call, endpoint),
                });
            }
        }
    }
    tie
}
