//! Whether a provider is one of those that a rule names by `providerAddresses`. Only what is written counts, host by host: networks and
//! ranges are none here, as in Dubbo.

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use orana_core::ServiceUrl;

/// A list of providers, ready to be asked about many.
#[derive(Debug, Default)]
pub(super) struct ProviderAddresses {
    /// `0.0.0.0` or `0.0.0.0:*`.
    everybody: bool,
    /// `host`
    hosts: AHashSet<Arc<str>>,
    /// `host:port`, and `0.0.0.0:port` for everybody there.
    ports: AHashMap<Box<str>, Vec<u16>>,
}

const ANY_HOST: &str = "0.0.0.0";

impl ProviderAddresses {
    pub(super) fn new(texts: &[Arc<str>]) -> ProviderAddresses {
        let mut list = ProviderAddresses::default();
        for text in texts {
            if matches!(&**text, ANY_HOST | "0.0.0.0:*") {
                list.everybody = true;
            } else if let Some((host, port)) = text.rsplit_once(':')
                && let Ok(number) = port.parse::<u16>()
            {
                list.ports.entry(host.into()).or_default().push(number);
            }
            // Also an IPv6 address without brackets, whose end is a number like any other.
            list.hosts.insert(Arc::clone(text));
        }
        for ports in list.ports.values_mut() {
            ports.sort_unstable();
            ports.dedup();
        }
        list
    }

    /// Whether the provider at the address of `url` is among them.
    pub(super) fn contain(&self, url: &ServiceUrl) -> bool {
        let Some(host) = url.host() else {
            return self.everybody;
        };
        let at = |host: &str| {
            let ports = self.ports.get(host);
            ports.is_some_and(|ports| ports.binary_search(&url.port().unwrap_or(0)).is_ok())
        };
        self.everybody || self.hosts.contains(host) || at(host) || at(ANY_HOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(texts: &[&str], address: &str) -> bool {
        let texts: Vec<Arc<str>> = texts.iter().map(|text| Arc::from(*text)).collect();
        let url = ServiceUrl::parse(&format!("dubbo://{address}/i")).unwrap();
        ProviderAddresses::new(&texts).contain(&url)
    }

    #[test]
    fn a_provider_is_named_by_its_address_or_its_host() {
        assert!(contains(&["10.0.0.1:20880"], "10.0.0.1:20880"));
        assert!(!contains(&["10.0.0.1:20880"], "10.0.0.1:20881"));
        assert!(!contains(&["10.0.0.1:2088"], "10.0.0.1:20880"));
        assert!(contains(&["10.0.0.2:1", "10.0.0.1"], "10.0.0.1:20880"));
        assert!(contains(&["10.0.0.1:1", "10.0.0.1:20880"], "10.0.0.1:20880"));
        assert!(contains(&["[fd00::1]:20880"], "[fd00::1]:20880") && contains(&["[fd00::1]"], "[fd00::1]:20880"));
    }

    #[test]
    fn zeros_are_everybody_at_that_port_or_at_any() {
        for text in ["0.0.0.0", "0.0.0.0:*", "0.0.0.0:20880"] {
            assert!(contains(&[text], "10.0.0.1:20880"), "{text}");
        }
        assert!(!contains(&["0.0.0.0:20881"], "10.0.0.1:20880"));
    }

    #[test]
    fn neither_part_of_an_address_nor_a_network_is_a_provider() {
        for text in [
            "10.0.0",
            "10.0.0.1:*",
            "10.0.0.0/8",
            "10.0.0.*",
            " 10.0.0.1",
            ":20880",
            "",
        ] {
            assert!(!contains(&[text], "10.0.0.1:20880"), "{text}");
        }
    }
}
