//! The one table of known keys: the sections of Dubbo's configuration and their attributes (`org.apache.dubbo.config.*Config` of 3.3).

mod attributes;

use self::attributes::*;
use super::attribute::{Attribute, flag};

/// A section: `dubbo.NAME.…`.
#[derive(Debug)]
pub(super) struct Section {
    /// The name in the singular.
    pub(super) name: &'static str,
    /// The name before an identifier: `dubbo.registries.ID.…`.
    pub(super) plural: Option<&'static str>,
    pub(super) shape: Shape,
    pub(super) attributes: &'static [&'static [Attribute]],
    /// Groups of keys below it that are known and do nothing.
    pub(super) nested: &'static [&'static str],
}

/// What stands between a section's name and an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing, or an identifier behind the plural.
    Plain,
    /// An interface, and perhaps one of its methods.
    Interfaces,
    /// It does not matter: the section is known and does nothing.
    Without(&'static str),
}

impl Section {
    pub(super) fn attributes(&self) -> impl Iterator<Item = &'static Attribute> {
        self.attributes.iter().flat_map(|part| part.iter())
    }

    pub(super) fn attribute(&self, kebab: &str) -> Option<&'static Attribute> {
        self.attributes().find(|attribute| attribute.name == kebab)
    }
}

/// Attributes of one method of a reference or service.
pub(super) fn of_method(kebab: &str) -> Option<&'static Attribute> {
    METHOD
        .iter()
        .chain(METHOD_ALONE)
        .find(|attribute| attribute.name == kebab)
}

/// The attribute of an argument of a method.
pub(super) const ARGUMENT: Attribute = flag("callback");

/// The name of what is written `retry=false` and means no retries.
pub(super) const RETRY: &str = "retry";

/// Why sections and groups of Dubbo's have no effect.
pub(super) const NOT_HERE: &str = "it is a part of Dubbo Java that this SDK has by other means or not at all";

/// A section without nested groups, and with a plural.
const fn section(
    name: &'static str,
    plural: &'static str,
    shape: Shape,
    attributes: &'static [&'static [Attribute]],
) -> Section {
    Section {
        name,
        plural: Some(plural),
        shape,
        attributes,
        nested: &[],
    }
}

pub(super) const APPLICATION_SECTION: &Section =
    &section("application", "applications", Shape::Plain, &[EVERY, APPLICATION]);
pub(super) const MODULE_SECTION: &Section = &section("module", "modules", Shape::Plain, &[EVERY, MODULE]);
pub(super) const REGISTRY_SECTION: &Section =
    &section("registry", "registries", Shape::Plain, &[EVERY, ADDRESS, REGISTRY]);
pub(super) const CONFIG_CENTER_SECTION: &Section = &section(
    "config-center",
    "config-centers",
    Shape::Plain,
    &[EVERY, ADDRESS, CONFIG_CENTER],
);
pub(super) const METADATA_REPORT_SECTION: &Section = &section(
    "metadata-report",
    "metadata-reports",
    Shape::Plain,
    &[EVERY, ADDRESS, METADATA_REPORT],
);
pub(super) const MONITOR_SECTION: &Section = &section("monitor", "monitors", Shape::Plain, &[EVERY, ADDRESS, MONITOR]);
pub(super) const PROTOCOL_SECTION: &Section = &Section {
    nested: &["triple"],
    ..section("protocol", "protocols", Shape::Plain, &[EVERY, SERVER, PROTOCOL])
};
pub(super) const CONSUMER_SECTION: &Section = &section(
    "consumer",
    "consumers",
    Shape::Plain,
    &[EVERY, METHOD, INTERFACE, REFERENCE, CONSUMER_ALONE],
);
pub(super) const PROVIDER_SECTION: &Section = &section(
    "provider",
    "providers",
    Shape::Plain,
    &[EVERY, METHOD, INTERFACE, SERVICE, SERVER, PROVIDER_ALONE],
);
pub(super) const REFERENCE_SECTION: &Section = &section(
    "reference",
    "references",
    Shape::Interfaces,
    &[EVERY, METHOD, INTERFACE, REFERENCE, REFERENCE_ALONE],
);
pub(super) const SERVICE_SECTION: &Section = &section(
    "service",
    "services",
    Shape::Interfaces,
    &[EVERY, METHOD, INTERFACE, SERVICE, SERVICE_ALONE],
);

/// Every section.
pub(super) const SECTIONS: &[&Section] = &[
    APPLICATION_SECTION,
    MODULE_SECTION,
    REGISTRY_SECTION,
    CONFIG_CENTER_SECTION,
    METADATA_REPORT_SECTION,
    MONITOR_SECTION,
    PROTOCOL_SECTION,
    CONSUMER_SECTION,
    PROVIDER_SECTION,
    REFERENCE_SECTION,
    SERVICE_SECTION,
    &section("metrics", "metricses", Shape::Without(NOT_HERE), &[]),
    &section("tracing", "tracings", Shape::Without(NOT_HERE), &[]),
    &section("ssl", "ssls", Shape::Without(NOT_HERE), &[]),
    &section("scan", "scans", Shape::Without(NOT_HERE), &[]),
    &section("security", "securities", Shape::Without(NOT_HERE), &[]),
];

/// Those of which there may be several, with identifiers.
pub(super) const SEVERAL: &[&Section] = &[
    REGISTRY_SECTION,
    CONFIG_CENTER_SECTION,
    METADATA_REPORT_SECTION,
    PROTOCOL_SECTION,
];

/// Keys that belong to no section: Dubbo looks them up by their whole name. [`Configuration::property`](super::Configuration::property)
/// finds them.
pub(super) const PROPERTIES: &[&str] = &[
    "dubbo.application.manual-register",
    "dubbo.application.migration.delay",
    "dubbo.application.migration.step",
    "dubbo.application.migration.threshold",
    "dubbo.application.publish-instance",
    "dubbo.application.publish-interface",
    "dubbo.application.service-discovery.migration",
    "dubbo.config-center.base-path",
    "dubbo.config-center.root-path",
    "dubbo.config.ignore-duplicated-interface",
    "dubbo.config.ignore-invalid-method-config",
    "dubbo.config.mode",
    "dubbo.connectivity.validation",
    "dubbo.env.keys",
    "dubbo.labels",
    "dubbo.mapping.cache.filePath",
    "dubbo.meta.cache.filePath",
    "dubbo.metadata-report.cas-retry-times",
    "dubbo.metadata-report.cas-retry-wait-time",
    "dubbo.migration-file.enable",
    "dubbo.migration.file",
    "dubbo.network.interface.ignored",
    "dubbo.network.interface.preferred",
    "dubbo.properties.file",
    "dubbo.protocol.default-close-timeout",
    "dubbo.protocol.default-heartbeat",
    "dubbo.reconnect.reconnectTaskPeriod",
    "dubbo.reconnect.reconnectTaskTryCount",
    "dubbo.reselect.count",
    "dubbo.resolve.file",
    "dubbo.router.should-fail-fast",
    "dubbo.service.shutdown.wait",
    "dubbo.service.shutdown.wait.seconds",
    "dubbo.shutdown.hook",
    "dubbo.shutdownHook.listenIgnore",
    "dubbo.tag",
];
