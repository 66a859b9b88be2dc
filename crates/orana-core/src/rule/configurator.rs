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
    /// Whether the text names a `configVersion` (a document always counts as naming one): decides how host, port and side are judged.
    pub versioned: bool,
    /// `consumer` or `provider`; a versioned one without a side does nothing.
    pub side: Option<Arc<str>>,
    /// The application it is for; `None` or `*`: any.
    pub application: Option<Arc<str>>,
    /// `group/interface:version`, or `*`: the service it is for.
    pub service: Arc<str>,
    /// Providers it is for; `None`: any. An entry is `ip:port`, `ip`, `0.0.0.0`, or one of these with the port `*`.
    pub provider_addresses: Option<Vec<Arc<str>>>,
    /// Parameters (names without `~`) that must have these values; `*`: any.
    pub conditions: Vec<(Arc<str>, Arc<str>)>,
    /// What v3.0 documents ask for beyond that.
    pub matching: Option<OverrideMatch>,
    /// The values; keys that only describe the rule are not among them. Empty in a URL of 2.6: forget what was collected before.
    pub parameters: Vec<(Arc<str>, Arc<str>)>,
}

/// The block `match` of a v3.0 document; each part that is there must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverrideMatch {
    /// The consumer's or provider's own address: CIDR, wildcard or exact, as written.
    pub address: Option<Arc<str>>,
    /// The address of the provider.
    pub provider_address: Option<Arc<str>>,
    /// The service key, one of these; empty: any.
    pub services: Vec<TextMatch>,
    /// The application, one of these; empty: any.
    pub applications: Vec<TextMatch>,
    /// Parameters, all of these.
    pub parameters: Vec<ParameterMatch>,
}
