//! One provider as a consumer sees it: its merged URL, the way to call it, and its weight.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use orana_core::{Invoker, ServiceUrl};

use crate::address_match::Address;
use crate::clock::EpochMillis;
use crate::health::Health;
use crate::statistics::Statistics;

/// Weight of a provider that names none.
const DEFAULT_WEIGHT: u32 = 100;

/// How long a provider warms up if it does not say, in milliseconds.
const DEFAULT_WARM_UP: u64 = 600_000;

/// A provider that can be called.
pub struct Endpoint {
    url: ServiceUrl,
    original: ServiceUrl,
    address: Arc<str>,
    /// The same for comparison with what rules name.
    located: Address,
    invoker: Arc<dyn Invoker>,
    statistics: Arc<Statistics>,
    health: Health,
    /// Its parameter `methods`.
    methods: Option<Arc<str>>,
    weight: u32,
    /// Whether some `METHOD.weight` exists; without one no call needs to look for it.
    method_weights: bool,
    /// When it started, if it said so.
    started: Option<EpochMillis>,
    warm_up: u64,
}

impl Endpoint {
    /// The endpoint behind `invoker`, described by the merged URL `url`; nothing was counted about it yet.
    pub fn new(url: ServiceUrl, invoker: Arc<dyn Invoker>) -> Endpoint {
        Endpoint::of(url.clone(), url, invoker, Arc::default())
    }

    /// The endpoint behind `invoker` that registered as `original` and is called by the merged URL `url`, with what was counted about it
    /// before.
    pub fn of(
        original: ServiceUrl,
        url: ServiceUrl,
        invoker: Arc<dyn Invoker>,
        statistics: Arc<Statistics>,
    ) -> Endpoint {
        // 2.6 lays the consumer's `timestamp` over the provider's and keeps the latter here.
        let started = ["remote.timestamp", "timestamp"]
            .into_iter()
            .find_map(|key| url.parameter(key)?.parse().ok())
            .filter(|started| *started > 0)
            .map(EpochMillis);
        let method_weights = url.parameters().any(|(key, _)| key.ends_with(".weight"));
        Endpoint {
            address: url.address().into(),
            located: Address::new(url.host().unwrap_or_default(), url.port()),
            methods: url.parameter("methods").map(Arc::from),
            weight: weight_in(url.parameter("weight")).unwrap_or(DEFAULT_WEIGHT),
            method_weights,
            started,
            warm_up: url
                .parameter("warmup")
                .and_then(|text| text.parse().ok())
                .unwrap_or(DEFAULT_WARM_UP),
            health: Health::of(&url, Arc::clone(statistics.record())),
            url,
            original,
            invoker,
            statistics,
        }
    }

    /// The same provider, which registers as `original` now.
    pub(crate) fn registered_as(&self, original: ServiceUrl) -> Endpoint {
        let (invoker, statistics) = (Arc::clone(&self.invoker), Arc::clone(&self.statistics));
        let endpoint = Endpoint::of(original, self.url.clone(), invoker, statistics);
        endpoint.sharing_methods(|methods| self.methods.clone().unwrap_or(methods))
    }

    /// The URL that the provider registered, before anything was laid over it: what rules about providers look at.
    pub fn original(&self) -> &ServiceUrl {
        &self.original
    }

    /// The merged URL.
    pub fn url(&self) -> &ServiceUrl {
        &self.url
    }

    /// The methods that it says it serves, as it says it.
    pub(crate) fn methods(&self) -> Option<&Arc<str>> {
        self.methods.as_ref()
    }

    /// The same with its text of methods replaced by an equal one: what many providers of a list have in common is there once, and compared
    /// by where it is.
    pub(crate) fn sharing_methods(mut self, shared: impl FnOnce(Arc<str>) -> Arc<str>) -> Endpoint {
        self.methods = self.methods.map(shared);
        self
    }

    /// `host:port`.
    pub fn address(&self) -> &Arc<str> {
        &self.address
    }

    /// Where it is, for comparison with what rules name.
    pub(crate) fn located(&self) -> &Address {
        &self.located
    }

    /// The group that it serves; empty for none.
    pub fn group(&self) -> &str {
        self.url.parameter("group").unwrap_or_default()
    }

    /// The way to call it.
    pub fn invoker(&self) -> &Arc<dyn Invoker> {
        &self.invoker
    }

    /// What was counted about calls to it.
    pub fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// Whether a call of `method` has a chance now and is welcome: the connection is up, no circuit breaker is open, and it is not left out for
    /// doing worse than the others.
    pub fn admits(&self, method: &str, now: Instant) -> bool {
        self.is_available() && self.health.admits(method, now)
    }

