//! The value that a call has, and where it came from: the merged URL says which, and who put it there is looked for from above.

use orana_core::ServiceUrl;

use crate::configurator::Effect;

/// Where a value may come from.
pub(super) struct Sources<'a> {
    /// The URL that calls are made by.
    pub(super) url: &'a ServiceUrl,
    /// What rules did to it.
    pub(super) effects: &'a [Effect],
    /// The consumer's own words.
    pub(super) said: &'a dyn Fn(&str) -> Option<String>,
    /// The provider's own URL, if one is called.
    pub(super) provider: Option<&'a ServiceUrl>,
}

impl Sources<'_> {
    /// The value of `key` for `method` and its origin; `None` if nobody says any. An empty value is none.
    pub(super) fn find(&self, method: &str, key: &str) -> Option<(&str, String)> {
        let names = [format!("{method}.{key}"), key.to_owned(), format!("default.{key}")];
        names.iter().find_map(|name| {
            let (_, value) = self.url.parameters().find(|(known, _)| known == name)?;
            (!value.is_empty()).then(|| (value, self.origin(name)))
        })
    }

    fn origin(&self, name: &str) -> String {
        let sets = |effect: &&Effect| effect.changes.iter().any(|change| *change.key == *name);
        if let Some(rule) = self.effects.iter().rev().find(sets) {
            return named(rule);
        }
        if let Some(place) = (self.said)(name) {
            return place;
        }
        match self.provider {
            Some(provider) if provider.parameters().any(|(known, _)| known == name) => {
                format!("provider {}", provider.address())
            }
            _ => "consumer".to_owned(),
        }
    }
}

/// The most letters of a rule that are repeated.
const LONGEST: usize = 300;

/// An override by its text and place.
pub(super) fn named(rule: &Effect) -> String {
    let text = one_line(&rule.text);
    let place = one_line(&rule.place.to_string());
    match place == text {
        true => format!("override (rule {place})"),
        false => format!("override `{text}` (rule {place})"),
    }
}

/// `text` in one line that is not too long.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
