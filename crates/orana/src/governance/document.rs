//! One document: the rule that is in force, and what is wrong with what stands there now. Decides only.

use orana_core::rule::RuleError;
use orana_wire::rule::{Outcome, Parsed};

/// A document and what came of it.
#[derive(Debug)]
pub(crate) struct Document<T> {
    /// The rule that is in force.
    rule: Option<T>,
    /// Why what stands there now is not, or not as it seems: for a person.
    notes: Vec<String>,
}

impl<T> Default for Document<T> {
    fn default() -> Document<T> {
        Document {
            rule: None,
            notes: Vec::new(),
        }
    }
}

impl<T> Document<T> {
    /// Takes what stands there now, as `read` understands it. Nothing there takes the rule away; what cannot be read leaves the one before. Gives
    /// what is worth a warning.
    pub(crate) fn take(
        &mut self,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<Parsed<T>, RuleError>,
    ) -> Vec<String> {
        let Some(text) = text else {
            *self = Document::default();
            return Vec::new();
        };
        let stays = if self.rule.is_some() {
            "; the rule before it stays in force"
        } else {
            ""
        };
        self.notes = match read(text) {
            Err(error) => vec![format!("{error}{stays}")],
            Ok(parsed) => {
                let mut notes: Vec<String> = parsed.remarks.iter().map(ToString::to_string).collect();
                match parsed.outcome {
                    Outcome::Rule(rule) => self.rule = Some(rule),
                    Outcome::KeepPrevious(why) => notes.push(format!("{why}{stays}")),
                    Outcome::Unsupported(what) => notes.push(what.to_string()),
                }
                notes
            }
        };
        self.notes.clone()
    }

    /// Notes that what stands there now cannot be had at all; the configuration centre has warned of it.
    pub(crate) fn cannot_be_had(&mut self, key: &str, problem: &str) {
        self.notes = vec![format!("{key}: {problem}")];
    }

    pub(crate) fn rule(&self) -> Option<&T> {
        self.rule.as_ref()
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }
}
