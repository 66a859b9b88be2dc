//! What one override URL says (`AbstractConfigurator`). Knows neither documents nor whom it is applied to.

use std::sync::Arc;

use orana_core::ServiceUrl;
use orana_core::rule::{Mode, Override, RulePlace};

/// What only says whom and how, and is not laid over anything. Java leaves the last three in, where they change nothing.
const OWN_KEYS: [&str; 14] = [
    "category",
    "check",
    "dynamic",
    "enabled",
    "group",
    "version",
    "application",
    "side",
    "configVersion",
    "compatible_config",
    "interfaces",
    "providerAddresses",
    "priority",
    "anyhost",
];

/// With these a writer of rules could make others run his code or write his files (`AbstractConfiguratorListener.securityKey`).
pub(in crate::rule) const UNSAFE_KEYS: [&str; 5] = ["accesslog.fixed.path", "router", "rule", "runtime", "type"];

/// Whether a key is never taken from a rule.
pub(super) fn is_unsafe(key: &str) -> bool {
    UNSAFE_KEYS.contains(&key)
}

/// Whether a URL has any parameter beside `anyhost`, which is put in without being asked for.
pub(in crate::rule) fn says_something(url: &ServiceUrl) -> bool {
    url.parameters().any(|(key, _)| key != "anyhost")
}

/// Reads an `override://` or `absent://` URL; an error says what is wrong with it.
pub(in crate::rule) fn of_url(url: &ServiceUrl, place: RulePlace, text: Arc<str>) -> Result<Override, String> {
    let mode = match url.protocol() {
        Some("override") => Mode::Override,
        Some("absent") => Mode::Absent,
        other => {
            let other = other.unwrap_or_default();
            return Err(format!(
                "`{other}://` is no configurator; there are `override://` and `absent://`"
            ));
        }
    };
    let Some(host) = url.host() else {
        return Err("the URL has no host; `0.0.0.0` is for everybody".into());
    };
    let Some(service) = url.service_key() else {
        return Err("the URL names no service; `*` is for all of them".into());
    };
    let said = |key| url.parameter(key).filter(|value| !value.is_empty());
    let version = said("configVersion");
    // A document of v3.0 is matched by its block `match` instead.
    let by_match = version.is_some_and(|version| version.starts_with("v3.0"));
    let arc = |(key, value): (&str, &str)| (Arc::from(key), Arc::from(value));
    let (mut conditions, mut parameters) = (Vec::new(), Vec::new());
    for (key, value) in url.parameters() {
        match key.strip_prefix('~') {
            Some(_) if by_match => {}
            Some(key) => conditions.push(arc((key, value))),
            None if OWN_KEYS.contains(&key) || is_unsafe(key) => {}
            None => parameters.push(arc((key, value))),
        }
    }
    Ok(Override {
        place,
        text,
        mode,
        enabled: url.flag_or("enabled", true),
        priority: url
            .try_number("priority")
            .map_err(|error| error.to_string())?
            .unwrap_or(0),
        host: host.into(),
        port: url.port(),
        versioned: version.is_some(),
        side: said("side").map(Arc::from),
        application: said("application").or(url.user()).map(Arc::from),
        service: service.to_string().into(),
        provider_addresses: said("providerAddresses").map(|list| list.split(',').map(Arc::from).collect()),
        conditions,
        matching: None,
        parameters,
    })
}
