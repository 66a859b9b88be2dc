//! Overrides that may apply at one place, found by the host of a URL: a rule for each of a thousand providers costs each of them no more
//! than a rule for all.

use std::sync::Arc;

use ahash::AHashMap;
use orana_core::ServiceUrl;

use super::compiled::Compiled;
use super::judgement::Reach;
use super::laid::Laid;
use super::{Applying, Effect, Side};
use crate::Configurator;
use crate::address_match::unbracketed;

/// What of some [`Configurators`](super::Configurators) may apply to the URLs of one consumer or provider.
#[derive(Clone, Debug)]
pub struct Applicable {
    side: Side,
    local_host: Box<str>,
    /// Also those that apply to nothing here, for explanations.
    all: Box<[Arc<Compiled>]>,
    /// For whatever host.
    any_host: Vec<Numbered>,
    by_host: AHashMap<Box<str>, Vec<Numbered>>,
}

/// An override and its place in the whole order.
type Numbered = (usize, Arc<Compiled>);

impl Applicable {
    pub(super) fn new(overrides: &[Arc<Compiled>], place: &Applying<'_>) -> Applicable {
        let mut applicable = Applicable {
            side: place.side,
            local_host: place.local_host.into(),
            all: overrides.into(),
            any_host: Vec::new(),
            by_host: AHashMap::new(),
        };
        for (number, rule) in overrides.iter().enumerate() {
            let entry = (number, Arc::clone(rule));
            match rule.reach(place) {
                Ok(Reach::AnyHost) => applicable.any_host.push(entry),
                Ok(Reach::Host(host)) => applicable.by_host.entry(host.into()).or_default().push(entry),
                Err(_) => {}
            }
        }
        applicable
    }

    /// Whether nothing applies, whatever the URL is.
    pub fn is_empty(&self) -> bool {
        self.any_host.is_empty() && self.by_host.is_empty()
    }

    /// `url` with everything laid over it that is meant for it; a clone of the same URL when that changes nothing.
    pub fn apply(&self, url: &ServiceUrl) -> ServiceUrl {
        let place = Applying {
            side: self.side,
            local_host: &self.local_host,
        };
        let mut laid = Laid::over(url, place.side);
        let of_host = url.host().and_then(|host| self.by_host.get(unbracketed(host)));
        let mut any_host = self.any_host.iter().peekable();
        let mut of_host = of_host.into_iter().flatten().peekable();
        loop {
            // Both are in order; the earlier one is next.
            let next = match (any_host.peek(), of_host.peek()) {
                (Some((one, _)), Some((two, _))) if two < one => of_host.next(),
                (Some(_), _) => any_host.next(),
                (None, _) => of_host.next(),
            };
            let Some((_, rule)) = next else { break };
            if rule.judge_reached(&laid, &place).is_ok() {
                laid.lay(rule);
            }
        }
        laid.into_url()
    }
}

impl Configurator for Applicable {
    fn configure(&self, url: &ServiceUrl) -> ServiceUrl {
        self.apply(url)
    }

    fn effects(&self, url: &ServiceUrl) -> Vec<Effect> {
        let place = Applying {
            side: self.side,
            local_host: &self.local_host,
        };
        let mut laid = Laid::over(url, place.side);
        let effect = |rule: &Arc<Compiled>| Effect::of(rule, &mut laid, &place);
        self.all.iter().map(effect).collect()
    }
}
