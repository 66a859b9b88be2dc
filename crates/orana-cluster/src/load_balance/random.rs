//! `random`: by chance, in proportion to the weights (`RandomLoadBalance`).

use std::sync::Arc;

use super::LoadBalance;
use crate::call::{Call, scaled};
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// Each candidate with a probability of its weight over the sum of the weights; all alike if every weight is 0.
///
/// One multiplication when all weights are the same, a binary search when they are settled, a walk while somebody warms up or methods
/// have weights of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl LoadBalance for Random {
    fn select<'l>(&self, call: &Call<'_>, candidates: &Candidates<'l>) -> Option<&'l Arc<Endpoint>> {
        let count = candidates.len();
        if count <= 1 {
            return candidates.get(0);
        }
        if let Some((sums, even)) = candidates.settled_weights(call.now) {
            let total = sums.last().copied().unwrap_or(0);
            if even || total == 0 {
                return candidates.get(scaled(call.chance, count as u64) as usize);
            }
            let point = scaled(call.chance, total);
            return candidates.get(sums.partition_point(|sum| *sum <= point));
        }
        let weight = |endpoint: &Arc<Endpoint>| u64::from(endpoint.weight(&call.method, call.now));
        let total: u64 = candidates.iter().map(weight).sum();
        if total == 0 {
            return candidates.get(scaled(call.chance, count as u64) as usize);
        }
        let mut point = scaled(call.chance, total);
        candidates.iter().find(|endpoint| {
            let weight = weight(endpoint);
            let here = point < weight;
            point = point.saturating_sub(weight);
            here
        })
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        Some(by_weight(call, candidates.iter()))
    }
}

/// The share of each by its weight now; all alike if every weight is 0.
pub(crate) fn by_weight<'a>(call: &Call<'_>, endpoints: impl Iterator<Item = &'a Arc<Endpoint>>) -> Vec<f64> {
    let weights: Vec<f64> = endpoints
        .map(|endpoint| f64::from(endpoint.weight(&call.method, call.now)))
        .collect();
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    let share = |weight: f64| if total > 0.0 { weight / total } else { even };
    weights.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::testing::{Lab, chi_square};

    fn shares(urls: &[&str], now: EpochMillis) -> Vec<usize> {
        Lab::of(urls).counts(&Random, now)
    }

    #[test]
    fn picks_are_shared_by_weight() {
        let counts = shares(
            &[
                "dubbo://h:1/i?weight=5",
                "dubbo://h:2/i?weight=1",
                "dubbo://h:3/i?weight=4",
            ],
            EpochMillis(0),
        );
        assert!(chi_square(&counts, &[5.0, 1.0, 4.0]) < 13.8, "{counts:?}");
    }

    #[test]
    fn picks_are_shared_evenly_by_equal_weights_and_by_none() {
        for weight in ["", "?weight=3", "?weight=0"] {
            let urls = ["1", "2", "3"].map(|port| format!("dubbo://h:{port}/i{weight}"));
            let counts = shares(&urls.each_ref().map(|url| url.as_str()), EpochMillis(0));
            assert!(chi_square(&counts, &[1.0, 1.0, 1.0]) < 13.8, "{weight}: {counts:?}");
        }
    }

    #[test]
    fn weight_zero_is_never_picked_beside_others() {
        for more in ["", "&say.weight=0"] {
            let zero = format!("dubbo://h:1/i?weight=0{more}");
            let counts = shares(&[&zero, "dubbo://h:2/i", "dubbo://h:3/i?weight=50"], EpochMillis(0));
            assert_eq!(counts[0], 0);
            assert!(chi_square(&counts, &[0.0, 100.0, 50.0]) < 13.8, "{counts:?}");
        }
    }

    #[test]
    fn a_provider_that_warms_up_gets_its_growing_share() {
        let now = EpochMillis(10_000_000);
        // Up for a tenth of the warm-up time.
        let young = format!("dubbo://h:1/i?timestamp={}", now.0 - 60_000);
        let counts = shares(&[&young, "dubbo://h:2/i?timestamp=1", "dubbo://h:3/i"], now);
        assert!(chi_square(&counts, &[10.0, 100.0, 100.0]) < 13.8, "{counts:?}");
    }
}
