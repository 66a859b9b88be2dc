//! Rules are written as override URLs here, read by a few lines of their own: what `orana-wire` makes of a text is not known.

mod explained;
mod filters;
mod golden;
mod many;
mod order;
mod properties;
mod side_and_host;
mod values;

use orana_core::rule::{Mode, Override, OverrideRule, RulePlace, Scope};

use super::*;

const HERE: &str = "10.0.0.9";
const CONSUMER: Applying<'static> = Applying {
    side: Side::Consumer,
    local_host: HERE,
};
const PROVIDER: Applying<'static> = Applying {
    side: Side::Provider,
    local_host: "10.0.0.1",
};
/// A provider as a consumer sees it, and as it sees itself.
const MERGED: &str = "dubbo://10.0.0.1:20880/com.foo.Bar?application=web&group=g&region=east&remote.application=shop&side=consumer&timeout=500&version=1.0";
const OWN: &str =
    "dubbo://10.0.0.1:20880/com.foo.Bar?application=shop&group=g&region=east&side=provider&timeout=500&version=1.0";

fn url(text: &str) -> ServiceUrl {
    ServiceUrl::parse(text).unwrap()
}

/// An override of those values: `override://host:port/*?key=value`, for the service `g/com.foo.Bar:1.0` if the path is `bar`.
fn read(text: &str) -> Override {
    let url = url(text);
    let value = |key| url.parameter(key).map(Arc::from);
    let own = [
        "application",
        "configVersion",
        "enabled",
        "priority",
        "providerAddresses",
        "side",
    ];
    let (conditions, parameters): (Vec<_>, Vec<_>) = url
        .parameters()
        .filter(|(key, _)| !own.contains(key))
        .map(|(key, value)| (Arc::<str>::from(key), Arc::<str>::from(value)))
        .partition(|(key, _)| key.starts_with('~'));
    Override {
        place: RulePlace::of(text),
        text: text.into(),
        mode: if url.protocol() == Some("absent") {
            Mode::Absent
        } else {
            Mode::Override
        },
        enabled: matches!(url.parameter("enabled"), None | Some("true")),
        priority: url.parameter("priority").map_or(0, |text| text.parse().unwrap()),
        host: url.host().unwrap_or_default().into(),
        port: url.port(),
        versioned: url
            .parameter("configVersion")
            .is_some_and(|version| !version.is_empty()),
        side: value("side"),
        application: value("application"),
        service: match url.path() {
            Some("bar") => "g/com.foo.Bar:1.0".into(),
            _ => url.service_key().map(|key| key.to_string()).unwrap_or_default().into(),
        },
        provider_addresses: value("providerAddresses").map(|list| list.split(',').map(Arc::from).collect()),
        conditions: conditions
            .into_iter()
            .map(|(key, value)| (key[1..].into(), value))
            .collect(),
        matching: None,
        parameters,
    }
}

fn rule(overrides: Vec<Override>) -> OverrideRule {
    OverrideRule {
        place: RulePlace::of("test"),
        scope: Scope::Service,
        overrides,
    }
}

/// Configurators of one layer.
fn one_layer(overrides: Vec<Override>) -> Configurators {
    Configurators::new(&[Layer::new([&rule(overrides)])])
}

fn of_texts(texts: &[&str]) -> Configurators {
    one_layer(texts.iter().map(|text| read(text)).collect())
}

/// What becomes of the parameter `x` of a provider's URL. Both ways of applying must agree.
fn x(configurators: &Configurators, text: &str, place: &Applying<'_>) -> Option<String> {
    let url = url(text);
    let one = configurators.apply(&url, place);
    assert_eq!(one, configurators.at(place).apply(&url));
    one.parameter("x").map(str::to_owned)
}

/// Whether an override of `x` applies on a consumer and on a provider.
fn applies(text: &str) -> (bool, bool) {
    let configurators = of_texts(&[text]);
    let applies = |url, place| x(&configurators, url, place).is_some();
    (applies(MERGED, &CONSUMER), applies(OWN, &PROVIDER))
}
