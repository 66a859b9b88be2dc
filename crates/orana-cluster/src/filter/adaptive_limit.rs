//! A provider that refuses early what it could only make wait: a limit on the calls under way that follows how long they take.
//!
//! How the limit moves is [`Gradient`]'s; this file counts calls and tells callers who ask (`adaptive-service.enabled`, as dubbo-go's
//! consumers do) how much room is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::gradient::{CallWindow, Gradient, GradientSettings};
use super::in_flight::InFlight;
use super::outcome::{Outcome, Verdict};
use super::parts::CallContext;

/// How a caller asks for the two others.
const ENABLED: &str = "adaptive-service.enabled";
const REMAINING: &str = "adaptive-service.remaining";
const IN_FLIGHT: &str = "adaptive-service.inflight";

/// A window lasts at least so long, and until so many calls have ended.
const WINDOW: Duration = Duration::from_millis(500);
const CALLS: u64 = 20;

/// Limits the calls of a service, all methods together.
pub(super) struct AdaptiveLimit {
    context: Arc<dyn CallContext>,
    in_flight: Arc<InFlight>,
    limit: AtomicU32,
    window: Counts,
    gradient: Mutex<Gradient>,
}

/// The calls of the current window.
struct Counts {
    epoch: Instant,
    /// Microseconds since the epoch at which it began.
    began: AtomicU64,
    calls: AtomicU64,
    faulty: AtomicU64,
    nanos: AtomicU64,
    highest: AtomicU32,
}

impl AdaptiveLimit {
    /// With `adaptive-service=true`; `adaptive-service.initial`, `.least` and `.most` bound the limit.
    pub(super) fn new(url: &ServiceUrl, context: &Arc<dyn CallContext>) -> AdaptiveLimit {
        let default = GradientSettings::default();
        let bound = |name: &str, default: u32| url.number_or(&format!("adaptive-service.{name}"), default).max(1);
        let least = bound("least", default.least);
        let most = bound("most", default.most).max(least);
        AdaptiveLimit::with(
            GradientSettings {
                initial: bound("initial", default.initial).clamp(least, most),
                least,
                most,
                ..default
            },
            context,
        )
    }

    fn with(settings: GradientSettings, context: &Arc<dyn CallContext>) -> AdaptiveLimit {
        AdaptiveLimit {
            context: Arc::clone(context),
            in_flight: Arc::default(),
            limit: AtomicU32::new(settings.initial),
            window: Counts {
                epoch: Instant::now(),
                began: AtomicU64::new(0),
                calls: AtomicU64::new(0),
                faulty: AtomicU64::new(0),
                nanos: AtomicU64::new(0),
                highest: AtomicU32::new(0),
            },
            gradient: Mutex::new(Gradient::new(settings)),
        }
    }

    fn tell(&self, invocation: &Invocation) {
        let asked = invocation.attachments.get(ENABLED);
        if asked.is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true")) {
            let (now, limit) = (self.in_flight.now(), self.limit.load(Ordering::Relaxed));
            let remaining = limit.saturating_sub(now).to_string();
            self.context.answer_with(REMAINING, remaining.into());
            self.context.answer_with(IN_FLIGHT, now.to_string().into());
        }
    }

    fn ended(&self, outcome: Outcome, took: Duration, now: Instant) {
        let window = &self.window;
        window
            .nanos
            .fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if outcome == Outcome::Timeout || outcome.verdict() == Verdict::Faulty {
            window.faulty.fetch_add(1, Ordering::Relaxed);
        }
        let calls = window.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let micros = u64::try_from(now.saturating_duration_since(window.epoch).as_micros()).unwrap_or(u64::MAX);
        let over = micros.saturating_sub(window.began.load(Ordering::Relaxed)) >= WINDOW.as_micros() as u64;
        if calls >= CALLS
            && over
            && let Some(mut gradient) = self.gradient.try_lock()
        {
            // Another one may have closed the window between the look and the lock.
            if window.calls.load(Ordering::Relaxed) >= CALLS {
                window.began.store(micros, Ordering::Relaxed);
                self.limit.store(gradient.next(&window.take()), Ordering::Relaxed);
            }
        }
    }
}

impl Counts {
    /// What the window held; calls that end at this moment fall into the one or the other.
    fn take(&self) -> CallWindow {
        let calls = self.calls.swap(0, Ordering::Relaxed);
        let nanos = self.nanos.swap(0, Ordering::Relaxed);
        CallWindow {
            calls,
            faulty: self.faulty.swap(0, Ordering::Relaxed),
            mean: Duration::from_nanos(nanos / calls.max(1)),
            highest: self.highest.swap(0, Ordering::Relaxed),
        }
    }
}

