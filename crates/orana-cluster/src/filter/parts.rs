//! What filters are made with, beside the URL: what they ask, and where what they find goes.
//!
//! Put together once by whoever wires a program (the SDK); everything is optional, and a filter that lacks its part is not made.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use orana_core::Encoded;

use super::access_log::AccessLog;
use super::metrics::Metrics;
use super::monitor::Monitor;
use super::trace::TraceSettings;

/// What filters are made with.
#[derive(Clone)]
pub struct Parts {
    /// What is known of a call that is being served, beyond the invocation.
    pub context: Arc<dyn CallContext>,
    /// Writes access logs to files; without it they go to the log of the program.
    pub access_log: Option<Arc<AccessLog>>,
    /// Counts for a monitor; without it the key `monitor` has no effect.
    pub monitor: Option<Arc<Monitor>>,
    /// Counts for a scrape; without it nothing is counted.
    pub metrics: Option<Metrics>,
    /// Whether and how calls are traced.
    pub tracing: Option<TraceSettings>,
}

/// What a provider knows of the call that the current task serves, beyond its invocation (`org.apache.dubbo.rpc.RpcContext`).
///
/// Who serves calls has it; this crate does not know who that is. It is asked within the future of the call, never before that is polled.
pub trait CallContext: Send + Sync + 'static {
    /// Where the call came from; none if from this process, or if no call is being served.
    fn caller(&self) -> Option<SocketAddr> {
        None
    }

    /// Puts `text` under `name` beside the answer.
    fn answer_with(&self, name: &'static str, text: Arc<str>) {
        let _ = (name, text);
    }

    /// Appends the arguments as a JSON list, for an access log. Here: those that have a text, as strings; others as `null`.
    fn put_arguments(&self, arguments: &Encoded, out: &mut String) {
        super::access_log::put_texts(arguments, out);
    }
}

/// Nothing is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl CallContext for NoContext {}

impl Default for Parts {
    fn default() -> Parts {
        Parts {
            context: Arc::new(NoContext),
            access_log: None,
            monitor: None,
            metrics: None,
            tracing: None,
        }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("access_log", &self.access_log.is_some())
            .field("monitor", &self.monitor.is_some())
            .field("metrics", &self.metrics.is_some())
            .field("tracing", &self.tracing)
            .finish_non_exhaustive()
    }
}
