//! `failover`: another provider when one fails (`FailoverClusterInvoker`).

use std::sync::Arc;
use std::time::Instant;

use orana_core::{BoxFuture, Invocation, Reply, RpcError, ServiceUrl};

use super::Cluster;
use super::retry::{Budget, retries};
use crate::endpoint::Endpoint;
use crate::picker::Picker;

/// How often another one is tried unless configuration says otherwise.
pub(crate) const DEFAULT_RETRIES: u32 = 2;

/// Where a consumer says how long all attempts of a call may take together, in milliseconds; absent: each attempt has its own time.
const TOTAL_TIMEOUT: &str = "total.timeout";

/// Up to `retries` further attempts, each with a fresh list and each at a provider that was not tried yet if there is one, while the
/// kind of the error allows it ([`RpcError::retryable`]), the time of the call (its deadline, `total.timeout`) is not over, and the budget of
/// retries (`retry.budget`) is not spent.
#[derive(Debug)]
pub struct Failover {
    budget: Budget,
}

impl Failover {
    /// As a consumer's URL says.
    pub fn of(consumer: &ServiceUrl) -> Failover {
        Failover {
            budget: Budget::of(consumer),
        }
    }

    async fn attempts(&self, invocation: &Invocation, picker: Picker<'_>) -> Result<Reply, RpcError> {
        self.budget.call();
        let mut tried: Vec<Arc<Endpoint>> = Vec::new();
        loop {
            // A list that became empty meanwhile is the error that counts, not the one of the attempt before.
            let endpoint = picker.pick(invocation, &tried)?.endpoint;
            let error = match picker.attempt(&endpoint, invocation).await {
                Ok(reply) => {
                    if let Some(last) = tried.last() {
                        tracing::warn!(
                            call = %invocation.method(),
                            provider = %endpoint.address(),
                            failed = %last.address(),
                            attempts = tried.len() + 1,
                            "a call succeeded only at another provider"
                        );
                    }
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let attempts = u32::try_from(tried.len()).unwrap_or(u32::MAX).saturating_add(1);
            let most = retries(endpoint.url(), &invocation.called_name(), DEFAULT_RETRIES);
            let over = invocation
                .options
                .deadline
                .is_some_and(|deadline| deadline <= Instant::now());
            tried.push(endpoint);
            if !error.retryable() || over || attempts > most {
                return Err(told(error, &tried));
            }
            if !self.budget.retry() {
                return Err(told(
                    error.adding("not tried again, because the budget of retries is spent"),
                    &tried,
                ));
            }
            tracing::debug!(%error, "a call failed and is tried again");
        }
    }
}

impl Cluster for Failover {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let total = picker.consumer().map_err(|error| error.calling(invocation))?;
            let total = total
                .try_method_millis(&invocation.called_name(), TOTAL_TIMEOUT)
                .ok()
                .flatten();
            let Some(until) = total.and_then(|total| Instant::now().checked_add(total)) else {
                return self.attempts(invocation, picker).await;
            };
            let mut limited = invocation.clone();
            let deadline = invocation
                .options
                .deadline
                .map_or(until, |deadline| deadline.min(until));
            limited.options.deadline = Some(deadline);
            self.attempts(&limited, picker).await
        })
    }
}

/// Adds whom was tried, if that was more than one.
fn told(error: RpcError, tried: &[Arc<Endpoint>]) -> RpcError {
    if tried.len() < 2 {
        return error;
    }
    let addresses: Vec<&str> = tried.iter().map(|endpoint| &**endpoint.address()).collect();
    error.adding(format!("tried {} times: {}", tried.len(), addresses.join(", ")))
}
