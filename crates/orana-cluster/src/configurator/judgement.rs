//! Whether an override is meant for a URL, and if not, the first reason (`AbstractConfigurator.configure`).
//!
//! | | names a `configVersion` (documents) | names none (URLs of 2.6) |
//! |---|---|---|
//! | side | must be the side of the URL; none: nobody | none or `*`: both |
//! | host, on a consumer | `0.0.0.0`, or that of the consumer | the same without a port; with a port that of the provider |
//! | host, on a provider | `0.0.0.0`, or that of the provider | only `0.0.0.0` without a port; with a port that of the provider |
//! | port | not looked at; documents have it in `providerAddresses` as well | must be that of the provider |
//!
//! Then, for both: the list of providers, the application, the service with group and version, and last the block `match` if there is one,
//! else the parameters with `~`.

use std::sync::Arc;

use orana_core::ServiceUrl;

use super::compiled::{Compiled, Service};
use super::laid::Laid;
use super::matching::{Part, service_text};
use super::{Applying, Side};
use crate::address_match::unbracketed;

/// The host of a rule that means everybody.
const ANY_HOST: &str = "0.0.0.0";

/// Which URLs an override may be meant for at a place, as far as their host decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach<'r> {
    /// Whatever their host is.
    AnyHost,
    /// Only those with this host.
    Host(&'r str),
}

/// Why an override does not apply; [`words`] says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhyNot {
    Disabled,
    SetsNothing,
    Unreadable,
    NoHost,
    NoSide,
    Side,
    /// The host of this process is another one.
    LocalHost,
    /// The host of the URL is another one.
    Host,
    /// Without a port it is for one consumer.
    OneConsumer,
    UrlWithoutHost,
    Port,
    ProviderAddresses,
    Application,
    Service,
    Match(Part),
    /// The parameter of that number.
    Condition(usize),
}

