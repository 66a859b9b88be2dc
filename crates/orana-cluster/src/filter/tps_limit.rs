//! `tps`: how many calls a service takes in an interval (`org.apache.dubbo.rpc.filter.TpsLimitFilter`).
//!
//! A bucket of `tps` tokens, which is filled as a whole by the first call after `tps.interval` has passed: the window that Dubbo has,
//! with Dubbo's consequence that twice as many calls can fall into an interval that lies across the filling. All methods of the
//! service take from one bucket, except those with a `METHOD.tps` or `METHOD.tps.interval`, which have their own: in Dubbo they would empty
//! and refill the common one by turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, ServiceUrl};
use tokio::time::Instant;

use super::slots::Slots;

/// The interval of a service that names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

/// What a caller sees: Dubbo answers with its own exception as the result, code 0, and does not fail the request.
const EXCEPTION: &str = "org.apache.dubbo.rpc.RpcException";

/// Limits the calls of the service of the URL.
pub(super) struct TpsLimit {
    url: ServiceUrl,
    /// What moments are counted from.
    epoch: Instant,
    whole: Option<Arc<Bucket>>,
    methods: Slots<Option<Arc<Bucket>>>,
}

impl TpsLimit {
    pub(super) fn new(url: &ServiceUrl) -> TpsLimit {
        TpsLimit {
            whole: bucket(url, ""),
            url: url.clone(),
            epoch: Instant::now(),
            methods: Slots::new(),
        }
    }

    /// Whether a call of that method may be performed.
    fn takes(&self, method: &str, now: Instant) -> bool {
        let bucket = self.methods.get(method, |name| {
            let own = ["tps", "tps.interval"].into_iter().any(|key| {
                self.url
                    .parameter(&format!("{name}.{key}"))
                    .is_some_and(|value| !value.is_empty())
            });
            if own {
                bucket(&self.url, name)
            } else {
                self.whole.clone()
            }
        });
        let since = now.saturating_duration_since(self.epoch);
        bucket.as_ref().as_ref().is_none_or(|bucket| bucket.take(since))
    }
}

/// The bucket for calls of `method`, none without a limit.
fn bucket(url: &ServiceUrl, method: &str) -> Option<Arc<Bucket>> {
    let tokens = super::positive(url, method, "tps")?;
    let interval = url.method_millis_or(method, "tps.interval", DEFAULT_INTERVAL);
    Some(Arc::new(Bucket::new(tokens, interval)))
}

impl Filter for TpsLimit {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let name = invocation.called_name();
        if self.takes(&name, Instant::now()) {
            return next.invoke(invocation);
        }
        let interface = self.url.interface().unwrap_or_default();
        let message = format!("Failed to invoke service {interface}.{name} because exceed max service tps.");
        let refused = RpcError::thrown(EXCEPTION, message).calling(invocation);
        Box::pin(async { Err(refused) })
    }
}

/// Tokens, and when they were last filled up: both in one word, so that taking is one exchange.
#[derive(Debug)]
struct Bucket {
    full: u32,
    interval_ms: u64,
    /// Milliseconds at the last filling, above [`TOKEN_BITS`] bits of tokens.
    state: AtomicU64,
}

/// Bits for the tokens; the rest, for milliseconds, runs over after two years, which only matters if nothing was called meanwhile.
const TOKEN_BITS: u32 = 28;
const MOST_TOKENS: u32 = (1 << TOKEN_BITS) - 1;
const MOMENTS: u64 = u64::MAX >> TOKEN_BITS;

/// By no more milliseconds does a thread come late with the time that it has read.
const LATEST: u64 = 60_000;

impl Bucket {
    fn new(tokens: u32, interval: Duration) -> Bucket {
        let full = tokens.min(MOST_TOKENS);
        let interval_ms = u64::try_from(interval.as_millis()).unwrap_or(MOMENTS);
        Bucket {
            full,
            interval_ms: interval_ms.min(MOMENTS / 2),
            state: AtomicU64::new(u64::from(full)),
        }
    }

