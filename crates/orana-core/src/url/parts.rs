//! The parts of a URL, borrowed from wherever they stand: what a text was cut into, or what a builder was told. Knows
//! neither text forms nor how URLs are kept.

use std::borrow::Cow;

/// Every part; an empty one is not there.
pub(super) struct Parts<'a> {
    pub(super) protocol: &'a str,
    pub(super) user: &'a str,
    pub(super) password: &'a str,
    pub(super) host: &'a str,
    pub(super) port: Option<u16>,
    pub(super) path: &'a str,
    /// Ascending by key, each key once, none empty.
    pub(super) parameters: Vec<(&'a str, Cow<'a, str>)>,
}

impl Parts<'_> {
    /// Whether nothing at all is there.
    pub(super) fn is_empty(&self) -> bool {
        let texts = [self.protocol, self.user, self.host, self.path];
        texts.iter().all(|text| text.is_empty()) && self.port.is_none() && self.parameters.is_empty()
    }
}
