//! Chooses the endpoint of one attempt: the newest list, less what was tried, through the load balance, around what is down
//! (`AbstractClusterInvoker.select`).

use std::sync::Arc;

use orana_core::{Invocation, RpcError, RpcErrorCode};

use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::directory::Directory;
use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;
use crate::load_balance::LoadBalance;

/// What a strategy picks with.
#[derive(Clone, Copy)]
pub struct Picker<'a> {
    directory: &'a Directory,
    balance: &'a dyn LoadBalance,
}

/// One pick: the endpoint, and how many there were to pick from.
#[derive(Clone, Debug)]
pub struct Pick {
    /// Whom to call.
    pub endpoint: Arc<Endpoint>,
    /// How many the directory lists for this call.
    pub out_of: usize,
}

impl<'a> Picker<'a> {
    /// Picks from `directory` by `balance`.
    pub fn new(directory: &'a Directory, balance: &'a dyn LoadBalance) -> Picker<'a> {
        Picker { directory, balance }
    }

    /// An endpoint for `invocation` that is not among `tried`, if there is another one.
    ///
    /// One that is down is passed over for one that is up; if all are down the balance's choice is given nevertheless, since a call
    /// is the surest way to find out. Nobody at all is an error: [`RpcErrorCode::Forbidden`] if the registry lists nobody,
    /// [`RpcErrorCode::NoInvokerAfterFilter`] if nobody of the list can be called.
    pub fn pick(&self, invocation: &Invocation, tried: &[Arc<Endpoint>]) -> Result<Pick, RpcError> {
        let list = self.directory.list().map_err(|error| error.calling(invocation))?;
        if let Some(target) = &invocation.options.target {
            return pinned(&list, invocation, target);
        }
        let mut candidates = list.candidates(invocation);
        if self.directory.asks_several_groups()
            && let Some(group) = candidates.first_usable().map(|endpoint| endpoint.group().to_owned())
        {
            candidates.retain(|endpoint| endpoint.group() == group);
        }
        let out_of = candidates.len();
        let now = EpochMillis::now();
        let select = |candidates: &Candidates<'_>| {
            let chosen = self.balance.select(invocation, candidates, now, fastrand::u64(..));
            chosen.map(Arc::clone)
        };
        let good = |endpoint: &Arc<Endpoint>| endpoint.is_available() && !was_tried(tried, endpoint);

        let Some(first) = select(&candidates) else {
            return Err(self.directory.nobody().calling(invocation));
        };
        if out_of == 1 || good(&first) {
            return Ok(Pick {
                endpoint: first,
                out_of,
            });
        }
        let mut fresh = candidates.clone();
        fresh.retain(good);
        let chosen = select(&fresh).or_else(|| {
            candidates.retain(|endpoint| endpoint.is_available());
            select(&candidates)
        });
        Ok(Pick {
            endpoint: chosen.unwrap_or(first),
            out_of,
        })
    }
}

/// The one provider that the caller named.
fn pinned(list: &EndpointList, invocation: &Invocation, target: &str) -> Result<Pick, RpcError> {
    let endpoint = list.endpoints().iter().find(|endpoint| **endpoint.address() == *target);
    match endpoint {
        Some(endpoint) => Ok(Pick {
            endpoint: Arc::clone(endpoint),
            out_of: 1,
        }),
        None => Err(RpcError::new(
            RpcErrorCode::NoInvokerAfterFilter,
            format!(
                "the call asks for the provider {target}, which is not among the {} that can be called now",
                list.endpoints().len()
            ),
        )
        .calling(invocation)),
    }
}

fn was_tried(tried: &[Arc<Endpoint>], endpoint: &Arc<Endpoint>) -> bool {
    tried
        .iter()
        .any(|one| Arc::ptr_eq(one, endpoint) || one.address() == endpoint.address())
}
