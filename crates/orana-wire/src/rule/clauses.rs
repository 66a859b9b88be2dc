//! The grammar of condition strings: `host = 10.20.* & method != find* => region = $region`.
//!
//! Dubbo reads them with one regular expression, `([&!=,]*)\s*([^&!=,\s]+)`, again and again, and passes over what that does not match. This
//! reads the same tokens and gives them the same meaning, oddities included, and says where a token cannot stand
//! (`ConditionStateRouter.parseRule`). Knows no documents.

mod token;
mod value;

use std::collections::HashMap;

use orana_core::rule::{Clause, Subject, Then};

use self::token::{Token, Tokens};
use super::document::shortened;
use super::limits;

/// What differs between the places where conditions are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Documents up to v3.0, with `consumer.` and `provider.` taken out of the text.
    Text,
    /// Both sides of a condition of v3.1.
    Match,
    /// `route://` URLs: taken out likewise; no ranges and no attachments, as in 2.6 and 2.7.
    Url,
}

/// Which side of the arrow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    When,
    Then,
}

/// Where a text breaks the grammar, and how.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClauseError {
    /// The character, from 0, of the text as it was written.
    pub(super) offset: usize,
    pub(super) reason: String,
}

/// Reads a whole condition.
pub(super) fn condition(text: &str, dialect: Dialect) -> Result<(Vec<Clause>, Then), ClauseError> {
    let text = Source::new(text);
    if text.text.len() > limits::CONDITION_BYTES {
        let reason = format!(
            "the condition has {} bytes, more than {}",
            text.text.len(),
            limits::CONDITION_BYTES
        );
        return Err(ClauseError { offset: 0, reason });
    }
    if trimmed(&text.text).0.is_empty() {
        let reason = "the condition is empty; `=> false` blocks everybody".into();
        return Err(ClauseError { offset: 0, reason });
    }
    let text = text.without("consumer.").without("provider.");
    let (when, then) = match text.text.split_once("=>") {
        Some((when, then)) => (when, (then, when.chars().count() + 2)),
        None => ("", (text.text.as_str(), 0)),
    };
    let part = |part: &str, before: usize, side| {
        let (part, blanks) = trimmed(part);
        clauses(part, side, dialect).map_err(|error| ClauseError {
            offset: text.written(before + blanks + error.offset),
            reason: error.reason,
        })
    };
    let when = match trimmed(when).0 {
        blank if is_blank(blank) || blank == "true" => Vec::new(),
        _ => part(when, 0, Side::When)?,
    };
    let then = match trimmed(then.0).0 {
        blank if is_blank(blank) || blank == "false" => Then::Nobody,
        _ => Then::Keep(or_never(part(then.0, then.1, Side::Then)?)),
    };
    Ok((when, then))
}

/// Reads one side.
pub(super) fn clauses(text: &str, side: Side, dialect: Dialect) -> Result<Vec<Clause>, ClauseError> {
    let mut reading = Reading {
        side,
        dialect,
        pairs: Vec::new(),
        known: HashMap::new(),
        key: None,
        values: None,
    };
    for token in Tokens::of(text) {
        reading.take(&token).map_err(|reason| ClauseError {
            offset: token.offset,
            reason,
        })?;
    }
    Ok(reading
        .pairs
        .into_iter()
        .filter(|pair| pair.live)
        .map(|pair| pair.clause)
        .collect())
}

