//! The block `match` of a v3.0 document, made ready (`ConditionMatch`, `AddressMatch`).

use std::borrow::Cow;
use std::sync::Arc;

use orana_core::ServiceUrl;
use orana_core::rule::{AddressMatch, OverrideMatch};

use super::laid::Laid;
use crate::address_match::{Address, AddressPattern};
use crate::text_match::{TextPattern, glob};

/// What must hold, each part that is there.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    address: Option<Addresses>,
    provider_address: Option<Addresses>,
    services: Vec<TextPattern>,
    applications: Vec<TextPattern>,
    parameters: Vec<(Arc<str>, TextPattern)>,
}

/// The part that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Address,
    ProviderAddress,
    Service,
    Application,
    /// The parameter of that number.
    Parameter(usize),
}

/// A comparison of addresses that is ready.
#[derive(Clone, Debug)]
enum Addresses {
    /// The same text, or named by the expression.
    Expression(Arc<str>, AddressPattern),
    /// Any.
    Any(Arc<str>),
    /// As this text says with one `*`.
    Glob(Arc<str>),
    /// The same text.
    Exact(Arc<str>),
}

impl Matching {
    pub(super) fn new(rule: &OverrideMatch) -> Matching {
        let addresses = |rule: &Option<AddressMatch>| rule.as_ref().map(Addresses::new);
        Matching {
            address: addresses(&rule.address),
            provider_address: addresses(&rule.provider_address),
            services: rule.services.iter().map(TextPattern::new).collect(),
            applications: rule.applications.iter().map(TextPattern::new).collect(),
            parameters: rule
                .parameters
                .iter()
                .map(|parameter| (Arc::clone(&parameter.key), TextPattern::new(&parameter.value)))
                .collect(),
        }
    }

    /// Why this can never hold, if it cannot be read.
    pub(super) fn problem(&self) -> Option<&str> {
        let parameters = self.parameters.iter().map(|(_, pattern)| pattern);
        self.services
            .iter()
            .chain(&self.applications)
            .chain(parameters)
            .find_map(TextPattern::problem)
    }

    /// The first part that does not hold for `laid`; `host` is whose own address is meant.
    pub(super) fn missed(&self, laid: &Laid<'_>, host: &str) -> Option<Part> {
        let url = laid.original();
        if self
            .address
            .as_ref()
            .is_some_and(|addresses| !addresses.name(host, None))
        {
            return Some(Part::Address);
        }
        let provider = url.host().unwrap_or_default();
        if self
            .provider_address
            .as_ref()
            .is_some_and(|addresses| !addresses.name(provider, url.port()))
        {
            return Some(Part::ProviderAddress);
        }
        if !self.services.is_empty() {
            let key = url.service_key().map(|key| key.to_string());
            if !one_matches(&self.services, key.as_deref()) {
                return Some(Part::Service);
            }
        }
        if !self.applications.is_empty() && !one_matches(&self.applications, url.parameter("application")) {
            return Some(Part::Application);
        }
        let missed = |(key, pattern): &(Arc<str>, TextPattern)| !pattern.matches(laid.value(key));
        self.parameters.iter().position(missed).map(Part::Parameter)
    }

    /// What is asked for by the parameter of that number.
    pub(super) fn parameter(&self, number: usize) -> &str {
        self.parameters.get(number).map_or("", |(key, _)| key)
    }

    /// The addresses that are asked for.
    pub(super) fn address(&self) -> &str {
        self.address.as_ref().map_or("", Addresses::text)
    }

    /// The addresses of providers that are asked for.
    pub(super) fn provider_address(&self) -> &str {
        self.provider_address.as_ref().map_or("", Addresses::text)
    }
}

fn one_matches(patterns: &[TextPattern], text: Option<&str>) -> bool {
    patterns.iter().any(|pattern| pattern.matches(text))
}

impl Addresses {
    fn new(rule: &AddressMatch) -> Addresses {
        match rule {
            AddressMatch::Cidr(text) => Addresses::Expression(Arc::clone(text), AddressPattern::new(text)),
            AddressMatch::Wildcard(text) if matches!(&**text, "*" | "0.0.0.0") => Addresses::Any(Arc::clone(text)),
            AddressMatch::Wildcard(text) => Addresses::Glob(Arc::clone(text)),
            AddressMatch::Exact(text) => Addresses::Exact(Arc::clone(text)),
        }
    }

    /// Whether they name `host`, or that host with that port.
    ///
    /// An expression sees host and port apart. Java gives it the two in one text, of which it can make nothing, so that a network never
    /// names a provider there.
    fn name(&self, host: &str, port: Option<u16>) -> bool {
        let text = || match port {
            Some(port) => Cow::Owned(format!("{host}:{port}")),
            None => Cow::Borrowed(host),
        };
        match self {
            Addresses::Any(_) => true,
            Addresses::Expression(wanted, pattern) => pattern.names(&Address::new(host, port)) || **wanted == *text(),
            Addresses::Glob(pattern) => glob(pattern, &text()),
            Addresses::Exact(wanted) => **wanted == *text(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Addresses::Any(text) | Addresses::Expression(text, _) | Addresses::Glob(text) | Addresses::Exact(text) => {
                text
            }
        }
    }
}

/// The text of the service key of `url`; empty when it names no interface.
pub(super) fn service_text(url: &ServiceUrl) -> String {
    url.service_key().map(|key| key.to_string()).unwrap_or_default()
}
