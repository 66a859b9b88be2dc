//! What calls came to, counted for a scrape under the names that Dubbo 3.3 has for it.
//!
//! A call touches a few atomic counters of its method and no lock. Text is made only when somebody asks for it.

mod counters;
mod recent;
mod text;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ahash::AHashMap;
use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, ServiceKey, ServiceUrl};
use parking_lot::Mutex;
use tokio::time::Instant;

use self::counters::{Counters, Processing};
use super::Side;
use super::outcome::Outcome;
use super::slots::{OTHERS, Slots};

/// So many services are told apart on each side; those beyond share one name.
const MOST_SERVICES: usize = 2_048;

/// So many methods are told apart, of all services together: 4 KiB each.
const MOST_METHODS: usize = 8_192;

/// The counters of a program, all services together. Clones are the same.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Table>);

struct Table {
    application: Box<str>,
    /// What moments are counted from.
    epoch: Instant,
    /// How many methods have counters, of all services together.
    methods: AtomicUsize,
    services: Mutex<AHashMap<(bool, ServiceKey), Arc<Service>>>,
}

/// The counters of a service on one side. They stay when references and exports of it go: counters never go back.
struct Service {
    provider: bool,
    key: ServiceKey,
    methods: Slots<Counters>,
}

impl Metrics {
    /// Nothing is counted yet; all that will be is labelled with the application.
    pub fn new(application: &str) -> Metrics {
        Metrics(Arc::new(Table {
            application: application.into(),
            epoch: Instant::now(),
            methods: AtomicUsize::new(0),
            services: Mutex::default(),
        }))
    }

    /// Everything in the text form of Prometheus (OpenMetrics).
    pub fn text(&self) -> String {
        text::of(&self.0)
    }

    /// Adds everything to a registry of `prometheus-client`, beside what else a program counts.
    pub fn register(&self, registry: &mut prometheus_client::registry::Registry) {
        registry.register_collector(Box::new(text::Collected(Arc::clone(&self.0))));
    }
}

impl Table {
    /// The counters of a method; those of the others of its service once there are very many methods.
    fn counters(&self, service: &Service, method: &str) -> Arc<Counters> {
        if let Some(known) = service.methods.find(method) {
            return known;
        }
        let full = self.methods.load(Ordering::Relaxed) >= MOST_METHODS;
        let name = if full { OTHERS } else { method };
        service.methods.get(name, |_| {
            self.methods.fetch_add(1, Ordering::Relaxed);
            Counters::default()
        })
    }

    fn service(&self, provider: bool, url: &ServiceUrl) -> Arc<Service> {
        let key = url.service_key().unwrap_or_else(|| ServiceKey::new("", None, None));
        let mut services = self.services.lock();
        let full = services.len() >= MOST_SERVICES;
        let key = match full && !services.contains_key(&(provider, key.clone())) {
            true => ServiceKey::new(OTHERS, None, None),
            false => key,
        };
        let service = services.entry((provider, key.clone())).or_insert_with(|| {
            Arc::new(Service {
                provider,
                key,
                methods: Slots::new(),
            })
        });
        Arc::clone(service)
    }

    /// Every service, sorted.
    fn services(&self) -> Vec<Arc<Service>> {
        let mut services: Vec<_> = self.services.lock().values().cloned().collect();
        services.sort_by(|a, b| (a.provider, &a.key).cmp(&(b.provider, &b.key)));
        services
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics")
            .field("application", &self.application)
            .field("services", &self.services.lock().len())
            .finish()
    }
}

/// Counts the calls of the service of the URL.
pub(super) struct MetricsFilter {
    table: Arc<Table>,
    service: Arc<Service>,
}

impl MetricsFilter {
    pub(super) fn new(side: Side, url: &ServiceUrl, metrics: &Metrics) -> MetricsFilter {
        MetricsFilter {
            table: Arc::clone(&metrics.0),
            service: metrics.0.service(side == Side::Provider, url),
        }
    }
}

