//! Documents of conditions, `….condition-router` (`ConditionRuleParser`, `ConditionRouterRule`, `MultiDestConditionRouterRule`). What stands
//! in a condition is told by `clauses.rs`.

use orana_core::rule::{Condition, ConditionRule, Destination, RuleError, Then};

use super::clauses::{self, Dialect, Side, is_blank};
use super::document::{Document, HEADER_KEYS, Header};
use super::yaml::{Node, Value};
use super::{Outcome, Parsed, Remark, limits};

/// The weight of a destination that names none, or none above 0.
const DEFAULT_WEIGHT: u32 = 100;

/// Reads the document of conditions that is stored under `key`.
///
/// # Errors
/// What Java would not install; the error names the line. The previous rule stays in force.
pub fn condition(key: &str, text: &str) -> Result<Parsed<ConditionRule>, RuleError> {
    let mut document = Document::read(key, text)?;
    let root = document.take_root();
    document.expect_mapping(&root)?;
    document.note_unknown(&root, &[&HEADER_KEYS, &["conditions"]]);
    let outcome = outcome(&mut document, &root)?;
    Ok(Parsed {
        outcome,
        remarks: document.remarks,
    })
}

fn outcome(document: &mut Document<'_>, root: &Node) -> Result<Outcome<ConditionRule>, RuleError> {
    let version = document
        .text_at(root, "configVersion")?
        .unwrap_or_default()
        .to_lowercase();
    let several = version.starts_with("v3.1");
    if !several && &*version > "v3.1" {
        let node = root.get("configVersion").unwrap_or(root);
        return Ok(Outcome::Unsupported(Remark {
            place: document.at(node.at),
            text: format!("conditions of configVersion `{version}` are not supported; v3.1 and below are"),
        }));
    }
    let header = document.header(root)?;
    let items = document
        .list(root, "conditions", limits::CONDITIONS)?
        .unwrap_or_default();
    let keep = |text: &str| {
        let node = root.get("conditions").unwrap_or(root);
        Ok(Outcome::KeepPrevious(Remark {
            place: document.at(node.at),
            text: text.into(),
        }))
    };
    if items.is_empty() {
        return keep("there are no conditions; those of before stay in force until the document is deleted");
    }
    if !header.valid {
        return keep("`valid` is false; the conditions of before stay in force until the document is deleted");
    }
    let conditions = match (several, header.enabled) {
        (true, _) => items
            .iter()
            .map(|item| shares(document, item))
            .collect::<Result<_, _>>()?,
        (false, true) => items
            .iter()
            .map(|item| string(document, item))
            .collect::<Result<_, _>>()?,
        // Java does not read them either: a document may be switched off because it is broken.
        (false, false) => Vec::new(),
    };
    Ok(Outcome::Rule(rule(document, header, conditions)))
}

fn rule(document: &Document<'_>, header: Header, conditions: Vec<Condition>) -> ConditionRule {
    ConditionRule {
        place: document.place.clone(),
        scope: header.scope,
        enabled: header.enabled,
        force: header.force,
        priority: header.priority,
        conditions,
    }
}

/// A condition that is one string.
fn string(document: &Document<'_>, item: &Node) -> Result<Condition, RuleError> {
    if let Value::Mapping(_) = item.value {
        return Err(document.error(item, "a condition is a mapping; that needs `configVersion: v3.1`"));
    }
    let text = document.printed(item, "a condition")?;
    let (when, then) = clauses::condition(&text, Dialect::Text)
        .map_err(|error| RuleError::new(document.at(document.within(item, &text, error.offset)), error.reason))?;
    Ok(Condition {
        place: document.at(item.at),
        text: text.trim().into(),
        when,
        then,
        missing_passes_mismatch: false,
    })
}

/// A condition of v3.1: `from: {match: …}`, `to: [{match: …, weight: …}, …]`.
fn shares(document: &mut Document<'_>, item: &Node) -> Result<Condition, RuleError> {
    if !matches!(item.value, Value::Mapping(_)) {
        let reason = format!(
            "a condition of v3.1 is {}; it must be a mapping of `from` and `to`",
            item.kind()
        );
        return Err(document.error(item, reason));
    }
    document.note_unknown(item, &[&["from", "to"]]);
    let (from, when) = match item.get("from").filter(|from| !from.is_null()) {
        Some(from) => {
            document.expect_mapping(from)?;
            document.note_unknown(from, &[&["match"]]);
            side(document, from, Side::When)?
        }
        None => (String::new(), Vec::new()),
    };
    let mut destinations = Vec::new();
    for to in document.list(item, "to", limits::DESTINATIONS)?.unwrap_or_default() {
        destinations.push(destination(document, to)?);
    }
    Ok(Condition {
        place: document.at(item.at),
        text: written(&from, &destinations).into(),
        when,
        then: match destinations.is_empty() {
            true => Then::Nobody,
            false => Then::Shares(destinations),
        },
        missing_passes_mismatch: false,
    })
}

fn destination(document: &mut Document<'_>, to: &Node) -> Result<Destination, RuleError> {
    document.expect_mapping(to)?;
    document.note_unknown(to, &[&["match", "weight"]]);
    let weight = match to.get("weight").filter(|weight| !weight.is_null()) {
        Some(weight) => document.integer(weight, "weight")?,
        None => 0,
    };
    let (text, clauses) = side(document, to, Side::Then)?;
    Ok(Destination {
        text: text.into(),
        clauses,
        weight: u32::try_from(weight)
            .ok()
            .filter(|weight| *weight > 0)
            .unwrap_or(DEFAULT_WEIGHT),
    })
}

/// The text of `match` and its clauses; none for everybody.
fn side(
    document: &Document<'_>,
    node: &Node,
    side: Side,
) -> Result<(String, Vec<orana_core::rule::Clause>), RuleError> {
    let Some(node) = node.get("match").filter(|node| !node.is_null()) else {
        return Ok((String::new(), Vec::new()));
    };
    let text = document.printed(node, "`match`")?;
    let everybody = match side {
        Side::When => "true",
        // Not a slip: Dubbo takes a destination `false` for one without conditions.
        Side::Then => "false",
    };
    if is_blank(&text) || &*text == everybody {
        return Ok((text.trim().to_owned(), Vec::new()));
    }
    if text.len() > limits::CONDITION_BYTES {
        let reason = format!(
            "`match` has {} bytes, more than {}",
            text.len(),
            limits::CONDITION_BYTES
        );
        return Err(document.error(node, reason));
    }
    let clauses = clauses::clauses(&text, side, Dialect::Match)
        .map_err(|error| RuleError::new(document.at(document.within(node, &text, error.offset)), error.reason))?;
    Ok((text.trim().to_owned(), clauses))
}

/// The condition in one line.
fn written(from: &str, destinations: &[Destination]) -> String {
    let mut text = format!("{from} =>");
    for (n, destination) in destinations.iter().enumerate() {
        let comma = if n > 0 { ";" } else { "" };
        text.push_str(&format!("{comma} {} (weight {})", destination.text, destination.weight));
    }
    text.trim_start().to_owned()
}

#[cfg(test)]
mod tests;
