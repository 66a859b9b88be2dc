//! What filters are made with, beside the URL: who they work for, and where what they find goes.
//!
//! Put together once by whoever wires a program (the SDK); everything is optional, and a filter that lacks its part is not made.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use orana_core::{Attachments, Encoded};

use super::access_log::AccessLog;
use super::metrics::Metrics;
use super::monitor::Monitor;
use super::trace::TraceSettings;

/// What filters are made with.
#[derive(Clone)]
#[non_exhaustive]
pub struct Parts {
    /// The name of the program's own application; empty if it has none.
    pub application: Arc<str>,
    /// What is known of a call that is being served, beyond the invocation.
    pub context: Arc<dyn CallContext>,
    /// Writes access logs to files; without it they go to the log of the program.
    pub access_log: Option<Arc<AccessLog>>,
    /// Counts for a monitor; without it the key `monitor` has no effect.
    pub monitor: Option<Arc<Monitor>>,
    /// Counts for a scrape; without it nothing is counted.
    pub metrics: Option<Arc<Metrics>>,
    /// Whether and how calls are traced.
    pub tracing: Option<TraceSettings>,
}

/// What a provider knows of the call that the current task serves, beyond its invocation (`org.apache.dubbo.rpc.RpcContext`).
///
/// The wire has it; this crate does not know the wire. On a consumer the call that is being served is the one *within which* another
/// one is made.
pub trait CallContext: Send + Sync + 'static {
    /// Where the call came from; none if from this process, or if no call is being served.
    fn caller(&self) -> Option<SocketAddr> {
        None
    }

    /// Puts `text` under `name` beside the answer.
    fn answer_with(&self, name: &'static str, text: Arc<str>) {
        let _ = (name, text);
    }

    /// The attachments of the call that is being served which travel on with calls that are made within it: those of programs, without
    /// the protocol's own.
    fn passed_on(&self) -> Option<Attachments> {
        None
    }

    /// When the caller of the call that is being served will no longer wait, if it said so.
    fn deadline(&self) -> Option<Instant> {
        None
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
            application: "".into(),
            context: Arc::new(NoContext),
            access_log: None,
            monitor: None,
            metrics: None,
            tracing: None,
        }
    }
}

impl Parts {
    /// Those of the application of that name, with nothing else.
    pub fn of_application(name: &str) -> Parts {
        Parts {
            application: name.into(),
            ..Parts::default()
        }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("application", &self.application)
            .field("access_log", &self.access_log.is_some())
            .field("monitor", &self.monitor.is_some())
            .field("metrics", &self.metrics.is_some())
            .field("tracing", &self.tracing)
            .finish_non_exhaustive()
    }
}
