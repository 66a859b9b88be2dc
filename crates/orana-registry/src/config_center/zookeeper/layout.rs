//! Which node stands for which key: `/NAMESPACE/config/GROUP/KEY`, both as they are; a `/` in them makes levels. Knows no
//! connection.

use std::sync::Arc;

use orana_core::ServiceUrl;

use crate::backend::zookeeper::settings::Settings;
use crate::config_center::{ConfigKey, DEFAULT_GROUP};
use crate::error::{RegistryError, RegistryErrorKind};

/// The node above all groups, below the chroot: the `namespace` of the URL, and Dubbo's name for it.
pub(super) fn directory(url: &ServiceUrl) -> String {
    let namespace = url.parameter("namespace").unwrap_or(DEFAULT_GROUP);
    format!("{namespace}/config")
}

/// The path of a key.
///
/// # Errors
/// [`RegistryErrorKind::Invalid`] when ZooKeeper allows no such name.
pub(super) fn path(settings: &Settings, key: &ConfigKey) -> Result<String, RegistryError> {
    let path = format!("{}/{key}", settings.root);
    match path.chars().find(|letter| !is_allowed(*letter)) {
        None => Ok(path),
        Some(letter) => {
            let what = format!("`{}` cannot be in the name of a node", letter.escape_unicode());
            Err(RegistryError::new(RegistryErrorKind::Invalid, Arc::clone(&settings.address), what).at(path))
        }
    }
}

/// Whether ZooKeeper lets a letter into a path: what UTF-16 needs two units for it takes for halves of letters, and some
/// ranges are nobody's.
fn is_allowed(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_at(url: &str, group: &str, key: &str) -> Result<String, RegistryError> {
        let url = ServiceUrl::parse(url).unwrap();
        let settings = Settings::below(&url, &directory(&url)).unwrap();
        path(&settings, &ConfigKey::new(group, key).unwrap())
    }

    #[test]
    fn a_key_stands_where_dubbo_puts_it() {
        for (url, group, key, expected) in [
            (
                "zookeeper://z",
                "dubbo",
                "com.foo.Bar:1.0.0:.condition-router",
                "/dubbo/config/dubbo/com.foo.Bar:1.0.0:.condition-router",
            ),
            (
                "zookeeper://z/org.apache.dubbo.config.ConfigCenterConfig?group=g",
                "dubbo",
                "shop/dubbo.properties",
                "/dubbo/config/dubbo/shop/dubbo.properties",
            ),
            (
                "zookeeper://z?namespace=shop&group=shop",
                "shop",
                "dubbo.properties",
                "/shop/config/shop/dubbo.properties",
            ),
            (
                "zookeeper://z/chroot",
                "dubbo",
                "50% a$b",
                "/chroot/dubbo/config/dubbo/50% a$b",
            ),
        ] {
            assert_eq!(path_at(url, group, key).unwrap(), expected);
        }
    }

    #[test]
    fn a_name_that_no_node_can_have_is_said_before_it_is_sent() {
        for key in ["smile \u{1f600}", "private \u{e000}", "half \u{fffd}"] {
            let error = path_at("zookeeper://z", "dubbo", key).unwrap_err();
            assert_eq!(error.kind(), RegistryErrorKind::Invalid, "{key}");
        }
        assert!(path_at("zookeeper://z", "dubbo", "größe-測試").is_ok());
    }
}
