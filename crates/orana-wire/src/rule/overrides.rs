//! Documents of configurators, `….configurators`: a mapping with `configs`, or a JSON array of override URLs (`ConfigParser`,
//! `ConfiguratorConfig`, `ConfigItem`).
//!
//! As in Dubbo an item becomes the text of one URL for each address and application or service, and what such a URL says is told by
//! `single.rs` alone, wherever it comes from. So a value with an `&` means here what it means there.

mod expand;
mod single;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use orana_core::rule::{OverrideMatch, OverrideRule, RuleError, Scope};
use orana_core::{ServiceKey, ServiceUrl};

use super::document::{Document, shortened};
use super::yaml::{Node, Scalar, Value};
use super::{Outcome, Parsed, Remark, limits, matching};

pub(super) use single::{of_url, says_something};

const SUFFIX: &str = ".configurators";
const ANYHOST: &str = "0.0.0.0";

/// Reads the document of configurators that is stored under `key`.
///
/// # Errors
/// What Java would not install; the error names the line. The previous rule stays in force.
pub fn overrides(key: &str, text: &str) -> Result<Parsed<OverrideRule>, RuleError> {
    let mut document = Document::read(key, text)?;
    let root = document.take_root();
    let outcome = match &root.value {
        Value::Sequence(items)
            if text
                .trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
                .starts_with('[') =>
        {
            urls(&document, &root, items)?
        }
        _ => configs(&mut document, &root)?,
    };
    Ok(Parsed {
        outcome,
        remarks: document.remarks,
    })
}

// --- An array of URLs ---

fn urls(document: &Document<'_>, root: &Node, items: &[Node]) -> Result<Outcome<OverrideRule>, RuleError> {
    if items.is_empty() {
        return Err(document.error(root, "the array of override URLs is empty"));
    }
    let mut overrides = Vec::new();
    for item in items {
        if overrides.len() == limits::OVERRIDES {
            return Err(document.error(item, format!("this is one override more than {}", limits::OVERRIDES)));
        }
        let Value::Scalar(Scalar::Text(text)) = &item.value else {
            return Err(document.error(
                item,
                format!("an entry of the array is {}; it must be an override URL", item.kind()),
            ));
        };
        let url = ServiceUrl::parse(text).map_err(|error| document.error(item, error.to_string()))?;
        if url.protocol() == Some("empty") {
            overrides.clear();
            break;
        }
        if says_something(&url) {
            overrides.push(
                of_url(&url, document.at(item.at), Arc::clone(text)).map_err(|reason| document.error(item, reason))?,
            );
        }
    }
    let subject = document.place.key.strip_suffix(SUFFIX).unwrap_or(&document.place.key);
    Ok(Outcome::Rule(OverrideRule {
        place: document.place.clone(),
        scope: match subject.contains(':') {
            true => Scope::Service,
            false => Scope::Application,
        },
        overrides,
    }))
}

// --- A mapping with `configs` ---

/// What all items of a document share.
struct Config {
    /// As it is written into URLs: `null` if there is none.
    version: Arc<str>,
    scope: Scope,
    key: Arc<str>,
    enabled: bool,
}

/// A name and a value.
type Parameter = (Arc<str>, Arc<str>);

/// An item as it was written.
struct Item {
    side: Option<Arc<str>>,
    addresses: Vec<Arc<str>>,
    /// If there are none, those of a provider's item are its addresses.
    provider_addresses: Vec<Arc<str>>,
    applications: Vec<Arc<str>>,
    services: Vec<Arc<str>>,
    parameters: Vec<Parameter>,
    /// `true`, `false`, or `null` for an item that had to say so and does not.
    enabled: &'static str,
    matching: Option<OverrideMatch>,
}

fn configs(document: &mut Document<'_>, root: &Node) -> Result<Outcome<OverrideRule>, RuleError> {
    document.expect_mapping(root)?;
    document.note_unknown(root, &[&["configVersion", "scope", "key", "enabled", "configs"]]);
    let config = config(document, root)?;
    let Some(items) = document.list(root, "configs", limits::OVERRIDES)? else {
        return Err(document.error(root, "`configs` is missing, the list of what is to be changed"));
    };
    if items.is_empty() {
        let node = root.get("configs").unwrap_or(root);
        return Ok(Outcome::KeepPrevious(Remark {
            place: document.at(node.at),
            text: "`configs` is empty; what was there before stays in force until the document is deleted".into(),
        }));
    }
    let mut overrides = Vec::new();
    let mut bytes = 0;
    for node in items {
        let item = item(document, node, &config)?;
        expand::expand(document, node, &config, &item, &mut overrides, &mut bytes)?;
    }
    Ok(Outcome::Rule(OverrideRule {
        place: document.place.clone(),
        scope: config.scope,
        overrides,
    }))
}

