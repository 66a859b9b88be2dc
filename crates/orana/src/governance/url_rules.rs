//! Rules that a registry lists as URLs (2.6). Decides only.

use std::collections::HashSet;

use orana_core::ServiceUrl;
use orana_core::rule::{ConditionRule, OverrideRule};
use orana_wire::rule::{self, UrlRule};

/// What the URLs of one list say.
#[derive(Debug, Default)]
pub(crate) struct UrlRules {
    pub(crate) conditions: Vec<ConditionRule>,
    pub(crate) overrides: Vec<OverrideRule>,
    /// What was passed over, and why: for a person.
    pub(crate) notes: Vec<String>,
}

impl UrlRules {
    /// Reads a list. What cannot be read is noted, and the others hold.
    pub(crate) fn read(urls: &[ServiceUrl]) -> UrlRules {
        let mut rules = UrlRules::default();
        for url in urls {
            match rule::url(url) {
                Ok(UrlRule::Condition(condition)) => rules.conditions.push(condition),
                Ok(UrlRule::Override(one)) => rules.overrides.push(one),
                Ok(UrlRule::Cleared) => {
                    rules.conditions.clear();
                    rules.overrides.clear();
                }
                Ok(UrlRule::Blank | UrlRule::Copy) => {}
                Ok(UrlRule::Unsupported(what)) => rules.notes.push(what.to_string()),
                Err(error) => rules.notes.push(error.to_string()),
            }
        }
        rules
    }

    /// The notes that those before did not have: what is worth a warning.
    pub(crate) fn news(&self, before: &[String]) -> Vec<String> {
        let before: HashSet<&String> = before.iter().collect();
        self.notes
            .iter()
            .filter(|note| !before.contains(note))
            .cloned()
            .collect()
    }
}
