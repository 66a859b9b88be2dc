//! Builds a URL from parts, or from another URL and what is different.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use std::sync::Arc;

use super::shape::DEFAULT_PREFIX;
use super::{Parts, ServiceUrl};

/// A URL in the making. Values are plain; what has to be escaped is escaped when text is made of the URL.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is built before `build`"]
pub struct UrlBuilder {
    /// Where everything stands that was not set here.
    base: Option<ServiceUrl>,
    protocol: Option<String>,
    user: Option<String>,
    password: Option<String>,
    host: Option<String>,
    /// Zero is none.
    port: Option<u16>,
    path: Option<String>,
    /// `None` was removed.
    changes: BTreeMap<String, Option<String>>,
}

impl ServiceUrl {
    /// Begins a URL of that protocol at that host.
    pub fn builder(protocol: &str, host: &str) -> UrlBuilder {
        UrlBuilder::default().protocol(protocol).host(host)
    }

    /// Begins a URL that is like this one.
    pub fn edit(&self) -> UrlBuilder {
        UrlBuilder {
            base: Some(self.clone()),
            ..UrlBuilder::default()
        }
    }
}

impl UrlBuilder {
    /// Sets the protocol.
    pub fn protocol(mut self, protocol: &str) -> UrlBuilder {
        self.protocol = Some(protocol.to_owned());
        self
    }

    /// Sets the host: a name or an address. A bare IPv6 address is put into brackets.
    pub fn host(mut self, host: &str) -> UrlBuilder {
        self.host = Some(match host.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{host}]"),
            Err(_) => host.to_owned(),
        });
        self
    }

    /// Sets the port; 0 is none.
    pub fn port(mut self, port: u16) -> UrlBuilder {
        self.port = Some(port);
        self
    }

    /// Sets the path; slashes at its beginning are left out.
    pub fn path(mut self, path: &str) -> UrlBuilder {
        self.path = Some(path.trim_start_matches('/').to_owned());
        self
    }

    /// Sets the user; an empty one takes the password away as well.
    pub fn user(mut self, user: &str) -> UrlBuilder {
        self.user = Some(user.to_owned());
        self
    }

    /// Sets the password, which counts only beside a user.
    pub fn password(mut self, password: &str) -> UrlBuilder {
        self.password = Some(password.to_owned());
        self
    }

    /// Sets a parameter; an empty key does nothing.
    pub fn set(mut self, key: &str, value: impl ToString) -> UrlBuilder {
        if !key.is_empty() {
            self.changes.insert(key.to_owned(), Some(value.to_string()));
        }
        self
    }

    /// Sets a parameter unless it can be found already, be it as `default.key`.
    pub fn set_if_absent(self, key: &str, value: impl ToString) -> UrlBuilder {
        if self.parameter(key).is_some() {
            return self;
        }
        self.set(key, value)
    }

    /// Sets every parameter of `parameters`.
    pub fn extend<'a>(self, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> UrlBuilder {
        parameters
            .into_iter()
            .fold(self, |builder, (key, value)| builder.set(key, value))
    }

    /// Takes a parameter away, and its `default.key` with it, so that it is not found any more.
    pub fn remove(mut self, key: &str) -> UrlBuilder {
        let default = format!("{DEFAULT_PREFIX}{key}");
        for key in [key, &default] {
            if self.base.as_ref().is_some_and(|base| base.written(key).is_some()) {
                self.changes.insert(key.to_owned(), None);
            } else {
                self.changes.remove(key);
            }
        }
        self
    }

    /// Takes every parameter away for which `keep` says no.
    pub fn retain(mut self, mut keep: impl FnMut(&str, &str) -> bool) -> UrlBuilder {
        let gone: Vec<_> = self
            .merged()
            .iter()
            .filter(|(key, value)| !keep(key, value))
            .map(|(key, _)| (*key).to_owned())
            .collect();
        self.changes.extend(gone.into_iter().map(|key| (key, None)));
        self
    }

    /// Takes every parameter away.
    pub fn clear_parameters(self) -> UrlBuilder {
        self.retain(|_, _| false)
    }

    /// The value that the parameter has by now.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        let written = |key: &str| match self.changes.get(key) {
            Some(change) => change.as_deref(),
            None => self.base.as_ref().and_then(|base| base.written(key)),
        };
        written(key).or_else(|| written(&format!("{DEFAULT_PREFIX}{key}")))
    }

    /// The URL. It shares all it can with the one that was edited.
    pub fn build(&self) -> ServiceUrl {
        let base = self.base.as_ref();
        let part = |set: &'_ Option<String>, old: fn(&ServiceUrl) -> Option<&str>| -> String {
            match set {
                Some(set) => set.clone(),
                None => base.and_then(old).unwrap_or_default().to_owned(),
            }
        };
        let (protocol, user, password) = (
            part(&self.protocol, ServiceUrl::protocol),
            part(&self.user, ServiceUrl::user),
            part(&self.password, ServiceUrl::password),
        );
        let (host, path) = (part(&self.host, ServiceUrl::host), part(&self.path, ServiceUrl::path));
        let parts = Parts {
            protocol: &protocol,
            password: if user.is_empty() { "" } else { &password },
            user: &user,
            host: &host,
            port: self.port.or_else(|| base?.port()).filter(|port| *port != 0),
            path: &path,
            parameters: self.merged(),
        };
        match base {
            Some(base) if base.0.shape.fits(&parts) => ServiceUrl::with_shape(Arc::clone(&base.0.shape), &parts),
            _ => ServiceUrl::of(&parts),
        }
    }

    /// The parameters of the base and the changes, ascending by key.
    fn merged(&self) -> Vec<(&str, Cow<'_, str>)> {
        let mut old = self.base.iter().flat_map(ServiceUrl::parameters).peekable();
        let mut merged = Vec::with_capacity(32);
        for (key, change) in &self.changes {
            while let Some((key, value)) = old.next_if(|(old, _)| *old < key.as_str()) {
                merged.push((key, value.into()));
            }
            old.next_if(|(old, _)| *old == key.as_str());
            if let Some(value) = change {
                merged.push((key.as_str(), value.as_str().into()));
            }
        }
        merged.extend(old.map(|(key, value)| (key, Cow::Borrowed(value))));
        merged
    }
}
