//! `forking`: several at the same time, and the first answer counts (`ForkingClusterInvoker`), for reads that must be quick.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use orana_core::{BoxFuture, Invocation, Reply, RpcError, RpcErrorCode};

use super::Cluster;
use crate::picker::Picker;

/// How many are called unless configuration says otherwise; and how long they have together.
const DEFAULT_FORKS: i64 = 2;
const DEFAULT_TIMEOUT: Duration = Duration::from_millis(1000);

/// More at once than this help nobody, whatever a rule says.
const MOST_FORKS: usize = 64;

/// Calls `forks` providers at the same time; the first answer, be it an exception of the service, is the result, and the others are given up.
/// Fails when all fail, or when nobody answered in time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forking;

impl Cluster for Forking {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let consumer = picker.consumer()?;
            let method = invocation.called_name();
            let forks: i64 = consumer.method_number_or(&method, "forks", DEFAULT_FORKS);
            let together = invocation.options.timeout;
            let together = together.unwrap_or_else(|| consumer.method_millis_or(&method, "timeout", DEFAULT_TIMEOUT));

            let first = picker.pick(invocation, &[])?;
            let wanted = usize::try_from(forks)
                .ok()
                .filter(|forks| *forks > 0)
                .unwrap_or(first.out_of);
            let wanted = wanted.min(first.out_of).min(MOST_FORKS);
            let mut chosen = vec![first.endpoint];
            while chosen.len() < wanted {
                let next = picker.pick(invocation, &chosen)?.endpoint;
                // Nobody else is left: the same one again would only be asked twice.
                if chosen.iter().any(|one| one.address() == next.address()) {
                    break;
                }
                chosen.push(next);
            }
            let mut attempts: FuturesUnordered<_> = chosen
                .iter()
                .map(|endpoint| picker.attempt(endpoint, invocation))
                .collect();
            let first_answer = async {
                let mut last = None;
                while let Some(outcome) = attempts.next().await {
                    match outcome {
                        Err(error) if error.code() != RpcErrorCode::Business => last = Some(error),
                        answer => return answer,
                    }
                }
                let error = last.unwrap_or_else(|| RpcError::new(RpcErrorCode::Unknown, "nobody was called"));
                Err(error.adding(format!("all of {} failed (forking)", chosen.len())))
            };
            match tokio::time::timeout(together, first_answer).await {
                Ok(answer) => answer,
                Err(_) => {
                    let message = format!(
                        "none of {} answered in {} ms (forking)",
                        chosen.len(),
                        together.as_millis()
                    );
                    Err(RpcError::new(RpcErrorCode::Timeout, message).calling(invocation))
                }
            }
        })
    }
}
