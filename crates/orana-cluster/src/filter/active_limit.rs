//! `actives`: how many calls of a method may be under way at one provider; one more waits for its turn
//! (`org.apache.dubbo.rpc.filter.ActiveLimitFilter`).
//!
//! Knows one provider. Waiting calls are waiting futures of their callers, served in the order in which they came; one that is
//! dropped leaves the queue, and one that ends, however it ends, lets the next one in. (Dubbo keeps the place of a call that ended with code 7
//! for ever, and waits for ever where no time-out is configured; here such a call waits for the time that it would have had.)

use std::sync::Arc;
use std::time::Duration;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::slots::Slots;

/// How long an attempt may take if nothing says so, as everywhere in Dubbo.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// Limits calls of each method at the provider of the URL.
pub(super) struct ActiveLimit {
    url: ServiceUrl,
    methods: Slots<MethodLimit>,
}

struct MethodLimit {
    /// As configured; none if there is no limit.
    limit: Option<u32>,
    places: Semaphore,
}

impl ActiveLimit {
    /// Of the provider that `url`, a merged one, describes.
    pub(super) fn new(url: &ServiceUrl) -> ActiveLimit {
        ActiveLimit {
            url: url.clone(),
            methods: Slots::new(),
        }
    }

    fn method(&self, name: &str) -> Arc<MethodLimit> {
        self.methods.get(name, |name| {
            let limit = super::positive(&self.url, name, "actives");
            let places = limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
            MethodLimit {
                limit,
                places: Semaphore::new(places.min(Semaphore::MAX_PERMITS)),
            }
        })
    }

    /// How long a call may wait: as long as an attempt may take, and not beyond its deadline.
    fn patience(&self, invocation: &Invocation, method: &str, now: Instant) -> Duration {
        let configured = || match self.url.method_millis_or(method, "timeout", DEFAULT_TIMEOUT) {
            Duration::ZERO => DEFAULT_TIMEOUT,
            timeout => timeout,
        };
        let patience = invocation.options.timeout.unwrap_or_else(configured);
        match invocation.options.deadline {
            Some(deadline) => patience.min(deadline.saturating_duration_since(now.into_std())),
            None => patience,
        }
    }

    fn refusal(&self, method: &str, limit: u32, free: usize, elapsed: Duration, patience: Duration) -> RpcError {
        let under_way = u64::from(limit).saturating_sub(free as u64);
        let message = format!(
            "Waiting concurrent invoke timeout in client-side for service:  {}, method: {method}, elapsed: {}, timeout: {}. \
             concurrent invokes: {under_way}. max concurrent invoke limit: {limit}",
            self.url.interface().unwrap_or_default(),
            elapsed.as_millis(),
            patience.as_millis(),
        );
        RpcError::new(RpcErrorCode::LimitExceeded, message)
    }
}

