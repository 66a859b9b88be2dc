//! The ways of one reference to its providers: one for each registry, or one to those that were named.

use std::sync::Arc;

use orana_cluster::cluster::{Mocked, Registered, ZoneAware};
use orana_cluster::{ClusterInvoker, Directory};
use orana_core::{Invoker, ServiceUrl};
use orana_registry::Registry;
use orana_registry::config_center::ConfigCenter;

use crate::governance::Steered;
use crate::mock::ValueMocks;

/// One way, and what goes with it.
pub(crate) struct Path {
    /// The URL of the registry; none for providers that were named.
    pub(crate) registry: Option<ServiceUrl>,
    pub(crate) invoker: Arc<ClusterInvoker>,
    /// Keeps list and rules coming.
    pub(crate) _steered: Option<Steered>,
    pub(crate) _registry: Option<Registry>,
    pub(crate) _centre: Option<ConfigCenter>,
}

impl Path {
    pub(crate) fn directory(&self) -> &Arc<Directory> {
        self.invoker.directory()
    }
}

/// All ways as one, with a mock before it.
pub(crate) fn together(consumer: &ServiceUrl, paths: &[Path], mocks: &ValueMocks) -> Arc<dyn Invoker> {
    let next: Arc<dyn Invoker> = match paths {
        [only] => Arc::clone(&only.invoker) as _,
        several => {
            let registered = several.iter().map(|path| Registered {
                registry: path.registry.clone().unwrap_or_else(|| consumer.clone()),
                invoker: Arc::clone(&path.invoker) as _,
            });
            Arc::new(ZoneAware::new(consumer.clone(), registered.collect()))
        }
    };
    let directories: Vec<_> = paths.iter().map(|path| Arc::downgrade(path.directory())).collect();
    let own = consumer.clone();
    // The consumer's URL with what rules of the first registry lay over it.
    let now = move || {
        let mut lists = directories.iter().filter_map(|directory| directory.upgrade());
        lists
            .next()
            .map_or_else(|| own.clone(), |directory| directory.configured_consumer())
    };
    Arc::new(Mocked::new(next, now, Arc::new(mocks.clone())))
}
