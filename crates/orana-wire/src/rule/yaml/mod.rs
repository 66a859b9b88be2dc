//! YAML as a small tree in which every part knows its line and column, read as SnakeYAML of Dubbo would read it.
//!
//! ```text
//!   text ─▶ printable? ─▶ events of a parser ─▶ tree (read.rs) ─▶ what plain scalars mean (scalar.rs)
//! ```
//!
//! Knows nothing of rules. Whatever a text says, the tree is bounded: by bytes, depth and the number of nodes after aliases
//! were put in, so that a bomb is refused where it grows and a cycle where it closes.

mod read;
mod scalar;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use read::parse;
pub use scalar::Scalar;

/// The longest text that is read.
pub const MAX_BYTES: usize = 1 << 20;
/// How deep lists and mappings may lie in each other.
pub const MAX_DEPTH: usize = 32;
/// The most scalars, lists and mappings, those counted that aliases repeat.
pub const MAX_NODES: usize = 100_000;
/// The most aliases; SnakeYAML allows as many for lists and mappings.
pub const MAX_ALIASES: usize = 50;
/// The most keys that are remembered as repeated.
const MAX_REPEATED: usize = 16;

/// A text that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it says.
    pub root: Node,
    /// Keys that their mapping has twice: the last one counts, as in SnakeYAML.
    pub repeated: Vec<Repeated>,
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values, each key once.
    Mapping(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where the key stands.
    pub at: Position,
    /// The key: usually text, but `on: 1` has the key *true*.
    pub key: Scalar,
    /// Its value.
    pub value: Node,
}

/// A key that its mapping has again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Where it stands again.
    pub at: Position,
    /// The key.
    pub key: Arc<str>,
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1; never beyond the last one.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// A text that is not read, where and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Where.
    pub at: Position,
    /// Why.
    pub reason: String,
}

impl Position {
    /// Where every text begins.
    pub const START: Position = Position { line: 1, column: 1 };
}

impl Node {
    /// The value of a key of a mapping; `None` if it is not there, or this is no mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Mapping(entries) = &self.value else {
            return None;
        };
        entries
            .iter()
            .find(|entry| matches!(&entry.key, Scalar::Text(text) if &**text == key))
            .map(|entry| &entry.value)
    }

    /// Whether it says nothing: `~`, `null`, or no text at all.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Scalar(Scalar::Null))
    }

    /// What it is, in words for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) => scalar.kind(),
            Value::Sequence(_) => "a list",
            Value::Mapping(_) => "a mapping",
        }
    }
}

/// `line 3, column 7: reason`
impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.at.line, self.at.column, self.reason)
    }
}

impl std::error::Error for YamlError {}
