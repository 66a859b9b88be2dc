//! From an item to single overrides: one for each address, and each application or service (`ConfigParser.serviceItemToUrls`,
//! `appItemToUrls`). Knows the limits of a whole document.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use orana_core::ServiceUrl;
use orana_core::rule::{Override, RuleError, Scope};

use super::single::{self, of_url};
use super::{ANYHOST, Config, Item};
use crate::rule::document::{Document, shortened};
use crate::rule::limits;
use crate::rule::yaml::Node;

/// Appends the overrides that an item comes to; `bytes` counts the texts of all items.
pub(super) fn expand(
    document: &mut Document<'_>,
    node: &Node,
    config: &Config,
    item: &Item,
    overrides: &mut Vec<Override>,
    bytes: &mut usize,
) -> Result<(), RuleError> {
    let (services, applications) = match config.scope {
        Scope::Service => (vec![Arc::clone(&config.key)], item.applications.clone()),
        Scope::Application if item.services.is_empty() => (vec!["*".into()], vec![Arc::clone(&config.key)]),
        Scope::Application => (item.services.clone(), vec![Arc::clone(&config.key)]),
    };
    if services.iter().any(|service| service.is_empty()) {
        return Err(document.error(node, "an entry of `services` is empty"));
    }
    let applications: Vec<Option<&str>> = match applications.is_empty() {
        true => vec![None],
        false => applications.iter().map(|application| Some(&**application)).collect(),
    };
    let hosts = Hosts::of(&item.addresses);
    let mut unsafe_keys = 0;
    for address in &item.addresses {
        for service in &services {
            for application in &applications {
                let text = written(config, item, &hosts, address, service, *application);
                *bytes += text.len();
                if overrides.len() == limits::OVERRIDES || *bytes > limits::OVERRIDE_BYTES {
                    let reason = format!(
                        "with this item the document comes to more than {} overrides, or to more than {} bytes of them",
                        limits::OVERRIDES,
                        limits::OVERRIDE_BYTES
                    );
                    return Err(document.error(node, reason));
                }
                let url = ServiceUrl::parse(&text)
                    .map_err(|error| document.error(node, format!("`{}` is no URL: {error}", shortened(&text))))?;
                unsafe_keys += url.parameters().filter(|(key, _)| single::is_unsafe(key)).count();
                let mut one =
                    of_url(&url, document.at(node.at), text.into()).map_err(|reason| document.error(node, reason))?;
                one.matching.clone_from(&item.matching);
                overrides.push(one);
            }
        }
    }
    if unsafe_keys > 0 {
        let names = single::UNSAFE_KEYS.join("`, `");
        document.remark(node.at, format!("the parameters `{names}` are never taken from a rule"));
    }
    Ok(())
}

/// The URL that Dubbo makes of an item for one address, service and application.
fn written(
    config: &Config,
    item: &Item,
    hosts: &Hosts<'_>,
    address: &str,
    service: &str,
    application: Option<&str>,
) -> String {
    let mut text = format!("override://{address}/");
    // Only a first character behind which something stands can end a group or begin a version.
    let (group, rest) = match service.find('/').filter(|at| *at > 0) {
        Some(at) => (service.get(..at), service.get(at + 1..).unwrap_or_default()),
        None => (None, service),
    };
    let (interface, version) = match rest.find(':').filter(|at| *at > 0) {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
        None => (rest, None),
    };
    text.push_str(interface);
    text.push('?');
    let mut put = |key: &str, value: &str| {
        // Writing to a String does not fail.
        let _ = write!(text, "{key}={value}&");
    };
    if let Some(group) = group {
        put("group", group);
    }
    if let Some(version) = version {
        put("version", version);
    }
    put("category", "dynamicconfigurators");
    if let Some(side) = &item.side {
        put("side", side);
    }
    for (key, value) in &item.parameters {
        put(key, value);
    }
    if !item.provider_addresses.is_empty() {
        put("providerAddresses", &item.provider_addresses.join(","));
    } else if item.side.as_deref() == Some("provider") {
        put("providerAddresses", &hosts.at(address).join(","));
    }
    // The later one of two keys counts, so what the document says stands behind what its parameters could say.
    if let (Scope::Application, Some(application)) = (config.scope, application) {
        put("application", application);
    }
    put("enabled", item.enabled);
    if config.scope == Scope::Application {
        put("category", "appdynamicconfigurators");
    }
    put("configVersion", &config.version);
    if let (Scope::Service, Some(application)) = (config.scope, application) {
        put("application", application);
    }
    text.pop();
    text
}

/// An item's addresses by their hosts.
struct Hosts<'a> {
    all: &'a [Arc<str>],
    /// Where the addresses of a host stand; an address is found by itself, too.
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Hosts<'a> {
    fn of(all: &'a [Arc<str>]) -> Hosts<'a> {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, address) in all.iter().enumerate() {
            places.entry(host(address)).or_default().push(place);
            if host(address) != &**address {
                places.entry(address).or_default().push(place);
            }
        }
        Hosts { all, places }
    }

    /// Those that can be the provider's at `address`. Java writes all of them to each URL; those of other hosts say nothing there, and a
    /// thousand addresses would be a million.
    fn at(&self, address: &str) -> Vec<&'a str> {
        if host(address) == ANYHOST {
            return self.all.iter().map(|address| &**address).collect();
        }
        let here = [host(address), address, ANYHOST];
        let mut places: Vec<_> = here
            .iter()
            .filter_map(|host| self.places.get(host))
            .flatten()
            .copied()
            .collect();
        places.sort_unstable();
        places.dedup();
        places
            .into_iter()
            .filter_map(|place| self.all.get(place))
            .map(|address| &**address)
            .collect()
    }
}

fn host(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(host, _)| host)
}
