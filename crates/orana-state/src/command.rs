//! What can be asked of the state. These types are written to the log: variants and fields are only ever
//! added at the end, never reordered (the golden files of the log notice).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::acl::{AclEntry, Identities};
use crate::id::LeaseId;
use crate::outcome::Refusal;

/// One entry of the replicated log: many commands, one time stamp.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Position in the log.
    pub index: u64,
    /// Milliseconds since 1970, stamped by the proposer; never less than that of an earlier entry.
    pub at: i64,
    /// In the order in which they take effect.
    pub commands: Vec<Command>,
}

/// One wish, with what is needed to judge it when its turn comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The lease on whose behalf it is asked; it must still exist when the command is applied. `None`: the
    /// centre itself asks.
    pub issuer: Option<LeaseId>,
    /// Who asks, for access control. They belong to a connection, so the proposal has to carry them.
    pub identities: Identities,
    /// What is asked.
    pub action: Action,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// A new lease of so many milliseconds. The secret proves ownership later; the proposer draws it.
    Grant {
        /// Milliseconds without a sign of life after which the lease may be revoked.
        period_ms: u32,
        /// What a client shows to take the lease up again.
        secret: [u8; 16],
    },
    /// The end of a lease and of all that it owns.
    Revoke(LeaseId),
    /// One write.
    Write(Write),
    /// Several writes: all or none.
    Multi(Vec<Write>),
    /// Remove this node if it is a container that was used and is empty, or a node whose time to live is over.
    Reap(Arc<str>),
    /// A write that the front-end could not accept. It takes a number and its place in the order.
    Refuse(Refusal),
}

/// One write to the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Write {
    /// A new node.
    Create {
        /// Full path; with `sequential` a number is appended.
        path: Arc<str>,
        /// `None` (null) and empty are different.
        #[serde(with = "serde_bytes")]
        data: Option<Vec<u8>>,
        /// As asked, not yet normalised.
        acl: Vec<AclEntry>,
        /// How long the node stays.
        lifetime: Lifetime,
        /// Append the parent's ten-digit counter.
        sequential: bool,
    },
    /// The end of a node.
    Delete {
        /// Full path.
        path: Arc<str>,
        /// Expected data version, -1 for any.
        version: i32,
    },
    /// New data.
    SetData {
        /// Full path.
        path: Arc<str>,
        /// `None` (null) and empty are different.
        #[serde(with = "serde_bytes")]
        data: Option<Vec<u8>>,
        /// Expected data version, -1 for any.
        version: i32,
    },
    /// A new access control list.
    SetAcl {
        /// Full path.
        path: Arc<str>,
        /// As asked, not yet normalised.
        acl: Vec<AclEntry>,
        /// Expected version of the list, -1 for any.
        version: i32,
    },
    /// Nothing, if the version is the expected one; otherwise the multi that holds it fails.
    Check {
        /// Full path.
        path: Arc<str>,
        /// Expected data version, -1 for any.
        version: i32,
    },
    /// A part of a multi that the front-end could not accept.
    Refuse(Refusal),
}

/// How long a node stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifetime {
    /// Until it is deleted.
    Persistent,
    /// As long as the lease that created it.
    Ephemeral,
    /// Until it was used and is empty.
    Container,
    /// Until it is empty and was not set for so many milliseconds (1 to 2^40 - 1).
    Ttl(u64),
}

/// The longest time to live that ZooKeeper can express: 40 bits of milliseconds.
const MAX_TTL: u64 = (1 << 40) - 1;

impl Lifetime {
    pub(crate) fn is_possible(self) -> bool {
        !matches!(self, Lifetime::Ttl(ms) if ms == 0 || ms > MAX_TTL)
    }
}