    /// Whether a call has a chance now.
    pub fn is_available(&self) -> bool {
        self.invoker.is_available()
    }

    /// Its share of the calls of `method` at `now`: the configured weight, grown from 1 while it warms up
    /// (`AbstractLoadBalance.getWeight`). 0 means that it is not chosen unless all are 0.
    pub fn weight(&self, method: &str, now: EpochMillis) -> u32 {
        let configured = self.configured_weight(method);
        match self.started {
            Some(started) => warmed(configured, started, self.warm_up, now),
            None => configured,
        }
    }

    /// The weight once it is warm.
    pub(crate) fn configured_weight(&self, method: &str) -> u32 {
        if self.method_weights
            && let Some(weight) = weight_in(self.url.method_parameter(method, "weight"))
        {
            return weight;
        }
        self.weight
    }

    /// From when on its weight no longer grows.
    pub(crate) fn warm_at(&self) -> EpochMillis {
        EpochMillis(self.started.map_or(0, |started| started.0.saturating_add(self.warm_up)))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({}, weight {})", self.address, self.weight)
    }
}

/// A weight as written: negative ones count as 0, what is no number as none.
fn weight_in(text: Option<&str>) -> Option<u32> {
    let weight: i32 = text?.trim().parse().ok()?;
    Some(u32::try_from(weight).unwrap_or(0))
}

/// The share of `weight` after the time since `started`, of `warm_up` milliseconds. A start in the future counts as just started.
fn warmed(weight: u32, started: EpochMillis, warm_up: u64, now: EpochMillis) -> u32 {
    if weight == 0 {
        return 0;
    }
    let Some(up) = now.0.checked_sub(started.0) else {
        return 1;
    };
    if up == 0 || up >= warm_up {
        return weight;
    }
    // In single precision, as Java does it: both sides of a fleet must agree.
    let step = warm_up as f32 / weight as f32;
    ((up as f32 / step) as u32).clamp(1, weight)
}

#[cfg(test)]
pub(crate) mod tests {
    use orana_core::{BoxFuture, Invocation, Reply, RpcError};

    use super::*;

    /// Answers nothing, and is as available as it is told to be.
    pub(crate) struct Silent {
        pub(crate) url: ServiceUrl,
        pub(crate) available: std::sync::atomic::AtomicBool,
    }

    impl Silent {
        pub(crate) fn at(url: &ServiceUrl) -> Arc<Silent> {
            Arc::new(Silent {
                url: url.clone(),
                available: true.into(),
            })
        }
    }

    impl Invoker for Silent {
        fn url(&self) -> &ServiceUrl {
            &self.url
        }

        fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
            Box::pin(async { Ok(Reply::null()) })
        }

        fn is_available(&self) -> bool {
            self.available.load(std::sync::atomic::Ordering::Relaxed)
        }
    }

    pub(crate) fn endpoint(text: &str) -> Arc<Endpoint> {
        let url = ServiceUrl::parse(text).unwrap();
        let invoker = Silent::at(&url);
        Arc::new(Endpoint::new(url, invoker))
    }

    #[test]
    fn weight_grows_from_one_while_a_provider_warms_up() {
        let endpoint = endpoint("dubbo://h:1/i?timestamp=1000000");
        let after = |millis: u64| endpoint.weight("any", EpochMillis(1_000_000 + millis));
        assert_eq!(after(1), 1);
        assert_eq!(after(6_000), 1);
        assert_eq!(after(60_000), 10);
        assert_eq!(after(300_000), 50);
        assert_eq!(after(600_000), 100);
        assert_eq!(endpoint.weight("any", EpochMillis(5)), 1, "a start in the future");
        assert_eq!(endpoint.warm_at(), EpochMillis(1_600_000));
    }

    #[test]
    fn a_methods_own_weight_counts_for_that_method() {
        let endpoint = endpoint("dubbo://h:1/i?weight=7&say.weight=3&odd.weight=x&none.weight=-4");
        let weight = |method| endpoint.weight(method, EpochMillis(0));
        assert_eq!(weight("say"), 3);
        assert_eq!(weight("other"), 7);
        assert_eq!(weight("odd"), 7);
        assert_eq!(weight("none"), 0);
    }

    #[test]
    fn weight_zero_stays_zero_while_warming_up() {
        let endpoint = endpoint("dubbo://h:1/i?weight=0&timestamp=1000");
        assert_eq!(endpoint.weight("any", EpochMillis(2_000)), 0);
    }
}
