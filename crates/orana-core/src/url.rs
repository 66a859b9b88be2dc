//! The service URL: `protocol://user:password@host:port/path?key=value&…`, the one shape of everything that a Dubbo
//! registry holds (`org.apache.dubbo.common.URL`).
//!
//! ```text
//!   text ──parse──▶ parts ◀──build── builder
//!                     │
//!                     ▼
//!   shape (what a fleet's providers agree in, may be shared) + own text (what differs) + port = ServiceUrl ──print──▶ text
//! ```
//!
//! Values are plain here. The text form escapes nothing but what would cut it elsewhere; a ZooKeeper node name is the whole
//! text escaped once. A value that is itself a URL or a rule is escaped by whoever writes it and read back by whoever
//! knows that key.

mod address;
mod builder;
mod matching;
mod parse;
mod parts;
mod pool;
mod print;
mod shape;
#[cfg(test)]
mod tests;
mod typed;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use self::builder::UrlBuilder;
pub use self::matching::{Mismatch, category_matches};
use self::parts::Parts;
pub use self::pool::UrlPool;
use self::shape::Shape;
pub use self::typed::ParameterError;
use crate::category::Category;
use crate::key::ServiceKey;
use crate::percent;

/// A service URL; immutable, a clone is one count up, equal when all of its parts are.
#[derive(Clone)]
pub struct ServiceUrl(Arc<Url>);

/// A text that is no service URL, and the byte of it at which that shows. In a node name the bytes are counted after its
/// escapes were undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// No text, or none that says anything: `/`, `?`.
    #[error("the url is empty")]
    Empty,
    /// More text than anybody describes a service with.
    #[error("the url has {bytes} bytes, more than {}", ServiceUrl::MAX_BYTES)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// More parameters than anybody describes a service with.
    #[error("the parameter at {at} is one more than {}", ServiceUrl::MAX_PARAMETERS)]
    TooManyParameters {
        /// Where the first one too many begins.
        at: usize,
    },
    /// `://` or `:/` without anything before it.
    #[error("the protocol before `:/` is missing at {at}")]
    MissingProtocol {
        /// Where it should stand.
        at: usize,
    },
    /// A password without a user.
    #[error("the user before the password is missing at {at}")]
    MissingUser {
        /// Where it should stand.
        at: usize,
    },
    /// What follows the last `:` of the address is no port.
    #[error("the port at {at} is not a number up to 65535")]
    Port {
        /// Where the port begins.
        at: usize,
    },
    /// A node name whose escapes cannot be undone.
    #[error(transparent)]
    Escape(#[from] percent::DecodeError),
}

/// What a clone shares.
struct Url {
    shape: Arc<Shape>,
    /// The values that the shape leaves out, each with an `&` after it, then the host.
    own: Box<str>,
    port: Option<u16>,
}

impl ServiceUrl {
    /// The longest text that is taken apart, in bytes. A provider of an interface with 60 methods takes about 1,000.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// The most parameters that are taken from a text.
    pub const MAX_PARAMETERS: usize = 4096;

    /// Takes a URL in its plain form apart.
    pub fn parse(text: &str) -> Result<ServiceUrl, UrlError> {
        parse::parts(text).map(|parts| ServiceUrl::of(&parts))
    }

    /// Takes the URL apart that a ZooKeeper node is named after.
    pub fn from_node_name(name: &str) -> Result<ServiceUrl, UrlError> {
        ServiceUrl::parse(&parse::node_text(name)?)
    }

    /// Whether this is a clone of `other`. Looks at neither, so that it is quick; two that were made apart may be equal nevertheless.
    pub fn ptr_eq(&self, other: &ServiceUrl) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The protocol: `dubbo`, `tri`, `consumer`, `override`, …
    pub fn protocol(&self) -> Option<&str> {
        present(self.0.shape.protocol())
    }

    /// The user of the credentials.
    pub fn user(&self) -> Option<&str> {
        present(self.0.shape.user())
    }

