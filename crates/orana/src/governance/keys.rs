//! The keys under which documents of rules stand in a configuration centre. Knows names only.

use orana_core::ServiceKey;

/// The group of every document of rules.
pub(crate) const GROUP: &str = "dubbo";

/// A place for a document, among those that one reference reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    ApplicationOverrides,
    ServiceOverrides,
    ServiceConditions,
    ApplicationConditions,
    ServiceAffinity,
    ProviderConditions,
    ProviderTags,
    ProviderScript,
    ProviderMesh,
    ProviderAffinity,
}

impl Slot {
    /// Those whose key is known from the start.
    pub(crate) const OF_CONSUMER: [Slot; 5] = [
        Slot::ApplicationOverrides,
        Slot::ServiceOverrides,
        Slot::ServiceConditions,
        Slot::ApplicationConditions,
        Slot::ServiceAffinity,
    ];

    /// Those that stand under the name of the application that provides, which is known with the first list.
    pub(crate) const OF_PROVIDER: [Slot; 5] = [
        Slot::ProviderConditions,
        Slot::ProviderTags,
        Slot::ProviderScript,
        Slot::ProviderMesh,
        Slot::ProviderAffinity,
    ];

    fn suffix(self) -> &'static str {
        match self {
            Slot::ApplicationOverrides | Slot::ServiceOverrides => ".configurators",
            Slot::ServiceConditions | Slot::ApplicationConditions | Slot::ProviderConditions => ".condition-router",
            Slot::ServiceAffinity | Slot::ProviderAffinity => ".affinity-router",
            Slot::ProviderTags => ".tag-router",
            Slot::ProviderScript => ".script-router",
            Slot::ProviderMesh => ".MESHAPPRULE",
        }
    }

    /// The key of the document, of the application of that name or of the service.
    pub(crate) fn key(self, application: &str, service: &ServiceKey) -> String {
        match self {
            Slot::ServiceOverrides | Slot::ServiceConditions | Slot::ServiceAffinity => {
                format!("{}{}", colon_key(service), self.suffix())
            }
            _ => format!("{application}{}", self.suffix()),
        }
    }
}

/// `interface:version:group`, always with both colons (`DynamicConfiguration.getRuleKey`).
pub(crate) fn colon_key(service: &ServiceKey) -> String {
    let version = service.version().unwrap_or_default();
    let group = service.group().unwrap_or_default();
    format!("{}:{version}:{group}", service.interface())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_a_service_stand_under_both_colons_and_those_of_an_application_under_its_name() {
        let plain = ServiceKey::new("com.foo.Bar", None, None);
        let full = ServiceKey::new("com.foo.Bar", Some("g1"), Some("1.0.0"));
        assert_eq!(
            Slot::ServiceConditions.key("shop", &plain),
            "com.foo.Bar::.condition-router"
        );
        assert_eq!(
            Slot::ServiceOverrides.key("shop", &full),
            "com.foo.Bar:1.0.0:g1.configurators"
        );
        assert_eq!(Slot::ApplicationOverrides.key("shop", &full), "shop.configurators");
        assert_eq!(Slot::ProviderTags.key("stock", &full), "stock.tag-router");
        assert_eq!(Slot::ProviderMesh.key("stock", &full), "stock.MESHAPPRULE");
    }
}
