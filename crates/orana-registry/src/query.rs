//! What a subscriber wants to know, and whether a registered URL is an answer to it.
//!
//! The rules are those of Dubbo's `UrlUtils.isMatch`, with one difference: a category matches by its whole name.

use std::sync::Arc;

use orana_core::{Category, ServiceUrl};

use crate::error::{RegistryError, RegistryErrorKind};

const ANY: &str = "*";

/// A question to a registry, made of a subscribing URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    interface: Arc<str>,
    group: Option<Box<str>>,
    version: Option<Box<str>>,
    classifier: Option<Box<str>>,
    categories: Box<[Category]>,
    /// `enabled=*`: those that are switched off are wanted, too.
    any_state: bool,
}

impl Query {
    /// The question that a `consumer://`, `provider://` or `admin://` URL asks.
    ///
    /// # Errors
    /// [`RegistryErrorKind::Invalid`] when it names no interface or only categories that no registry keeps.
    pub fn from_url(url: &ServiceUrl) -> Result<Query, RegistryError> {
        let invalid = |what: String| RegistryError::new(RegistryErrorKind::Invalid, "-", what);
        let interface = url
            .interface()
            .filter(|interface| !interface.is_empty())
            .ok_or_else(|| invalid("the subscribing url names no interface".into()))?;
        let wanted = url.parameter("category").unwrap_or_default();
        let categories = categories(wanted);
        if categories.is_empty() {
            return Err(
                invalid(format!("category `{wanted}` is none that a registry keeps")).at(Arc::<str>::from(interface))
            );
        }
        let own = |key| url.parameter(key).map(Box::from);
        Ok(Query {
            interface: interface.into(),
            group: own("group"),
            version: own("version"),
            classifier: own("classifier"),
            categories,
            any_state: url.parameter("enabled") == Some(ANY),
        })
    }

    /// The interface; `*` is every one.
    pub fn interface(&self) -> &Arc<str> {
        &self.interface
    }

    /// Whether every interface is asked for.
    pub fn any_interface(&self) -> bool {
        &*self.interface == ANY
    }

    /// The categories, in the order in which they were asked for, each once, never empty.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// The same question about one interface, as it is asked for each that `*` finds.
    pub fn of_interface(&self, interface: impl Into<Arc<str>>) -> Query {
        Query {
            interface: interface.into(),
            ..self.clone()
        }
    }

    /// A URL that asks this question.
    pub(crate) fn to_url(&self) -> ServiceUrl {
        let categories: Vec<_> = self.categories.iter().map(|category| category.name()).collect();
        let mut url = ServiceUrl::builder("consumer", "0.0.0.0")
            .path(&self.interface)
            .set("interface", &self.interface)
            .set("category", categories.join(","));
        let own = [
            ("group", &self.group),
            ("version", &self.version),
            ("classifier", &self.classifier),
        ];
        for (key, value) in own {
            if let Some(value) = value {
                url = url.set(key, value);
            }
        }
        url.build()
    }

    /// Whether a registered URL is an answer, by all that it says itself.
    pub fn matches(&self, url: &ServiceUrl) -> bool {
        let interface = url
            .interface()
            .is_some_and(|interface| self.any_interface() || interface == ANY || interface == &*self.interface);
        let category = url
            .category()
            .is_some_and(|category| self.categories.contains(&category));
        interface && category && self.admits(url)
    }

    /// Whether a registered URL is an answer, if its interface and its category are: those are often known from the
    /// place where it stands, and what the URL says about them does not count then.
    pub fn admits(&self, url: &ServiceUrl) -> bool {
        let enabled = || self.any_state || url.parameter("enabled").is_none_or(|enabled| enabled == "true");
        let group = || match (self.group.as_deref(), url.parameter("group")) {
            (Some(ANY), _) => true,
            (wanted, given) if wanted == given => true,
            (Some(wanted), Some(given)) => wanted.split(',').any(|item| item.trim() == given),
            _ => false,
        };
        let version = || match self.version.as_deref() {
            Some(ANY) => true,
            wanted => wanted == url.parameter("version"),
        };
        let classifier = || match self.classifier.as_deref() {
            None | Some(ANY) => true,
            Some(wanted) => wanted == url.parameter("classifier").unwrap_or(ANY),
        };
        enabled() && group() && version() && classifier()
    }
}

