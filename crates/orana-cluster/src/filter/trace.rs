//! A span of `tracing` around each call, on both sides, joined by the W3C trace context that travels with it.
//!
//! The program decides what becomes of spans: any subscriber may take them, one of OpenTelemetry among them, by the fields `otel.kind`, `rpc.system`,
//! `rpc.service`, `rpc.method`, `trace_id`, `span_id`, `parent_span_id`. A trace that is not sampled travels on and makes no spans.

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError};
use tracing::{Instrument, Span, field};

use super::outcome::Outcome;
use super::traceparent::{TRACEPARENT, TraceParent};

tokio::task_local! {
    static CURRENT: TraceParent;
}

/// How calls are traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceSettings {
    /// The share of traces that begin here which are recorded, from 0 to 1. Others' traces are as they decided.
    pub sampled: f64,
}

impl Default for TraceSettings {
    fn default() -> TraceSettings {
        TraceSettings { sampled: 1.0 }
    }
}

impl TraceParent {
    /// That of the call which this task serves or makes; none outside of one, and none in tasks that it spawned.
    pub fn current() -> Option<TraceParent> {
        CURRENT.try_with(|current| *current).ok()
    }
}

/// Around calls that are made.
pub(super) struct ClientTrace(pub(super) TraceSettings);

/// Around calls that are served.
pub(super) struct ServerTrace(pub(super) TraceSettings);

/// The parent that a call names.
fn named(invocation: &Invocation) -> Option<TraceParent> {
    TraceParent::parse(invocation.attachments.get(TRACEPARENT)?)
}

/// The span of a call within `parent`, or at the beginning of a trace. The three numbers are chance.
fn span_within(parent: Option<TraceParent>, settings: TraceSettings, span: u64, trace: u128, dice: f64) -> TraceParent {
    match parent {
        Some(parent) => parent.child(span),
        None => TraceParent::root(trace, span, dice < settings.sampled),
    }
}

fn begin(parent: Option<TraceParent>, settings: TraceSettings) -> TraceParent {
    span_within(
        parent,
        settings,
        fastrand::u64(1..),
        fastrand::u128(1..),
        fastrand::f64(),
    )
}

/// What a recorded call is shown by; nothing if it is not recorded.
fn shown(own: TraceParent, parent: Option<TraceParent>, kind: &'static str, invocation: &Invocation) -> Span {
    if !own.is_sampled() {
        return Span::none();
    }
    let span = tracing::info_span!(
        target: "dubbo.trace",
        "dubbo.call",
        otel.kind = kind,
        otel.status_code = field::Empty,
        rpc.system = "dubbo",
        rpc.service = invocation.service().interface(),
        rpc.method = &*invocation.called_name(),
        trace_id = %format_args!("{:032x}", own.trace()),
        span_id = %format_args!("{:016x}", own.span()),
        parent_span_id = field::Empty,
        error.kind = field::Empty,
    );
    if let Some(parent) = parent {
        span.record("parent_span_id", field::display(format_args!("{:016x}", parent.span())));
    }
    span
}

/// Says at the end of a span what came of it.
fn close(span: &Span, result: &Result<Reply, RpcError>) {
    if let Err(error) = result {
        span.record("otel.status_code", "ERROR");
        span.record("error.kind", field::debug(Outcome::of_error(error)));
    }
}

async fn traced(next: &dyn Invoker, invocation: &Invocation, own: TraceParent, span: Span) -> Result<Reply, RpcError> {
    let call = next.invoke(invocation).instrument(span.clone());
    let result = CURRENT.scope(own, call).await;
    close(&span, &result);
    result
}

impl Filter for ClientTrace {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        // The span around the call, if there is one, is nearer than what an attachment says that came with the call around.
        let parent = TraceParent::current().or_else(|| named(invocation));
        let own = begin(parent, self.0);
        let span = shown(own, parent, "client", invocation);
        let mut call = invocation.clone();
        call.attachments.set(TRACEPARENT, own.to_string());
        Box::pin(async move { traced(next, &call, own, span).await })
    }
}

