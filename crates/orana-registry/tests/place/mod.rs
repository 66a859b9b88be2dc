//! A registry in memory, a provider and a consumer: what most scenarios begin with.
#![allow(dead_code, reason = "each file of scenarios needs a part of it")]

use std::time::Duration;

use orana_core::{Category, ServiceUrl};
use orana_registry::backend::MemoryCentre;
use orana_registry::{Notification, Registry, Subscription};

pub(crate) const INTERFACE: &str = "com.a.B";

pub(crate) fn url(text: &str) -> ServiceUrl {
    ServiceUrl::parse(text).expect("a url")
}

pub(crate) fn provider(port: u16) -> ServiceUrl {
    url(&format!(
        "dubbo://127.0.0.1:{port}/{INTERFACE}?side=provider&timestamp=1"
    ))
}

pub(crate) fn consumer() -> ServiceUrl {
    url(&format!(
        "consumer://127.0.0.1/{INTERFACE}?category=providers,configurators,routers&side=consumer"
    ))
}

/// A registry of that name and these parameters, and the switches behind it.
pub(crate) fn registry(name: &str, parameters: &str) -> (MemoryCentre, Registry) {
    let centre = MemoryCentre::named(name);
    let registry = Registry::builder(&url(&format!("memory://{name}?{parameters}")))
        .build()
        .expect("a registry");
    (centre, registry)
}

/// The ports of the providers that are known.
pub(crate) fn ports(notification: &Notification) -> Vec<u16> {
    let providers = notification.providers().expect("providers are known");
    providers.iter().map(|url| url.port().expect("a port")).collect()
}

/// The ports of those that the registry holds.
pub(crate) fn registered(centre: &MemoryCentre) -> Vec<u16> {
    let list = centre.list(INTERFACE, Category::Providers);
    list.iter().map(|url| url.port().expect("a port")).collect()
}

/// Waits until something holds, for at most `limit`.
pub(crate) async fn within(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let begun = tokio::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the subscriber is told of exactly these ports.
pub(crate) async fn told(subscription: &mut Subscription, expected: &[u16]) {
    let wait = async {
        while subscription.current().providers().is_none() || ports(&subscription.current()) != expected {
            subscription.changed().await.expect("the registry is open");
        }
    };
    if tokio::time::timeout(Duration::from_secs(30), wait).await.is_err() {
        panic!("not told of {expected:?} but of {:?}", subscription.current());
    }
}
