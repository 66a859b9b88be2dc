//! What travels beside the arguments of a call and beside its result: names and texts.
//!
//! Knows nothing of how they are written; values that are no text belong to a protocol and are left to it.

use std::fmt;
use std::sync::Arc;

/// Implicit parameters of a call (Dubbo's attachments): a small map from names to texts, in the order of first setting.
///
/// A call has a handful of them, so they are searched one by one. Cloning costs one allocation and no copy of a text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Attachments(Vec<(Arc<str>, Arc<str>)>);

impl Attachments {
    /// None.
    pub const fn new() -> Attachments {
        Attachments(Vec::new())
    }

    /// The text under `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| **known == *name)
            .map(|(_, text)| &**text)
    }

    /// Puts `text` under `name`, in the place of what was there.
    pub fn set(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) {
        let (name, text) = (name.into(), text.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = text,
            None => self.0.push((name, text)),
        }
    }

    /// Takes out what is under `name`.
    pub fn remove(&mut self, name: &str) -> Option<Arc<str>> {
        let index = self.0.iter().position(|(known, _)| **known == *name)?;
        Some(self.0.remove(index).1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them, names with texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (&**name, &**text))
    }
}

impl<N: Into<Arc<str>>, T: Into<Arc<str>>> FromIterator<(N, T)> for Attachments {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(pairs: I) -> Attachments {
        let mut attachments = Attachments::new();
        for (name, text) in pairs {
            attachments.set(name, text);
        }
        attachments
    }
}

/// The names with their texts, except a token's: this is what ends up in logs.
impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(name, text)| match name {
                "token" => (name, "(not shown)"),
                _ => (name, text),
            }))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_under_a_name_counts_and_stands_where_the_first_stood() {
        let mut attachments = Attachments::from_iter([("a", "1"), ("b", "2")]);
        attachments.set("a", "3");
        assert_eq!(attachments.iter().collect::<Vec<_>>(), [("a", "3"), ("b", "2")]);
        assert_eq!(attachments.remove("a").as_deref(), Some("3"));
        assert_eq!(attachments.get("a"), None);
        assert_eq!(attachments.len(), 1);
    }

    #[test]
    fn a_token_does_not_reach_the_log() {
        let attachments = Attachments::from_iter([("token", "s3cret"), ("tag", "gray")]);
        let text = format!("{attachments:?}");
        assert!(!text.contains("s3cret"), "{text}");
        assert!(text.contains("gray"), "{text}");
    }
}
