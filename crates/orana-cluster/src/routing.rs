//! The answers of a chain of routers for one version of a list, kept by what of a call decides.

use std::sync::Arc;

use ahash::{HashMap, HashMapExt};
use arc_swap::ArcSwap;

use crate::call::Call;
use crate::endpoint_list::EndpointList;
use crate::plan::Plan;
use crate::router::{Report, Routers};

/// The most answers that are kept; then all are forgotten. Aspects may hold texts from outside (a tag, the name of a method of a generic call).
const MOST_PLANS: usize = 1024;

/// The most places of lists that they may take together, about 4 bytes each.
const MOST_PLACES: usize = 4 << 20;

/// The longest aspect whose answer is kept. Whoever writes longer tags than that has each call routed anew.
const LONGEST_ASPECT: usize = 4 << 10;

/// A chain with its answers.
#[derive(Default)]
pub(crate) struct Routing {
    routers: Arc<Routers>,
    plans: ArcSwap<Plans>,
}

#[derive(Clone, Default)]
struct Plans {
    /// Keys are shared with the version before: each new one copies the map.
    by_aspect: HashMap<Arc<[u8]>, Arc<Plan>>,
    places: usize,
}

impl Routing {
    /// Nothing is worked out yet.
    pub(crate) fn new(routers: Arc<Routers>) -> Routing {
        Routing {
            routers,
            plans: ArcSwap::default(),
        }
    }

    pub(crate) fn routers(&self) -> &Arc<Routers> {
        &self.routers
    }

    /// Where `call` may go of `list`, which must be the one that this routing was made for.
    pub(crate) fn plan(&self, list: &EndpointList, call: &Call<'_>) -> Arc<Plan> {
        let aspect = self.routers.aspect(list, call);
        let Some(key) = aspect.key() else {
            return Arc::new(self.routers.plan(list, call, &mut Report::silent()).0);
        };
        if let Some(plan) = self.plans.load().by_aspect.get(key) {
            return Arc::clone(plan);
        }
        let (plan, lasting) = self.routers.plan(list, call, &mut Report::silent());
        let plan = Arc::new(plan);
        if lasting && key.len() <= LONGEST_ASPECT {
            self.keep(key, &plan);
        }
        plan
    }

    fn keep(&self, key: &[u8], plan: &Arc<Plan>) {
        self.plans.rcu(|now| {
            let mut plans = Plans::clone(now);
            if plans.by_aspect.len() >= MOST_PLANS || plans.places + plan.places() > MOST_PLACES {
                plans = Plans {
                    by_aspect: HashMap::new(),
                    places: 0,
                };
            }
            if plans.by_aspect.insert(key.into(), Arc::clone(plan)).is_none() {
                plans.places += plan.places();
            }
            plans
        });
    }
}
