//! One centre for each address, shared by all who ask for it and kept while anybody uses it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use orana_core::ServiceUrl;
use parking_lot::Mutex;

use super::center::Handle;
use super::{ConfigBackends, ConfigCenter};
use crate::error::RegistryError;
use crate::registries::place;

/// The configuration centres of a program.
pub struct ConfigCenters {
    backends: ConfigBackends,
    known: Mutex<HashMap<String, Weak<Handle>>>,
}

impl ConfigCenters {
    /// None yet; they will be of these products.
    pub fn new(backends: ConfigBackends) -> ConfigCenters {
        ConfigCenters {
            backends,
            known: Mutex::default(),
        }
    }

    /// The centre at the address of `url`, which is begun if nobody uses it. Scheme, credentials, hosts, `group` and
    /// `namespace` tell centres apart; all other parameters are those of whoever came first.
    ///
    /// # Errors
    /// Those of [`ConfigCenterBuilder::build`](super::ConfigCenterBuilder::build).
    pub fn get(&self, url: &ServiceUrl) -> Result<ConfigCenter, RegistryError> {
        let place = place(url);
        let mut known = self.known.lock();
        if let Some(handle) = known
            .get(&place)
            .and_then(Weak::upgrade)
            .filter(|handle| handle.is_open())
        {
            return Ok(ConfigCenter::from_handle(handle));
        }
        known.retain(|_, handle| handle.strong_count() > 0);
        let centre = ConfigCenter::builder(url).backends(self.backends.clone()).build()?;
        known.insert(place, Arc::downgrade(centre.handle()));
        Ok(centre)
    }

    /// All that are in use.
    pub fn in_use(&self) -> Vec<ConfigCenter> {
        let known = self.known.lock();
        known
            .values()
            .filter_map(Weak::upgrade)
            .map(ConfigCenter::from_handle)
            .collect()
    }
}

impl Default for ConfigCenters {
    /// Of the products that are built in.
    fn default() -> ConfigCenters {
        ConfigCenters::new(ConfigBackends::built_in())
    }
}
