//! How far the log was purged: written before anything is removed, so that what is missing is known to be missing rightly.
use serde::{Deserialize, Serialize};

use super::error::{Doing, StoreError};
use super::records::{Records, Subject};

/// The purge point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Purge {
    /// The last entry that is gone.
    pub(super) through: u64,
    /// The snapshot that was current then; it or a later one must hold what is gone. 0: none was.
    pub(super) snapshot: u64,
    /// The caller's name for the point.
    pub(super) name: Vec<u8>,
}

impl Purge {
    pub(super) fn read(records: &Records) -> Result<Option<Self>, StoreError> {
        let Some(bytes) = records.get(Subject::Purged)? else {
            return Ok(None);
        };
        match postcard::from_bytes(&bytes) {
            Ok(purge) => Ok(Some(purge)),
            Err(error) => Err(StoreError::damaged(
                records.path(),
                "the purge point",
                error.to_string(),
            )),
        }
    }

    pub(super) fn write(&self, records: &Records) -> Result<(), StoreError> {
        let bytes = postcard::to_allocvec(self)
            .map_err(std::io::Error::other)
            .doing("describe a purge in", records.path())?;
        records.put(Subject::Purged, &bytes)
    }
}