impl Filter for ActiveLimit {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let name = invocation.called_name();
        let method = self.method(&name);
        let Some(limit) = method.limit else {
            return next.invoke(invocation);
        };
        Box::pin(async move {
            let _place = match method.places.try_acquire() {
                Ok(place) => place,
                Err(_) => {
                    let began = Instant::now();
                    let patience = self.patience(invocation, &name, began);
                    let waited = tokio::time::timeout(patience, method.places.acquire()).await;
                    // The semaphore is never closed: what is no place is the end of patience.
                    let Ok(Ok(place)) = waited else {
                        let free = method.places.available_permits();
                        let error = self.refusal(&name, limit, free, began.elapsed(), patience);
                        return Err(error.calling(invocation));
                    };
                    place
                }
            };
            next.invoke(invocation).await
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::testing::{Gate, call, failing, polled, url};
    use super::*;

    fn limited(parameters: &str) -> ActiveLimit {
        ActiveLimit::new(&url(parameters))
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_too_many_waits_and_is_refused_when_its_time_is_over() {
        let (limit, gate) = (limited("actives=2&timeout=300"), Gate::new());
        let say = call("say");
        let (mut first, mut second) = (limit.invoke(&gate, &say), limit.invoke(&gate, &say));
        assert!(polled(&mut first).is_none() && polled(&mut second).is_none());
        let began = Instant::now();
        let error = limit.invoke(&gate, &say).await.unwrap_err();
        assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
        assert_eq!(began.elapsed(), Duration::from_millis(300));
        assert_eq!(
            error.message(),
            "Waiting concurrent invoke timeout in client-side for service:  i, method: say, elapsed: 300, timeout: 300. \
             concurrent invokes: 2. max concurrent invoke limit: 2"
        );
        assert_eq!(gate.begun(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waited_longest_gets_the_place_that_comes_free() {
        let (limit, gate) = (Arc::new(limited("actives=1&timeout=60000")), Arc::new(Gate::new()));
        let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..5 {
            let (limit, gate, order) = (Arc::clone(&limit), Arc::clone(&gate), Arc::clone(&order));
            calls.spawn(async move {
                limit.invoke(&*gate, &call("say")).await.unwrap();
                order.lock().push(number);
            });
            tokio::task::yield_now().await;
        }
        for _ in 0..5 {
            gate.open(1);
            calls.join_next().await.unwrap().unwrap();
        }
        assert_eq!(*order.lock(), [0, 1, 2, 3, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_comes_back_whatever_becomes_of_the_call() {
        let limit = limited("actives=1&timeout=50");
        let say = call("say");
        for code in [
            RpcErrorCode::LimitExceeded,
            RpcErrorCode::Network,
            RpcErrorCode::Business,
        ] {
            let error = limit.invoke(&failing(code), &say).await.unwrap_err();
            assert_eq!(error.code(), code, "the provider's own answer");
        }
        let gate = Gate::new();
        let mut cancelled = limit.invoke(&gate, &say);
        assert!(polled(&mut cancelled).is_none());
        drop(cancelled);
        gate.open(1);
        limit.invoke(&gate, &say).await.unwrap();
        assert_eq!(limit.method("say").places.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_gives_up_waiting_leaves_the_queue_to_the_next() {
        let (limit, gate) = (limited("actives=1&timeout=60000"), Gate::new());
        let say = call("say");
        let mut first = limit.invoke(&gate, &say);
        assert!(polled(&mut first).is_none());
        let (mut gone, mut waiting) = (limit.invoke(&gate, &say), limit.invoke(&gate, &say));
        assert!(polled(&mut gone).is_none() && polled(&mut waiting).is_none());
        drop(gone);
        gate.open(2);
        first.await.unwrap();
        waiting.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn each_method_has_its_own_limit_and_none_means_no_limit() {
        let (limit, gate) = (limited("say.actives=1&timeout=10"), Gate::new());
        let (say, hear) = (call("say"), call("hear"));
        let mut said = limit.invoke(&gate, &say);
        assert!(polled(&mut said).is_none());
        let mut heard: Vec<_> = (0..10).map(|_| limit.invoke(&gate, &hear)).collect();
        assert!(heard.iter_mut().all(|call| polled(call).is_none()));
        assert_eq!(gate.begun(), 11);
        assert!(limit.invoke(&gate, &say).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_does_not_wait_beyond_its_deadline() {
        let (limit, gate) = (limited("actives=1&timeout=5000"), Gate::new());
        let mut say = call("say");
        let mut first = limit.invoke(&gate, &say);
        assert!(polled(&mut first).is_none());
        drop(first);
        let holder = call("say");
        let mut first = limit.invoke(&gate, &holder);
        assert!(polled(&mut first).is_none());
        let began = Instant::now();
        say.options.deadline = Some((began + Duration::from_millis(20)).into_std());
        assert!(limit.invoke(&gate, &say).await.is_err());
        assert!(began.elapsed() <= Duration::from_millis(21));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn the_limit_holds_under_eight_threads() {
        let limit = Arc::new(limited("actives=3&timeout=60000"));
        let (inside, highest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let (limit, inside, highest) = (Arc::clone(&limit), Arc::clone(&inside), Arc::clone(&highest));
            calls.spawn(async move {
                let counting = super::super::testing::answering(move || {
                    highest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    Ok(Reply::null())
                });
                for _ in 0..50 {
                    limit.invoke(&counting, &call("say")).await.unwrap();
                }
            });
        }
        while let Some(done) = calls.join_next().await {
            done.unwrap();
        }
        assert!(highest.load(Ordering::SeqCst) <= 3);
    }
}
