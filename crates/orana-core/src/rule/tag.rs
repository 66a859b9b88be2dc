//! Tag rules: which providers carry a tag (`TagRouterRule`).

use std::sync::Arc;

use super::{ParameterMatch, RulePlace};

/// A document of tags.
#[derive(Clone, Debug, PartialEq)]
pub struct TagRule {
    /// Where it stands.
    pub place: RulePlace,
    /// Whether it counts at all; if not, only the tags that providers carry themselves count.
    pub enabled: bool,
    /// Whether a call with a tag of this rule finds nobody rather than somebody without the tag.
    pub force: bool,
    /// The tags, each name once.
    pub tags: Vec<Tag>,
}

/// One tag and who has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// Where it stands.
    pub place: RulePlace,
    /// Its name.
    pub name: Arc<str>,
    /// Who has it.
    pub source: TagSource,
}

/// Who has a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum TagSource {
    /// Providers at one of these: `ip:port`, `ip`, a CIDR, `*` and `10-20` in a segment, an optional port; as written.
    Addresses(Vec<Arc<str>>),
    /// Providers whose parameters satisfy all of these (v3.0).
    Match(Vec<ParameterMatch>),
}
