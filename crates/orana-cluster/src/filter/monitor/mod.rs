//! Counts for a monitor: how many calls of which method between whom, and how long they took (`MonitorFilter` and `DubboMonitor` of 2.x).
//!
//! Each interval every pair of caller and provider with calls becomes one `count://` URL, as `MonitorService.collect` takes it. Who takes them is a
//! [`MonitorSink`]. A pair without calls says nothing (Dubbo's goes on reporting zeros), and what a sink does not take is lost: counts are no
//! reason to keep memory.

mod cells;
mod report;

use std::fmt;
use std::sync::Arc;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, ServiceUrl};
use parking_lot::Mutex;
use tokio::time::Instant;

use self::cells::{Sample, Source};
pub use self::report::{MonitorSink, Reporting};
use super::Side;
use super::outcome::Outcome;
use super::parts::CallContext;

/// The counts of a program, all services together.
#[derive(Default)]
pub struct Monitor {
    sources: Mutex<Vec<Arc<Source>>>,
}

impl Monitor {
    /// Nothing is counted yet.
    pub fn new() -> Monitor {
        Monitor::default()
    }

    /// What was counted since the last time, one URL for each method and pair with calls; `timestamp` is in milliseconds since 1970. Counting
    /// begins anew.
    pub fn collect(&self, timestamp: u64) -> Vec<ServiceUrl> {
        let mut statistics = Vec::new();
        let mut sources = self.sources.lock();
        // One that nobody else holds gets no more calls: this is its last word.
        sources.retain(|source| {
            let last = Arc::strong_count(source) == 1;
            source.collect(timestamp, &mut statistics);
            !last
        });
        statistics
    }

    fn source(&self, url: &ServiceUrl, provider: bool) -> Arc<Source> {
        let source = Arc::new(Source::new(url, provider));
        self.sources.lock().push(Arc::clone(&source));
        source
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor")
            .field("sources", &self.sources.lock().len())
            .finish()
    }
}

/// Counts the calls of the service of the URL.
pub(super) struct MonitorFilter {
    source: Arc<Source>,
    context: Arc<dyn CallContext>,
    provider: bool,
}

impl MonitorFilter {
    pub(super) fn new(
        side: Side,
        url: &ServiceUrl,
        monitor: &Monitor,
        context: &Arc<dyn CallContext>,
    ) -> MonitorFilter {
        let provider = side == Side::Provider;
        MonitorFilter {
            source: monitor.source(url, provider),
            context: Arc::clone(context),
            provider,
        }
    }

    /// The other side of a call: the host of the caller, or the address of the provider.
    fn count(&self, method: &cells::MethodCells, invocation: &Invocation, result: &Result<Reply, RpcError>, ms: u64) {
        let caller = self.context.caller().map(|caller| caller.ip().to_string());
        let peer = match (self.provider, result) {
            (true, _) => caller.as_deref(),
            (false, Ok(reply)) => reply.provider().map(|provider| &**provider),
            (false, Err(error)) => error.address(),
        };
        let output = result.as_ref().map_or(0, |reply| reply.bytes().len());
        self.source.count(
            method,
            peer.unwrap_or_default(),
            &Sample {
                // An exception of the service is an answer.
                success: matches!(Outcome::of(result), Outcome::Success | Outcome::Business),
                elapsed: ms,
                input: invocation.arguments().bytes().len() as u64,
                output: output as u64,
            },
        );
    }
}

