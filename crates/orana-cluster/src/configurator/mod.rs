//! Configurators: values that an operator lays over what providers and consumers say of themselves (`Configurator`).
//!
//! ```text
//!   URLs of the registry ─────────────┐
//!   document of the application ──────┼─▶ Layer … ─▶ Configurators ─┬─ at(place) ─▶ Applicable ─ apply(url) ─▶ url
//!   document of the service ──────────┘   (later ones win)           └─ effects(url) ─▶ who did what, and who did not and why
//! ```
//!
//! A URL is always made of the original one, so that a rule that is taken away leaves nothing behind. Everything here is a function of its
//! arguments; where rules come from, when they change, and what is done about a URL that is another one now is not known here. The texts of
//! rules are read by `orana-wire`.

mod applicable;
mod compiled;
mod effect;
mod judgement;
mod laid;
mod matching;
mod provider_addresses;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use orana_core::ServiceUrl;
use orana_core::rule::{OverrideRule, RuleError};

pub use self::applicable::Applicable;
use self::compiled::Compiled;
pub use self::effect::{Change, Effect};
use self::laid::Laid;
use self::provider_addresses::ProviderAddresses;

/// Rules that are put in order together: by host, then by priority, then as they came. All that one source says at one time.
#[derive(Clone, Debug, Default)]
pub struct Layer<'a> {
    rules: Vec<&'a OverrideRule>,
}

/// For whom a URL is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Somebody who calls.
    Consumer,
    /// Somebody who is called.
    Provider,
}

/// Where configurators are applied: in which process, for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applying<'a> {
    /// As what the URL is used, whatever its own parameter `side` says: a provider's URL that a consumer merged is the consumer's.
    pub side: Side,
    /// The address of this process as others see it, the one it registers; what rules for single consumers are compared with.
    pub local_host: &'a str,
}

/// All overrides that are known, in the order in which they are laid over each other. Immutable; made anew when a rule changes.
#[derive(Clone, Debug, Default)]
pub struct Configurators {
    overrides: Vec<Arc<Compiled>>,
    problems: Vec<RuleError>,
}

impl<'a> Layer<'a> {
    /// A layer of these rules: the one of a document, or those of all URLs that a registry lists, in its order; none once it says `empty://`.
    ///
    /// An override that sets nothing does nothing. Dubbo 2.6 took it for "forget what was listed before", Dubbo 2.7 and 3 pass over it; no
    /// registry promises an order of its list, so the former could not be relied on.
    pub fn new(rules: impl IntoIterator<Item = &'a OverrideRule>) -> Layer<'a> {
        Layer {
            rules: rules.into_iter().collect(),
        }
    }
}

impl Side {
    /// The value that rules and URLs name it by.
    pub fn name(self) -> &'static str {
        match self {
            Side::Consumer => "consumer",
            Side::Provider => "provider",
        }
    }
}

impl Configurators {
    /// Makes `layers` ready; later ones are laid over earlier ones. As Dubbo has it, for consumers and providers alike: the URLs of the
    /// registry, then the document of the own application, then that of the service.
    pub fn new(layers: &[Layer<'_>]) -> Configurators {
        let mut configurators = Configurators::default();
        for layer in layers {
            let mut overrides: Vec<_> = layer.rules.iter().flat_map(|rule| &rule.overrides).collect();
            // Stable, so that equals stay as they were listed.
            overrides.sort_by(|one, two| (&one.host, one.priority).cmp(&(&two.host, two.priority)));
            // The overrides that came of one item have one list, which may be long.
            let mut last: Option<(&[Arc<str>], Arc<ProviderAddresses>)> = None;
            for rule in overrides {
                let providers = match rule.provider_addresses.as_deref() {
                    None | Some([]) => None,
                    Some(texts) => match &last {
                        Some((known, ready)) if *known == texts => Some(Arc::clone(ready)),
                        _ => {
                            let ready = Arc::new(ProviderAddresses::new(texts));
                            last = Some((texts, Arc::clone(&ready)));
                            Some(ready)
                        }
                    },
                };
                let compiled = Compiled::new(rule, providers);
                configurators.problems.extend(compiled.problem());
                configurators.overrides.push(Arc::new(compiled));
            }
        }
        configurators
    }

    /// Whether there is no override at all.
    pub fn is_empty(&self) -> bool {
        self.overrides.is_empty()
    }

    /// Overrides that can never apply because a part of them cannot be read (a regular expression); worth a warning.
    pub fn problems(&self) -> &[RuleError] {
        &self.problems
    }

    /// `url` with everything laid over it that is meant for it. A clone of the same URL, and no memory taken, when that changes nothing.
    ///
    /// For many URLs use [`at`](Configurators::at).
    pub fn apply(&self, url: &ServiceUrl, place: &Applying<'_>) -> ServiceUrl {
        let mut laid = Laid::over(url, place.side);
        for rule in &self.overrides {
            if rule.judge(&laid, place).is_ok() {
                laid.lay(rule);
            }
        }
        laid.into_url()
    }

    /// What may apply at `place`, sorted so that each of many URLs is only compared with what may be meant for it.
    pub fn at(&self, place: &Applying<'_>) -> Applicable {
        Applicable::new(&self.overrides, place)
    }

    /// What each override does to `url`, in order; or why it does nothing. The last values are those of [`apply`](Configurators::apply).
    pub fn effects(&self, url: &ServiceUrl, place: &Applying<'_>) -> Vec<Effect> {
        let mut laid = Laid::over(url, place.side);
        let effect = |rule: &Arc<Compiled>| Effect::of(rule, &mut laid, place);
        self.overrides.iter().map(effect).collect()
    }
}
