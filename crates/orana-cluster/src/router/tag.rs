//! `tag`: calls with a tag go to providers with it, calls without one to providers without one (`TagStateRouter`).

use std::sync::Arc;

use orana_core::rule::{RuleError, Tag, TagRule, TagSource};

use super::{Report, Routed, Router};
use crate::address_match::AddressPattern;
use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;
use crate::text_match::TextPattern;

/// The tag of a call (attachment, or parameter of its consumer) and of a provider (parameter).
const TAG: &str = "dubbo.tag";

/// Whether a call with a tag finds nobody rather than somebody without it.
const FORCE: &str = "dubbo.force.tag";

/// Separates the levels of a tag: `beta|team1` is looked for as `beta` when nobody has it.
const LEVEL: char = '|';

/// Keeps calls to the providers of their tag; with the rule of the providers' application, or by what providers say of themselves alone.
pub struct TagRouter {
    rule: Option<Dynamic>,
}

/// A rule that is ready.
struct Dynamic {
    key: Arc<str>,
    force: bool,
    tags: Vec<Members>,
}

/// Who has one tag.
struct Members {
    tag: Tag,
    who: Who,
}

enum Who {
    At(Vec<AddressPattern>),
    /// Parameter and what it must be.
    Such(Vec<(Arc<str>, TextPattern)>),
}

impl TagRouter {
    /// By `rule`, if there is one and it is enabled and has tags, and by what providers say of themselves.
    pub fn new(rule: Option<&TagRule>) -> TagRouter {
        let rule = rule.filter(|rule| rule.enabled && !rule.tags.is_empty());
        TagRouter {
            rule: rule.map(|rule| Dynamic {
                key: Arc::clone(&rule.place.key),
                force: rule.force,
                tags: rule.tags.iter().map(Members::of).collect(),
            }),
        }
    }

    /// The first tag of `rule` with a pattern that cannot be used, and why. Nobody would ever have it; whoever installs rules refuses such
    /// a one.
    pub fn problem(rule: &TagRule) -> Option<RuleError> {
        let of = |tag: &Tag| {
            let members = Members::of(tag);
            let Who::Such(parameters) = &members.who else {
                return None;
            };
            let reason = parameters.iter().find_map(|(_, pattern)| pattern.problem())?;
            Some(RuleError::new(tag.place.clone(), reason))
        };
        rule.tags.iter().find_map(of)
    }

    fn tagged<'l>(&self, tag: &str, forced: bool, set: Candidates<'l>, report: &mut Report) -> Candidates<'l> {
        let members = self
            .rule
            .as_ref()
            .and_then(|rule| Some((rule, rule.find(tag, forced)?)));
        let same_tag = || {
            let mut left = set.clone();
            left.retain(|endpoint| own_tag(endpoint) == Some(tag));
            left
        };
        let left = match members {
            Some((rule, members)) => {
                let mut left = set.clone();
                left.retain(|endpoint| members.have(endpoint));
                if !left.is_empty() || rule.force {
                    report.step(|| format!("tag `{tag}` (rule {})", members.tag.place), &set, &left);
                    return left;
                }
                left
            }
            None => same_tag(),
        };
        if !left.is_empty() || forced {
            report.step(|| format!("tag `{tag}`{}", self.known_by()), &set, &left);
            return left;
        }
        // Nobody has it: those who have none at all.
        let mut others = set.clone();
        others.retain(|endpoint| own_tag(endpoint).is_none() && !self.is_listed(endpoint));
        report.step(
            || format!("nobody has tag `{tag}`, those without a tag{}", self.known_by()),
            &set,
            &others,
        );
        others
    }

    fn untagged<'l>(&self, set: Candidates<'l>, report: &mut Report) -> Candidates<'l> {
        let mut left = set.clone();
        left.retain(|endpoint| own_tag(endpoint).is_none() && !self.is_listed(endpoint));
        if left.len() != set.len() {
            report.step(
                || format!("a call without a tag goes to those without one{}", self.known_by()),
                &set,
                &left,
            );
        }
        left
    }

    /// Whether the rule gives a provider any tag.
    fn is_listed(&self, endpoint: &Endpoint) -> bool {
        let mut tags = self.rule.iter().flat_map(|rule| &rule.tags);
        tags.any(|members| members.have(endpoint))
    }

    fn known_by(&self) -> String {
        match &self.rule {
            Some(rule) => format!(" (rule {}, and what providers say)", rule.key),
            None => " (by what providers say)".to_owned(),
        }
    }
}

impl Dynamic {
    /// Who has `tag`, or, unless it is forced, the next level above it that anybody is listed for.
    fn find(&self, tag: &str, forced: bool) -> Option<&Members> {
        let mut level = tag;
        loop {
            if let Some(members) = self.tags.iter().find(|members| *members.tag.name == *level) {
                return Some(members);
            }
            if forced {
                return None;
            }
            level = level.rsplit_once(LEVEL)?.0;
        }
    }
}

impl Members {
    fn of(tag: &Tag) -> Members {
        let who = match &tag.source {
            TagSource::Addresses(addresses) => {
                Who::At(addresses.iter().map(|text| AddressPattern::new(text)).collect())
            }
            TagSource::Match(parameters) => Who::Such(
                parameters
                    .iter()
                    .map(|one| (Arc::clone(&one.key), TextPattern::new(&one.value)))
                    .collect(),
            ),
        };
        Members { tag: tag.clone(), who }
    }

    fn have(&self, endpoint: &Endpoint) -> bool {
        match &self.who {
            Who::At(patterns) => patterns.iter().any(|pattern| pattern.names(endpoint.located())),
            Who::Such(parameters) => {
                let original = endpoint.original();
                parameters
                    .iter()
                    .all(|(key, value)| value.matches(original.parameter(key)))
            }
        }
    }
}

/// The tag that a provider says it has.
fn own_tag(endpoint: &Endpoint) -> Option<&str> {
    endpoint.url().parameter(TAG).filter(|tag| !tag.is_empty())
}

/// What a call says under `key`, else what its consumer says.
fn asked<'a>(call: &'a Call<'_>, key: &str) -> Option<&'a str> {
    let of_call = call.invocation.attachments.get(key).filter(|text| !text.is_empty());
    of_call
        .or_else(|| call.consumer.parameter(key))
        .filter(|text| !text.is_empty())
}

fn is_forced(call: &Call<'_>) -> bool {
    asked(call, FORCE).is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

impl Router for TagRouter {
    fn name(&self) -> &str {
        "tag"
    }

    fn aspect(&self, call: &Call<'_>, aspect: &mut Aspect) {
        let tag = asked(call, TAG);
        aspect.text(tag);
        if tag.is_some() {
            aspect.flag(is_forced(call));
        }
    }

    fn route<'l>(&self, call: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String> {
        let left = match asked(call, TAG) {
            Some(tag) => self.tagged(tag, is_forced(call), set, report),
            None => self.untagged(set, report),
        };
        Ok(Routed::Set(left))
    }
}

#[cfg(test)]
mod tests;
