//! Where a text stands: a group and a key in it, checked once. Knows no product; what a product cannot store beyond that it
//! says itself.

use std::fmt;
use std::sync::Arc;

/// The most bytes that group and key may have together.
const LIMIT: usize = 4096;

/// A group and a key in it: `dubbo` and `com.a.B:1.0.0:.condition-router`, `dubbo` and `shop/dubbo.properties`.
///
/// Both are names, or names with `/` between them, and mean exactly what they say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConfigKey {
    group: Arc<str>,
    key: Arc<str>,
}

impl ConfigKey {
    /// The key `key` in `group`.
    ///
    /// # Errors
    /// In words: one is empty, or a part of it between slashes is empty, `.` or `..`, or has a control character, or both
    /// are longer than 4096 bytes.
    pub fn new(group: &str, key: &str) -> Result<ConfigKey, String> {
        if group.len() + key.len() > LIMIT {
            let begin: String = key.chars().take(64).collect();
            return Err(format!("the key `{begin}…` and its group have more than {LIMIT} bytes"));
        }
        for (what, text) in [("group", group), ("key", key)] {
            if let Some(fault) = text.split('/').find_map(fault_of) {
                return Err(format!("`{}` is no {what}: {fault}", text.escape_debug()));
            }
        }
        Ok(ConfigKey {
            group: group.into(),
            key: key.into(),
        })
    }

    /// The group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The key in its group.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.key)
    }
}

fn fault_of(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("a name in it is empty"),
        "." | ".." => Some("it says where instead of what"),
        _ if name.chars().any(char::is_control) => Some("it has a control character"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_dubbo_are_keys() {
        for (group, key) in [
            ("dubbo", "com.a.B:1.0.0:g1.condition-router"),
            ("dubbo", "com.a.B::.configurators"),
            ("dubbo", "shop/dubbo.properties"),
            ("shop", "dubbo.properties"),
            ("DUBBO_SERVICEDISCOVERY_MIGRATION", "größe 100% & mehr.migration"),
        ] {
            let text = ConfigKey::new(group, key).unwrap().to_string();
            assert_eq!(text, format!("{group}/{key}"));
        }
    }

    #[test]
    fn what_leads_elsewhere_or_nowhere_is_no_key() {
        for (group, key, part) in [
            ("", "a", "group"),
            ("dubbo", "", "key"),
            ("dubbo", "a//b", "empty"),
            ("dubbo", "/a", "empty"),
            ("dubbo", "a/", "empty"),
            ("dubbo", "../../zookeeper/quota", "where"),
            ("dubbo/.", "a", "group"),
            ("dubbo", "a\0b", "control"),
            ("dubbo", "a\nb", "\\n"),
        ] {
            let error = ConfigKey::new(group, key).unwrap_err();
            assert!(error.contains(part), "`{group}` `{key}`: {error}");
        }
        let error = ConfigKey::new("dubbo", &"ä".repeat(3000)).unwrap_err();
        assert!(error.len() < 300, "{error}");
    }
}
