//! Which scheme is spoken by whom.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use orana_core::ServiceUrl;

use super::{BACKENDS, RegistryBackend};
use crate::error::{RegistryError, RegistryErrorKind};

type Connect = Arc<dyn Fn(&ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> + Send + Sync>;

/// The table of [`BACKENDS`] and what a program adds to it; cheap to clone.
#[derive(Clone)]
pub struct Backends(Arc<BTreeMap<String, Connect>>);

impl Backends {
    /// Those that are built in.
    pub fn built_in() -> Backends {
        let row = |row: &super::Row| (row.scheme.to_owned(), Arc::new(row.connect) as Connect);
        Backends(Arc::new(BACKENDS.iter().map(row).collect()))
    }

    /// One more, or another one in place of a known one.
    pub fn with<C>(self, scheme: &str, connect: C) -> Backends
    where
        C: Fn(&ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> + Send + Sync + 'static,
    {
        let mut table = Arc::unwrap_or_clone(self.0);
        table.insert(scheme.to_owned(), Arc::new(connect));
        Backends(Arc::new(table))
    }

    /// Begins to connect to the address of `url`.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when nobody speaks its scheme, and whatever the back-end says.
    pub fn connect(&self, url: &ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> {
        let scheme = url.protocol().unwrap_or_default();
        let Some(connect) = self.0.get(scheme) else {
            let known = self.0.keys().map(String::as_str).collect::<Vec<_>>().join("`, `");
            let what = format!("nobody speaks registry scheme `{scheme}`; known are `{known}`");
            return Err(RegistryError::new(RegistryErrorKind::Invalid, url.address(), what));
        };
        connect(url)
    }
}

impl fmt::Debug for Backends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
