//! What a service is called: interface, group and version, and the text that joins them.

use std::fmt;

/// The identity of a service: `[group/]interface[:version]`.
///
/// An empty group or version is no group or version. Whether version `0.0.0` means "none" is decided differently by
/// different peers, so here it is a version like any other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServiceKey {
    // The interface first, so that keys sort by what they are about.
    interface: Box<str>,
    group: Option<Box<str>>,
    version: Option<Box<str>>,
}

impl ServiceKey {
    /// The key of `interface` in `group` at `version`.
    pub fn new(interface: &str, group: Option<&str>, version: Option<&str>) -> ServiceKey {
        let present = |part: Option<&str>| part.filter(|part| !part.is_empty()).map(Box::from);
        ServiceKey {
            interface: interface.into(),
            group: present(group),
            version: present(version),
        }
    }

    /// Takes the text form apart: the group ends at the first `/`, the version begins after the first `:` of the rest.
    pub fn parse(text: &str) -> ServiceKey {
        let (group, rest) = text
            .split_once('/')
            .map_or((None, text), |(group, rest)| (Some(group), rest));
        let (interface, version) = rest
            .split_once(':')
            .map_or((rest, None), |(interface, version)| (interface, Some(version)));
        ServiceKey::new(interface, group, version)
    }

    /// The interface.
    pub fn interface(&self) -> &str {
        &self.interface
    }

    /// The group, if there is one.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// The version, if there is one.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }
}

impl fmt::Display for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(group) = &self.group {
            write!(f, "{group}/")?;
        }
        f.write_str(&self.interface)?;
        if let Some(version) = &self.version {
            write!(f, ":{version}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_parts_leave_out_their_separator() {
        let text = |group, version| ServiceKey::new("com.foo.Bar", group, version).to_string();
        assert_eq!(text(None, None), "com.foo.Bar");
        assert_eq!(text(Some("g"), None), "g/com.foo.Bar");
        assert_eq!(text(None, Some("1.0.0")), "com.foo.Bar:1.0.0");
        assert_eq!(text(Some("g"), Some("1.0.0")), "g/com.foo.Bar:1.0.0");
        assert_eq!(text(Some(""), Some("")), "com.foo.Bar");
    }

    #[test]
    fn the_text_is_taken_apart_at_the_first_slash_and_the_first_colon_after_it() {
        assert_eq!(
            ServiceKey::parse("g/com.foo.Bar:1.0.0"),
            ServiceKey::new("com.foo.Bar", Some("g"), Some("1.0.0"))
        );
        assert_eq!(
            ServiceKey::parse("com.foo.Bar"),
            ServiceKey::new("com.foo.Bar", None, None)
        );
        assert_eq!(ServiceKey::parse("g/i:1:2").version(), Some("1:2"));
        assert_eq!(ServiceKey::parse("a/b/c").interface(), "b/c");
        assert_eq!(ServiceKey::parse("a:b/c").group(), Some("a:b"));
        assert_eq!(ServiceKey::parse(""), ServiceKey::new("", None, None));
    }

    #[test]
    fn version_zero_is_a_version() {
        assert_eq!(ServiceKey::parse("i:0.0.0").to_string(), "i:0.0.0");
    }
}
