//! Filters: what happens around a call beside choosing and performing it — limits, logs, counts, traces.
//!
//! ```text
//!  consumer: caller ─▶ ConsumerCall filters ─▶ cluster (retries) ─▶ ConsumerAttempt filters ─▶ wire
//!  provider: wire ─▶ Provider filters ─▶ the program's code
//! ```
//!
//! [`FILTERS`] is the whole of them, in one table; [`chain`] makes of it what a URL asks for, in Dubbo's order, with the lists `service.filter`
//! and `reference.filter` of the URL and the filters of the program's own. A filter that a URL does not ask for is not in the chain and costs
//! nothing.
//!
//! Beside the filters are the state machines of two things that choose among endpoints, and so belong to endpoint and picker: circuit
//! breakers ([`Breakers`]) and outlier ejection ([`OutlierDetector`]).
//!
//! A new filter is one file and one row.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod access_log;
mod active_limit;
mod adaptive_limit;
mod breaker;
mod breakers;
mod chain;
mod execute_limit;
mod gradient;
mod in_flight;
mod metrics;
mod monitor;
mod outcome;
mod outlier;
mod overrun;
mod parts;
mod slots;
mod tally;
#[cfg(test)]
mod testing;
mod token;
mod tps_limit;
mod trace;
mod traceparent;

use std::sync::Arc;

use orana_core::{Filter, ServiceUrl};

pub use self::access_log::AccessLog;
pub use self::breaker::{Breaker, BreakerSettings, BreakerState, Ticket};
pub use self::breakers::{BreakerCall, Breakers};
pub use self::chain::{ProgramFilter, UnknownFilter, chain};
pub use self::metrics::Metrics;
pub use self::monitor::{Monitor, MonitorSink, Reporting};
pub use self::outcome::{Outcome, Verdict};
pub use self::outlier::{OutlierDetector, OutlierRecord, OutlierSettings};
pub use self::parts::{CallContext, NoContext, Parts};
pub use self::tally::Window;
pub use self::trace::TraceSettings;
pub use self::traceparent::{TRACEPARENT, TraceParent};

use crate::load_balance::AdaptiveAnswer;

use self::access_log::AccessLogFilter;
use self::active_limit::ActiveLimit;
use self::adaptive_limit::AdaptiveLimit;
use self::execute_limit::ExecuteLimit;
use self::metrics::MetricsFilter;
use self::monitor::MonitorFilter;
use self::overrun::Overrun;
use self::token::Token;
use self::tps_limit::TpsLimit;
use self::trace::{ClientTrace, ServerTrace};

/// Where in the way of a call filters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before the program's code.
    Provider,
    /// Around the cluster: once for each call of the program.
    ConsumerCall,
    /// Around one provider: once for each attempt.
    ConsumerAttempt,
}

/// What puts a filter into a chain when no list names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivatedBy {
    /// Nothing need be said.
    Always,
    /// A parameter of that name, or of `METHOD.name`, with a value other than `false`, `0`, `null` and `N/A`.
    Key(&'static str),
}

/// One filter.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in lists; Dubbo's where Dubbo has it.
    pub name: &'static str,
    /// Where it stands.
    pub side: Side,
    /// Lower ones are further out; equal ones stand by name (in Dubbo by the class's name, which gives the same order).
    pub order: i32,
    /// When it is there.
    pub activated_by: ActivatedBy,
    /// Makes it for a service or an endpoint; none if what the URL or the parts say leaves it nothing to do.
    pub make: Make,
}

/// Makes a filter.
pub type Make = fn(&ServiceUrl, &Parts) -> Option<Arc<dyn Filter>>;