impl Filter for MonitorFilter {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let method = self.source.begin(&invocation.called_name());
        let began = Instant::now();
        Box::pin(async move {
            let result = next.invoke(invocation).await;
            let elapsed = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.count(method.cells(), invocation, &result, elapsed);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use orana_core::RpcErrorCode;

    use super::super::parts::NoContext;
    use super::super::testing::{Gate, answering, call, failing, polled, url};
    use super::*;

    struct From9;

    impl CallContext for From9 {
        fn caller(&self) -> Option<SocketAddr> {
            Some(([10, 0, 0, 9], 4321).into())
        }
    }

    fn filter(monitor: &Monitor, side: Side) -> MonitorFilter {
        let context: Arc<dyn CallContext> = match side {
            Side::Provider => Arc::new(From9),
            _ => Arc::new(NoContext),
        };
        MonitorFilter::new(
            side,
            &url("application=shop&group=g&version=1&monitor=x"),
            monitor,
            &context,
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_counts_by_method_and_caller() {
        let monitor = Monitor::new();
        let filter = filter(&monitor, Side::Provider);
        let say = call("say");
        let gate = Gate::new();
        for millis in [10, 30] {
            let mut waiting = filter.invoke(&gate, &say);
            assert!(polled(&mut waiting).is_none());
            tokio::time::advance(Duration::from_millis(millis)).await;
            gate.open(1);
            waiting.await.unwrap();
        }
        filter.invoke(&failing(RpcErrorCode::Timeout), &say).await.unwrap_err();
        filter.invoke(&failing(RpcErrorCode::Business), &say).await.unwrap_err();
        let statistics = monitor.collect(1234);
        let [statistic] = &statistics[..] else {
            panic!("{statistics:?}");
        };
        assert_eq!(
            statistic.full_text(),
            "count://127.0.0.1:20880/i/say?application=shop&concurrent=1&consumer=10.0.0.9&elapsed=40&failure=1&group=g&input=0\
             &interface=i&max.concurrent=1&max.elapsed=30&max.input=0&max.output=0&method=say&output=0&success=3&timestamp=1234\
             &version=1"
        );
        assert!(monitor.collect(1235).is_empty(), "counting began anew");
    }

    #[tokio::test]
    async fn a_consumer_counts_by_method_and_provider() {
        let monitor = Monitor::new();
        let filter = filter(&monitor, Side::ConsumerCall);
        let provider: Arc<str> = "10.0.0.1:20880".into();
        let (good, bad) = (
            answering(move || Ok(Reply::null().by(&provider))),
            answering(|| Err(RpcError::new(RpcErrorCode::Network, "gone").at("10.0.0.2:20880"))),
        );
        for method in ["say", "hear"] {
            filter.invoke(&good, &call(method)).await.unwrap();
            filter.invoke(&bad, &call(method)).await.unwrap_err();
        }
        let mut seen: Vec<_> = monitor
            .collect(1)
            .iter()
            .map(|url| {
                assert_eq!((url.host(), url.port()), (Some("127.0.0.1"), None));
                let text = |key| url.parameter(key).unwrap_or_default().to_owned();
                (text("method"), text("provider"), text("success"), text("failure"))
            })
            .collect();
        seen.sort();
        let row = |method: &str, provider: &str, success: &str, failure: &str| {
            (
                method.to_owned(),
                provider.to_owned(),
                success.to_owned(),
                failure.to_owned(),
            )
        };
        let expected = [
            row("hear", "10.0.0.1:20880", "1", "0"),
            row("hear", "10.0.0.2:20880", "0", "1"),
            row("say", "10.0.0.1:20880", "1", "0"),
            row("say", "10.0.0.2:20880", "0", "1"),
        ];
        assert_eq!(seen, expected);
    }

    #[tokio::test]
    async fn calls_at_the_same_time_are_counted_and_a_dropped_one_is_not_left_over() {
        let monitor = Monitor::new();
        let filter = filter(&monitor, Side::Provider);
        let (gate, say) = (Gate::new(), call("say"));
        let mut calls: Vec<_> = (0..3).map(|_| filter.invoke(&gate, &say)).collect();
        calls.iter_mut().for_each(|call| assert!(polled(call).is_none()));
        gate.open(1);
        calls.swap_remove(0).await.unwrap();
        drop(calls);
        gate.open(1);
        filter.invoke(&gate, &say).await.unwrap();
        let statistics = monitor.collect(1);
        assert_eq!(statistics[0].parameter("max.concurrent"), Some("3"));
        assert_eq!(statistics[0].parameter("concurrent"), Some("2"), "(3 + 1) / 2");
    }

    #[tokio::test]
    async fn the_last_counts_of_a_service_that_is_gone_are_told_once() {
        let monitor = Monitor::new();
        let filter = filter(&monitor, Side::Provider);
        filter
            .invoke(&answering(|| Ok(Reply::null())), &call("say"))
            .await
            .unwrap();
        drop(filter);
        assert_eq!(monitor.collect(1).len(), 1);
        assert!(monitor.collect(2).is_empty() && monitor.sources.lock().is_empty());
    }
}
