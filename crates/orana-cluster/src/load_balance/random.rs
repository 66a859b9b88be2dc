//! `random`: by chance, in proportion to the weights (`RandomLoadBalance`).

use std::sync::Arc;

use orana_core::Invocation;

use super::LoadBalance;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::endpoint::Endpoint;

/// Each candidate with a probability of its weight over the sum of the weights; all alike if every weight is 0.
///
/// One multiplication when all weights are the same, a binary search when they are settled, a walk while somebody warms up or methods
/// have weights of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl LoadBalance for Random {
    fn select<'l>(
        &self,
        invocation: &Invocation,
        candidates: &Candidates<'l>,
        now: EpochMillis,
        chance: u64,
    ) -> Option<&'l Arc<Endpoint>> {
        let count = candidates.len();
        if count <= 1 {
            return candidates.get(0);
        }
        if let Some((sums, even)) = candidates.whole_list().and_then(|list| list.settled_weights(now)) {
            let total = sums.last().copied().unwrap_or(0);
            if even || total == 0 {
                return candidates.get(scaled(chance, count as u64) as usize);
            }
            let point = scaled(chance, total);
            return candidates.get(sums.partition_point(|sum| *sum <= point));
        }
        let method = &*invocation.called_name();
        let total: u64 = candidates
            .iter()
            .map(|endpoint| u64::from(endpoint.weight(method, now)))
            .sum();
        if total == 0 {
            return candidates.get(scaled(chance, count as u64) as usize);
        }
        let mut point = scaled(chance, total);
        candidates.iter().find(|endpoint| {
            let weight = u64::from(endpoint.weight(method, now));
            let here = point < weight;
            point = point.saturating_sub(weight);
            here
        })
    }
}

/// `chance` as a number below `bound`.
fn scaled(chance: u64, bound: u64) -> u64 {
    ((u128::from(chance) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use orana_core::{Encoded, Method, ServiceKey};

    use super::*;
    use crate::endpoint::tests::endpoint;
    use crate::endpoint_list::EndpointList;

    const PICKS: usize = 100_000;

    fn call() -> Invocation {
        let method = Method::new(ServiceKey::new("i", None, None), "say", "");
        Invocation::new(method.into(), Encoded::none())
    }

    /// How often each of `urls` is picked.
    fn shares(urls: &[&str], now: EpochMillis) -> Vec<usize> {
        let list = EndpointList::new(urls.iter().map(|url| endpoint(url)).collect(), urls.len());
        let mut chance = fastrand::Rng::with_seed(7);
        let mut counts = vec![0; urls.len()];
        let call = call();
        for _ in 0..PICKS {
            let picked = Random
                .select(&call, &list.candidates(&call), now, chance.u64(..))
                .unwrap();
            let index = list
                .endpoints()
                .iter()
                .position(|endpoint| Arc::ptr_eq(endpoint, picked));
            counts[index.unwrap()] += 1;
        }
        counts
    }

    /// Pearson's statistic against `expected` shares; below 13.8 with probability 0.999 for two degrees of freedom.
    fn chi_square(counts: &[usize], expected: &[f64]) -> f64 {
        let total: f64 = expected.iter().sum();
        counts
            .iter()
            .zip(expected)
            .filter(|(_, share)| **share > 0.0)
            .map(|(count, share)| {
                let expected = share / total * PICKS as f64;
                (*count as f64 - expected).powi(2) / expected
            })
            .sum()
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
