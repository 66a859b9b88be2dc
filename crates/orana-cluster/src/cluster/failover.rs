//! `failover`: another provider when one fails (`FailoverClusterInvoker`).

use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Reply, RpcError};

use super::Cluster;
use crate::endpoint::Endpoint;
use crate::picker::Picker;

/// How often another one is tried unless configuration says otherwise.
const DEFAULT_RETRIES: u32 = 2;

/// More attempts than this help nobody, whatever a rule says.
const MOST_RETRIES: u32 = 100;

/// Up to `retries` further attempts, each with a fresh list and each at a provider that was not tried yet if there is one, while the
/// kind of the error allows it ([`RpcError::retryable`]) and the call's deadline, if it has one, is not over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failover;

impl Cluster for Failover {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
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
                let over = invocation
                    .options
                    .deadline
                    .is_some_and(|deadline| deadline <= std::time::Instant::now());
                if !error.retryable() || over || attempts > retries(&endpoint, invocation) {
                    tried.push(endpoint);
                    return Err(told(error, &tried));
                }
                tracing::debug!(%error, "a call failed and is tried again");
                tried.push(endpoint);
            }
        })
    }
}

/// `retries`: the method's, else the service's, consumer before provider (both are in the merged URL).
fn retries(endpoint: &Endpoint, invocation: &Invocation) -> u32 {
    let url = endpoint.url();
    url.method_parameter(&invocation.called_name(), "retries")
        .and_then(|text| text.trim().parse::<i64>().ok())
        .map_or(DEFAULT_RETRIES, |retries| {
            u32::try_from(retries.max(0)).unwrap_or(MOST_RETRIES).min(MOST_RETRIES)
        })
}

/// Adds whom was tried, if that was more than one.
fn told(error: RpcError, tried: &[Arc<Endpoint>]) -> RpcError {
    if tried.len() < 2 {
        return error;
    }
    let addresses: Vec<&str> = tried.iter().map(|endpoint| &**endpoint.address()).collect();
    error.adding(format!("tried {} times: {}", tried.len(), addresses.join(", ")))
}
