//! Whether a registered URL is one that a subscriber asks for (`UrlUtils.isMatch`), and which kind of thing it is.
//!
//! This is the rule of interface-level registries; application-level discovery has another one.

use super::{ServiceUrl, present};
use crate::category::Category;

/// Matches everything.
const ANY: &str = "*";

/// The first reason for which a registered URL is not what a subscriber asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It is about another interface.
    Interface,
    /// It is of a category that was not asked for.
    Category,
    /// It says `enabled=false`.
    Disabled,
    /// It is of another group; no group is a group of its own.
    Group,
    /// It is of another version; no version is a version of its own.
    Version,
    /// It has another `classifier`.
    Classifier,
}

/// Whether a URL of `category` is asked for by the list `wanted` (`UrlUtils.isMatchCategory`).
///
/// An empty list asks for providers, `*` for everything, one with `-` in it for everything but the items after a `-`.
/// Otherwise the category has to stand somewhere in the list, even as a part of an item: Dubbo looks no closer.
pub fn category_matches(wanted: &str, category: &str) -> bool {
    if wanted.is_empty() {
        category == Category::Providers.name()
    } else if wanted.contains(ANY) {
        true
    } else if wanted.contains('-') {
        !wanted.contains(&format!("-{category}"))
    } else {
        wanted.contains(category)
    }
}

impl ServiceUrl {
    /// Whether this URL, a subscriber's, asks for `registered`.
    pub fn subscribes_to(&self, registered: &ServiceUrl) -> bool {
        self.mismatch(registered).is_none()
    }

    /// Why this URL, a subscriber's, does not ask for `registered`; `None` when it does.
    pub fn mismatch(&self, registered: &ServiceUrl) -> Option<Mismatch> {
        let (interface, offered) = (self.interface(), registered.interface());
        if interface != Some(ANY) && offered != Some(ANY) && interface != offered {
            return Some(Mismatch::Interface);
        }
        if !category_matches(self.category_name(), registered.category_name()) {
            return Some(Mismatch::Category);
        }
        if !registered.flag_or("enabled", true) && !self.is_any_value("enabled") {
            return Some(Mismatch::Disabled);
        }
        let group = registered.parameter("group");
        let listed = group
            .and_then(present)
            .is_some_and(|group| self.list("group").any(|item| item == group));
        if !self.is_any_value("group") && self.parameter("group") != group && !listed {
            return Some(Mismatch::Group);
        }
        if !self.is_any_value("version") && self.parameter("version") != registered.parameter("version") {
            return Some(Mismatch::Version);
        }
        let classifier = |url: &ServiceUrl| {
            let classifier = url.parameter("classifier").and_then(present);
            classifier.unwrap_or(ANY).to_owned()
        };
        let wanted = classifier(self);
        if wanted != ANY && wanted != classifier(registered) {
            return Some(Mismatch::Classifier);
        }
        None
    }

    /// Whether the parameter's value is `*`.
    pub fn is_any_value(&self, key: &str) -> bool {
        self.parameter(key) == Some(ANY)
    }

    /// Whether it changes parameters of others (`UrlUtils.isConfigurator`).
    pub fn is_configurator(&self) -> bool {
        self.protocol() == Some("override") || self.category() == Some(Category::Configurators)
    }

    /// Whether it chooses among providers (`UrlUtils.isRoute`).
    pub fn is_router(&self) -> bool {
        self.protocol() == Some("route") || self.category() == Some(Category::Routers)
    }

    /// Whether it serves (`UrlUtils.isProvider`).
    pub fn is_provider(&self) -> bool {
        let rule = matches!(self.protocol(), Some("override" | "route"));
        !rule && self.category() == Some(Category::Providers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a consumer of these parameters does not ask for a provider of those.
    fn mismatch(consumer: &str, provider: &str) -> Option<Mismatch> {
        let url = |protocol: &str, parameters: &str| {
            ServiceUrl::parse(&format!("{protocol}://h/com.foo.Bar?{parameters}")).unwrap()
        };
        let (consumer, provider) = (url("consumer", consumer), url("dubbo", provider));
        assert_eq!(
            consumer.subscribes_to(&provider),
            consumer.mismatch(&provider).is_none()
        );
        consumer.mismatch(&provider)
    }

    #[test]
    fn everything_has_to_match() {
        use Mismatch::*;
        for (consumer, provider, expected) in [
            ("", "", None),
            ("interface=*", "", None),
            ("", "interface=*", None),
            ("interface=com.foo.Baz", "", Some(Interface)),
            ("", "category=routers", Some(Category)),
            ("category=providers,routers", "category=routers", None),
            ("category=*", "category=mine", None),
            ("", "enabled=false", Some(Disabled)),
            ("enabled=*", "enabled=false", None),
            ("", "group=g", Some(Group)),
            ("group=g", "", Some(Group)),
            ("group=g", "group=g", None),
            ("group=*", "", None),
            ("group=*", "group=g", None),
            ("group=f, g", "group=g", None),
            ("group=f,gg", "group=g", Some(Group)),
            ("group=f,g", "", Some(Group)),
            ("group=", "", Some(Group)),
            ("", "default.group=g", Some(Group)),
            ("version=1", "version=1", None),
            ("version=*", "version=1", None),
            ("version=1,2", "version=1", Some(Version)),
            ("version=0.0.0", "", Some(Version)),
            ("classifier=a", "", Some(Classifier)),
            ("classifier=a", "classifier=a", None),
            ("classifier=*", "classifier=a", None),
            ("", "classifier=a", None),
        ] {
            assert_eq!(mismatch(consumer, provider), expected, "{consumer:?} of {provider:?}");
        }
    }

    #[test]
    fn the_console_asks_for_everything() {
        let admin = ServiceUrl::parse(
            "admin://h?interface=*&group=*&version=*&classifier=*&enabled=*&check=false\
             &category=providers,consumers,routers,configurators",
        )
        .unwrap();
        for text in [
            "dubbo://h:1/i?group=g&version=1&enabled=false",
            "consumer://h/i?category=consumers",
            "override://0.0.0.0/i?category=configurators&classifier=x",
        ] {
            assert!(admin.subscribes_to(&ServiceUrl::parse(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn a_category_is_looked_for_as_dubbo_does() {
        assert!(category_matches("", "providers") && !category_matches("", "routers"));
        assert!(category_matches("a,*", "routers"));
        assert!(category_matches("-providers", "routers"));
        assert!(!category_matches("-routers,providers", "routers"));
        assert!(category_matches("providers", "provider"), "a part of an item is enough");
    }

    #[test]
    fn a_rule_is_known_by_protocol_or_category() {
        let kinds = |text| {
            let url = ServiceUrl::parse(text).unwrap();
            (url.is_provider(), url.is_configurator(), url.is_router())
        };
        assert_eq!(kinds("dubbo://h/i"), (true, false, false));
        assert_eq!(kinds("override://h/i"), (false, true, false));
        assert_eq!(kinds("absent://h/i?category=configurators"), (false, true, false));
        assert_eq!(kinds("route://h/i"), (false, false, true));
        assert_eq!(kinds("condition://h/i?category=routers"), (false, false, true));
        assert_eq!(kinds("consumer://h/i?category=consumers"), (false, false, false));
    }
}
