//! The counters as text: names, labels, and the encoder of `prometheus-client`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use super::counters::{BOUNDS, Counters, Kind, Times};
use super::recent::Sums;
use super::{Service, Table};

/// Counters of a method, with the end of their name, to which the text form adds `_total`.
const COUNTERS: [Row<Counters, u64>; 10] = [
    ("", "Calls", |c| read(&c.total)),
    ("_succeed", "Calls with a result", |c| c.of(Kind::Succeed)),
    ("_business_failed", "Calls with an exception of the service", |c| {
        c.of(Kind::Business)
    }),
    ("_timeout", "Calls without an answer in time", |c| c.of(Kind::Timeout)),
    ("_limit", "Calls that a limit refused", |c| c.of(Kind::Limit)),
    ("_unknown_failed", "Calls that failed in any other way", |c| {
        c.of(Kind::Unknown)
    }),
    ("_failed", "Calls that failed", Counters::failed),
    ("_failed_network", "Calls that did not reach the provider", |c| {
        c.of(Kind::Network)
    }),
    (
        "_failed_service_unavailable",
        "Calls for which nobody was registered",
        |c| c.of(Kind::Unavailable),
    ),
    (
        "_failed_codec",
        "Calls with values that could not be written or read",
        |c| c.of(Kind::Codec),
    ),
];

/// Gauges of the response times, in milliseconds.
const TIMES: [Row<Counters, f64>; 5] = [
    ("_last", "Latest response time", |c| millis(read(&c.times.last))),
    ("_min", "Shortest response time", |c| match read(&c.times.min) {
        u64::MAX => 0.0,
        min => millis(min),
    }),
    ("_max", "Longest response time", |c| millis(read(&c.times.max))),
    ("_sum", "Response times together", |c| millis(read(&c.times.sum))),
    ("_avg", "Mean response time", |c| {
        let count: u64 = c.times.buckets.iter().map(read).sum();
        millis(read(&c.times.sum)) / count.max(1) as f64
    }),
];

/// Gauges of the last two minutes, with the whole name behind that of the side.
const RECENT: [Row<Sums, f64>; 16] = [
    ("requests_total_aggregate", "Calls of two minutes", |s| s.calls() as f64),
    ("requests_succeed_aggregate", "Those with a result", |s| {
        s.of(Kind::Succeed) as f64
    }),
    ("requests_failed_aggregate", "Those that failed in any other way", |s| {
        s.of(Kind::Unknown) as f64
    }),
    (
        "requests_business_failed_aggregate",
        "Those with an exception of the service",
        |s| s.of(Kind::Business) as f64,
    ),
    (
        "requests_timeout_failed_aggregate",
        "Those without an answer in time",
        |s| s.of(Kind::Timeout) as f64,
    ),
    ("requests_limit_aggregate", "Those that a limit refused", |s| {
        s.of(Kind::Limit) as f64
    }),
    ("requests_failed_total_aggregate", "Those that failed", |s| {
        s.calls().saturating_sub(s.of(Kind::Succeed)) as f64
    }),
    (
        "requests_failed_network_total_aggregate",
        "Those that did not reach the provider",
        |s| s.of(Kind::Network) as f64,
    ),
    (
        "requests_failed_codec_total_aggregate",
        "Those with values that could not be written or read",
        |s| s.of(Kind::Codec) as f64,
    ),
    ("rt_milliseconds_p50", "Median response time of two minutes", |s| {
        millis(s.quantile(500))
    }),
    ("rt_milliseconds_p90", "What 90 % of them did not exceed", |s| {
        millis(s.quantile(900))
    }),
    ("rt_milliseconds_p95", "What 95 % of them did not exceed", |s| {
        millis(s.quantile(950))
    }),
    ("rt_milliseconds_p99", "What 99 % of them did not exceed", |s| {
        millis(s.quantile(990))
    }),
    (
        "rt_min_milliseconds_aggregate",
        "Shortest response time of two minutes",
        |s| millis(s.min()),
    ),
    (
        "rt_max_milliseconds_aggregate",
        "Longest response time of two minutes",
        |s| millis(s.max()),
    ),
    (
        "rt_avg_milliseconds_aggregate",
        "Mean response time of two minutes",
        |s| millis(s.mean()),
    ),
];

/// The end of a name, what it is, and its value.
type Row<S, T> = (&'static str, &'static str, fn(&S) -> T);

