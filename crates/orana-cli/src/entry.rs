//! What an operator wants to see of a registered URL. Made for tables and for programs; knows no registry.

use orana::ServiceUrl;
use serde::Serialize;

/// A provider or a consumer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Entry {
    /// `host:port`, or the host alone for a consumer.
    pub(crate) address: String,
    pub(crate) application: Option<String>,
    pub(crate) interface: String,
    pub(crate) group: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) protocol: Option<String>,
    /// Of a provider: its share of the calls once it is warm.
    pub(crate) weight: i64,
    /// Whether it is switched on.
    pub(crate) enabled: bool,
    /// When it started, in milliseconds since 1970.
    pub(crate) timestamp: Option<i64>,
    pub(crate) pid: Option<u32>,
    pub(crate) release: Option<String>,
    pub(crate) methods: Vec<String>,
    /// All of it, as it is registered.
    pub(crate) url: String,
}

impl Entry {
    pub(crate) fn of(url: &ServiceUrl) -> Entry {
        let said = |key| url.parameter(key).filter(|value| !value.is_empty()).map(str::to_owned);
        Entry {
            address: url.address(),
            application: said("application"),
            interface: url.interface().unwrap_or_default().to_owned(),
            group: said("group"),
            version: said("version"),
            protocol: url.protocol().map(str::to_owned),
            weight: url.number_or("weight", 100),
            enabled: url.flag_or("enabled", true) && !url.flag_or("disabled", false),
            timestamp: url.number("timestamp"),
            pid: url.number("pid"),
            release: said("release"),
            methods: url.list("methods").map(str::to_owned).collect(),
            // Without the password: this is what is pasted into tickets.
            url: url.to_string(),
        }
    }

    /// What tells two entries of one list apart.
    pub(crate) fn identity(&self) -> (&str, &str, Option<&str>, Option<&str>, Option<u32>) {
        let pid = if self.address.contains(':') { None } else { self.pid };
        (
            &self.address,
            &self.interface,
            self.group.as_deref(),
            self.version.as_deref(),
            pid,
        )
    }
}

/// A cell for what may be missing.
pub(crate) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}