impl Filter for MetricsFilter {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let counters = self.table.counters(&self.service, &invocation.called_name());
        let processing = Processing::begin(counters);
        let began = Instant::now();
        Box::pin(async move {
            let result = next.invoke(invocation).await;
            let now = Instant::now();
            let (took, since) = (now - began, now - self.table.epoch);
            processing.end(Outcome::of(&result), took, since);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use orana_core::RpcErrorCode;

    use super::super::testing::{Gate, answering, call, failing, polled, url};
    use super::*;

    fn filter(metrics: &Metrics, side: Side) -> MetricsFilter {
        MetricsFilter::new(side, &url("group=g&version=1"), metrics)
    }

    /// The number behind that name of the method `say`.
    fn number(metrics: &Metrics, name: &str) -> Option<String> {
        let text = metrics.text();
        let labels = r#"{application_name="shop",interface="i",method="say",group="g",version="1"}"#;
        let line = format!("{name}{labels} ");
        text.lines()
            .find_map(|found| found.strip_prefix(&line))
            .map(str::to_owned)
    }

    #[tokio::test]
    async fn each_kind_of_end_has_its_counter() {
        let metrics = Metrics::new("shop");
        let filter = filter(&metrics, Side::ConsumerCall);
        let say = call("say");
        filter.invoke(&answering(|| Ok(Reply::null())), &say).await.unwrap();
        for code in RpcErrorCode::ALL {
            filter.invoke(&failing(code), &say).await.unwrap_err();
        }
        for (name, expected) in [
            ("total", "15"),
            ("succeed_total", "1"),
            ("business_failed_total", "1"),
            ("timeout_total", "1"),
            ("limit_total", "1"),
            ("failed_total", "14"),
            ("failed_network_total", "1"),
            ("failed_codec_total", "1"),
            ("failed_service_unavailable_total", "1"),
            ("unknown_failed_total", "8"),
            ("processing_total", "0"),
        ] {
            let name = format!("dubbo_consumer_requests_{name}");
            assert_eq!(number(&metrics, &name).as_deref(), Some(expected), "{name}");
        }
        assert!(!metrics.text().contains("dubbo_provider"), "no provider was called");
    }

    #[tokio::test(start_paused = true)]
    async fn response_times_are_told_in_milliseconds() {
        let metrics = Metrics::new("shop");
        let filter = filter(&metrics, Side::Provider);
        let (gate, say) = (Gate::new(), call("say"));
        for millis in [3, 40] {
            let mut call = filter.invoke(&gate, &say);
            assert!(polled(&mut call).is_none());
            assert_eq!(
                number(&metrics, "dubbo_provider_requests_processing_total").as_deref(),
                Some("1")
            );
            tokio::time::advance(Duration::from_millis(millis)).await;
            gate.open(1);
            call.await.unwrap();
        }
        for (name, expected) in [
            ("last", "40.0"),
            ("min", "3.0"),
            ("max", "40.0"),
            ("sum", "43.0"),
            ("avg", "21.5"),
            ("histogram_count", "2"),
            ("histogram_sum", "43.0"),
            ("p50", "3.072"),
            ("p99", "40.0"),
        ] {
            let name = format!("dubbo_provider_rt_milliseconds_{name}");
            assert_eq!(number(&metrics, &name).as_deref(), Some(expected), "{name}");
        }
        for (name, expected) in [
            ("requests_total_aggregate", "2.0"),
            ("requests_succeed_aggregate", "2.0"),
            ("requests_failed_total_aggregate", "0.0"),
            ("rt_avg_milliseconds_aggregate", "21.5"),
            ("qps_total", "0.0"),
        ] {
            let name = format!("dubbo_provider_{name}");
            assert_eq!(number(&metrics, &name).as_deref(), Some(expected), "{name}");
        }
        let mut registry = prometheus_client::registry::Registry::default();
        metrics.register(&mut registry);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        assert_eq!(text, metrics.text());
    }

    #[tokio::test]
    async fn a_call_that_is_given_up_is_no_longer_processing() {
        let metrics = Metrics::new("shop");
        let filter = filter(&metrics, Side::Provider);
        let (gate, say) = (Gate::new(), call("say"));
        let mut call = filter.invoke(&gate, &say);
        assert!(polled(&mut call).is_none());
        drop(call);
        assert_eq!(
            number(&metrics, "dubbo_provider_requests_processing_total").as_deref(),
            Some("0")
        );
    }

    #[tokio::test]
    async fn a_second_reference_to_a_service_counts_on() {
        let metrics = Metrics::new("shop");
        for _ in 0..2 {
            let filter = filter(&metrics, Side::ConsumerCall);
            filter
                .invoke(&answering(|| Ok(Reply::null())), &call("say"))
                .await
                .unwrap();
        }
        assert_eq!(number(&metrics, "dubbo_consumer_requests_total").as_deref(), Some("2"));
    }

    #[tokio::test]
    async fn names_do_not_break_the_text_and_services_are_bounded() {
        let metrics = Metrics::new("a\"b\\c\nd");
        filter(&metrics, Side::Provider)
            .invoke(&answering(|| Ok(Reply::null())), &call("say"))
            .await
            .unwrap();
        assert!(metrics.text().contains(r#"application_name="a\"b\\c\nd""#));
        for index in 0..MOST_SERVICES + 10 {
            metrics.0.service(true, &url(&format!("group={index}")));
        }
        assert_eq!(metrics.0.services().len(), MOST_SERVICES + 1);
    }

    #[test]
    fn methods_are_bounded_over_all_services() {
        let metrics = Metrics::new("shop");
        for index in 0..20 {
            let service = metrics.0.service(true, &url(&format!("group={index}")));
            (0..500).for_each(|method| {
                metrics.0.counters(&service, &format!("m{method}"));
            });
        }
        assert!(metrics.0.methods.load(Ordering::Relaxed) <= MOST_METHODS + 20);
    }
}
