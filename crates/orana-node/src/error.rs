//! Why a member could not do what it was asked. What the state refuses is not here: a refusal is an outcome.

use std::path::PathBuf;

/// A failure of the infrastructure.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// The disk has less free space than the reserve: writes are refused before the store can fail, reads go on.
    /// Nothing was done.
    #[error("refused: {free} bytes are free in `{dir}`, the reserve is {reserve}; free some space")]
    DiskReserve {
        /// The data directory.
        dir: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are to stay free.
        reserve: u64,
    },
    /// The member is shutting down. Nothing was done.
    #[error("the member is stopping")]
    Stopping,
    /// This member cannot order commands. Nothing was done.
    #[error("no leader: {0}")]
    NoLeader(String),
    /// The command was handed over and then contact with the log was lost: it may or may not take effect.
    #[error("outcome unknown: {0}")]
    OutcomeUnknown(String),
}

impl NodeError {
    /// True if the command may have taken effect or may still do so.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, NodeError::OutcomeUnknown(_))
    }
}

/// Why a member did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The data directory cannot be used.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    /// The snapshot in the data directory is no state.
    #[error("data directory `{dir}`: {source}; restore the directory from a backup, or move it away to start empty")]
    Snapshot {
        /// The data directory.
        dir: PathBuf,
        /// What is wrong with it.
        source: orana_state::DecodeError,
    },
    /// The system gave no thread.
    #[error("no thread for the fan-out: {0}; raise the limit of processes")]
    Threads(std::io::Error),
    /// The Raft engine did not come up.
    #[error("raft: {0}")]
    Raft(String),
}
