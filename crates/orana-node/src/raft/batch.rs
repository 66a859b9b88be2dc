//! What one log entry carries: all that waited when it was made, with the time it was made at.

use std::sync::Arc;

use orana_state::Command;
use serde::{Deserialize, Serialize};

/// Many commands, one time stamp, one flush.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// Who made it; the maker finds those who wait for its outcomes.
    pub(crate) origin: Origin,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    /// In the order in which they were submitted. Shared: the log, its cache and the state machine all hold it.
    pub(crate) commands: Arc<Vec<Command>>,
}

/// The maker of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The member.
    pub(crate) member: u64,
    /// Drawn anew at each start of the member, so that a batch from before is not taken for one of now.
    pub(crate) incarnation: u64,
    /// Counted by the member.
    pub(crate) number: u64,
}

impl std::fmt::Display for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} commands, batch {} of member {}",
            self.commands.len(),
            self.origin.number,
            self.origin.member
        )
    }
}
