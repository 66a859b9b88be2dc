//! The Raft engine (openraft) and what it is given: a log, a state machine, a network.

pub(crate) mod batch;
pub(crate) mod log;
pub(crate) mod network;
pub(crate) mod pieces;
pub(crate) mod state_machine;

pub(crate) use batch::{Batch, Origin};

/// A snapshot lies in the store; what travels through openraft is the knowledge that it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnapshotFile;

openraft::declare_raft_types!(
    /// What openraft is told about us.
    pub(crate) TypeConfig:
        D = Batch,
        R = (),
        NodeId = u64,
        Node = openraft::BasicNode,
        Entry = openraft::Entry<TypeConfig>,
        SnapshotData = SnapshotFile,
);

pub(crate) type Raft = openraft::Raft<TypeConfig>;
pub(crate) type LogId = openraft::LogId<u64>;
pub(crate) type StorageError = openraft::StorageError<u64>;
pub(crate) type Membership = openraft::StoredMembership<u64, openraft::BasicNode>;
