//! What calls read of a directory: the newest version, until the directory is destroyed, which is final.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use super::DirectoryState;
use crate::endpoint_list::EndpointList;

/// The place that the directory's task writes to and calls read from.
pub(super) struct Published(ArcSwap<Version>);

/// What a call reads.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) state: DirectoryState,
    pub(super) list: EndpointList,
}

impl Published {
    /// Nothing is known yet.
    pub(super) fn new() -> Published {
        Published(ArcSwap::from_pointee(Version {
            state: DirectoryState::Waiting,
            list: EndpointList::default(),
        }))
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
        self.0.store(Arc::new(Version {
            state: DirectoryState::Destroyed,
            list: EndpointList::default(),
        }));
    }
}
