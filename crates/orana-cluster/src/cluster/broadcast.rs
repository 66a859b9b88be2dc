//! `broadcast`: every provider, one after the other (`BroadcastClusterInvoker`), for caches to be cleared and the like.

use orana_core::{BoxFuture, Invocation, Reply, RpcError};

use super::Cluster;
use crate::picker::Picker;

/// Where a reference says at which share of failures no further provider is called.
const FAIL_PERCENT: &str = "broadcast.fail.percent";

/// Calls everybody whom rules leave; the result is the last one's. If anybody fails the call fails with the last failure, after all were called or
/// after `broadcast.fail.percent` of them have failed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Broadcast;

impl Cluster for Broadcast {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let everybody = picker.everybody(invocation)?;
            let limit = limit(
                everybody.len(),
                picker
                    .consumer()?
                    .method_number_or(&invocation.called_name(), FAIL_PERCENT, 100),
            );
            let mut last = Ok(Reply::null());
            let mut failed = 0;
            let mut called = 0;
            let mut failure = None;
            for endpoint in &everybody {
                called += 1;
                match picker.attempt(endpoint, invocation).await {
                    Ok(reply) => last = Ok(reply),
                    Err(error) => {
                        tracing::warn!(%error, "a provider failed in a broadcast");
                        failure = Some(error);
                        failed += 1;
                        if failed == limit {
                            break;
                        }
                    }
                }
            }
            match failure {
                None => last,
                Some(error) => Err(error.adding(format!(
                    "{failed} of {called} called failed, {} known (broadcast)",
                    everybody.len()
                ))),
            }
        })
    }
}

/// After how many failures no further one is called. What is no percentage counts as 100; 0 never stops early, as in Java.
fn limit(of: usize, percent: i64) -> usize {
    let percent = usize::try_from(percent)
        .ok()
        .filter(|percent| *percent <= 100)
        .unwrap_or(100);
    of * percent / 100
}
