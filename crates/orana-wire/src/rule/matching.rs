//! The blocks in which documents of v3.0 spell comparisons out: `{exact: …}`, `{key: …, value: {…}}`, `{oneof: […]}`, `{cird: …}`
//! (`StringMatch`, `ParamMatch`, `ListStringMatch`, `AddressMatch`). Knows no documents around them.
//!
//! A block that in Java never holds, or fails when it is asked, is refused here: it is a slip of its writer.

use std::sync::Arc;

use orana_core::rule::{AddressMatch, ParameterMatch, RuleError, TextMatch};

use super::document::Document;
use super::limits;
use super::yaml::{Node, Value};

/// Makes a comparison of the text behind its name.
type Make = fn(Arc<str>) -> TextMatch;

/// In the order in which Java asks: the first one that is there decides.
const KINDS: [(&str, Make); 6] = [
    ("exact", TextMatch::Exact),
    ("prefix", TextMatch::Prefix),
    ("regex", TextMatch::Regex),
    ("wildcard", TextMatch::Wildcard),
    ("empty", |_| TextMatch::Empty),
    ("noempty", |_| TextMatch::NotEmpty),
];

/// `{exact: gray}`
fn text_match(document: &mut Document<'_>, node: &Node) -> Result<TextMatch, RuleError> {
    document.expect_mapping(node)?;
    document.note_unknown(node, &[&KINDS.map(|(name, _)| name)]);
    let mut found = None;
    for (name, make) in KINDS {
        let (Some(value), Some(text)) = (node.get(name), document.printed_at(node, name)?) else {
            continue;
        };
        if name == "regex" && text.len() > limits::REGEX_BYTES {
            let reason = format!(
                "the expression has {} bytes, more than {}",
                text.len(),
                limits::REGEX_BYTES
            );
            return Err(document.error(value, reason));
        }
        match &found {
            None => found = Some((name, make(text))),
            Some((first, _)) => {
                let text = format!("`{name}` is ignored beside `{first}`");
                document.remark(value.at, text);
            }
        }
    }
    found.map(|(_, comparison)| comparison).ok_or_else(|| {
        let names = KINDS.map(|(name, _)| name).join("`, `");
        document.error(node, format!("this compares with nothing; say one of `{names}`"))
    })
}

/// `{key: env, value: {exact: gray}}`, each of them.
pub(super) fn parameter_matches(
    document: &mut Document<'_>,
    node: &Node,
    key: &str,
) -> Result<Option<Vec<ParameterMatch>>, RuleError> {
    let Some(items) = document.list(node, key, limits::MATCHES)? else {
        return Ok(None);
    };
    let mut matches = Vec::with_capacity(items.len());
    for item in items {
        document.expect_mapping(item)?;
        document.note_unknown(item, &[&["key", "value"]]);
        let Some(key) = document.printed_at(item, "key")? else {
            return Err(document.error(item, "a comparison needs `key`, the name of a parameter"));
        };
        let Some(value) = item.get("value").filter(|value| !value.is_null()) else {
            return Err(document.error(item, format!("the comparison of `{key}` needs `value`")));
        };
        matches.push(ParameterMatch {
            key,
            value: text_match(document, value)?,
        });
    }
    Ok(Some(matches))
}

/// `{oneof: [{exact: a}, {prefix: b}]}`; empty if it is not there.
pub(super) fn one_of(document: &mut Document<'_>, node: &Node, key: &str) -> Result<Vec<TextMatch>, RuleError> {
    let Some(node) = node.get(key).filter(|node| !node.is_null()) else {
        return Ok(Vec::new());
    };
    document.expect_mapping(node)?;
    document.note_unknown(node, &[&["oneof"]]);
    let items = document.list(node, "oneof", limits::MATCHES)?.unwrap_or_default();
    if items.is_empty() {
        return Err(document.error(node, format!("`{key}` needs `oneof`, a list of comparisons")));
    }
    items.iter().map(|item| text_match(document, item)).collect()
}

/// `{cird: 10.0.0.0/8}`
pub(super) fn address_match(
    document: &mut Document<'_>,
    node: &Node,
    key: &str,
) -> Result<Option<AddressMatch>, RuleError> {
    let Some(node) = node.get(key).filter(|node| !node.is_null()) else {
        return Ok(None);
    };
    if !matches!(node.value, Value::Mapping(_)) {
        let reason = format!(
            "`{key}` is {}; it must be a mapping of `cird`, `wildcard` or `exact`",
            node.kind()
        );
        return Err(document.error(node, reason));
    }
    // The name is Dubbo's spelling; `cidr` means nothing to it.
    document.note_unknown(node, &[&["cird", "wildcard", "exact"]]);
    let cidr = document.printed_at(node, "cird")?.map(AddressMatch::Cidr);
    let wildcard = document.printed_at(node, "wildcard")?.map(AddressMatch::Wildcard);
    let exact = document.printed_at(node, "exact")?.map(AddressMatch::Exact);
    match cidr.or(wildcard).or(exact) {
        Some(address) => Ok(Some(address)),
        None => Err(document.error(
            node,
            format!("`{key}` compares with nothing; say one of `cird`, `wildcard`, `exact`"),
        )),
    }
}
