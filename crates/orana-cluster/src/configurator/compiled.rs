//! One override, made ready to be compared with many URLs.

use std::sync::Arc;

use orana_core::ServiceKey;
use orana_core::rule::{Mode, Override, RuleError, RulePlace};

use super::matching::Matching;
use super::provider_addresses::ProviderAddresses;

/// Keys that say for whom a rule is, or what it is, in one way or another; never values to set (`AbstractConfigurator.genConditionKeys`).
const OF_THE_RULE: [&str; 11] = [
    "application",
    "category",
    "check",
    "compatible_config",
    "configVersion",
    "dynamic",
    "enabled",
    "group",
    "interfaces",
    "side",
    "version",
];

/// Keys by which whoever may write to a registry could have code run or files written (`AbstractConfiguratorListener.initSecurityKey`).
/// Dubbo takes them out of documents only; here no rule may set them.
const REFUSED: [&str; 5] = ["accesslog.fixed.path", "router", "rule", "runtime", "type"];

/// An override that is ready.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) place: RulePlace,
    pub(super) text: Arc<str>,
    mode: Mode,
    pub(super) enabled: bool,
    pub(super) versioned: bool,
    pub(super) side: Option<Arc<str>>,
    pub(super) host: Arc<str>,
    pub(super) port: Option<u16>,
    /// `None`: any.
    pub(super) application: Option<Arc<str>>,
    pub(super) service: Service,
    pub(super) providers: Option<Arc<ProviderAddresses>>,
    pub(super) conditions: Vec<(Arc<str>, Arc<str>)>,
    pub(super) matching: Option<Matching>,
    parameters: Vec<(Arc<str>, Arc<str>)>,
    /// Keys that it may not set.
    pub(super) refused: Vec<Arc<str>>,
}

/// The service that an override is for.
#[derive(Clone, Debug)]
pub(super) enum Service {
    Any,
    Only(ServiceKey),
}

impl Compiled {
    pub(super) fn new(rule: &Override, providers: Option<Arc<ProviderAddresses>>) -> Compiled {
        let (refused, parameters): (Vec<_>, Vec<_>) = settable(&rule.parameters)
            .into_iter()
            .partition(|(key, _)| REFUSED.contains(&&**key));
        Compiled {
            place: rule.place.clone(),
            text: Arc::clone(&rule.text),
            mode: rule.mode,
            enabled: rule.enabled,
            versioned: rule.versioned,
            side: rule.side.clone(),
            host: Arc::clone(&rule.host),
            port: rule.port.filter(|port| *port != 0),
            application: rule.application.clone().filter(|application| &**application != "*"),
            service: match &*rule.service {
                "*" => Service::Any,
                text => Service::Only(ServiceKey::parse(text)),
            },
            providers,
            conditions: rule
                .conditions
                .iter()
                .filter(|(_, value)| &**value != "*")
                .cloned()
                .collect(),
            matching: rule.matching.as_ref().map(Matching::new),
            parameters,
            refused: refused.into_iter().map(|(key, _)| key).collect(),
        }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// The values it sets.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Whether there is nothing that it sets.
    pub(super) fn sets_nothing(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Why it can never apply, if a part cannot be read.
    pub(super) fn problem(&self) -> Option<RuleError> {
        let problem = self.matching.as_ref()?.problem()?;
        Some(RuleError::new(self.place.clone(), problem))
    }
}

/// Those that may be set, each key once with the value that stands last.
fn settable(parameters: &[(Arc<str>, Arc<str>)]) -> Vec<(Arc<str>, Arc<str>)> {
    let of_the_rule = |key: &str| key.is_empty() || key.starts_with('~') || OF_THE_RULE.contains(&key);
    let mut settable: Vec<_> = parameters
        .iter()
        .filter(|(key, _)| !of_the_rule(key))
        .cloned()
        .collect();
    // Equal keys stay as they stood, and the last one of them is the first after turning round.
    settable.sort_by(|(one, _), (two, _)| one.cmp(two));
    settable.reverse();
    settable.dedup_by(|(one, _), (two, _)| one == two);
    settable.reverse();
    settable
}
