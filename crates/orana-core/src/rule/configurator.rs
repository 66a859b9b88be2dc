//! Configurators: values that are laid over what consumers and providers say of themselves (`Configurator`, `ConfiguratorConfig`).

use std::sync::Arc;

use super::{ParameterMatch, RulePlace, Scope, TextMatch};

/// A document of configurators, or one `override://` or `absent://` URL, as the single overrides that come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideRule {
    /// Where it stands.
    pub place: RulePlace,
    /// What it is about.
    pub scope: Scope,
    /// Its overrides, in the order in which they are written; not sorted.
    pub overrides: Vec<Override>,
}

/// Whether a value replaces one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `override`: replaces it.
    Override,
    /// `absent`: only fills in what is not there.
    Absent,
}

/// How an address is compared (`AddressMatch`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressMatch {
    /// `cird`: the same text, or within this CIDR or expression of an address (`10.0.0.0/8`, `10.0.*.1-20`).
    Cidr(Arc<str>),
    /// `wildcard`: `*` and `0.0.0.0` for any address, otherwise `prefix*suffix`.
    Wildcard(Arc<str>),
    /// `exact`: the same text.
    Exact(Arc<str>),
}

/// Values for whom its filters admit. A document item is expanded to one of these for each combination of address, application and service.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Where it stands.
    pub place: RulePlace,
    /// As it was written, or would be written as a URL; for explanations.
    pub text: Arc<str>,
    /// Whether values replace.
    pub mode: Mode,
    /// Whether it counts.
    pub enabled: bool,
    /// Among those of the same host; the higher one is laid over the lower.
    pub priority: i32,
    /// Whom it is for: `0.0.0.0` for everybody.
    pub host: Arc<str>,
    /// The port of the provider it is for; `None` for none in particular.
    pub port: Option<u16>,
    /// Whether the text names a `configVersion` (a document without one counts as naming one): decides how host, port and side are judged.
    pub versioned: bool,
    /// `consumer` or `provider`; a versioned one without a side does nothing.
    pub side: Option<Arc<str>>,
    /// The application it is for; `None` or `*`: any.
    pub application: Option<Arc<str>>,
    /// `group/interface:version`, or `*`: the service it is for.
    pub service: Arc<str>,
    /// Providers it is for; `None`: any. An entry is `ip:port`, `ip`, `0.0.0.0`, `0.0.0.0:*` or `0.0.0.0:port`.
    pub provider_addresses: Option<Vec<Arc<str>>>,
    /// Parameters (names without `~`) that must have these values; `*`: any.
    pub conditions: Vec<(Arc<str>, Arc<str>)>,
    /// What v3.0 documents ask for beyond that.
    pub matching: Option<OverrideMatch>,
    /// The values; keys that only describe the rule are not among them. Empty if the text sets nothing, which is then what it does.
    pub parameters: Vec<(Arc<str>, Arc<str>)>,
}

/// The block `match` of a v3.0 document; each part that is there must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverrideMatch {
    /// The host that the override's own `host` is compared with: this machine's on a consumer, the provider's on a provider.
    pub address: Option<AddressMatch>,
    /// The `ip:port` of the URL that is changed.
    pub provider_address: Option<AddressMatch>,
    /// The service key, one of these; empty: any.
    pub services: Vec<TextMatch>,
    /// The application, one of these; empty: any.
    pub applications: Vec<TextMatch>,
    /// Parameters, all of these.
    pub parameters: Vec<ParameterMatch>,
}
