//! `failfast`: one attempt (`FailfastClusterInvoker`), for calls that must not be made twice.

use orana_core::{BoxFuture, Invocation, Reply, RpcError};

use super::Cluster;
use crate::picker::Picker;

/// One attempt; what comes of it is what comes of the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failfast;

impl Cluster for Failfast {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let endpoint = picker.pick(invocation, &[])?.endpoint;
            picker.attempt(&endpoint, invocation).await
        })
    }
}
