//! What a reference chooses by: its directory, its load balances, and the provider it sticks to.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use orana_core::ServiceUrl;

use crate::call::Call;
use crate::candidates::Candidates;
use crate::directory::Directory;
use crate::endpoint::Endpoint;
use crate::health::Neighbours;
use crate::load_balance::{self, Balances, LoadBalance};

/// The parts that picking needs; one for each reference.
pub(crate) struct Choice {
    pub(crate) directory: Arc<Directory>,
    pub(crate) balances: Balances,
    pub(crate) sticky: Sticky,
    pub(crate) neighbours: Neighbours,
}

/// The provider that `sticky=true` calls go to, whatever their method, for as long as it can be called (`AbstractClusterInvoker`).
#[derive(Default)]
pub(crate) struct Sticky(ArcSwapOption<Endpoint>);

impl Choice {
    /// The load balance for calls such as `call`, by the first of those who are left.
    pub(crate) fn balance(&self, call: &Call<'_>, first: &ServiceUrl) -> Arc<dyn LoadBalance> {
        let name = first.method_parameter(&call.method, "loadbalance");
        self.balances.named(name.unwrap_or(load_balance::DEFAULT))
    }
}

impl Sticky {
    /// The one that is stuck to, if it is among these.
    pub(crate) fn of(&self, candidates: &Candidates<'_>) -> Option<Arc<Endpoint>> {
        let kept = self.0.load_full()?;
        candidates
            .iter()
            .any(|endpoint| Arc::ptr_eq(endpoint, &kept))
            .then_some(kept)
    }

    /// Sticks to `endpoint` from now on.
    pub(crate) fn keep(&self, endpoint: &Arc<Endpoint>) {
        if self.0.load().as_ref().is_none_or(|kept| !Arc::ptr_eq(kept, endpoint)) {
            self.0.store(Some(Arc::clone(endpoint)));
        }
    }
}