impl Compiled {
    /// For which URLs it may be meant at `place`: what does not depend on the single URL.
    pub(super) fn reach(&self, place: &Applying<'_>) -> Result<Reach<'_>, WhyNot> {
        if !self.enabled {
            return Err(WhyNot::Disabled);
        }
        if self.sets_nothing() {
            return Err(WhyNot::SetsNothing);
        }
        if self.host.is_empty() {
            return Err(WhyNot::NoHost);
        }
        match self.side.as_deref() {
            None if self.versioned => return Err(WhyNot::NoSide),
            Some(side) if side != place.side.name() && (self.versioned || side != "*") => return Err(WhyNot::Side),
            _ => {}
        }
        if &*self.host == ANY_HOST {
            return Ok(Reach::AnyHost);
        }
        let of_provider = match place.side {
            Side::Consumer => !self.versioned && self.port.is_some(),
            Side::Provider if !self.versioned && self.port.is_none() => return Err(WhyNot::OneConsumer),
            Side::Provider => true,
        };
        if of_provider {
            return Ok(Reach::Host(unbracketed(&self.host)));
        }
        if unbracketed(&self.host) == unbracketed(place.local_host) {
            Ok(Reach::AnyHost)
        } else {
            Err(WhyNot::LocalHost)
        }
    }

    /// Whether it is meant for the URL.
    pub(super) fn judge(&self, laid: &Laid<'_>, place: &Applying<'_>) -> Result<(), WhyNot> {
        let reach = self.reach(place)?;
        let host = laid.original().host().ok_or(WhyNot::UrlWithoutHost)?;
        match reach {
            Reach::Host(wanted) if wanted != unbracketed(host) => Err(WhyNot::Host),
            _ => self.judge_reached(laid, place),
        }
    }

    /// The same for a URL that it reaches.
    pub(super) fn judge_reached(&self, laid: &Laid<'_>, place: &Applying<'_>) -> Result<(), WhyNot> {
        let url = laid.original();
        let host = url.host().ok_or(WhyNot::UrlWithoutHost)?;
        if !self.versioned && self.port.is_some() && self.port != url.port() {
            return Err(WhyNot::Port);
        }
        if self.providers.as_ref().is_some_and(|providers| !providers.contain(url)) {
            return Err(WhyNot::ProviderAddresses);
        }
        if self.application.is_some() && self.application.as_deref() != url.parameter("application") {
            return Err(WhyNot::Application);
        }
        if !self.service.is(url) {
            return Err(WhyNot::Service);
        }
        let Some(matching) = &self.matching else {
            let missed = |(key, value): &(Arc<str>, Arc<str>)| laid.value(key) != Some(value);
            return match self.conditions.iter().position(missed) {
                Some(number) => Err(WhyNot::Condition(number)),
                None => Ok(()),
            };
        };
        if matching.problem().is_some() {
            return Err(WhyNot::Unreadable);
        }
        let own_host = match place.side {
            Side::Consumer => place.local_host,
            Side::Provider => host,
        };
        matching
            .missed(laid, own_host)
            .map_or(Ok(()), |part| Err(WhyNot::Match(part)))
    }
}

impl Service {
    /// Whether it is that of `url`: the whole key, so that a group or version that only one of them has makes another service.
    fn is(&self, url: &ServiceUrl) -> bool {
        let part = |key| url.parameter(key).filter(|part| !part.is_empty());
        match self {
            Service::Any => true,
            Service::Only(key) => {
                url.interface() == Some(key.interface())
                    && part("group") == key.group()
                    && part("version") == key.version()
            }
        }
    }
}

/// Why `rule` does not apply to the URL, for a person.
pub(super) fn words(why: WhyNot, rule: &Compiled, laid: &Laid<'_>, place: &Applying<'_>) -> String {
    let url = laid.original();
    let (side, host) = (place.side.name(), &rule.host);
    let or_none = |text: Option<&str>| text.unwrap_or("none").to_owned();
    match why {
        WhyNot::Disabled => "it is not enabled".into(),
        WhyNot::SetsNothing if rule.refused.is_empty() => "it sets nothing".into(),
        WhyNot::SetsNothing => format!("it sets nothing but what no rule may set: {}", rule.refused.join(", ")),
        WhyNot::Unreadable => {
            let problem = rule.matching.as_ref().and_then(|matching| matching.problem());
            format!("its match cannot be read: {}", problem.unwrap_or_default())
        }
        WhyNot::NoHost => "it names no host".into(),
        WhyNot::NoSide => "it names no side, and a rule of Dubbo 2.7 or later without one is for nobody".into(),
        WhyNot::Side => format!("its side is {}, this is a {side}", or_none(rule.side.as_deref())),
        WhyNot::LocalHost => format!("its address is {host}, this {side} is at {}", place.local_host),
        WhyNot::Host => format!("its address is {host}, the provider is at {}", or_none(url.host())),
        WhyNot::OneConsumer => format!("its address {host} without a port means a consumer, this is a provider"),
        WhyNot::UrlWithoutHost => "the url names no host".into(),
        WhyNot::Port => {
            let number = |port: Option<u16>| port.map_or("none".to_owned(), |port| port.to_string());
            format!(
                "its port is {}, that of the url {}",
                number(rule.port),
                number(url.port())
            )
        }
        WhyNot::ProviderAddresses => format!("{} is not among its providers", url.address()),
        WhyNot::Application => format!(
            "its application is {}, this one is {}",
            or_none(rule.application.as_deref()),
            or_none(url.parameter("application"))
        ),
        WhyNot::Service => {
            let wanted = match &rule.service {
                Service::Any => "*".to_owned(),
                Service::Only(key) => key.to_string(),
            };
            format!("its service key {wanted} is not {}", service_text(url))
        }
        WhyNot::Match(part) => missed_part(part, rule, laid, place),
        WhyNot::Condition(number) => match rule.conditions.get(number) {
            Some((key, value)) => format!("it wants `{key}` to be {value}, it is {}", or_none(laid.value(key))),
            None => String::new(),
        },
    }
}

fn missed_part(part: Part, rule: &Compiled, laid: &Laid<'_>, place: &Applying<'_>) -> String {
    let url = laid.original();
    let Some(matching) = &rule.matching else {
        return String::new();
    };
    match part {
        Part::Address => {
            let own = match place.side {
                Side::Consumer => place.local_host,
                Side::Provider => url.host().unwrap_or_default(),
            };
            format!("its match wants the address {}, it is {own}", matching.address())
        }
        Part::ProviderAddress => {
            format!(
                "its match wants the provider {}, it is {}",
                matching.provider_address(),
                url.address()
            )
        }
        Part::Service => format!("its match is not for the service {}", service_text(url)),
        Part::Application => {
            format!(
                "its match is not for the application {}",
                url.parameter("application").unwrap_or("none")
            )
        }
        Part::Parameter(number) => {
            let key = matching.parameter(number);
            format!(
                "its match asks for another `{key}` than {}",
                laid.value(key).unwrap_or("none")
            )
        }
    }
}
