//! How probable each candidate is, as picking works: the load balance's choice, another one instead of whoever is down or unwelcome, and the
//! one that is stuck to.

use std::sync::Arc;
use std::time::Instant;

use crate::call::Call;
use crate::candidates::Candidates;
use crate::choice::Choice;
use crate::endpoint::Endpoint;

/// The probability of each of `set`, in order; `None` if the load balance cannot say.
pub(super) fn probabilities(
    choice: &Choice,
    call: &Call<'_>,
    set: &Candidates<'_>,
    instant: Instant,
) -> Option<Vec<f64>> {
    let first = set.get(0)?;
    if set.len() == 1 {
        return Some(vec![1.0]);
    }
    let good = |endpoint: &Arc<Endpoint>| endpoint.admits(&call.method, instant);
    let sticky = first.url().method_flag_or(&call.method, "sticky", false);
    if sticky && let Some(kept) = choice.sticky.of(set).filter(good) {
        let share = |endpoint: &Arc<Endpoint>| if Arc::ptr_eq(endpoint, &kept) { 1.0 } else { 0.0 };
        return Some(set.iter().map(share).collect());
    }
    let balance = choice.balance(call, first.url());
    let shares = balance.shares(call, set)?;
    // Whoever is not good gives way to somebody who is; if nobody is, to somebody who is up; if nobody is, to nobody.
    let welcome = |endpoint: &Arc<Endpoint>| good(endpoint);
    let up = |endpoint: &Arc<Endpoint>| endpoint.is_available();
    let pool: Vec<bool> = match (set.iter().any(welcome), set.iter().any(up)) {
        (true, _) => set.iter().map(welcome).collect(),
        (false, true) => set.iter().map(up).collect(),
        (false, false) => return Some(shares),
    };
    if pool.iter().all(|in_pool| *in_pool) {
        return Some(shares);
    }
    let mut fresh = set.clone();
    let mut places = pool.iter();
    fresh.retain(|_| places.next().copied().unwrap_or(false));
    let mut instead = balance.shares(call, &fresh)?.into_iter();
    let lost: f64 = shares
        .iter()
        .zip(&pool)
        .filter(|(_, stays)| !**stays)
        .map(|(share, _)| share)
        .sum();
    let share = |(share, stays): (f64, &bool)| match stays {
        true => Some(share + lost * instead.next()?),
        false => Some(0.0),
    };
    shares.into_iter().zip(&pool).map(share).collect()
}
