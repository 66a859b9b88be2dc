//! `zone-aware`: one registry out of several (`ZoneAwareClusterInvoker`): preferred, then of the caller's zone, then by weight, then any.

use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};

use crate::call::scaled;

/// Where a call says its zone, and whether another one must not be called.
const ZONE: &str = "registry_zone";
const ZONE_FORCE: &str = "registry_zone_force";

const DEFAULT_WEIGHT: u32 = 100;

/// A reference through one registry.
pub struct Registered {
    /// The registry's own URL: `preferred`, `zone` and `weight` stand there.
    pub registry: ServiceUrl,
    /// Calls providers that this registry knows.
    pub invoker: Arc<dyn Invoker>,
}

/// References to one service through several registries as one.
pub struct ZoneAware {
    consumer: ServiceUrl,
    registries: Vec<Registered>,
}

impl ZoneAware {
    /// Calls for what `consumer` asks for, through one of these at a time.
    pub fn new(consumer: ServiceUrl, registries: Vec<Registered>) -> ZoneAware {
        ZoneAware { consumer, registries }
    }

    /// Through which a call goes.
    fn choose(&self, invocation: &Invocation, chance: u64) -> Result<&Registered, RpcError> {
        let up = || {
            self.registries
                .iter()
                .filter(|registered| registered.invoker.is_available())
        };
        if let Some(preferred) = up().find(|registered| registered.registry.flag_or("preferred", false)) {
            return Ok(preferred);
        }
        let asked = |key| {
            let of_call = invocation.attachments.get(key).filter(|text| !text.is_empty());
            of_call
                .or_else(|| self.consumer.parameter(key))
                .filter(|text| !text.is_empty())
        };
        if let Some(zone) = asked(ZONE) {
            if let Some(same) = up().find(|registered| registered.registry.parameter("zone") == Some(zone)) {
                return Ok(same);
            }
            if asked(ZONE_FORCE).is_some_and(|text| text.eq_ignore_ascii_case("true")) {
                let message =
                    format!("no registry of zone `{zone}` has anybody to call, and the call must not leave its zone");
                return Err(RpcError::new(RpcErrorCode::NoInvokerAfterFilter, message).calling(invocation));
            }
        }
        let weight = |registered: &Registered| u64::from(registered.registry.number_or("weight", DEFAULT_WEIGHT));
        let total: u64 = up().map(weight).sum();
        let mut point = scaled(chance, total);
        let by_weight = up().find(|registered| {
            let weight = weight(registered);
            let here = point < weight;
            point = point.saturating_sub(weight);
            here
        });
        // With nobody up, whoever is called says why.
        by_weight
            .or_else(|| up().next())
            .or(self.registries.first())
            .ok_or_else(|| {
                RpcError::new(RpcErrorCode::Unknown, "the reference has no registry to call through")
                    .calling(invocation)
            })
    }
}

/// The share of calls such as `invocation` that goes through each of `registries`, its own URL and whether somebody is up there: what
/// [`ZoneAware`] does, for explanations. Only zeros if the call must not leave a zone where nobody is up.
pub fn registry_shares(consumer: &ServiceUrl, registries: &[(&ServiceUrl, bool)], invocation: &Invocation) -> Vec<f64> {
    let up = || registries.iter().enumerate().filter(|(_, (_, up))| *up);
    let asked = |key| {
        let of_call = invocation.attachments.get(key).filter(|text| !text.is_empty());
        of_call
            .or_else(|| consumer.parameter(key))
            .filter(|text| !text.is_empty())
    };
    let only = |chosen: usize| -> Vec<f64> {
        let share = |place| if place == chosen { 1.0 } else { 0.0 };
        (0..registries.len()).map(share).collect()
    };
    if let Some((place, _)) = up().find(|(_, (url, _))| url.flag_or("preferred", false)) {
        return only(place);
    }
    if let Some(zone) = asked(ZONE) {
        if let Some((place, _)) = up().find(|(_, (url, _))| url.parameter("zone") == Some(zone)) {
            return only(place);
        }
        if asked(ZONE_FORCE).is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return vec![0.0; registries.len()];
        }
    }
    let weight = |url: &ServiceUrl| f64::from(url.number_or("weight", DEFAULT_WEIGHT));
    let total: f64 = up().map(|(_, (url, _))| weight(url)).sum();
    match (total > 0.0, up().next()) {
        (true, _) => {
            let share = |(url, up): &(&ServiceUrl, bool)| if *up { weight(url) / total } else { 0.0 };
            registries.iter().map(share).collect()
        }
        (false, Some((place, _))) => only(place),
        (false, None) => only(0),
    }
}

impl Invoker for ZoneAware {
    fn url(&self) -> &ServiceUrl {
        &self.consumer
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        match self.choose(invocation, fastrand::u64(..)) {
            Ok(registered) => registered.invoker.invoke(invocation),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }

    fn is_available(&self) -> bool {
        self.registries
            .iter()
            .any(|registered| registered.invoker.is_available())
    }
}
