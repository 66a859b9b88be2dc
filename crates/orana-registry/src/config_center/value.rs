//! What a subscriber knows of a key, and what each word of the centre makes of it. Functions of their arguments: knows no
//! centre and no clock.

use std::sync::Arc;

use tokio::time::Instant;

use super::Content;
use crate::error::RegistryError;
use crate::notification::Freshness;

/// What is known of the text under a key.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigValue {
    /// The whole text; `None` when there is none, or while nothing is known: [`ConfigValue::freshness`] tells which.
    pub text: Content,
    /// Who says so. It outlives the centre: while that cannot be reached the text stays and is stale.
    pub freshness: Freshness,
    /// Why what the centre has now is not used, so that `text` is the one before it.
    pub problem: Option<Arc<str>>,
}

impl ConfigValue {
    /// Nothing is known.
    pub(super) fn not_ready() -> ConfigValue {
        ConfigValue {
            text: None,
            freshness: Freshness::NotReady,
            problem: None,
        }
    }

    /// Takes a word of the centre. `true` when there is something to tell; that it is fresh again is not. A text of more
    /// than `limit` bytes, and one that cannot be read, is a problem, and the one before it stays.
    pub(super) fn take(&mut self, word: Result<Content, RegistryError>, limit: usize) -> bool {
        let first = self.freshness == Freshness::NotReady;
        self.freshness = Freshness::Fresh;
        let (text, problem) = match word {
            Ok(Some(text)) if text.len() > limit => {
                let what = format!(
                    "it has {} bytes and may have {limit}; the text before it stays",
                    text.len()
                );
                (self.text.clone(), Some(what.into()))
            }
            Ok(text) => (text.filter(|text| !text.is_empty()), None),
            Err(error) => (self.text.clone(), Some(error.to_string().into())),
        };
        let changed = self.text != text || self.problem != problem;
        self.text = text;
        self.problem = problem;
        first || changed
    }

    /// The centre cannot be asked since `since`.
    pub(super) fn doubt(&mut self, since: Instant) {
        if self.freshness == Freshness::Fresh {
            self.freshness = Freshness::Stale { since };
        }
    }

    /// It can be asked again, and watches this key as before.
    pub(super) fn trust(&mut self) {
        if self.freshness != Freshness::NotReady {
            self.freshness = Freshness::Fresh;
        }
    }

    /// Whether the centre, or its absence of such a text, was ever heard.
    pub fn is_known(&self) -> bool {
        self.freshness != Freshness::NotReady
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RegistryErrorKind;

    fn content(text: &str) -> Result<Content, RegistryError> {
        Ok(Some(text.into()))
    }

    #[test]
    fn absent_is_not_unknown_and_an_empty_text_is_absent() {
        let mut value = ConfigValue::not_ready();
        assert!(!value.is_known());
        assert!(value.take(Ok(None), 10));
        assert!(value.is_known() && value.text.is_none());
        assert!(!value.take(content(""), 10));
        assert!(value.take(content("a"), 10));
        assert!(!value.take(content("a"), 10));
        assert!(value.take(Ok(None), 10));
    }

    #[test]
    fn a_text_that_is_too_long_or_unreadable_is_a_problem_and_the_one_before_it_stays() {
        let mut value = ConfigValue::not_ready();
        value.take(content("good"), 10);
        assert!(value.take(content("far too long"), 10));
        assert_eq!(value.text.as_deref(), Some("good"));
        assert!(value.problem.as_deref().unwrap().contains("12 bytes and may have 10"));
        let unreadable = RegistryError::new(RegistryErrorKind::Failed, "h:1", "no utf-8");
        assert!(value.take(Err(unreadable.clone()), 10));
        assert!(!value.take(Err(unreadable), 10));
        assert_eq!(value.text.as_deref(), Some("good"));
        // The same text again is news: the problem is over.
        assert!(value.take(content("good"), 10));
        assert_eq!(value.problem, None);
    }

    #[test]
    fn a_first_text_that_cannot_be_used_is_known_and_none() {
        let mut value = ConfigValue::not_ready();
        assert!(value.take(content("far too long"), 10));
        assert!(value.is_known() && value.text.is_none() && value.problem.is_some());
    }

    #[test]
    fn what_is_known_turns_stale_from_the_first_loss_and_what_is_not_stays_so() {
        let (first, second) = (Instant::now(), Instant::now() + std::time::Duration::from_secs(1));
        let mut value = ConfigValue::not_ready();
        value.doubt(first);
        value.trust();
        assert!(!value.is_known());
        value.take(content("a"), 10);
        value.doubt(first);
        value.doubt(second);
        assert_eq!(value.freshness, Freshness::Stale { since: first });
        assert_eq!(value.text.as_deref(), Some("a"));
        assert!(!value.take(content("a"), 10));
        assert_eq!(value.freshness, Freshness::Fresh);
    }
}
