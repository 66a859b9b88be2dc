//! How the connection between a back-end and its product is.

use std::sync::Arc;

/// The state of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// The first connection is being made.
    Connecting,
    /// Connected.
    ///
    /// A new epoch is a new session: all that was published and watched must be said again. The same epoch after a short
    /// cut is the same session: what was published is still there, and the back-end has read its lists again by itself.
    Up {
        /// Counts sessions; it never goes back.
        epoch: u64,
    },
    /// The connection is lost; the back-end is making a new one.
    Down {
        /// What is known about why.
        reason: Arc<str>,
    },
    /// The product answers and does not let us in; trying again at once would be senseless, and the back-end does so slowly.
    Refused {
        /// What it said.
        reason: Arc<str>,
    },
}

impl Link {
    /// The session, while there is one.
    pub fn epoch(&self) -> Option<u64> {
        match self {
            Link::Up { epoch } => Some(*epoch),
            _ => None,
        }
    }

    /// Whether requests can be answered now.
    pub fn is_up(&self) -> bool {
        self.epoch().is_some()
    }
}
