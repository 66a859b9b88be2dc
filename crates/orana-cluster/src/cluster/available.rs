//! `available`: the first that is up (`AvailableClusterInvoker`).

use orana_core::{BoxFuture, Invocation, Reply, RpcError, RpcErrorCode};

use super::Cluster;
use crate::picker::Picker;

/// One attempt at the first provider of the list that is up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Available;

impl Cluster for Available {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let everybody = picker.everybody(invocation)?;
            let Some(endpoint) = everybody.iter().find(|endpoint| endpoint.is_available()) else {
                let message = format!("none of the {} providers is up now", everybody.len());
                return Err(RpcError::new(RpcErrorCode::Unknown, message).calling(invocation));
            };
            picker.attempt(endpoint, invocation).await
        })
    }
}
