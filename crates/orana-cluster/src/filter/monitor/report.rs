//! Hands what was counted to whoever takes it, once in an interval.
//!
//! The task belongs to a [`Reporting`] and ends with it. There is no queue: a sink that is slow is given its time, and counting goes on meanwhile.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orana_core::{BoxFuture, RpcError, ServiceUrl};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval_at, timeout};

use super::Monitor;

/// How long the last counts may take to be taken.
const FAREWELL: Duration = Duration::from_secs(3);

/// Takes statistics (`org.apache.dubbo.monitor.MonitorService`).
pub trait MonitorSink: Send + Sync + 'static {
    /// Takes one `count://` URL.
    fn collect<'a>(&'a self, statistics: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RpcError>>;
}

/// A monitor that is reported to until this is dropped.
#[must_use = "reporting ends when this is dropped"]
#[derive(Debug)]
pub struct Reporting {
    task: JoinHandle<()>,
    finish: Arc<tokio::sync::Notify>,
}

impl Monitor {
    /// Hands the counts to `sink` each `interval` (Dubbo's is a minute). Must be called within a runtime.
    pub fn report_to(self: &Arc<Self>, sink: Arc<dyn MonitorSink>, interval: Duration) -> Reporting {
        let (monitor, finish) = (Arc::clone(self), Arc::new(tokio::sync::Notify::new()));
        let interval = interval.max(Duration::from_millis(1));
        let finished = Arc::clone(&finish);
        let task = tokio::spawn(async move {
            let mut ticks = interval_at(tokio::time::Instant::now() + interval, interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                let last = tokio::select! {
                    _ = ticks.tick() => false,
                    () = finished.notified() => true,
                };
                let limit = if last { FAREWELL } else { interval };
                monitor.send(&*sink, limit).await;
                if last {
                    return;
                }
            }
        });
        Reporting { task, finish }
    }

    /// Hands over what there is, within that time.
    async fn send(&self, sink: &dyn MonitorSink, limit: Duration) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let statistics = self.collect(u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
        let all = async {
            for statistic in &statistics {
                sink.collect(statistic).await?;
            }
            Ok::<(), RpcError>(())
        };
        match timeout(limit, all).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the monitor did not take the counts of an interval; they are lost")
            }
            Err(_) => tracing::warn!("the monitor does not take counts in time; those of an interval are lost"),
        }
    }
}

impl Reporting {
    /// Hands over what was counted since, and ends.
    pub async fn finish(mut self) {
        self.finish.notify_one();
        // It ends by itself, in bounded time; a panic of the sink is told by the runtime.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Reporting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use orana_core::{Filter, Reply, RpcErrorCode};
    use parking_lot::Mutex;

    use super::super::super::Side;
    use super::super::super::parts::{CallContext, NoContext};
    use super::super::super::testing::{answering, call, url};
    use super::super::MonitorFilter;
    use super::*;

    #[derive(Default)]
    struct Taken(Mutex<Vec<ServiceUrl>>, bool);

    impl MonitorSink for Taken {
        fn collect<'a>(&'a self, statistics: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RpcError>> {
            self.0.lock().push(statistics.clone());
            let result = match self.1 {
                true => Err(RpcError::new(RpcErrorCode::Network, "gone")),
                false => Ok(()),
            };
            Box::pin(async { result })
        }
    }

    async fn count(monitor: &Monitor) {
        let context: Arc<dyn CallContext> = Arc::new(NoContext);
        let filter = MonitorFilter::new(Side::Provider, &url("monitor=x"), monitor, &context);
        filter
            .invoke(&answering(|| Ok(Reply::null())), &call("say"))
            .await
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn counts_are_handed_over_once_in_an_interval_and_at_the_end() {
        let (monitor, sink) = (Arc::new(Monitor::new()), Arc::new(Taken::default()));
        let reporting = monitor.report_to(Arc::clone(&sink) as _, Duration::from_secs(60));
        count(&monitor).await;
        tokio::time::sleep(Duration::from_secs(59)).await;
        assert_eq!(sink.0.lock().len(), 0);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(sink.0.lock().len(), 1);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(sink.0.lock().len(), 1, "nothing was called");
        count(&monitor).await;
        reporting.finish().await;
        assert_eq!(sink.0.lock().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sink_that_fails_is_asked_again_at_the_next_interval() {
        let (monitor, sink) = (Arc::new(Monitor::new()), Arc::new(Taken(Mutex::default(), true)));
        let _reporting = monitor.report_to(Arc::clone(&sink) as _, Duration::from_secs(60));
        for taken in 1..4 {
            count(&monitor).await;
            tokio::time::sleep(Duration::from_secs(61)).await;
            assert_eq!(sink.0.lock().len(), taken);
        }
    }
}
