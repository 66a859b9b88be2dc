//! What can go wrong with a registry: to which address, doing what, and whether trying again may help.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A failure of a registry, cheap to clone because one broken link fails everything that waits for it.
#[derive(Clone, Debug)]
pub struct RegistryError {
    kind: RegistryErrorKind,
    what: Arc<str>,
    address: Arc<str>,
    path: Option<Arc<str>>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RegistryErrorKind {
    /// Nobody answers at the address, or the link broke.
    Unreachable,
    /// The registry answered and does not let us in: wrong credentials, no permission.
    Refused,
    /// What was asked makes no sense: a URL without an interface, a registry scheme nobody speaks.
    Invalid,
    /// No answer in time; whether it was done is not known.
    TimedOut,
    /// The registry object was closed by its own program.
    Closed,
    /// The product cannot do this.
    Unsupported,
    /// An answer that does not belong to the protocol, or an error that the product reports about itself.
    Failed,
}

impl RegistryError {
    /// A failure of `kind` at `address` (of the registry, without credentials); `what` says what was tried and what came of it.
    pub fn new(kind: RegistryErrorKind, address: impl Into<Arc<str>>, what: impl Into<Arc<str>>) -> RegistryError {
        RegistryError {
            kind,
            what: what.into(),
            address: address.into(),
            path: None,
            source: None,
        }
    }

    /// With the node, service or file it happened to.
    pub fn at(mut self, path: impl Into<Arc<str>>) -> RegistryError {
        self.path = Some(path.into());
        self
    }

    /// With the error below it.
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> RegistryError {
        self.source = Some(Arc::new(source));
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> RegistryErrorKind {
        self.kind
    }

    /// The address of the registry, without credentials.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The node, service or file it happened to.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Whether the same request may succeed later without anybody changing anything but the registry's health.
    pub fn retryable(&self) -> bool {
        use RegistryErrorKind::{Failed, TimedOut, Unreachable};
        matches!(self.kind, Unreachable | TimedOut | Failed)
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if let Some(path) = &self.path {
            write!(f, " at `{path}`")?;
        }
        write!(f, " (registry `{}`)", self.address)
    }
}

impl Error for RegistryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_why() {
        let error = RegistryError::new(RegistryErrorKind::Unreachable, "10.0.0.1:2181", "cannot register")
            .at("/dubbo/com.a.B/providers")
            .because(std::io::Error::other("reset"));
        assert_eq!(
            error.to_string(),
            "cannot register at `/dubbo/com.a.B/providers` (registry `10.0.0.1:2181`)"
        );
        assert_eq!(error.source().unwrap().to_string(), "reset");
        assert!(error.retryable());
        assert!(!RegistryError::new(RegistryErrorKind::Refused, "a", "b").retryable());
    }
}
