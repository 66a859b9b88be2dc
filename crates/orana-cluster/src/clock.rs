//! The wall clock, as far as it decides: how long ago a provider started.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, as a provider's `timestamp` counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpochMillis(pub u64);

impl EpochMillis {
    /// This moment.
    pub fn now() -> EpochMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EpochMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}
