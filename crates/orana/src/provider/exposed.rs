//! One service at its port: the URL that is in force, and before the program's code the filters that this URL asks for.

use std::sync::Arc;

use orana_cluster::filter::{Parts, ProgramFilter, Side, UnknownFilter, chain};
use orana_core::{Invoker, ServiceUrl, filtered};
use orana_rpc::{Exported, LocalInvoker, Service};
use parking_lot::Mutex;

/// What is offered, whatever its URL.
pub(super) struct Offer {
    pub(super) service: Arc<dyn Service>,
    /// Filters of the program, the outermost first.
    pub(super) filters: Vec<ProgramFilter>,
    pub(super) parts: Parts,
}

/// What is exported as a URL says, and can be exported as another one says without a moment between.
pub(super) struct Exposed {
    offer: Offer,
    exported: Exported,
    in_force: Mutex<ServiceUrl>,
}

/// What came of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    /// It is in force now.
    Now,
    /// It was in force.
    Already,
    /// It says that it wants no new export (`need-reexport=false`).
    Declined,
}

impl Offer {
    /// The service behind the filters of `url`, with counters at zero, as in Dubbo: the calls under way are counted where they began.
    pub(super) fn at(&self, url: &ServiceUrl) -> Result<Arc<dyn Invoker>, UnknownFilter> {
        let filters = chain(Side::Provider, url, &self.parts, &self.filters)?;
        let local = LocalInvoker::new(url.clone(), Arc::clone(&self.service));
        Ok(filtered(&filters, Arc::new(local)))
    }
}

impl Exposed {
    /// `offer`, which was exported as `url` says.
    pub(super) fn new(offer: Offer, exported: Exported, url: ServiceUrl) -> Exposed {
        Exposed {
            offer,
            exported,
            in_force: Mutex::new(url),
        }
    }

    /// What is in force.
    pub(super) fn url(&self) -> ServiceUrl {
        self.in_force.lock().clone()
    }

    /// Has `next` in force, for calls that come from now on (`RegistryProtocol.OverrideListener.doOverrideIfNecessary`).
    ///
    /// # Errors
    /// It names a filter that there is not; everything stays.
    pub(super) fn follow(&self, next: &ServiceUrl) -> Result<Followed, UnknownFilter> {
        let mut in_force = self.in_force.lock();
        if *in_force == *next {
            return Ok(Followed::Already);
        }
        if !next.flag_or("need-reexport", true) {
            return Ok(Followed::Declined);
        }
        self.exported.replace(self.offer.at(next)?);
        *in_force = next.clone();
        Ok(Followed::Now)
    }
}
