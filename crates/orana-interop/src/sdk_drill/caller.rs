//! Calls at a steady rate, whatever comes of it: a call that is slow or fails does not keep the next one from leaving.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

use super::greeter::{Greeter, GreeterClient};

/// So many failures are told in words between two counts.
const ERRORS_TOLD: u64 = 20;

/// Calls under way, at most; the rate suffers beyond that.
const OUTSTANDING: usize = 16_384;

/// Who calls, and what came of it.
#[derive(Clone)]
pub struct Caller(Arc<Shared>);

struct Shared {
    greeter: GreeterClient,
    delay: AtomicI32,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    ok: u64,
    failed: u64,
    by: BTreeMap<String, u64>,
}

impl Caller {
    /// Nothing has been called yet.
    pub fn new(greeter: GreeterClient) -> Caller {
        Caller(Arc::new(Shared {
            greeter,
            delay: AtomicI32::new(0),
            tally: Mutex::default(),
        }))
    }

    /// Lets calls take that many milliseconds at the provider from now on.
    pub fn delay(&self, millis: i32) {
        self.0.delay.store(millis, Ordering::Relaxed);
    }

    /// Calls until there is an answer.
    pub async fn first_answer(&self) {
        while let Err(error) = self.0.greeter.greet("first".to_owned(), 0).await {
            eprintln!("not yet: {error}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Calls `rate` times a second, for ever.
    pub async fn run(&self, rate: u32) {
        let under_way = Arc::new(Semaphore::new(OUTSTANDING));
        let mut tick = tokio::time::interval(Duration::from_secs(1) / rate.max(1));
        // What could not leave in time leaves as soon as possible: the count of calls is a clock.
        tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
        loop {
            tick.tick().await;
            let Ok(permit) = Arc::clone(&under_way).acquire_owned().await else {
                return;
            };
            let shared = Arc::clone(&self.0);
            tokio::spawn(async move {
                let delay = shared.delay.load(Ordering::Relaxed);
                let answer = shared.greeter.greet("again".to_owned(), delay).await;
                shared.note(answer);
                drop(permit);
            });
        }
    }

    /// `CALLS ok=N failed=N PORT=N …` since this was last asked.
    pub fn count(&self) -> String {
        let tally = std::mem::take(&mut *self.0.tally.lock().unwrap_or_else(PoisonError::into_inner));
        let by = tally.by.iter().map(|(port, count)| format!(" {port}={count}"));
        format!(
            "CALLS ok={} failed={}{}",
            tally.ok,
            tally.failed,
            by.collect::<String>()
        )
    }
}

impl Shared {
    fn note(&self, answer: orana::Result<String>) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(answer) => {
                let port = answer.split(' ').next().unwrap_or_default();
                tally.ok += 1;
                *tally.by.entry(port.to_owned()).or_default() += 1;
            }
            Err(error) => {
                tally.failed += 1;
                if tally.failed <= ERRORS_TOLD {
                    eprintln!("ERROR {error}");
                }
            }
        }
    }
}
