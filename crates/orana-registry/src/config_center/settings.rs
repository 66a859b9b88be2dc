//! How a configuration centre is to be used, read from the parameters of its URL under the names that Dubbo gives them, and
//! which centre belongs to a registry.

use std::time::Duration;

use orana_core::ServiceUrl;

use super::DEFAULT_GROUP;
use crate::convergence::Retry;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::settings::retry;

/// The policy of one centre.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigSettings {
    /// Whether to subscribe fails when the centre cannot be reached in time. `check`, on.
    pub check: bool,
    /// How long a request may take, and how long the first value of one that is checked is waited for. `timeout`, 30 s.
    pub timeout: Duration,
    /// How failures are tried again. `retry.period`, 5 s, and `retry.times`, for ever.
    pub retry: Retry,
    /// The most bytes that a text may have: 1 MiB, which is what a ZooKeeper lets through.
    pub limit: usize,
    /// The group of the properties that everybody starts with. `group`, `dubbo`.
    pub group: String,
}

impl ConfigSettings {
    /// The settings in a centre's URL.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] for a parameter that is no number.
    pub fn from_url(url: &ServiceUrl) -> Result<ConfigSettings, RegistryError> {
        let invalid = |what: String| RegistryError::new(RegistryErrorKind::Invalid, url.address(), what);
        let timeout = url.try_millis("timeout").map_err(|error| invalid(error.to_string()))?;
        let group = url.parameter("group").filter(|group| !group.is_empty());
        Ok(ConfigSettings {
            check: url.flag_or("check", true),
            timeout: timeout.unwrap_or(Duration::from_secs(30)),
            retry: retry(url, Retry::default()).map_err(|error| invalid(error.to_string()))?,
            limit: 1 << 20,
            group: group.unwrap_or(DEFAULT_GROUP).to_owned(),
        })
    }
}

/// The URL of the centre that a registry is as well: the same address and credentials, and the registry's group as its
/// namespace and as its group, as Dubbo does it.
pub(super) fn of_registry(registry: &ServiceUrl) -> ServiceUrl {
    let mut url = registry.edit();
    // Of an application's registry the product is a parameter.
    let product = match registry.protocol() {
        Some("service-discovery-registry" | "registry") => registry.parameter("registry"),
        _ => None,
    };
    if let Some(product) = product {
        url = url.protocol(product);
    }
    if let Some(group) = registry.parameter("group") {
        url = url.set("namespace", group);
    }
    url.remove("registry").build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    #[test]
    fn the_parameters_are_those_of_dubbo() {
        let plain = ConfigSettings::from_url(&url("zookeeper://h:2181")).unwrap();
        assert_eq!(
            (plain.check, plain.timeout, plain.limit, plain.group.as_str()),
            (true, Duration::from_secs(30), 1024 * 1024, "dubbo")
        );
        let text = "zookeeper://h:2181?check=false&timeout=100&retry.period=200&group=shop";
        let given = ConfigSettings::from_url(&url(text)).unwrap();
        assert_eq!(
            (given.check, given.timeout, given.retry.period, given.group.as_str()),
            (false, Duration::from_millis(100), Duration::from_millis(200), "shop")
        );
        let error = ConfigSettings::from_url(&url("zookeeper://h?timeout=soon")).unwrap_err();
        assert!(error.to_string().contains("timeout"), "{error}");
    }

    #[test]
    fn the_group_of_a_registry_is_namespace_and_group_of_its_centre() {
        let centre = of_registry(&url(
            "zookeeper://ann:secret@a:2181/chroot?backup=b:2181&group=shop&check=false",
        ));
        assert_eq!((centre.protocol(), centre.user()), (Some("zookeeper"), Some("ann")));
        assert_eq!(
            (centre.parameter("namespace"), centre.parameter("group")),
            (Some("shop"), Some("shop"))
        );
        assert_eq!(
            (centre.parameter("backup"), centre.path()),
            (Some("b:2181"), Some("chroot"))
        );
        assert_eq!(of_registry(&url("zookeeper://a:2181")).parameter("namespace"), None);
        let application = of_registry(&url("service-discovery-registry://a:2181?registry=zookeeper"));
        assert_eq!(
            (application.protocol(), application.parameter("registry")),
            (Some("zookeeper"), None)
        );
    }
}
