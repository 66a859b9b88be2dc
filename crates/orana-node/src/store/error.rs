//! What can go wrong with the data directory, told so that an operator knows the file, what was expected, what was
//! found and what to do. It knows nothing of Raft.
use std::io;
use std::path::{Path, PathBuf};

/// What an operator can do about a damaged data directory.
const REMEDY: &str = "restore the data directory from a backup, or move it away to start empty (a member of a cluster then \
     fetches everything from the others)";

/// A failure of the store. Once one has been returned by a write, the process has to end: what reached the disk is
/// unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("cannot {action} `{path}`: {source}", path = path.display())]
    Io {
        /// What was being done, as in "cannot … FILE".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process owns the directory.
    #[error("data directory `{directory}` is in use by process {owner}; stop it or choose another directory", directory = directory.display())]
    Locked {
        /// The data directory.
        directory: PathBuf,
        /// The process that holds the lock, as it wrote itself into the lock file.
        owner: String,
    },
    /// Something that had been written is not there, or not as it was written.
    #[error("`{path}` is damaged: expected {expected}, found {found}; {REMEDY}", path = path.display())]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The directory was written by a later version of this program.
    #[error("`{path}` has format {found}, this program knows up to {known}; use the version that wrote it or a later one", path = path.display())]
    UnknownFormat {
        /// The identity file.
        path: PathBuf,
        /// The format it names.
        found: u32,
        /// The newest format this program reads.
        known: u32,
    },
    /// A write of the underlying database failed in the background; what it was stands in the log.
    #[error("the database in `{path}` cannot be written any more since a write of it failed ({free}, see the log above)", path = path.display())]
    Poisoned {
        /// The database's directory.
        path: PathBuf,
        /// How much space is left there.
        free: String,
    },
    /// The underlying database failed while running.
    #[error("the database in `{path}` failed: {source}", path = path.display())]
    Database {
        /// The database's directory.
        path: PathBuf,
        /// What it said.
        source: fjall::Error,
    },
    /// A caller broke the order of the log. A mistake in this program, not on the disk.
    #[error("log entry {found} cannot follow: the next one is {expected}")]
    OutOfOrder {
        /// The only index that may come next.
        expected: u64,
        /// The index that came.
        found: u64,
    },
}

impl StoreError {
    /// Whether starting again with the same directory cannot help.
    pub fn needs_operator(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::UnknownFormat { .. } | Self::Locked { .. }
        )
    }

    pub(super) fn damaged(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            expected: expected.into(),
            found: found.into(),
        }
    }
}

/// Names the file and the step for a plain I/O result.
pub(super) trait Doing<T> {
    fn doing(self, action: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, action: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io {
            action,
            path: path.to_owned(),
            source,
        })
    }
}

impl<T> Doing<T> for Result<T, rustix::io::Errno> {
    fn doing(self, action: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(io::Error::from).doing(action, path)
    }
}

impl<T> Doing<T> for fjall::Result<T> {
    fn doing(self, action: &'static str, path: &Path) -> Result<T, StoreError> {
        use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
        self.map_err(|source| match source {
            fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) => match source.kind() {
                // What fjall wrote is not there or ends early.
                InvalidData | InvalidInput | NotFound | UnexpectedEof => StoreError::damaged(
                    path,
                    "the files of the database",
                    format!("{source} (trying to {action})"),
                ),
                _ => StoreError::Io {
                    action,
                    path: path.to_owned(),
                    source,
                },
            },
            fjall::Error::Poisoned => StoreError::Poisoned {
                path: path.to_owned(),
                free: match rustix::fs::statvfs(path) {
                    Ok(found) => format!("{} bytes are free", found.f_bavail.saturating_mul(found.f_frsize)),
                    Err(error) => error.to_string(),
                },
            },
            source @ (fjall::Error::KeyspaceDeleted | fjall::Error::Locked) => StoreError::Database {
                path: path.to_owned(),
                source,
            },
            source => StoreError::damaged(
                path,
                "the files of the database",
                format!("{source} (trying to {action})"),
            ),
        })
    }
}