fn config(document: &mut Document<'_>, root: &Node) -> Result<Config, RuleError> {
    let version = document.text_at(root, "configVersion")?;
    let scope = document.scope(root)?.unwrap_or(Scope::Service);
    let enabled = document.flag(root, "enabled")?.unwrap_or(true);
    let Some(key) = document.text_at(root, "key")?.filter(|key| !key.is_empty()) else {
        let wanted = match scope {
            Scope::Service => "`group/interface:version` of the service",
            Scope::Application => "the name of the application",
        };
        return Err(document.error(root, format!("`key` is missing, {wanted}")));
    };
    note_dead_key(document, root, scope, &key);
    Ok(Config {
        version: version.unwrap_or_else(|| "null".into()),
        scope,
        key,
        enabled,
    })
}

/// Remarks a key that belongs to another document than the one it is stored as: whoever reads it is not meant by it.
fn note_dead_key(document: &mut Document<'_>, root: &Node, scope: Scope, key: &str) {
    let stored = document.place.key.clone();
    let (Some(subject), Some(node)) = (stored.strip_suffix(SUFFIX), root.get("key")) else {
        return;
    };
    let wanted = match scope {
        Scope::Application => key.to_owned(),
        Scope::Service => {
            let key = ServiceKey::parse(key);
            let part = |part: Option<&str>| part.unwrap_or_default().to_owned();
            format!("{}:{}:{}", key.interface(), part(key.version()), part(key.group()))
        }
    };
    if subject != wanted {
        let text = format!(
            "`key` is `{}`, which is read from `{}{SUFFIX}`; stored here it reaches nobody",
            shortened(key),
            shortened(&wanted)
        );
        document.remark(node.at, text);
    }
}

const ITEM_KEYS: [&str; 9] = [
    "type",
    "enabled",
    "addresses",
    "providerAddresses",
    "services",
    "applications",
    "parameters",
    "match",
    "side",
];

fn item(document: &mut Document<'_>, node: &Node, config: &Config) -> Result<Item, RuleError> {
    document.expect_mapping(node)?;
    document.note_unknown(node, &[&ITEM_KEYS]);
    let side = document.text_at(node, "side")?;
    if !matches!(side.as_deref(), Some("consumer" | "provider")) && !config.version.is_empty() {
        document.remark(
            node.at,
            "without `side: consumer` or `side: provider` this changes nothing".into(),
        );
    }
    let general = matches!(document.text_at(node, "type")?.as_deref(), None | Some("general"));
    let own = document.flag(node, "enabled")?;
    let counts = if general { Some(config.enabled) } else { own };
    let enabled = match counts {
        Some(true) => "true",
        Some(false) => "false",
        None => {
            document.remark(
                node.at,
                "an item with a `type` counts only with `enabled: true` of its own".into(),
            );
            "null"
        }
    };
    let mut addresses = document.names(node, "addresses")?.unwrap_or_default();
    if addresses.is_empty() {
        addresses.push(ANYHOST.into());
    }
    let provider_addresses = document.names(node, "providerAddresses")?.unwrap_or_default();
    Ok(Item {
        side,
        addresses,
        provider_addresses,
        applications: document.names(node, "applications")?.unwrap_or_default(),
        services: document.names(node, "services")?.unwrap_or_default(),
        parameters: parameters(document, node)?,
        enabled,
        matching: matching_of(document, node, &config.version)?,
    })
}

fn parameters(document: &Document<'_>, node: &Node) -> Result<Vec<Parameter>, RuleError> {
    let missing = "specify at least one of the `parameters` that are to be changed";
    let Some(node) = node.get("parameters").filter(|node| !node.is_null()) else {
        return Err(document.error(node, missing));
    };
    let Value::Mapping(entries) = &node.value else {
        return Err(document.error(node, format!("`parameters` is {}; it must be a mapping", node.kind())));
    };
    if entries.is_empty() {
        return Err(document.error(node, missing));
    }
    if entries.len() > ServiceUrl::MAX_PARAMETERS {
        return Err(document.error(
            node,
            format!("there are more than {} parameters", ServiceUrl::MAX_PARAMETERS),
        ));
    }
    let mut parameters = Vec::with_capacity(entries.len());
    for entry in entries {
        let Scalar::Text(key) = &entry.key else {
            let reason = format!("the name of a parameter is {}; put it into quotes", entry.key.kind());
            return Err(RuleError::new(document.at(entry.at), reason));
        };
        let value = document.printed(&entry.value, &format!("the parameter `{}`", shortened(key)))?;
        parameters.push((Arc::clone(key), value));
    }
    Ok(parameters)
}

fn matching_of(document: &mut Document<'_>, node: &Node, version: &str) -> Result<Option<OverrideMatch>, RuleError> {
    let Some(node) = node.get("match").filter(|node| !node.is_null()) else {
        return Ok(None);
    };
    if !version.starts_with("v3.0") {
        document.remark(node.at, "`match` counts with `configVersion: v3.0` only".into());
        return Ok(None);
    }
    document.expect_mapping(node)?;
    document.note_unknown(node, &[&["address", "providerAddress", "service", "app", "param"]]);
    Ok(Some(OverrideMatch {
        address: matching::address_match(document, node, "address")?,
        provider_address: matching::address_match(document, node, "providerAddress")?,
        services: matching::one_of(document, node, "service")?,
        applications: matching::one_of(document, node, "app")?,
        parameters: matching::parameter_matches(document, node, "param")?.unwrap_or_default(),
    }))
}
