//! Documents of tags, `….tag-router` (`TagRuleParser`, `TagRouterRule`, `Tag`). Who has a tag at the moment is not known here.

use std::collections::HashMap;
use std::sync::Arc;

use orana_core::rule::{RuleError, Tag, TagRule, TagSource};

use super::document::{Document, HEADER_KEYS, shortened};
use super::yaml::Node;
use super::{Outcome, Parsed, limits, matching};

/// Reads the document of tags that is stored under `key`.
///
/// A document without usable tags is a rule without tags: only the tags that providers carry themselves count then.
///
/// # Errors
/// What Java would not install; the error names the line. The previous rule stays in force.
pub fn tag(key: &str, text: &str) -> Result<Parsed<TagRule>, RuleError> {
    let mut document = Document::read(key, text)?;
    let root = document.take_root();
    document.expect_mapping(&root)?;
    document.note_unknown(&root, &[&HEADER_KEYS, &["tags"]]);
    let header = document.header(&root)?;
    let by_match = header
        .version
        .as_deref()
        .is_some_and(|version| version.starts_with("v3.0"));
    let mut tags = Vec::new();
    for item in document.list(&root, "tags", limits::TAGS)?.unwrap_or_default() {
        tags.extend(one(&mut document, item, by_match)?);
    }
    if !header.valid {
        document.remark(root.at, "`valid` is false: the tags do not count".into());
        tags.clear();
    }
    Ok(Parsed {
        outcome: Outcome::Rule(TagRule {
            place: document.place.clone(),
            enabled: header.enabled,
            force: header.force,
            tags: last_of_each_name(&mut document, tags),
        }),
        remarks: document.remarks,
    })
}

/// A tag; `None` if nobody can have it.
fn one(document: &mut Document<'_>, item: &Node, by_match: bool) -> Result<Option<Tag>, RuleError> {
    document.expect_mapping(item)?;
    document.note_unknown(item, &[&["name", "addresses", "match"]]);
    let Some(name) = document.text_at(item, "name")? else {
        return Err(document.error(item, "a tag needs `name`"));
    };
    let addresses = document.names(item, "addresses")?.unwrap_or_default();
    let matches = match by_match {
        true => matching::parameter_matches(document, item, "match")?,
        false => None,
    };
    if let (false, Some(node)) = (by_match, item.get("match")) {
        document.remark(node.at, "`match` counts with `configVersion: v3.0` only".into());
    }
    let source = match (addresses.is_empty(), matches) {
        (false, matches) => {
            if let (Some(_), Some(node)) = (matches, item.get("match")) {
                document.remark(node.at, "`match` is ignored beside `addresses`".into());
            }
            TagSource::Addresses(addresses)
        }
        (true, Some(matches)) => TagSource::Match(matches),
        (true, None) => {
            let text = format!(
                "nobody has the tag `{}`: it has neither `addresses` nor a `match` that counts",
                shortened(&name)
            );
            document.remark(item.at, text);
            return Ok(None);
        }
    };
    Ok(Some(Tag {
        place: document.at(item.at),
        name,
        source,
    }))
}

/// Where a name stands several times, Java puts one after the other into a map: the last one stays.
fn last_of_each_name(document: &mut Document<'_>, tags: Vec<Tag>) -> Vec<Tag> {
    let mut kept: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    for tag in tags {
        match places.get(&tag.name).and_then(|place| kept.get_mut(*place)) {
            Some(earlier) => {
                let position = super::yaml::Position {
                    line: tag.place.line,
                    column: tag.place.column,
                };
                let text = format!(
                    "the tag `{}` stands here again; only the last one counts",
                    shortened(&tag.name)
                );
                document.remark(position, text);
                *earlier = tag;
            }
            None => {
                places.insert(Arc::clone(&tag.name), kept.len());
                kept.push(tag);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests;
