//! `failsafe`: one attempt whose failure is only logged (`FailsafeClusterInvoker`), for calls that are not worth an error.

use orana_core::{BoxFuture, Invocation, Reply, RpcError};

use super::Cluster;
use crate::picker::Picker;

/// One attempt; a failure gives null. An exception of the service is no failure. That there is nobody to call stays an error, as in 3.x.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failsafe;

impl Cluster for Failsafe {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let endpoint = picker.pick(invocation, &[])?.endpoint;
            match picker.attempt(&endpoint, invocation).await {
                Ok(reply) => Ok(reply),
                // An exception is an answer: in Java it is part of the result and reaches the caller.
                Err(error) if error.exception().is_some() => Err(error),
                Err(error) => {
                    tracing::warn!(%error, "a call failed; its caller is given null (failsafe)");
                    Ok(Reply::null().by(endpoint.address()))
                }
            }
        })
    }
}
