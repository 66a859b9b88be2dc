//! Which node stands for what: `ROOT/INTERFACE/CATEGORY/URL`, interface and URL escaped as Dubbo escapes them.
//!
//! Only the interface is in the path; group and version are in the URL alone. Knows no connection.

use std::sync::Arc;

use orana_core::{Category, ServiceUrl, percent};

use super::settings::Settings;
use crate::error::{RegistryError, RegistryErrorKind};

/// A node with children that a subscriber may care about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The node above all interfaces: its children are interfaces, and a few other things.
    Root,
    /// One category of one interface: its children are URLs.
    Category(Arc<str>, Category),
}

impl Settings {
    /// The path of a place.
    pub(super) fn path(&self, place: &Place) -> String {
        match place {
            Place::Root if self.root.is_empty() => "/".to_owned(),
            Place::Root => self.root.to_string(),
            Place::Category(interface, category) => {
                format!("{}/{}/{category}", self.root, percent::encode(interface))
            }
        }
    }

    /// Whether a node can be named after an interface.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`], and why not.
    pub(super) fn check(&self, interface: &str) -> Result<(), RegistryError> {
        check_interface(interface)
            .map_err(|what| RegistryError::new(RegistryErrorKind::Invalid, Arc::clone(&self.address), what))
    }

    /// The path of the directory that a URL belongs into, and the name it has there.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when it names no interface, or a category that no registry keeps.
    pub(super) fn node(&self, url: &ServiceUrl) -> Result<(String, String), RegistryError> {
        let invalid = |what: String| RegistryError::new(RegistryErrorKind::Invalid, Arc::clone(&self.address), what);
        let interface = url.interface().unwrap_or_default();
        self.check(interface)?;
        let category = url.category().ok_or_else(|| {
            let named = url.parameter("category").unwrap_or_default();
            invalid(format!("category `{named}` is none that a registry keeps")).at(interface)
        })?;
        let directory = self.path(&Place::Category(interface.into(), category));
        Ok((directory, url.to_node_name()))
    }
}

/// Whether a node can be named after an interface; if not, why.
pub(super) fn check_interface(interface: &str) -> Result<(), String> {
    match interface {
        "" => Err("the url names no interface".into()),
        // The escaping leaves dots alone, and these two are no names of nodes.
        "." | ".." => Err(format!("`{interface}` is no interface")),
        _ => Ok(()),
    }
}

/// The interface that a child of the root is named after.
pub(super) fn interface_of(name: &str) -> Option<Arc<str>> {
    percent::decode(name).ok().map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::from_url(&ServiceUrl::parse(text).unwrap()).unwrap()
    }

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    #[test]
    fn a_url_stands_below_its_interface_and_category_under_its_own_escaped_text() {
        let (directory, name) = settings("zookeeper://z")
            .node(&url(
                "dubbo://10.0.0.1:20880/com.a.B$C?version=1.0&application=shop a&interface=com.a.B$C",
            ))
            .unwrap();
        assert_eq!(directory, "/dubbo/com.a.B%24C/providers");
        assert_eq!(
            name,
            "dubbo%3A%2F%2F10.0.0.1%3A20880%2Fcom.a.B%24C%3Fapplication%3Dshop+a%26interface%3Dcom.a.B%24C%26version%3D1.0"
        );
    }

    #[test]
    fn the_path_says_the_interface_even_if_the_url_has_another_path() {
        let text = "dubbo://h:1/greeting?interface=com.a.B&category=configurators";
        let (directory, _) = settings("zookeeper://z?group=/").node(&url(text)).unwrap();
        assert_eq!(directory, "/com.a.B/configurators");
    }

    #[test]
    fn a_url_that_belongs_nowhere_is_refused() {
        for text in ["dubbo://h:1", "dubbo://h:1/..", "dubbo://h:1/i?category=mine"] {
            let error = settings("zookeeper://z").node(&url(text)).unwrap_err();
            assert_eq!(error.kind(), RegistryErrorKind::Invalid, "{text}");
        }
    }
}
