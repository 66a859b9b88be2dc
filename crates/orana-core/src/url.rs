//! The service URL: `protocol://user:password@host:port/path?key=value&…`, the one shape of everything that a Dubbo
//! registry holds. This is the reading half: text in, parts out.
//!
//! The text is kept once and the parts are places in it. No escape is undone in the plain form; a ZooKeeper node name is
//! the whole URL escaped once, and [`ServiceUrl::from_node_name`] undoes that before anything is taken apart.

mod parse;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::category::Category;
use crate::key::ServiceKey;
use crate::percent;

/// A service URL; immutable, cheap to clone, equal when all of its parts are.
#[derive(Clone)]
pub struct ServiceUrl(Arc<Parts>);

/// A text that is no service URL, and the byte of it at which that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// Nothing at all.
    #[error("the url is empty")]
    Empty,
    /// More text than the places in it can count.
    #[error("the url is longer than {} bytes", u32::MAX)]
    TooLong,
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

/// The text and where each part stands in it.
struct Parts {
    text: Box<str>,
    protocol: Option<Place>,
    user: Option<Place>,
    password: Option<Place>,
    host: Option<Place>,
    port: Option<u16>,
    path: Option<Place>,
    /// Key and value, ascending by key, each key once.
    parameters: Box<[(Place, Place)]>,
}

/// A range of bytes of the text; both ends are boundaries of characters, because they were found beside ASCII ones.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    end: u32,
}

impl ServiceUrl {
    /// Takes a URL in its plain form apart.
    pub fn parse(text: &str) -> Result<ServiceUrl, UrlError> {
        parse::parts(text.into()).map(|parts| ServiceUrl(Arc::new(parts)))
    }

    /// Takes the URL apart that a ZooKeeper node is named after.
    pub fn from_node_name(name: &str) -> Result<ServiceUrl, UrlError> {
        parse::parts(percent::decode(name)?.into()).map(|parts| ServiceUrl(Arc::new(parts)))
    }

    /// The protocol: `dubbo`, `tri`, `consumer`, `override`, …
    pub fn protocol(&self) -> Option<&str> {
        self.at(self.0.protocol)
    }

    /// The user of the credentials.
    pub fn user(&self) -> Option<&str> {
        self.at(self.0.user)
    }

    /// The password of the credentials.
    pub fn password(&self) -> Option<&str> {
        self.at(self.0.password)
    }

    /// The host: a name, an IPv4 address, or an IPv6 address as it was written.
    pub fn host(&self) -> Option<&str> {
        self.at(self.0.host)
    }

    /// The port; 0 counts as none.
    pub fn port(&self) -> Option<u16> {
        self.0.port
    }

    /// The path, without the slashes it began with.
    pub fn path(&self) -> Option<&str> {
        self.at(self.0.path)
    }

    /// The value of a parameter.
    ///
    /// Providers of old releases write `default.timeout` where newer ones write `timeout`: the former is found under both
    /// names, unless the URL has the latter as well.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        let parameters = &self.0.parameters;
        let index = parameters
            .binary_search_by(|(place, _)| self.0.slice(*place).cmp(key))
            .ok()?;
        parameters.get(index).map(|(_, value)| self.0.slice(*value))
    }

    /// Every parameter, ascending by key.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .parameters
            .iter()
            .map(|(key, value)| (self.0.slice(*key), self.0.slice(*value)))
    }

    /// The interface that the URL is about: its `interface` parameter, else its path.
    pub fn interface(&self) -> Option<&str> {
        self.parameter("interface")
            .filter(|interface| !interface.is_empty())
            .or_else(|| self.path())
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
        self.parameter("category")
            .map_or(Some(Category::Providers), Category::from_name)
    }

    fn at(&self, place: Option<Place>) -> Option<&str> {
        place.map(|place| self.0.slice(place))
    }

    /// All that makes two URLs the same.
    fn identity(&self) -> impl Eq + Hash + use<'_> {
        let place = (
            self.protocol(),
            self.user(),
            self.password(),
            self.host(),
            self.port(),
            self.path(),
        );
        (place, self.parameters().collect::<Vec<_>>())
    }
}

impl PartialEq for ServiceUrl {
    fn eq(&self, other: &ServiceUrl) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.identity() == other.identity()
    }
}

impl Eq for ServiceUrl {}

impl Hash for ServiceUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// The parts, with the password left out: this is what ends up in logs.
impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceUrl")
            .field("protocol", &self.protocol())
            .field("user", &self.user())
            .field("password", &self.password().map(|_| "(not shown)"))
            .field("host", &self.host())
            .field("port", &self.port())
            .field("path", &self.path())
            .field("parameters", &self.parameters().collect::<Vec<_>>())
            .finish()
    }
}

impl Parts {
    fn slice(&self, place: Place) -> &str {
        let slice = self.text.get(place.start as usize..place.end as usize);
        debug_assert!(slice.is_some(), "{place:?} is not a place in the text");
        slice.unwrap_or_default()
    }
}
