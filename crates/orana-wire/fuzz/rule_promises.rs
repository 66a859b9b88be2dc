//! What reading a rule promises for any text: it ends, an error names a line of the text, and no limit is broken.
//!
//! The fuzz target tries to break it; `tests/corpus.rs` and `tests/rule_properties.rs` run it, too.

use orana_core::ServiceUrl;
use orana_core::rule::{ConditionRule, OverrideRule, RuleError, RulePlace, TagRule, Then};
use orana_wire::rule::{
    Outcome, Parsed, Remark, UrlRule, affinity, condition, limits, mesh, overrides, script, tag, url,
};

/// The first byte chooses the kind of the rest.
pub(crate) fn rule(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let place = Within::of(text);
    match kind % 8 {
        0 => conditions(text, &place),
        // Conditions again, without the mantle that a fuzzer would have to find.
        1 => conditions(
            &format!("conditions:\n- {text}"),
            &Within::of(&format!("conditions:\n- {text}")),
        ),
        2 => tags(text, &place),
        3 => changes(text, &place),
        4 => unsupported(script("a.script-router", text), &place),
        5 => unsupported(affinity("a.affinity-router", text), &place),
        6 => unsupported(Ok(mesh("a.MESHAPPRULE", text)), &place),
        _ => address(text),
    }
}

/// Every kind.
#[allow(dead_code, reason = "the fuzz target reads one kind at a time")]
pub(crate) fn every_kind(text: &str) {
    for kind in 0..8 {
        rule(&[&[kind], text.as_bytes()].concat());
    }
}

/// The places that a text has.
struct Within {
    lines: u32,
}

impl Within {
    fn of(text: &str) -> Within {
        Within {
            lines: u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX),
        }
    }

    fn place(&self, place: &RulePlace) {
        assert!(
            (1..=self.lines).contains(&place.line),
            "line {} of {}",
            place.line,
            self.lines
        );
        assert!(place.column >= 1);
    }

    /// Checks the error or the remarks, and gives back the rule.
    fn read<T>(&self, read: Result<Parsed<T>, RuleError>) -> Option<T> {
        let parsed = match read {
            Ok(parsed) => parsed,
            Err(error) => {
                assert!(!error.reason.is_empty());
                self.place(&error.place);
                return None;
            }
        };
        assert!(parsed.remarks.len() <= limits::REMARKS);
        parsed
            .remarks
            .iter()
            .for_each(|remark: &Remark| self.place(&remark.place));
        match parsed.outcome {
            Outcome::Rule(rule) => Some(rule),
            Outcome::KeepPrevious(remark) | Outcome::Unsupported(remark) => {
                self.place(&remark.place);
                None
            }
        }
    }
}

fn conditions(text: &str, within: &Within) {
    let Some(rule) = within.read(condition("a::.condition-router", text)) else {
        return;
    };
    assert!(rule.conditions.len() <= limits::CONDITIONS);
    rule.conditions
        .iter()
        .for_each(|condition| within.place(&condition.place));
    sides(&rule);
}

fn sides(rule: &ConditionRule) {
    for condition in &rule.conditions {
        assert!(condition.when.len() <= limits::CLAUSES);
        match &condition.then {
            Then::Nobody => {}
            // Without clauses everybody would stay.
            Then::Keep(clauses) => assert!((1..=limits::CLAUSES).contains(&clauses.len())),
            Then::Shares(shares) => assert!(!shares.is_empty() && shares.iter().all(|share| share.weight > 0)),
        }
    }
}

fn tags(text: &str, within: &Within) {
    let rule: Option<TagRule> = within.read(tag("a.tag-router", text));
    let tags = rule.map(|rule| rule.tags).unwrap_or_default();
    tags.iter().for_each(|tag| within.place(&tag.place));
    let mut names: Vec<_> = tags.iter().map(|tag| &tag.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), tags.len());
}

fn changes(text: &str, within: &Within) {
    let Some(rule) = within.read(overrides("a::.configurators", text)) else {
        return;
    };
    rule.overrides.iter().for_each(|one| within.place(&one.place));
    harmless(&rule);
}

fn harmless(rule: &OverrideRule) {
    assert!(rule.overrides.len() <= limits::OVERRIDES);
    for one in &rule.overrides {
        for (key, _) in &one.parameters {
            assert!(!key.starts_with('~') && !["rule", "router", "type", "runtime"].contains(&&**key));
        }
    }
}

fn unsupported(read: Result<Parsed<std::convert::Infallible>, RuleError>, within: &Within) {
    assert!(within.read(read).is_none());
}

fn address(text: &str) {
    let Ok(read) = ServiceUrl::parse(text) else {
        return;
    };
    match url(&read) {
        Ok(UrlRule::Condition(rule)) => sides(&rule),
        Ok(UrlRule::Override(rule)) => harmless(&rule),
        Ok(UrlRule::Cleared | UrlRule::Blank | UrlRule::Copy | UrlRule::Unsupported(_)) => {}
        Err(error) => assert!(!error.reason.is_empty()),
    }
}
