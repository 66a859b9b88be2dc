//! The routers of a directory, one after the other.

use std::sync::Arc;

use super::{Report, Routed, Router};
use crate::aspect::Aspect;
use crate::call::{Call, scaled};
use crate::candidates::Candidates;
use crate::endpoint_list::EndpointList;
use crate::plan::Plan;

/// More sets than this are not shared among; a call then takes one of them on its own.
const MOST_BRANCHES: usize = 64;

/// An immutable chain of routers.
#[derive(Clone, Default)]
pub struct Routers(Vec<Arc<dyn Router>>);

impl Routers {
    /// These, in this order.
    pub fn new(routers: Vec<Arc<dyn Router>>) -> Routers {
        Routers(routers)
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Router>> {
        self.0.iter()
    }

    /// What decides about `call` among those of `list`.
    pub(crate) fn aspect(&self, list: &EndpointList, call: &Call<'_>) -> Aspect {
        let mut aspect = Aspect::new();
        aspect.text(Some(&call.method));
        list.aspect(call.invocation, &mut aspect);
        for router in &self.0 {
            router.aspect(call, &mut aspect);
        }
        aspect
    }

    /// Where `call` may go. With it, whether that is so for every call of the same aspect.
    pub(crate) fn plan(&self, list: &EndpointList, call: &Call<'_>, report: &mut Report) -> (Plan, bool) {
        let mut lasting = true;
        let mut sets = vec![(1.0, list.candidates(call.invocation))];
        for router in &self.0 {
            report.of_router(router.name());
            let mut next = Vec::with_capacity(sets.len());
            for (share, set) in sets {
                if set.is_empty() {
                    next.push((share, set));
                    continue;
                }
                match router.route(call, set.clone(), report) {
                    Ok(Routed::Set(left)) => next.push((share, left)),
                    Ok(Routed::Shares(shares)) => split(&mut next, share, shares, set),
                    Err(reason) => {
                        tracing::warn!(router = router.name(), service = %call.invocation.service(), reason, "a router failed; calls go on as if it did not exist");
                        report.step(|| format!("failed, as if it did not exist: {reason}"), &set, &set);
                        next.push((share, set));
                    }
                }
            }
            if next.len() > MOST_BRANCHES {
                lasting = false;
                let place = scaled(call.chance, next.len() as u64) as usize;
                next.swap(0, place);
                next.truncate(1);
                next.iter_mut().for_each(|(share, _)| *share = 1.0);
            }
            sets = next;
        }
        (Plan::new(&call.method, sets), lasting)
    }
}

/// Puts each of `shares` into `sets` with its part of `share`.
fn split<'l>(
    sets: &mut Vec<(f64, Candidates<'l>)>,
    share: f64,
    shares: Vec<(u32, Candidates<'l>)>,
    before: Candidates<'l>,
) {
    let total: u64 = shares.iter().map(|(weight, _)| u64::from(*weight)).sum();
    if total == 0 {
        let mut nobody = before;
        nobody.retain(|_| false);
        sets.push((share, nobody));
        return;
    }
    let some = shares.into_iter().filter(|(weight, _)| *weight > 0);
    sets.extend(some.map(|(weight, set)| (share * f64::from(weight) / total as f64, set)));
}

impl std::fmt::Debug for Routers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|router| router.name()))
            .finish()
    }
}
