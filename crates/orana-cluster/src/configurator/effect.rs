//! What single overrides did to a URL, for explanations.

use std::sync::Arc;

use orana_core::rule::RulePlace;

use super::Applying;
use super::compiled::Compiled;
use super::judgement::words;
use super::laid::Laid;

/// What one override did to a URL, or why it did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Where the rule stands.
    pub place: RulePlace,
    /// The rule.
    pub text: Arc<str>,
    /// The first reason for which it is not meant for the URL; `None`: it is.
    pub why_not: Option<String>,
    /// What it changed; nothing, if all its values were there already.
    pub changes: Vec<Change>,
    /// Keys that it would set and no rule may, because they let code run or files be written.
    pub refused: Vec<Arc<str>>,
}

/// A value that became another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// Its key.
    pub key: Box<str>,
    /// What it was; `None`: not there.
    pub before: Option<Box<str>>,
    /// What it is.
    pub after: Box<str>,
}

impl Effect {
    /// Whether the override is meant for the URL.
    pub fn applied(&self) -> bool {
        self.why_not.is_none()
    }

    pub(super) fn of(rule: &Compiled, laid: &mut Laid<'_>, place: &Applying<'_>) -> Effect {
        let mut changes = Vec::new();
        let why_not = match rule.judge(laid, place) {
            Ok(()) => {
                laid.lay_telling(rule, |change| changes.push(change));
                None
            }
            Err(why) => Some(words(why, rule, laid, place)),
        };
        Effect {
            place: rule.place.clone(),
            text: Arc::clone(&rule.text),
            why_not,
            changes,
            refused: rule.refused.clone(),
        }
    }
}

impl Change {
    pub(super) fn new(key: &str, before: Option<&str>, after: &str) -> Change {
        Change {
            key: key.into(),
            before: before.map(Box::from),
            after: after.into(),
        }
    }
}
