//! What is laid over a list of providers: changes to their URLs, and the chain that calls pass.

use std::fmt;
use std::sync::Arc;

use orana_core::ServiceUrl;

use crate::configurator::Effect;
use crate::router::Routers;

/// Changes URLs by rules: a consumer's own, and those of providers as the consumer sees them (`Configurator`).
pub trait Configurator: Send + Sync + 'static {
    /// The URL with all that applies to it; the same one if nothing does.
    fn configure(&self, url: &ServiceUrl) -> ServiceUrl;

    /// What each rule does to the URL or why it does nothing, in order, for explanations; nothing if that cannot be told. Always as many for
    /// each URL.
    fn effects(&self, _url: &ServiceUrl) -> Vec<Effect> {
        Vec::new()
    }
}

/// Rules of one consumer at one moment; replaced as a whole.
#[derive(Clone, Default)]
pub struct Governance {
    /// Laid over the consumer's URL and over each merged provider URL; `None`: nothing is.
    pub configurator: Option<Arc<dyn Configurator>>,
    /// Passed by each call.
    pub routers: Arc<Routers>,
}

impl Governance {
    /// The URL with configurators laid over it.
    pub(crate) fn configured(&self, url: ServiceUrl) -> ServiceUrl {
        match &self.configurator {
            Some(configurator) => configurator.configure(&url),
            None => url,
        }
    }

    /// Whether URLs come out the same as with `other`.
    pub(crate) fn configures_as(&self, other: &Governance) -> bool {
        match (&self.configurator, &other.configurator) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl fmt::Debug for Governance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Governance")
            .field("configures", &self.configurator.is_some())
            .field("routers", &self.routers)
            .finish()
    }
}