    /// Takes a token at that time after the bucket was made, if there is one.
    fn take(&self, since: Duration) -> bool {
        let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX) & MOMENTS;
        let taken = |state: u64| {
            let (filled, tokens) = (state >> TOKEN_BITS, state & u64::from(MOST_TOKENS));
            let over = now.wrapping_sub(filled) & MOMENTS;
            // A clock that another thread read earlier is a moment of the same window, and no time far ahead.
            let due = over > self.interval_ms && over < MOMENTS - LATEST;
            let (filled, tokens) = if due {
                (now, u64::from(self.full))
            } else {
                (filled, tokens)
            };
            Some((filled << TOKEN_BITS) | tokens.checked_sub(1)?)
        };
        self.state
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use orana_core::RpcErrorCode;

    use super::super::outcome::{Outcome, Verdict};
    use super::super::testing::{answering, call, url};
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_bucket_gives_its_tokens_and_is_full_again_after_the_interval() {
        let bucket = Bucket::new(3, SECOND);
        let taken = |at: Duration| (0..5).filter(|_| bucket.take(at)).count();
        assert_eq!(taken(Duration::ZERO), 3);
        assert_eq!(taken(SECOND), 0, "exactly the interval is not more than it");
        assert_eq!(taken(SECOND + Duration::from_millis(1)), 3);
        assert_eq!(taken(2 * SECOND), 0);
        assert_eq!(taken(10 * SECOND), 3, "idle intervals add nothing");
    }

    #[test]
    fn the_clock_may_run_over_or_be_read_late() {
        let bucket = Bucket::new(1, SECOND);
        let end = Duration::from_millis(MOMENTS);
        assert!(bucket.take(end - 100 * SECOND));
        assert!(!bucket.take(end - 102 * SECOND), "read before, by another thread");
        assert!(!bucket.take(end - 99 * SECOND));
        assert!(bucket.take(end));
        assert!(!bucket.take(end + SECOND));
        assert!(bucket.take(end + 2 * SECOND), "beyond the end of the counter");
    }

    #[test]
    fn eight_threads_take_no_token_twice() {
        let (bucket, taken) = (Bucket::new(1_000, SECOND), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        taken.fetch_add(bucket.take(Duration::ZERO).into(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(taken.into_inner(), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn all_methods_of_a_service_take_from_one_bucket_and_the_rest_is_answered_with_an_exception() {
        let (limit, service) = (
            TpsLimit::new(&url("tps=2&tps.interval=1000")),
            answering(|| Ok(Reply::null())),
        );
        let (say, hear) = (call("say"), call("hear"));
        assert!(limit.invoke(&service, &say).await.is_ok() && limit.invoke(&service, &hear).await.is_ok());
        let error = limit.invoke(&service, &say).await.unwrap_err();
        let exception = error.exception().unwrap();
        assert_eq!(&*exception.class, EXCEPTION);
        assert_eq!(
            exception.message.as_deref(),
            Some("Failed to invoke service i.say because exceed max service tps.")
        );
        assert_eq!(error.code(), RpcErrorCode::Business, "a result, and no failed request");
        assert_eq!(Outcome::of_error(&error).verdict(), Verdict::Faulty);
        tokio::time::advance(Duration::from_millis(1_001)).await;
        assert!(limit.invoke(&service, &say).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_method_with_its_own_rate_has_its_own_bucket() {
        let limit = TpsLimit::new(&url("tps=1&say.tps=2&hear.tps=-1"));
        let now = Instant::now();
        let taken = |method: &str| (0..5).filter(|_| limit.takes(method, now)).count();
        assert_eq!(
            (taken("say"), taken("see"), taken("smell"), taken("hear")),
            (2, 1, 0, 5)
        );
    }
}
