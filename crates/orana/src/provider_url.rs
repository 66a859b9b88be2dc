//! The URL under which a service is registered: what consumers of every release need to call it.

use orana_core::ServiceUrl;
use orana_rpc::ServiceDefinition;

/// The release that is told to consumers. Consumers look at it to find out what a Dubbo of that release can do.
const RELEASE: &str = "3.3.6";

/// Parameters that no consumer needs.
const OWN: [&str; 19] = [
    "alive",
    "background",
    "bind.ip",
    "bind.port",
    "corethreads",
    "executor-management-mode",
    "file-cache",
    "interfaces",
    "monitor",
    "qos.accept.foreign.ip",
    "qos.enable",
    "qos.host",
    "qos.port",
    "queues",
    "register-mode",
    "threadname",
    "threadpool",
    "threads",
    "validation",
];

/// What one registration is about.
pub(crate) struct Facts<'a> {
    pub(crate) application: &'a str,
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) definition: &'a ServiceDefinition,
    pub(crate) group: Option<&'a str>,
    pub(crate) version: Option<&'a str>,
    /// Whether the port is open on every address of the machine.
    pub(crate) any_host: bool,
    pub(crate) process: u32,
    /// When the provider started, in milliseconds since 1970.
    pub(crate) started: u64,
}

/// The URL; `parameters` win over what is usual.
pub(crate) fn of<'a>(facts: &Facts<'_>, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> ServiceUrl {
    let interface = &*facts.definition.interface;
    let url = ServiceUrl::builder("dubbo", facts.host)
        .port(facts.port)
        .path(interface)
        .set("anyhost", facts.any_host)
        .set("application", facts.application)
        .set("deprecated", "false")
        // The version of the protocol, not of the release.
        .set("dubbo", "2.0.2")
        .set("dynamic", "true")
        .set("generic", "false")
        .set("interface", interface)
        .set("methods", methods(facts.definition))
        .set("pid", facts.process)
        .set("prefer.serialization", "hessian2")
        .set("serialization", "hessian2")
        .set("release", RELEASE)
        .set("side", "provider")
        .set("timestamp", facts.started);
    let said = |url: orana_core::UrlBuilder, key, value: Option<&str>| match value.filter(|value| !value.is_empty()) {
        Some(value) => url.set(key, value),
        None => url,
    };
    let url = said(url, "group", facts.group);
    let url = said(url, "version", facts.version);
    let url = said(url, "revision", facts.version);
    url.extend(parameters).build()
}

/// What registries are told of a URL: all but what concerns this process alone (`RegistryProtocol.getUrlToRegistry`).
pub(crate) fn registered(url: &ServiceUrl) -> ServiceUrl {
    let own = |key: &str| OWN.contains(&key) || key.starts_with('.') || key.starts_with("triple.");
    match url.parameters().any(|(key, _)| own(key)) {
        true => url.edit().retain(|key, _| !own(key)).build(),
        false => url.clone(),
    }
}

/// The names, each once, sorted.
pub(crate) fn methods(definition: &ServiceDefinition) -> String {
    let mut names: Vec<&str> = definition.methods.iter().map(|method| &*method.name).collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => "*".to_owned(),
        false => names.join(","),
    }
}

#[cfg(test)]
mod tests {
    use orana_rpc::MethodDefinition;

    use super::*;

    #[test]
    fn a_registration_says_what_consumers_ask_for() {
        let method = |name: &'static str, parameters: &[&'static str]| {
            MethodDefinition::new(name, parameters.iter().copied(), "void")
        };
        let definition = ServiceDefinition::new(
            "org.Shop",
            vec![method("sell", &["int"]), method("buy", &[]), method("buy", &["int"])],
        );
        let facts = Facts {
            application: "shop",
            host: "127.0.0.1",
            port: 20880,
            definition: &definition,
            group: Some(""),
            version: Some("1.0.0"),
            any_host: false,
            process: 7,
            started: 8,
        };
        assert_eq!(
            of(&facts, [("weight", "50"), ("dynamic", "false")]).full_text(),
            "dubbo://127.0.0.1:20880/org.Shop?anyhost=false&application=shop&deprecated=false&dubbo=2.0.2&dynamic=false\
             &generic=false&interface=org.Shop&methods=buy,sell&pid=7&prefer.serialization=hessian2&release=3.3.6\
             &revision=1.0.0&serialization=hessian2&side=provider&timestamp=8&version=1.0.0&weight=50"
        );
    }

    #[test]
    fn consumers_are_not_told_what_concerns_the_process_alone() {
        let url = |parameters: &str| ServiceUrl::parse(&format!("dubbo://h:1/i?{parameters}")).unwrap();
        assert_eq!(
            registered(&url(
                "weight=5&threads=7&monitor=m&.hidden=1&triple.x=2&token=t&qos.port=3"
            )),
            url("weight=5&token=t")
        );
        assert_eq!(registered(&url("weight=5&pid=7")), url("weight=5&pid=7"));
    }
}