/// Whether Java calls a text blank.
pub(super) fn is_blank(text: &str) -> bool {
    let unbreakable = |c| matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}');
    text.chars()
        .all(|c| (c.is_whitespace() && !unbreakable(c)) || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// A *then* in which Dubbo finds no key at all keeps nobody; without clauses it would keep everybody.
fn or_never(clauses: Vec<Clause>) -> Vec<Clause> {
    if !clauses.is_empty() {
        return clauses;
    }
    vec![Clause {
        subject: Subject::Parameter("".into()),
        matches: Vec::new(),
        mismatches: Vec::new(),
    }]
}

// --- The text before it is read ---

/// A text from which words were taken out, and how its characters lead back to the text as it was written.
struct Source {
    text: String,
    /// One entry for each time a word was taken out: the length of the word, and before which character of the rest each of them stood.
    cuts: Vec<(usize, Vec<usize>)>,
}

impl Source {
    fn new(text: &str) -> Source {
        Source {
            text: text.to_owned(),
            cuts: Vec::new(),
        }
    }

    fn without(mut self, word: &str) -> Source {
        let mut rest = String::with_capacity(self.text.len());
        let mut places = Vec::new();
        let mut characters = 0;
        let mut pieces = self.text.split(word).peekable();
        while let Some(piece) = pieces.next() {
            rest.push_str(piece);
            characters += piece.chars().count();
            if pieces.peek().is_some() {
                places.push(characters);
            }
        }
        self.text = rest;
        self.cuts.push((word.chars().count(), places));
        self
    }

    /// Where a character of the text stood as it was written.
    fn written(&self, offset: usize) -> usize {
        self.cuts.iter().rev().fold(offset, |offset, (length, places)| {
            offset + length * places.iter().take_while(|place| **place <= offset).count()
        })
    }
}

/// Java's `trim`, and how many characters it took from the front.
fn trimmed(text: &str) -> (&str, usize) {
    let rest = text.trim_start_matches(|c| c <= ' ');
    let blanks = text.chars().take_while(|c| *c <= ' ').count();
    (rest.trim_end_matches(|c| c <= ' '), blanks)
}

// --- What tokens mean ---

struct Pair {
    clause: Clause,
    /// Whether a later occurrence of its key has not taken its place.
    live: bool,
}

struct Reading<'t> {
    side: Side,
    dialect: Dialect,
    pairs: Vec<Pair>,
    known: HashMap<&'t str, usize>,
    /// The pair that `=` and `!=` add to.
    key: Option<usize>,
    /// The pair, and whether its mismatches, that `,` adds to. A new key does not change it.
    values: Option<(usize, bool)>,
}

impl<'t> Reading<'t> {
    fn take(&mut self, token: &Token<'t>) -> Result<(), String> {
        match token.separator {
            "" => self.begin(token.word),
            "&" => match self.known.get(token.word) {
                Some(pair) => {
                    self.key = Some(*pair);
                    Ok(())
                }
                None => self.begin(token.word),
            },
            "=" | "!=" => {
                let Some(pair) = self.key else {
                    return Err(format!("`{}` has no key before it", token.separator));
                };
                self.values = Some((pair, token.separator == "!="));
                self.add(token.word)
            }
            "," if self.values.is_some() => self.add(token.word),
            "," => Err("`,` has no value before it".into()),
            other => Err(format!(
                "`{}` before `{}` is no separator; there are `=`, `!=`, `,` and `&`",
                shortened(other),
                shortened(token.word)
            )),
        }
    }

    /// A key; one that is there already begins anew.
    fn begin(&mut self, word: &'t str) -> Result<(), String> {
        // Keys that were replaced count, too: they took time.
        if self.pairs.len() == limits::CLAUSES {
            return Err(format!("this is one key more than {}", limits::CLAUSES));
        }
        let pair = self.pairs.len();
        if let Some(earlier) = self.known.insert(word, pair)
            && let Some(earlier) = self.pairs.get_mut(earlier)
        {
            earlier.live = false;
        }
        self.pairs.push(Pair {
            clause: Clause {
                subject: value::subject(word, self.side, self.dialect),
                matches: Vec::new(),
                mismatches: Vec::new(),
            },
            live: true,
        });
        self.key = Some(pair);
        Ok(())
    }

    fn add(&mut self, word: &str) -> Result<(), String> {
        let Some((pair, mismatch)) = self.values else {
            return Ok(());
        };
        let Some(pair) = self.pairs.get_mut(pair) else {
            return Ok(());
        };
        let values = match mismatch {
            true => &mut pair.clause.mismatches,
            false => &mut pair.clause.matches,
        };
        if values.len() == limits::VALUES {
            return Err(format!("this is one value more than {}", limits::VALUES));
        }
        values.push(value::pattern(word, self.side, self.dialect));
        Ok(())
    }
}