impl Filter for ServerTrace {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let parent = named(invocation);
        let own = begin(parent, self.0);
        let span = shown(own, parent, "server", invocation);
        Box::pin(traced(next, invocation, own, span))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orana_core::filtered;
    use parking_lot::Mutex;

    use super::super::testing::{call, seeing};
    use super::*;

    /// Performs a call behind that filter; gives what reached the service and the current trace there.
    async fn through(filter: impl Filter, call: &Invocation) -> (Option<TraceParent>, Option<TraceParent>) {
        let seen = Arc::new(Mutex::new((None, None)));
        let inside = Arc::clone(&seen);
        let service = Arc::new(super::super::testing::answering(|| Ok(Reply::null())));
        struct Looking(Arc<Mutex<(Option<TraceParent>, Option<TraceParent>)>>);
        impl Filter for Looking {
            fn invoke<'a>(
                &'a self,
                next: &'a dyn Invoker,
                invocation: &'a Invocation,
            ) -> BoxFuture<'a, Result<Reply, RpcError>> {
                Box::pin(async move {
                    *self.0.lock() = (named(invocation), TraceParent::current());
                    next.invoke(invocation).await
                })
            }
        }
        let chain = filtered(&[Arc::new(filter), Arc::new(Looking(inside))], service);
        chain.invoke(call).await.unwrap();
        *seen.lock()
    }

    const TEXT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[tokio::test]
    async fn a_call_that_is_made_carries_a_span_of_its_own_in_the_trace_around_it() {
        let (sent, current) = through(ClientTrace(TraceSettings::default()), &call("say")).await;
        let root = sent.unwrap();
        assert_eq!(current, Some(root));
        assert!(root.is_sampled());
        let around = TraceParent::parse(TEXT).unwrap();
        let nested = CURRENT
            .scope(around, through(ClientTrace(TraceSettings::default()), &call("say")))
            .await;
        let sent = nested.0.unwrap();
        assert_eq!(sent.trace(), around.trace());
        assert_ne!(sent.span(), around.span());
    }

    #[tokio::test]
    async fn a_call_that_is_served_is_within_the_callers_trace() {
        let mut say = call("say");
        say.attachments.set(TRACEPARENT, TEXT);
        let (_, current) = through(ServerTrace(TraceSettings { sampled: 0.0 }), &say).await;
        let (own, caller) = (current.unwrap(), TraceParent::parse(TEXT).unwrap());
        assert_eq!(
            (own.trace(), own.is_sampled()),
            (caller.trace(), true),
            "the caller decided"
        );
        assert_ne!(own.span(), caller.span());
    }

    #[tokio::test]
    async fn what_the_caller_does_not_record_is_not_recorded_here_and_travels_on() {
        let mut say = call("say");
        say.attachments.set(TRACEPARENT, TEXT.replace("-01", "-00"));
        let (sent, _) = through(ClientTrace(TraceSettings::default()), &say).await;
        let sent = sent.unwrap();
        assert!(!sent.is_sampled());
        assert!(shown(sent, None, "client", &say).is_none());
    }

    #[test]
    fn the_share_decides_of_traces_that_begin_here() {
        let settings = TraceSettings { sampled: 0.25 };
        assert!(span_within(None, settings, 1, 1, 0.2).is_sampled());
        assert!(!span_within(None, settings, 1, 1, 0.3).is_sampled());
    }

    #[tokio::test]
    async fn a_text_that_is_no_trace_begins_a_new_one() {
        let mut say = call("say");
        say.attachments.set(TRACEPARENT, "nonsense");
        let (_, current) = through(ServerTrace(TraceSettings::default()), &say).await;
        assert!(current.unwrap().is_sampled());
        let service = seeing(|invocation| {
            assert_eq!(invocation.attachments.get(TRACEPARENT), Some("nonsense"));
            Ok(Reply::null())
        });
        ServerTrace(TraceSettings::default())
            .invoke(&service, &say)
            .await
            .unwrap();
    }
}
