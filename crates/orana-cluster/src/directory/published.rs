//! What calls read of a directory: the newest version, until the directory is destroyed, which is final.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use orana_core::ServiceUrl;

use super::DirectoryState;
use crate::endpoint_list::EndpointList;
use crate::routing::Routing;

/// The place that the directory's task writes to and calls read from.
pub(super) struct Published(ArcSwap<Version>);

/// What a call reads.
pub(super) struct Version {
    pub(super) state: DirectoryState,
    /// The consumer's own URL, with configurators laid over it.
    pub(super) consumer: ServiceUrl,
    pub(super) list: Arc<EndpointList>,
    /// For this list alone.
    pub(super) routing: Routing,
}

impl Published {
    /// Nothing is known yet of what `consumer` asks for.
    pub(super) fn new(consumer: &ServiceUrl) -> Published {
        Published(ArcSwap::from_pointee(Version::of_nobody(
            DirectoryState::Waiting,
            consumer,
        )))
    }

    pub(super) fn load(&self) -> Guard<Arc<Version>> {
        self.0.load()
    }

    /// Replaces the version, unless the directory was destroyed: whoever destroys it does not wait for the task, which may be about to
    /// publish.
    pub(super) fn publish(&self, version: Version) {
        let version = Arc::new(version);
        self.0.rcu(|now| match now.state {
            DirectoryState::Destroyed => Arc::clone(now),
            _ => Arc::clone(&version),
        });
    }

    /// Lets go of the list, for good.
    pub(super) fn destroy(&self) {
        let consumer = self.0.load().consumer.clone();
        self.0
            .store(Arc::new(Version::of_nobody(DirectoryState::Destroyed, &consumer)));
    }
}

impl Version {
    fn of_nobody(state: DirectoryState, consumer: &ServiceUrl) -> Version {
        Version {
            state,
            consumer: consumer.clone(),
            list: Arc::default(),
            routing: Routing::default(),
        }
    }
}
