//! One registry for each address, shared by all who ask for it and kept while anybody uses it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use orana_core::ServiceUrl;
use parking_lot::Mutex;

use crate::backend::Backends;
use crate::error::RegistryError;
use crate::registry::{Handle, Registry};

/// The registries of a program.
pub struct Registries {
    backends: Backends,
    known: Mutex<HashMap<String, Weak<Handle>>>,
}

impl Registries {
    /// None yet; they will be of these products.
    pub fn new(backends: Backends) -> Registries {
        Registries {
            backends,
            known: Mutex::default(),
        }
    }

    /// The registry at the address of `url`, which is begun if nobody uses it. Scheme, credentials, hosts, `group` and
    /// `namespace` tell registries apart; all other parameters are those of whoever came first.
    ///
    /// # Errors
    /// Those of [`RegistryBuilder::build`](crate::RegistryBuilder::build).
    pub fn get(&self, url: &ServiceUrl) -> Result<Registry, RegistryError> {
        let place = place(url);
        let mut known = self.known.lock();
        if let Some(handle) = known
            .get(&place)
            .and_then(Weak::upgrade)
            .filter(|handle| handle.is_open())
        {
            return Ok(Registry::from_handle(handle));
        }
        known.retain(|_, handle| handle.strong_count() > 0);
        let registry = Registry::builder(url).backends(self.backends.clone()).build()?;
        known.insert(place, Arc::downgrade(registry.handle()));
        Ok(registry)
    }

    /// All that are in use.
    pub fn in_use(&self) -> Vec<Registry> {
        let known = self.known.lock();
        known
            .values()
            .filter_map(Weak::upgrade)
            .map(Registry::from_handle)
            .collect()
    }
}

impl Default for Registries {
    /// Of the products that are built in.
    fn default() -> Registries {
        Registries::new(Backends::built_in())
    }
}

/// What tells one centre or registry from another.
pub(crate) fn place(url: &ServiceUrl) -> String {
    let mut place = url.edit().path("").clear_parameters();
    for key in ["backup", "group", "namespace"] {
        if let Some(value) = url.parameter(key) {
            place = place.set(key, value);
        }
    }
    place.build().full_text()
}
