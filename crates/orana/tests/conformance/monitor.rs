//! What a monitor is told of calls: one URL for each key and minute.

use std::sync::Arc;
use std::time::Duration;

use orana::{BoxFuture, Client, Error, ServiceUrl};
use orana_cluster::filter::{Monitor, MonitorSink, Parts};
use parking_lot::Mutex;

use crate::fleet::{Fleet, StockClient};

const MINUTE: Duration = Duration::from_secs(60);

/// Keeps what it is given, as a `MonitorService` would take it.
#[derive(Default)]
struct Collected(Mutex<Vec<ServiceUrl>>);

impl MonitorSink for Collected {
    fn collect<'a>(&'a self, statistics: &'a ServiceUrl) -> BoxFuture<'a, Result<(), Error>> {
        self.0.lock().push(statistics.clone());
        Box::pin(async { Ok(()) })
    }
}

impl Collected {
    /// Method, provider, successes and failures of each URL since this was last asked, in order.
    fn take(&self) -> Vec<[String; 4]> {
        let urls = std::mem::take(&mut *self.0.lock());
        let mut rows: Vec<_> = urls
            .iter()
            .map(|url| {
                assert_eq!(
                    (url.protocol(), url.parameter("application")),
                    (Some("count"), Some("shop"))
                );
                assert_eq!(url.parameter("interface"), Some("org.example.Stock"));
                ["method", "provider", "success", "failure"].map(|key| url.parameter(key).unwrap().to_owned())
            })
            .collect();
        rows.sort();
        rows
    }
}

#[tokio::test]
async fn a_monitor_is_given_one_url_for_each_method_and_provider_and_minute() {
    let fleet = Fleet::of("monitored", &[("a", &[]), ("b", &[])]).await;
    let addresses = fleet.providers.iter().map(|provider| provider.address().to_string());
    let addresses: Vec<String> = addresses.collect();
    let monitor = Arc::new(Monitor::new());
    let parts = Parts {
        monitor: Some(Arc::clone(&monitor)),
        ..Parts::default()
    };
    let shop = fleet.shop().filter_parts(parts).parameter("monitor", "memory://");
    let stock = shop.consumer().refer::<StockClient>().retries(0).await.unwrap();
    let calls = async |method: &str, address: &str, item: &str| {
        let pinned = stock.reference().clone().target(address);
        let item = [orana::Value::from(item)];
        let _ = pinned.call(method, &["java.lang.String"], &item).await;
    };
    for _ in 0..3 {
        calls("find", &addresses[0], "x").await;
    }
    calls("find", &addresses[1], "trouble").await;
    calls("count", &addresses[0], "x").await;

    let sink = Arc::new(Collected::default());
    tokio::time::pause();
    let reporting = monitor.report_to(Arc::clone(&sink) as _, MINUTE);
    tokio::time::sleep(MINUTE - Duration::from_secs(1)).await;
    assert!(sink.take().is_empty(), "nothing before the minute is over");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let row = |method: &str, address: &str, success: &str| [method, address, success, "0"].map(str::to_owned);
    let mut expected = [
        row("count", &addresses[0], "1"),
        row("find", &addresses[0], "3"),
        // An exception of the service is an answer.
        row("find", &addresses[1], "1"),
    ];
    expected.sort();
    assert_eq!(sink.take(), expected);
    tokio::time::sleep(MINUTE).await;
    assert!(sink.take().is_empty(), "a minute without calls says nothing");
    reporting.finish().await;
}
