//! What a question is expected to come to, as rule files write it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};

use super::answer::Reached;
use super::fleet::PROVIDERS;

/// `all`, `1 3 5-7`, `one` (a single provider, whichever), `error 6`, `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Exactly this.
    Exactly(Reached),
    /// A single provider; both languages must mean the same.
    One,
}

impl Outcome {
    /// Reads the words behind the arrow of a question.
    pub fn parse(text: &str) -> Result<Outcome> {
        let mut expected = Reached::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "one" => {
                    ensure!(text.trim() == "one", "`one` stands alone, not as in `{text}`");
                    return Ok(Outcome::One);
                }
                "all" => expected.providers.extend(1..=PROVIDERS),
                "null" => expected.null = true,
                "error" => {
                    let code = words.next().context("`error` needs a code")?;
                    expected
                        .errors
                        .insert(code.parse().with_context(|| format!("code `{code}`"))?);
                }
                numbers => expected.providers.extend(range(numbers)?),
            }
        }
        ensure!(expected != Reached::default(), "nothing is expected");
        Ok(Outcome::Exactly(expected))
    }

    /// Whether that was it.
    pub fn is(&self, reached: &Reached) -> bool {
        match self {
            Outcome::Exactly(expected) => expected == reached,
            Outcome::One => reached.providers.len() == 1 && reached.errors.is_empty() && !reached.null,
        }
    }

    /// The providers of the outcome, where it names them.
    pub fn providers(&self) -> BTreeSet<usize> {
        match self {
            Outcome::Exactly(expected) => expected.providers.clone(),
            Outcome::One => BTreeSet::new(),
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Exactly(expected) => expected.fmt(f),
            Outcome::One => f.write_str("one"),
        }
    }
}

fn range(word: &str) -> Result<RangeInclusive<usize>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let number = |text: &str| {
        text.parse::<usize>()
            .with_context(|| format!("`{word}` is no provider"))
    };
    let range = number(first)?..=number(last)?;
    ensure!(
        *range.start() >= 1 && *range.end() <= PROVIDERS && !range.is_empty(),
        "`{word}`: providers have the numbers 1 to {PROVIDERS}"
    );
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_numbers_errors_or_null() {
        let reached = |providers: &[usize], errors: &[i32], null| Reached {
            providers: providers.iter().copied().collect(),
            errors: errors.iter().copied().collect(),
            null,
        };
        let exactly = |text: &str| match Outcome::parse(text).unwrap() {
            Outcome::Exactly(expected) => expected,
            Outcome::One => panic!("one"),
        };
        assert_eq!(exactly("1 3-5"), reached(&[1, 3, 4, 5], &[], false));
        assert_eq!(exactly("error 6"), reached(&[], &[6], false));
        assert_eq!(exactly("2 error 2 null"), reached(&[2], &[2], true));
        assert_eq!(exactly("all").providers.len(), PROVIDERS);
        for wrong in ["", "0", "13", "5-3", "error", "some", "one 2"] {
            assert!(Outcome::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Outcome::One.is(&reached(&[7], &[], false)));
        assert!(!Outcome::One.is(&reached(&[7, 8], &[], false)));
    }
}
