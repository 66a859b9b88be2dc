//! How often a call is tried again, and whether it may be now: what failover and failback have in common. Decides only.

use std::sync::atomic::{AtomicI64, Ordering};

use orana_core::ServiceUrl;

/// More attempts than this help nobody, whatever a rule says.
pub(super) const MOST_RETRIES: u32 = 100;

/// Where a reference says how many retries there may be for each 100 calls; absent or no positive number: as many as `retries` allows.
const BUDGET: &str = "retry.budget";

/// A call counts as this much of a retry's price.
const WHOLE: i64 = 100;

/// Retries that may be made although no call has paid for them, and the most that are saved up: so that a few failures of a quiet reference are
/// tried again.
const RESERVE: i64 = 10 * WHOLE;

/// `retries` of `method`: the method's, else the service's, consumer before provider (both are in a merged URL). Negative ones count as 0, what
/// is no number as `default`.
pub(crate) fn retries(url: &ServiceUrl, method: &str, default: u32) -> u32 {
    let said = url
        .method_parameter(method, "retries")
        .and_then(|text| text.trim().parse::<i64>().ok());
    said.map_or(default, |retries| {
        u32::try_from(retries.max(0)).unwrap_or(MOST_RETRIES).min(MOST_RETRIES)
    })
}

/// Keeps an outage from being multiplied: each call pays a part of a retry, and a retry must be paid for.
#[derive(Debug)]
pub(super) struct Budget {
    /// What a call pays, in hundredths of a retry; `None` without a budget.
    pays: Option<i64>,
    saved: AtomicI64,
}

impl Budget {
    /// As a consumer's URL says.
    pub(super) fn of(consumer: &ServiceUrl) -> Budget {
        Budget {
            pays: consumer
                .number(BUDGET)
                .filter(|pays: &i64| *pays > 0)
                .map(|pays| pays.min(WHOLE * 100)),
            saved: AtomicI64::new(RESERVE),
        }
    }

    /// A call begins.
    pub(super) fn call(&self) {
        if let Some(pays) = self.pays {
            let more = |saved: i64| (saved < RESERVE).then(|| (saved + pays).min(RESERVE));
            // Nothing to do when it is full.
            let _ = self.saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// Whether a retry may be made; it is paid then.
    pub(super) fn retry(&self) -> bool {
        if self.pays.is_none() {
            return true;
        }
        let less = |saved: i64| (saved >= WHOLE).then(|| saved - WHOLE);
        self.saved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    #[test]
    fn zero_means_none_and_the_methods_own_number_counts_first() {
        let url = url("dubbo://h:1/i?retries=0&say.retries=4&odd.retries=x&less.retries=-3&more.retries=5000");
        assert_eq!(retries(&url, "other", 2), 0);
        assert_eq!(retries(&url, "say", 2), 4);
        assert_eq!(retries(&url, "odd", 2), 2);
        assert_eq!(retries(&url, "less", 2), 0);
        assert_eq!(retries(&url, "more", 2), MOST_RETRIES);
    }

    #[test]
    fn without_a_budget_every_retry_may_be_made() {
        let budget = Budget::of(&url("consumer://h/i"));
        assert!((0..10_000).all(|_| budget.retry()));
    }

    #[test]
    fn a_budget_of_20_lets_20_of_100_calls_be_tried_again_once_the_reserve_is_spent() {
        let budget = Budget::of(&url("consumer://h/i?retry.budget=20"));
        let made = (0..1_000).filter(|_| {
            budget.call();
            budget.retry()
        });
        let made = made.count();
        assert!((205..=210).contains(&made), "{made}");
    }
}
