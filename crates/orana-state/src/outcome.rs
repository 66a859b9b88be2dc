//! What came of a command. A refusal is an answer like any other: it is replicated and consumes a number.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::id::{LeaseId, Zxid};
use crate::stat::Stat;

/// All that came of one entry, command by command.
#[derive(Debug, Default)]
pub struct Applied {
    /// One per command, in the order of the commands.
    pub outcomes: Vec<Outcome>,
    /// What became different, in the order in which it did.
    pub changes: Vec<Change>,
}

/// What came of one command.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The command's number; refused commands have one too.
    pub zxid: Zxid,
    /// What was done, or why nothing was.
    pub result: Result<Effect, Refusal>,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A lease was granted.
    Granted(LeaseId),
    /// A lease and all that it owned is gone.
    Revoked,
    /// A node was created; the path carries the sequence number if one was asked for.
    Created {
        /// Full path.
        path: Arc<str>,
        /// As of the creation.
        stat: Stat,
    },
    /// A node was deleted.
    Deleted,
    /// The data was set.
    DataSet(Stat),
    /// The access control list was set.
    AclSet(Stat),
    /// The version is the expected one (only inside [`Effect::Multi`]).
    Checked,
    /// Several writes at one zxid. If one of them was refused none took effect and every result is an error.
    Multi(Vec<Result<Effect, Refusal>>),
}

/// Why nothing was done. Infrastructure failures are not here: they never reach the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The node or the parent does not exist.
    #[error("no such node")]
    NoNode,
    /// The node exists already.
    #[error("node exists")]
    NodeExists,
    /// The node has children.
    #[error("node has children")]
    NotEmpty,
    /// The expected version is not the current one.
    #[error("version differs")]
    BadVersion,
    /// The access control list does not allow it.
    #[error("not permitted")]
    NoAuth,
    /// The parent is ephemeral.
    #[error("ephemeral nodes have no children")]
    NoChildrenForEphemerals,
    /// The access control list given is not a legal one.
    #[error("invalid access control list")]
    InvalidAcl,
    /// A path, flag or time-to-live is not a legal one.
    #[error("bad arguments")]
    BadArguments,
    /// The request could not be understood.
    #[error("malformed request")]
    Malformed,
    /// The issuing lease is gone.
    #[error("lease is gone")]
    LeaseGone,
    /// Inside a multi: this part was fine, a later one was not.
    #[error("rolled back")]
    RolledBack,
    /// Inside a multi: an earlier part was refused, this one was not tried.
    #[error("not attempted")]
    NotAttempted,
}