impl Filter for AdaptiveLimit {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let limit = self.limit.load(Ordering::Relaxed);
        let Some(begun) = self.in_flight.begin(limit) else {
            return Box::pin(async move {
                self.tell(invocation);
                let message = format!("adaptive service interrupted: reach limitation of {limit} calls under way");
                Err(RpcError::new(RpcErrorCode::LimitExceeded, message).calling(invocation))
            });
        };
        let in_flight = self.in_flight.now();
        if self.window.highest.load(Ordering::Relaxed) < in_flight {
            self.window.highest.fetch_max(in_flight, Ordering::Relaxed);
        }
        let began = Instant::now();
        Box::pin(async move {
            let result = next.invoke(invocation).await;
            let now = Instant::now();
            self.ended(Outcome::of(&result), now.saturating_duration_since(began), now);
            drop(begun);
            self.tell(invocation);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::NoContext;
    use super::super::testing::{Gate, call, polled, url};
    use super::*;

    #[derive(Default)]
    struct Answer(Mutex<Vec<(&'static str, String)>>);

    impl CallContext for Answer {
        fn answer_with(&self, name: &'static str, text: Arc<str>) {
            self.0.lock().push((name, text.to_string()));
        }
    }

    fn limit_of(initial: u32, context: Arc<dyn CallContext>) -> AdaptiveLimit {
        let settings = GradientSettings {
            initial,
            least: 1,
            ..GradientSettings::default()
        };
        AdaptiveLimit::with(settings, &context)
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_too_many_is_refused_at_once_and_a_dropped_one_frees_its_place() {
        let (limit, gate) = (limit_of(2, Arc::new(NoContext)), Gate::new());
        let say = call("say");
        let (mut first, mut second) = (limit.invoke(&gate, &say), limit.invoke(&gate, &say));
        assert!(polled(&mut first).is_none() && polled(&mut second).is_none());
        let error = limit.invoke(&gate, &say).await.unwrap_err();
        assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
        assert!(
            error
                .message()
                .starts_with("adaptive service interrupted: reach limitation")
        );
        drop(first);
        gate.open(2);
        limit.invoke(&gate, &say).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_is_told_how_much_room_is_left() {
        let context = Arc::new(Answer::default());
        let (limit, gate) = (limit_of(3, Arc::clone(&context) as _), Gate::new());
        gate.open(2);
        let mut say = call("say");
        limit.invoke(&gate, &say).await.unwrap();
        assert!(context.0.lock().is_empty(), "nobody asked");
        say.attachments.set(ENABLED, "1");
        limit.invoke(&gate, &say).await.unwrap();
        let told = std::mem::take(&mut *context.0.lock());
        assert_eq!(told, [(REMAINING, "3".to_owned()), (IN_FLIGHT, "0".to_owned())]);
        let mut under_way: Vec<_> = (0..3).map(|_| limit.invoke(&gate, &say)).collect();
        under_way.iter_mut().for_each(|call| assert!(polled(call).is_none()));
        limit.invoke(&gate, &say).await.unwrap_err();
        let told = std::mem::take(&mut *context.0.lock());
        assert_eq!(told, [(REMAINING, "0".to_owned()), (IN_FLIGHT, "3".to_owned())]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_shrinks_when_calls_begin_to_wait_for_one_another() {
        let limit = limit_of(50, Arc::new(NoContext));
        let window = |millis: u64| {
            for _ in 0..CALLS {
                limit.window.highest.store(50, Ordering::Relaxed);
                limit.ended(Outcome::Success, Duration::from_millis(millis), Instant::now());
            }
        };
        window(10);
        tokio::time::advance(WINDOW).await;
        window(10);
        for _ in 0..10 {
            tokio::time::advance(WINDOW).await;
            window(100);
        }
        let shrunk = limit.limit.load(Ordering::Relaxed);
        assert!(shrunk < 40, "{shrunk}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn the_limit_holds_under_eight_threads() {
        let bounded = GradientSettings {
            initial: 4,
            most: 4,
            ..GradientSettings::default()
        };
        let context: Arc<dyn CallContext> = Arc::new(NoContext);
        let limit = Arc::new(AdaptiveLimit::with(bounded, &context));
        let (inside, highest) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let (limit, inside, highest) = (Arc::clone(&limit), Arc::clone(&inside), Arc::clone(&highest));
            calls.spawn(async move {
                let service = super::super::testing::answering(move || {
                    highest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    Ok(Reply::null())
                });
                for _ in 0..100 {
                    // Refusals are part of the game.
                    let _ = limit.invoke(&service, &call("say")).await;
                }
            });
        }
        while let Some(done) = calls.join_next().await {
            done.unwrap();
        }
        assert!(highest.load(Ordering::SeqCst) <= 4);
        assert_eq!(limit.in_flight.now(), 0);
    }

    #[test]
    fn bounds_of_the_url_are_kept_in_order() {
        let context: Arc<dyn CallContext> = Arc::new(NoContext);
        let limit = AdaptiveLimit::new(&url("adaptive-service.least=10&adaptive-service.most=5"), &context);
        assert_eq!(limit.limit.load(Ordering::Relaxed), 10);
    }
}
