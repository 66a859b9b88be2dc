//! `executes`: how many calls of a method a provider performs at a time; one more is refused at once
//! (`org.apache.dubbo.rpc.filter.ExecuteLimitFilter`).

use std::sync::Arc;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};

use super::in_flight::InFlight;
use super::slots::Slots;

/// Limits the calls of each method of the service of the URL.
pub(super) struct ExecuteLimit {
    url: ServiceUrl,
    methods: Slots<MethodLimit>,
}

struct MethodLimit {
    /// As configured; none if there is no limit.
    limit: Option<u32>,
    in_flight: Arc<InFlight>,
}

impl ExecuteLimit {
    pub(super) fn new(url: &ServiceUrl) -> ExecuteLimit {
        ExecuteLimit {
            url: url.clone(),
            methods: Slots::new(),
        }
    }

    fn refusal(&self, method: &str, limit: u32) -> RpcError {
        let message = format!(
            "Failed to invoke method {method} in provider {}, cause: The service using threads greater than \
             <dubbo:service executes=\"{limit}\" /> limited.",
            super::shown(&self.url),
        );
        RpcError::new(RpcErrorCode::LimitExceeded, message)
    }
}

impl Filter for ExecuteLimit {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let name = invocation.called_name();
        let method = self.methods.get(&name, |name| MethodLimit {
            limit: super::positive(&self.url, name, "executes"),
            in_flight: Arc::default(),
        });
        let Some(limit) = method.limit else {
            return next.invoke(invocation);
        };
        match method.in_flight.begin(limit) {
            Some(begun) => Box::pin(async move {
                let _begun = begun;
                next.invoke(invocation).await
            }),
            None => {
                let error = self.refusal(&name, limit).calling(invocation);
                Box::pin(async { Err(error) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gate, call, polled, url};
    use super::*;

    #[tokio::test]
    async fn one_call_too_many_is_refused_at_once_and_places_come_back() {
        let (limit, gate) = (ExecuteLimit::new(&url("executes=2")), Gate::new());
        let (say, hear) = (call("say"), call("hear"));
        let (mut first, mut second) = (limit.invoke(&gate, &say), limit.invoke(&gate, &say));
        assert!(polled(&mut first).is_none() && polled(&mut second).is_none());
        let error = limit.invoke(&gate, &say).await.unwrap_err();
        assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
        assert!(
            error
                .message()
                .starts_with("Failed to invoke method say in provider dubbo://127.0.0.1:20880/i")
                && error.message().ends_with(
                    "cause: The service using threads greater than <dubbo:service executes=\"2\" /> limited."
                ),
            "{error}"
        );
        let mut other = limit.invoke(&gate, &hear);
        assert!(polled(&mut other).is_none(), "each method has its own");
        drop(first);
        gate.open(3);
        assert!(
            limit.invoke(&gate, &say).await.is_ok(),
            "a dropped call gave its place back"
        );
        assert!(second.await.is_ok() && other.await.is_ok());
    }

    #[tokio::test]
    async fn a_methods_own_limit_counts_and_zero_or_less_is_none() {
        let (limit, gate) = (
            ExecuteLimit::new(&url("executes=-1&say.executes=1&hear.executes=0")),
            Gate::new(),
        );
        let methods = ["say", "say", "hear", "hear", "see", "see"].map(call);
        let mut calls: Vec<_> = methods.iter().map(|call| limit.invoke(&gate, call)).collect();
        let refused = calls.iter_mut().map(|call| polled(call).is_some()).collect::<Vec<_>>();
        assert_eq!(refused, [false, true, false, false, false, false]);
    }

    #[tokio::test]
    async fn the_refusal_does_not_show_the_token() {
        let (limit, gate) = (ExecuteLimit::new(&url("executes=1&token=s3cret")), Gate::new());
        let say = call("say");
        let mut first = limit.invoke(&gate, &say);
        assert!(polled(&mut first).is_none());
        let error = limit.invoke(&gate, &say).await.unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}
