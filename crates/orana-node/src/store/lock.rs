//! One process per data directory.
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use rustix::fs::FlockOperation;

use super::error::{Doing, StoreError};

/// Holds the data directory until dropped; the system lets go of it when the process dies, however it dies.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    /// The lock belongs to this open file.
    _file: File,
}

impl DirectoryLock {
    pub(super) fn acquire(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .doing("open the lock file", &path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut owner = String::new();
                file.read_to_string(&mut owner).doing("read the lock file", &path)?;
                return Err(StoreError::Locked {
                    directory: directory.to_owned(),
                    owner: owner.trim().to_owned(),
                });
            }
            other => other.doing("lock", &path)?,
        }
        file.set_len(0).doing("write the lock file", &path)?;
        writeln!(file, "{}", std::process::id()).doing("write the lock file", &path)?;
        Ok(Self { _file: file })
    }
}