/// Every filter of this crate.
///
/// What is missing here and known from Dubbo is elsewhere: `echo`, `generic`, `exception` and the provider's `context` are how calls are
/// served, in the crate that serves them; `consumercontext`, what a call takes along from the call around it and the name of its application,
/// is how references make calls, in the SDK. Lists may name them, see [`ELSEWHERE`].
pub const FILTERS: &[Row] = &[
    Row {
        name: "profiler-server",
        side: Side::Provider,
        order: i32::MIN,
        activated_by: ActivatedBy::Always,
        make: |_, parts| Some(Arc::new(AdaptiveAnswer::new(Arc::clone(&parts.context)))),
    },
    Row {
        name: "observation",
        side: Side::Provider,
        order: i32::MIN + 50,
        activated_by: ActivatedBy::Always,
        make: |_, parts| parts.tracing.map(|settings| Arc::new(ServerTrace(settings)) as _),
    },
    Row {
        name: "metrics",
        side: Side::Provider,
        order: i32::MIN + 100,
        activated_by: ActivatedBy::Always,
        make: |url, parts| counted(Side::Provider, url, parts),
    },
    Row {
        name: "accesslog",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Always,
        make: |url, parts| AccessLogFilter::new(url, parts).map(|filter| Arc::new(filter) as _),
    },
    Row {
        name: "adaptive-limit",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Key("adaptive-service"),
        make: |url, parts| Some(Arc::new(AdaptiveLimit::new(url, &parts.context))),
    },
    Row {
        name: "executelimit",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Key("executes"),
        make: |url, _| Some(Arc::new(ExecuteLimit::new(url))),
    },
    Row {
        name: "monitor",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Key("monitor"),
        make: |url, parts| monitored(Side::Provider, url, parts),
    },
    Row {
        name: "timeout",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Always,
        make: |url, _| Some(Arc::new(Overrun::new(url))),
    },
    Row {
        name: "token",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Key("token"),
        make: |url, parts| Token::new(url, &parts.context).map(|filter| Arc::new(filter) as _),
    },
    Row {
        name: "tps",
        side: Side::Provider,
        order: 0,
        activated_by: ActivatedBy::Key("tps"),
        make: |url, _| Some(Arc::new(TpsLimit::new(url))),
    },
    Row {
        name: "observation",
        side: Side::ConsumerCall,
        order: i32::MIN + 50,
        activated_by: ActivatedBy::Always,
        make: |_, parts| parts.tracing.map(|settings| Arc::new(ClientTrace(settings)) as _),
    },
    Row {
        name: "metrics",
        side: Side::ConsumerCall,
        order: i32::MIN + 100,
        activated_by: ActivatedBy::Always,
        make: |url, parts| counted(Side::ConsumerCall, url, parts),
    },
    Row {
        name: "monitor",
        side: Side::ConsumerCall,
        order: 0,
        activated_by: ActivatedBy::Key("monitor"),
        make: |url, parts| monitored(Side::ConsumerCall, url, parts),
    },
    Row {
        name: "activelimit",
        side: Side::ConsumerAttempt,
        order: 0,
        activated_by: ActivatedBy::Key("actives"),
        make: |url, _| Some(Arc::new(ActiveLimit::new(url))),
    },
];

/// Names of Dubbo's filters that need no row: what they do is done elsewhere for every call, or is of no meaning here. A list that names one is
/// no mistake, and has no effect.
pub const ELSEWHERE: &[&str] = &[
    "adaptive-loadbalance",
    "classloader",
    "compatible",
    "consumer-classloader",
    "consumercontext",
    "context",
    "deprecated",
    "echo",
    "exception",
    "future",
    "generic",
    "genericimpl",
    "rpcexception",
    "trace",
];

fn counted(side: Side, url: &ServiceUrl, parts: &Parts) -> Option<Arc<dyn Filter>> {
    let metrics = parts.metrics.as_ref()?;
    Some(Arc::new(MetricsFilter::new(side, url, metrics)))
}

fn monitored(side: Side, url: &ServiceUrl, parts: &Parts) -> Option<Arc<dyn Filter>> {
    let monitor = parts.monitor.as_ref()?;
    Some(Arc::new(MonitorFilter::new(side, url, monitor, &parts.context)))
}

/// A limit of a method: none if it is absent, not a number, or not above zero.
fn positive(url: &ServiceUrl, method: &str, key: &str) -> Option<u32> {
    let limit: i64 = url.method_number_or(method, key, 0);
    u32::try_from(limit.clamp(0, i64::from(u32::MAX)))
        .ok()
        .filter(|limit| *limit > 0)
}

/// A URL as a message may show it.
fn shown(url: &ServiceUrl) -> String {
    let protocol = url.protocol().unwrap_or_default();
    let key = url.service_key().map(|key| key.to_string()).unwrap_or_default();
    format!("{protocol}://{}/{key}", url.address())
}
