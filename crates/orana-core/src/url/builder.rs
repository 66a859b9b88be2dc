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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_url_is_built_of_parts() {
        let url = ServiceUrl::builder("dubbo", "10.0.0.1")
            .port(20880)
            .path("/com.foo.Bar")
            .user("me")
            .password("pw")
            .set("weight", 200)
            .set("dynamic", true)
            .set_if_absent("weight", 100)
            .set_if_absent("side", "provider")
            .set("", "nothing")
            .build();
        assert_eq!(
            url.full_text(),
            "dubbo://me:pw@10.0.0.1:20880/com.foo.Bar?dynamic=true&side=provider&weight=200"
        );
        assert_eq!(url, ServiceUrl::parse(&url.full_text()).unwrap());
    }

    #[test]
    fn an_ipv6_host_gets_its_brackets() {
        let url = ServiceUrl::builder("dubbo", "2001:db8::1").path("i").build();
        assert_eq!(url.full_text(), "dubbo://[2001:db8::1]/i");
        assert_eq!(ServiceUrl::builder("dubbo", "[::1]").build().host(), Some("[::1]"));
    }

    #[test]
    fn a_password_without_a_user_is_none() {
        let url = ServiceUrl::parse("a://me:pw@h").unwrap().edit().user("").build();
        assert_eq!((url.user(), url.password()), (None, None));
    }

    #[test]
    fn an_edit_changes_what_it_names_and_nothing_else() {
        let old = ServiceUrl::parse("dubbo://me:pw@h:1/i?a=1&b=2&pid=3").unwrap();
        assert_eq!(old.edit().build(), old);
        let new = old
            .edit()
            .protocol("tri")
            .host("g")
            .port(0)
            .path("j")
            .set("c", 3)
            .remove("a")
            .build();
        assert_eq!(new.full_text(), "tri://me:pw@g/j?b=2&c=3&pid=3");
        assert_eq!(old.full_text(), "dubbo://me:pw@h:1/i?a=1&b=2&pid=3");
        assert_eq!(old.edit().clear_parameters().build().full_text(), "dubbo://me:pw@h:1/i");
        assert_eq!(
            old.edit().extend([("b", "9"), ("x", "8")]).build().full_text(),
            "dubbo://me:pw@h:1/i?a=1&b=9&pid=3&x=8"
        );
    }

    #[test]
    fn an_edit_of_what_differs_between_processes_shares_the_rest() {
        let old = ServiceUrl::parse("dubbo://h:1/i?a=1&timestamp=2").unwrap();
        let new = old.edit().host("g").port(2).set("timestamp", 3).build();
        assert!(Arc::ptr_eq(&old.0.shape, &new.0.shape));
        assert_ne!(old, new);
        assert_eq!(new.full_text(), "dubbo://g:2/i?a=1&timestamp=3");
    }

    #[test]
    fn a_default_is_there_until_it_is_removed() {
        let old = ServiceUrl::parse("dubbo://h/i?default.timeout=5").unwrap();
        assert_eq!(old.edit().set_if_absent("timeout", 6).build(), old);
        assert_eq!(old.edit().remove("timeout").build().parameter("timeout"), None);
        let set = old.edit().set("timeout", 7);
        assert_eq!(set.parameter("timeout"), Some("7"));
        assert_eq!(set.build().parameter("timeout"), Some("7"));
        assert_eq!(old.edit().parameter("timeout"), Some("5"));
    }

    /// One thing that a builder can be told about its parameters.
    #[derive(Clone, Debug)]
    enum Step {
        Set(String, String),
        SetIfAbsent(String, String),
        Remove(String),
        RetainShort,
        Build,
    }

    fn step() -> impl Strategy<Value = Step> {
        let key = || "[ab]|timestamp|pid|zz";
        prop_oneof![
            (key(), "[a-c]{0,3}").prop_map(|(key, value)| Step::Set(key, value)),
            (key(), "[a-c&]{0,3}").prop_map(|(key, value)| Step::Set(key, value)),
            (key(), "[a-c]{0,3}").prop_map(|(key, value)| Step::SetIfAbsent(key, value)),
            key().prop_map(Step::Remove),
            Just(Step::RetainShort),
            Just(Step::Build),
        ]
    }

    proptest! {
        #[test]
        fn a_builder_behaves_like_a_map(steps in proptest::collection::vec(step(), 0..20)) {
            let mut model = BTreeMap::from([("a".to_owned(), "1".to_owned()), ("pid".to_owned(), "2".to_owned())]);
            let mut builder = ServiceUrl::parse("x://h/i?pid=2&a=1").unwrap().edit();
            for step in steps {
                builder = match step {
                    Step::Set(key, value) => {
                        model.insert(key.clone(), value.clone());
                        builder.set(&key, value)
                    }
                    Step::SetIfAbsent(key, value) => {
                        model.entry(key.clone()).or_insert_with(|| value.clone());
                        builder.set_if_absent(&key, value)
                    }
                    Step::Remove(key) => {
                        model.remove(&key);
                        builder.remove(&key)
                    }
                    Step::RetainShort => {
                        model.retain(|_, value| value.len() < 2);
                        builder.retain(|_, value| value.len() < 2)
                    }
                    Step::Build => builder.build().edit(),
                };
                for key in ["a", "b", "timestamp", "pid", "zz"] {
                    prop_assert_eq!(builder.parameter(key), model.get(key).map(String::as_str));
                }
            }
            let url = builder.build();
            let expected: Vec<_> = model.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            prop_assert_eq!(url.parameters().collect::<Vec<_>>(), expected);
            for (key, value) in &model {
                prop_assert_eq!(url.parameter(key), Some(value.as_str()));
            }
            prop_assert_eq!((url.host(), url.path()), (Some("h"), Some("i")));
        }
    }
}
