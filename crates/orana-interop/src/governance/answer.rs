//! What a consumer answers: the line of JSON that Java and Rust programs write alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// Whom the calls of a question reached, and how those ended that reached nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question's.
    pub id: u64,
    /// The addresses that answered.
    pub reached: BTreeSet<String>,
    /// How many calls ended with which code of `RpcException`; -1 is any other exception.
    pub errors: BTreeMap<i32, u32>,
    /// How many calls ended with null.
    pub nulls: u32,
    /// What the first failure said.
    #[serde(default)]
    pub failure: Option<String>,
}

/// An answer with providers by number, as far as two consumers must agree: how many calls ended in which way is chance, that
/// they did is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reached {
    /// The numbers of the providers.
    pub providers: BTreeSet<usize>,
    /// The codes.
    pub errors: BTreeSet<i32>,
    /// Whether calls ended with null.
    pub null: bool,
}

impl Answer {
    /// The same by the providers' numbers; an address that nobody has is number 0.
    pub fn reached(&self, number: impl Fn(&str) -> Option<usize>) -> Reached {
        Reached {
            providers: self
                .reached
                .iter()
                .map(|address| number(address).unwrap_or(0))
                .collect(),
            errors: self.errors.keys().copied().collect(),
            null: self.nulls > 0,
        }
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self.providers.iter().map(usize::to_string).collect();
        words.extend(self.errors.iter().map(|code| format!("error {code}")));
        words.extend(self.null.then(|| "null".to_owned()));
        f.write_str(match words.is_empty() {
            true => "nothing",
            false => return f.write_str(&words.join(" ")),
        })
    }
}
