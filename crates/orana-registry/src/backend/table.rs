//! Which scheme is spoken by whom.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use orana_core::ServiceUrl;

use super::{BACKENDS, RegistryBackend, Row};
use crate::error::{RegistryError, RegistryErrorKind};

type Connect<B> = Arc<dyn Fn(&ServiceUrl) -> Result<Arc<B>, RegistryError> + Send + Sync>;

/// The back-ends of registries: [`BACKENDS`] and what a program adds.
pub type Backends = Schemes<dyn RegistryBackend>;

/// A table of schemes, of what is built in and of what a program adds; cheap to clone. `B` is what is connected.
pub struct Schemes<B: ?Sized + 'static>(Arc<BTreeMap<String, Connect<B>>>);

impl Backends {
    /// Those that are built in.
    pub fn built_in() -> Backends {
        Schemes::of(BACKENDS)
    }
}

impl<B: ?Sized + 'static> Schemes<B> {
    /// The table of these rows.
    pub(crate) fn of(rows: &[Row<B>]) -> Schemes<B> {
        let row = |row: &Row<B>| (row.scheme.to_owned(), Arc::new(row.connect) as Connect<B>);
        Schemes(Arc::new(rows.iter().map(row).collect()))
    }

    /// One more, or another one in place of a known one.
    pub fn with<C>(self, scheme: &str, connect: C) -> Schemes<B>
    where
        C: Fn(&ServiceUrl) -> Result<Arc<B>, RegistryError> + Send + Sync + 'static,
    {
        let mut table = Arc::unwrap_or_clone(self.0);
        table.insert(scheme.to_owned(), Arc::new(connect));
        Schemes(Arc::new(table))
    }

    /// Whether anybody speaks a scheme.
    pub fn speaks(&self, scheme: &str) -> bool {
        self.0.contains_key(scheme)
    }

    /// Begins to connect to the address of `url`.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when nobody speaks its scheme, and whatever the back-end says.
    pub fn connect(&self, url: &ServiceUrl) -> Result<Arc<B>, RegistryError> {
        let scheme = url.protocol().unwrap_or_default();
        let Some(connect) = self.0.get(scheme) else {
            let known = self.0.keys().map(String::as_str).collect::<Vec<_>>().join("`, `");
            let what = format!("nobody speaks scheme `{scheme}`; known are `{known}`");
            return Err(RegistryError::new(RegistryErrorKind::Invalid, url.address(), what));
        };
        connect(url)
    }
}

impl<B: ?Sized + 'static> Clone for Schemes<B> {
    fn clone(&self) -> Schemes<B> {
        Schemes(Arc::clone(&self.0))
    }
}

impl<B: ?Sized + 'static> fmt::Debug for Schemes<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
