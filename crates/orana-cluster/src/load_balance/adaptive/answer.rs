//! A provider's half: tells consumers who ask how busy the machine is (part of `ProfilerServerFilter`).

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::available_parallelism;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError};
use parking_lot::Mutex;

use super::ATTACHMENT;
use crate::clock::EpochMillis;
use crate::filter::CallContext;

/// Where the system says how many tasks wanted to run on average: over one, five and fifteen minutes.
const LOADS: &str = "/proc/loadavg";

/// How long what was read counts, in milliseconds. The system itself renews it every five seconds.
const FRESH: u64 = 1_000;

/// Puts the load of the last minute, in percent of what the processors can do, beside the answer to a call that asks for it. On systems
/// that do not say, it puts nothing.
pub struct AdaptiveAnswer {
    context: Arc<dyn CallContext>,
    processors: f64,
    read: Mutex<(EpochMillis, Option<f64>)>,
}

impl AdaptiveAnswer {
    /// Answers by way of `context`.
    pub fn new(context: Arc<dyn CallContext>) -> AdaptiveAnswer {
        AdaptiveAnswer {
            context,
            processors: available_parallelism().map_or(1.0, |processors| processors.get() as f64),
            read: Mutex::new((EpochMillis(0), None)),
        }
    }

    /// The load now, as far as it is known.
    fn load(&self, now: EpochMillis) -> Option<f64> {
        let mut read = self.read.lock();
        if now.0.abs_diff(read.0.0) >= FRESH {
            // The file is made by the system when it is read: that waits for no disk.
            let loads = std::fs::read_to_string(LOADS).ok();
            *read = (now, loads.and_then(|loads| percent(&loads, self.processors)));
        }
        read.1
    }
}

impl Filter for AdaptiveAnswer {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        if invocation
            .attachments
            .get(ATTACHMENT)
            .is_some_and(|asked| !asked.is_empty())
        {
            let now = EpochMillis::now();
            if let Some(load) = self.load(now) {
                self.context.answer_with(ATTACHMENT, text(now, load).into());
            }
        }
        next.invoke(invocation)
    }
}

/// The average of one minute in percent of so many processors.
fn percent(loads: &str, processors: f64) -> Option<f64> {
    let load: f64 = loads.split_whitespace().next()?.parse().ok()?;
    load.is_finite().then_some(load * 100.0 / processors)
}

fn text(now: EpochMillis, load: f64) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write!(text, "curTime:{},load:{load}", now.0);
    text
}

#[cfg(test)]
mod tests {
    use orana_core::ServiceUrl;

    use super::*;
    use crate::endpoint::tests::Silent;
    use crate::testing::call_with;

    #[derive(Default)]
    struct Beside(Mutex<Vec<(&'static str, Arc<str>)>>);

    impl CallContext for Beside {
        fn answer_with(&self, name: &'static str, text: Arc<str>) {
            self.0.lock().push((name, text));
        }
    }

    #[test]
    fn the_load_of_a_minute_is_told_in_percent_of_all_processors() {
        assert_eq!(percent("3.00 2.10 1.00 2/345 6789\n", 4.0), Some(75.0));
        assert_eq!(percent("", 4.0), None);
        assert_eq!(percent("much 1 1", 4.0), None);
        assert_eq!(
            text(EpochMillis(1_700_000_000_000), 12.5),
            "curTime:1700000000000,load:12.5"
        );
    }

    #[tokio::test]
    async fn only_calls_that_ask_are_told() {
        let beside = Arc::new(Beside::default());
        let filter = AdaptiveAnswer::new(Arc::<Beside>::clone(&beside));
        let next = Silent::at(&ServiceUrl::parse("dubbo://h:1/i").unwrap());
        let mut call = call_with("say", &[]);
        assert!(filter.invoke(&*next, &call).await.is_ok());
        assert!(beside.0.lock().is_empty());
        call.attachments.set(ATTACHMENT, "mem,load");
        assert!(filter.invoke(&*next, &call).await.is_ok());
        let told = beside.0.lock().clone();
        // On systems without the file nobody is told.
        assert_eq!(told.len(), usize::from(std::fs::exists(LOADS).unwrap()));
        assert!(
            told.iter()
                .all(|(name, text)| *name == "lb_adaptive" && text.starts_with("curTime:"))
        );
    }
}
