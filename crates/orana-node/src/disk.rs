//! The reserve of free space. Engine and store treat a failed write as the end of the process, so writes are
//! refused before the disk is full, and go on by themselves once there is space again. The space is measured now and
//! then by who calls [`DiskReserve::measured`], and here when what was taken since could have used it up.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::NodeError;

pub(crate) struct DiskReserve {
    dir: PathBuf,
    reserve: u64,
    free: AtomicU64,
    /// Bytes of writes that were taken since then.
    taken: AtomicU64,
    short: AtomicBool,
}

impl DiskReserve {
    pub(crate) fn new(dir: PathBuf, reserve: u64) -> DiskReserve {
        DiskReserve {
            dir,
            reserve,
            free: AtomicU64::new(u64::MAX),
            taken: AtomicU64::new(0),
            short: AtomicBool::new(false),
        }
    }

    /// Takes note of what is free now, and says so when the answer to writes changes.
    pub(crate) fn measured(&self, free: u64) {
        self.free.store(free, Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
        let short = free < self.reserve;
        if short != self.short.swap(short, Ordering::Relaxed) {
            let (dir, reserve) = (self.dir.display(), self.reserve);
            if short {
                tracing::error!(%dir, free, reserve, "disk reserve reached: writes are refused until space is free");
            } else {
                tracing::info!(%dir, free, reserve, "space is free again: writes go on");
            }
        }
    }

    /// Whether a write of this size may be taken. What makes the state smaller may use three quarters of the reserve, so
    /// that the dead still leave the tree.
    pub(crate) fn admit(&self, may_shrink: bool, bytes: usize) -> Result<(), NodeError> {
        let taken = self.taken.load(Ordering::Relaxed);
        let limit = if may_shrink { self.reserve / 4 } else { self.reserve };
        // Each goes to a journal first and to a table later.
        let mut free = self.free.load(Ordering::Relaxed).saturating_sub(2 * taken);
        if free < limit && !self.is_short() {
            // So far that is a guess: nobody is refused because of one.
            if let Ok(found) = rustix::fs::statvfs(&self.dir) {
                free = found.f_bavail.saturating_mul(found.f_frsize);
                self.measured(free);
            }
        }
        if free >= limit {
            self.taken.fetch_add(bytes as u64, Ordering::Relaxed);
            return Ok(());
        }
        Err(NodeError::DiskReserve {
            dir: self.dir.clone(),
            free,
            reserve: self.reserve,
        })
    }

    pub(crate) fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_stop_at_the_reserve_and_go_on_when_there_is_space() {
        let disk = DiskReserve::new("d".into(), 1000);
        assert!(disk.admit(false, 0).is_ok());
        disk.measured(999);
        assert!(matches!(
            disk.admit(false, 0),
            Err(NodeError::DiskReserve { free: 999, .. })
        ));
        assert!(disk.admit(true, 0).is_ok() && disk.is_short());
        disk.measured(249);
        assert!(disk.admit(true, 0).is_err());
        disk.measured(1000);
        assert!(disk.admit(false, 0).is_ok() && !disk.is_short());
    }

    #[test]
    fn what_was_taken_since_the_last_measurement_counts() {
        let disk = DiskReserve::new("d".into(), 1000);
        disk.measured(1500);
        assert!(disk.admit(false, 250).is_ok());
        assert!(disk.admit(false, 1).is_ok());
        assert!(disk.admit(false, 1).is_err());
        disk.measured(1400);
        assert!(disk.admit(false, 1).is_ok());
    }
}