/// The categories that a list of names means; `*` is all, `-name` all but that, nothing is `providers`.
fn categories(names: &str) -> Box<[Category]> {
    let mut names = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .peekable();
    if names.peek().is_none() {
        return Box::new([Category::Providers]);
    }
    let mut wanted = Vec::new();
    let mut without = Vec::new();
    for name in names {
        if name == ANY {
            wanted.extend(Category::ALL);
        } else if let Some(name) = name.strip_prefix('-') {
            without.extend(Category::from_name(name));
            // Only exclusions: everything else is wanted.
            if wanted.is_empty() {
                wanted.extend(Category::ALL);
            }
        } else {
            wanted.extend(Category::from_name(name));
        }
    }
    let mut each = Vec::new();
    for category in wanted {
        if !without.contains(&category) && !each.contains(&category) {
            each.push(category);
        }
    }
    each.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::from_url(&ServiceUrl::parse(text).unwrap()).unwrap()
    }

    fn matches(query_text: &str, url: &str) -> bool {
        query(query_text).matches(&ServiceUrl::parse(url).unwrap())
    }

    #[test]
    fn the_categories_are_those_of_the_list() {
        let of = |names: &str| {
            query(&format!("consumer://h/com.a.B?category={names}"))
                .categories
                .into_vec()
        };
        use Category::{Configurators, Consumers, Providers, Routers};
        assert_eq!(of(""), [Providers]);
        assert_eq!(
            of("providers,configurators,routers"),
            [Providers, Configurators, Routers]
        );
        assert_eq!(of("routers,routers, providers"), [Routers, Providers]);
        assert_eq!(of("*"), [Providers, Consumers, Routers, Configurators]);
        assert_eq!(of("-consumers"), [Providers, Routers, Configurators]);
        assert_eq!(of("mine,providers"), [Providers]);
        let error = Query::from_url(&ServiceUrl::parse("consumer://h/i?category=mine").unwrap()).unwrap_err();
        assert_eq!(error.kind(), RegistryErrorKind::Invalid);
    }

    #[test]
    fn a_subscription_without_an_interface_is_invalid() {
        let error = Query::from_url(&ServiceUrl::parse("consumer://h").unwrap()).unwrap_err();
        assert_eq!(error.kind(), RegistryErrorKind::Invalid);
    }

    #[test]
    fn interface_and_category_must_be_those_asked_for() {
        assert!(matches("consumer://h/com.a.B", "dubbo://h:1/com.a.B"));
        assert!(!matches("consumer://h/com.a.B", "dubbo://h:1/com.a.C"));
        assert!(matches("consumer://h/*", "dubbo://h:1/com.a.C"));
        assert!(!matches(
            "consumer://h/com.a.B",
            "override://h/com.a.B?category=configurators"
        ));
        assert!(matches(
            "consumer://h/com.a.B?category=providers,configurators",
            "override://h/com.a.B?category=configurators"
        ));
    }

    #[test]
    fn absent_is_not_empty_for_group_and_version() {
        assert!(matches("consumer://h/i", "dubbo://h/i"));
        assert!(!matches("consumer://h/i", "dubbo://h/i?group=a"));
        assert!(!matches("consumer://h/i?group=a", "dubbo://h/i"));
        assert!(!matches("consumer://h/i?group=", "dubbo://h/i"));
        assert!(!matches("consumer://h/i?version=0.0.0", "dubbo://h/i"));
    }

    #[test]
    fn groups_may_be_a_list_and_versions_may_not() {
        assert!(matches("consumer://h/i?group=a,b", "dubbo://h/i?group=b"));
        assert!(matches("consumer://h/i?group=*", "dubbo://h/i?group=b"));
        assert!(matches("consumer://h/i?group=*", "dubbo://h/i"));
        assert!(!matches("consumer://h/i?version=1,2", "dubbo://h/i?version=2"));
        assert!(matches("consumer://h/i?version=*", "dubbo://h/i?version=2"));
    }

    #[test]
    fn what_is_switched_off_is_found_only_on_request() {
        assert!(!matches("consumer://h/i", "dubbo://h/i?enabled=false"));
        assert!(matches("admin://h/i?enabled=*", "dubbo://h/i?enabled=false"));
    }

    #[test]
    fn a_classifier_counts_only_if_it_is_asked_for() {
        assert!(matches("consumer://h/i", "dubbo://h/i?classifier=x"));
        assert!(matches("consumer://h/i?classifier=*", "dubbo://h/i?classifier=x"));
        assert!(matches("consumer://h/i?classifier=x", "dubbo://h/i?classifier=x"));
        assert!(!matches("consumer://h/i?classifier=y", "dubbo://h/i?classifier=x"));
        assert!(!matches("consumer://h/i?classifier=y", "dubbo://h/i"));
    }
}
