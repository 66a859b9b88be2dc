//! Where calls of one aspect may go: worked out once for a version of the list and the rules, and read by every call after that.
//!
//! ```text
//!   EndpointList ─▶ router ─▶ router ─▶ … ─▶ Plan { Branch 90 %, Branch 10 % }     each Branch: who, weights, a balance's notes
//! ```

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::call::fraction;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::endpoint::Endpoint;
use crate::load_balance::LoadBalance;

/// Where calls of one aspect may go.
pub(crate) struct Plan {
    branches: Box<[Branch]>,
    balance: OnceLock<Arc<dyn LoadBalance>>,
    /// Why nobody is left, once somebody asked.
    pub(crate) nobody: OnceLock<Box<str>>,
}

/// One of the sets that routing shares calls among; usually the only one.
pub(crate) struct Branch {
    /// The sum of the shares up to this one.
    upto: f64,
    share: f64,
    /// Places in the list, ascending; `None` for all of them.
    indices: Option<Box<[u32]>>,
    weights: Weights,
    memory: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Weights of a branch for one method, once all of its endpoints are warm.
#[derive(Debug)]
pub(crate) struct Weights {
    /// From when on all are warm.
    warm_at: EpochMillis,
    /// Whether they are all the same.
    even: bool,
    /// Running sums.
    sums: Box<[u64]>,
}

impl Plan {
    /// Calls of `method` shared among these sets by their shares, which are positive and whose sum is 1.
    pub(crate) fn new(method: &str, sets: Vec<(f64, Candidates<'_>)>) -> Plan {
        let mut upto = 0.0;
        let branch = |(share, set): (f64, Candidates<'_>)| {
            upto += share;
            Branch {
                upto,
                share,
                weights: Weights::of(&set, method),
                indices: set.indices().map(Box::from),
                memory: OnceLock::new(),
            }
        };
        Plan {
            branches: sets.into_iter().map(branch).collect(),
            balance: OnceLock::new(),
            nobody: OnceLock::new(),
        }
    }

    /// The branch that a call of that chance takes.
    pub(crate) fn branch(&self, chance: u64) -> Option<&Branch> {
        match &*self.branches {
            [only] => Some(only),
            several => {
                let point = fraction(chance);
                several.iter().find(|branch| point < branch.upto).or(several.last())
            }
        }
    }

    /// All of them.
    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The load balance for these calls, found by `find` at first use.
    pub(crate) fn balance(&self, find: impl FnOnce() -> Arc<dyn LoadBalance>) -> &Arc<dyn LoadBalance> {
        self.balance.get_or_init(find)
    }

    /// About how much memory it takes, in places of a list.
    pub(crate) fn places(&self) -> usize {
        let of = |branch: &Branch| {
            branch.weights.sums.len() * 2 + branch.indices.as_ref().map_or(0, |indices| indices.len())
        };
        self.branches.iter().map(of).sum()
    }
}

impl Branch {
    /// Its share of the calls, from 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        self.share
    }

    pub(crate) fn indices(&self) -> Option<&[u32]> {
        self.indices.as_deref()
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// A place for what the load balance works out for this set.
    pub(crate) fn memory(&self) -> &OnceLock<Box<dyn Any + Send + Sync>> {
        &self.memory
    }
}

impl std::fmt::Debug for Branch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Branch")
            .field("share", &self.share)
            .field("indices", &self.indices)
            .finish_non_exhaustive()
    }
}

impl Weights {
    fn of(set: &Candidates<'_>, method: &str) -> Weights {
        let mut sum = 0_u64;
        let weight = |endpoint: &Arc<Endpoint>| endpoint.configured_weight(method);
        let first = set.get(0).map(weight);
        let mut even = true;
        let mut warm_at = EpochMillis(0);
        let sums = set
            .iter()
            .map(|endpoint| {
                let own = weight(endpoint);
                even &= Some(own) == first;
                warm_at = warm_at.max(endpoint.warm_at());
                sum += u64::from(own);
                sum
            })
            .collect();
        Weights { warm_at, even, sums }
    }

    /// The sums and whether all weights are the same, if all are warm.
    pub(crate) fn settled(&self, now: EpochMillis) -> Option<(&[u64], bool)> {
        (self.warm_at <= now).then_some((&*self.sums, self.even))
    }
}
