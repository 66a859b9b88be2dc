//! Comparisons that documents of 3.x spell out (`StringMatch`, `ParamMatch`).

use std::sync::Arc;

/// How a text is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextMatch {
    /// The same text.
    Exact(Arc<str>),
    /// Begins with it.
    Prefix(Arc<str>),
    /// The whole text matches this regular expression.
    Regex(Arc<str>),
    /// `*` for any text that is there, otherwise the same text.
    Wildcard(Arc<str>),
    /// Is absent or empty.
    Empty,
    /// Is there and not empty.
    NotEmpty,
}

/// A parameter and how it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterMatch {
    /// Its name.
    pub key: Arc<str>,
    /// What its value must be.
    pub value: TextMatch,
}