    /// The password of the credentials.
    pub fn password(&self) -> Option<&str> {
        present(self.0.shape.password())
    }

    /// The host: a name, an IPv4 address, or an IPv6 address as it was written.
    pub fn host(&self) -> Option<&str> {
        present(self.0.shape.host(&self.0.own))
    }

    /// The port; 0 counts as none.
    pub fn port(&self) -> Option<u16> {
        self.0.port
    }

    /// The path, without the slashes it began with.
    pub fn path(&self) -> Option<&str> {
        present(self.0.shape.path())
    }

    /// The value of a parameter.
    ///
    /// Providers of old releases write `default.timeout` where newer ones write `timeout`: the former is found under both
    /// names, unless the URL has the latter as well.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        self.0.shape.value(key, &self.0.own)
    }

    /// The value of `method.key` if there is one and it is not empty, else that of `key` (`URL.getMethodParameter`).
    pub fn method_parameter(&self, method: &str, key: &str) -> Option<&str> {
        self.0
            .shape
            .method_value(method, key, &self.0.own)
            .and_then(present)
            .or_else(|| self.parameter(key))
    }

    /// Every parameter as it is written, ascending by key.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.shape.parameters(&self.0.own)
    }

    /// The interface that the URL is about: its `interface` parameter, else its path.
    pub fn interface(&self) -> Option<&str> {
        self.parameter("interface").and_then(present).or_else(|| self.path())
    }

    /// What the service is called; `None` when the URL names no interface.
    pub fn service_key(&self) -> Option<ServiceKey> {
        let interface = self.interface()?;
        Some(ServiceKey::new(
            interface,
            self.parameter("group"),
            self.parameter("version"),
        ))
    }

    /// The category it says it belongs to, [`Category::Providers`] when it says nothing; `None` when that is none of the
    /// four.
    pub fn category(&self) -> Option<Category> {
        Category::from_name(self.category_name())
    }

    /// The category it says it belongs to, `providers` when it says nothing.
    pub fn category_name(&self) -> &str {
        self.parameter("category")
            .and_then(present)
            .unwrap_or(Category::Providers.name())
    }

    /// A URL of its own, sharing nothing with others.
    fn of(parts: &Parts<'_>) -> ServiceUrl {
        ServiceUrl::with_shape(Arc::new(Shape::of(parts)), parts)
    }

    /// The URL of `parts`, whose shape is known to be `shape`.
    fn with_shape(shape: Arc<Shape>, parts: &Parts<'_>) -> ServiceUrl {
        ServiceUrl(Arc::new(Url {
            own: shape::own_text(parts),
            port: parts.port,
            shape,
        }))
    }

    /// The value of `key` as it is written, whatever `default.key` says.
    fn written(&self, key: &str) -> Option<&str> {
        self.0.shape.written(key, &self.0.own)
    }

    fn parts(&self) -> Parts<'_> {
        let shape = &self.0.shape;
        Parts {
            protocol: shape.protocol(),
            user: shape.user(),
            password: shape.password(),
            host: shape.host(&self.0.own),
            port: self.0.port,
            path: shape.path(),
            parameters: self.parameters().map(|(key, value)| (key, value.into())).collect(),
        }
    }
}

impl PartialEq for ServiceUrl {
    fn eq(&self, other: &ServiceUrl) -> bool {
        let (one, two) = (&*self.0, &*other.0);
        self.ptr_eq(other)
            || (one.port == two.port
                && one.own == two.own
                && (Arc::ptr_eq(&one.shape, &two.shape) || one.shape == two.shape))
    }
}

impl Eq for ServiceUrl {}

impl Hash for ServiceUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.shape.digest().hash(state);
        self.0.own.hash(state);
        self.0.port.hash(state);
    }
}

impl std::str::FromStr for ServiceUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<ServiceUrl, UrlError> {
        ServiceUrl::parse(text)
    }
}

/// A part of a URL is never empty: then it is not there.
fn present(part: &str) -> Option<&str> {
    (!part.is_empty()).then_some(part)
}
