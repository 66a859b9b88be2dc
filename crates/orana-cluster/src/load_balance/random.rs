//! `random`: by chance, in proportion to the weights (`RandomLoadBalance`).

use std::sync::Arc;

use super::LoadBalance;
use super::draw::{Draw, by_weight};
use crate::call::Call;
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
        if candidates.len() <= 1 {
            return candidates.get(0);
        }
        candidates.get(Draw::of(call, candidates).one(call.chance))
    }

    fn shares(&self, call: &Call<'_>, candidates: &Candidates<'_>) -> Option<Vec<f64>> {
        Some(by_weight(call, candidates.iter()))
    }
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