type Labels = [(&'static str, String); 5];

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn millis(micros: u64) -> f64 {
    micros as f64 / 1_000.0
}

/// Everything that is counted, with nothing else beside it.
pub(super) fn of(table: &Arc<Table>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Collected(Arc::clone(table))));
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = encode(&mut text, &registry);
    text
}

/// Makes text of counters at each scrape.
#[derive(Debug)]
pub(super) struct Collected(pub(super) Arc<Table>);

impl Collector for Collected {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let services = self.0.services();
        for provider in [false, true] {
            let side: Vec<_> = services.iter().filter(|service| service.provider == provider).collect();
            if side.is_empty() {
                continue;
            }
            let name = if provider { "provider" } else { "consumer" };
            let mut page = Page {
                encoder: &mut encoder,
                side: name,
                application: &self.0.application,
                services: side,
            };
            page.counters()?;
            page.times()?;
            page.recent(self.0.epoch.elapsed())?;
        }
        Ok(())
    }
}

/// One side's part of the text.
struct Page<'a, 'e> {
    encoder: &'a mut DescriptorEncoder<'e>,
    side: &'static str,
    application: &'a str,
    services: Vec<&'a Arc<Service>>,
}

impl Page<'_, '_> {
    fn counters(&mut self) -> fmt::Result {
        for (end, help, value) in COUNTERS {
            self.family(
                &format!("requests{end}"),
                help,
                MetricType::Counter,
                |metric, counters| metric.encode_counter::<NoLabelSet, _, u64>(&value(counters), None),
            )?;
        }
        let (name, help) = ("requests_processing_total", "Calls under way");
        self.family(name, help, MetricType::Gauge, |metric, counters| {
            metric.encode_gauge(&i64::try_from(read(&counters.processing)).unwrap_or(i64::MAX))
        })
    }

    fn times(&mut self) -> fmt::Result {
        for (end, help, value) in TIMES {
            self.family(
                &format!("rt_milliseconds{end}"),
                help,
                MetricType::Gauge,
                |metric, counters| metric.encode_gauge(&value(counters)),
            )?;
        }
        let (name, help) = ("rt_milliseconds_histogram", "Response times");
        self.family(name, help, MetricType::Histogram, |metric, counters| {
            histogram(metric, &counters.times)
        })
    }

    fn recent(&mut self, since: Duration) -> fmt::Result {
        let (name, help) = ("qps_total", "Calls per second, of three seconds");
        self.family(name, help, MetricType::Gauge, |metric, counters| {
            metric.encode_gauge(&counters.recent.per_second(since))
        })?;
        for (name, help, value) in RECENT {
            self.family(name, help, MetricType::Gauge, |metric, counters| {
                metric.encode_gauge(&value(&counters.recent.sums(since)))
            })?;
        }
        Ok(())
    }

    fn family(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        mut value: impl FnMut(&mut MetricEncoder<'_>, &Counters) -> fmt::Result,
    ) -> fmt::Result {
        let name = format!("dubbo_{}_{name}", self.side);
        let mut family = self.encoder.encode_descriptor(&name, help, None, kind)?;
        let mut result = Ok(());
        for service in &self.services {
            service.methods.for_each(|method, counters| {
                let labels = labels(self.application, service, method);
                result = result.and_then(|()| value(&mut family.encode_family(&labels)?, counters));
            });
        }
        result
    }
}

fn histogram(metric: &mut MetricEncoder<'_>, times: &Times) -> fmt::Result {
    let mut count = 0;
    let buckets: Vec<(f64, u64)> = BOUNDS
        .iter()
        .zip(&times.buckets)
        .map(|(bound, bucket)| {
            let calls = read(bucket);
            count += calls;
            let bound = if *bound == u64::MAX { f64::MAX } else { *bound as f64 };
            (bound, calls)
        })
        .collect();
    metric.encode_histogram::<NoLabelSet>(millis(read(&times.sum)), count, &buckets, None)
}

fn labels(application: &str, service: &Service, method: &str) -> Labels {
    let key = &service.key;
    [
        ("application_name", escaped(application)),
        ("interface", escaped(key.interface())),
        ("method", escaped(method)),
        ("group", escaped(key.group().unwrap_or_default())),
        ("version", escaped(key.version().unwrap_or_default())),
    ]
}

/// The value of a label as the text form wants it; the encoder takes it as it is.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
