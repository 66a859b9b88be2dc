//! The way to other members. A cluster of one has none; the type is what openraft asks for, and the place
//! where the peer protocol will be added.

use openraft::error::{RPCError, RaftError, ReplicationClosed, StreamingError, Unreachable};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, SnapshotResponse, VoteRequest, VoteResponse};
use openraft::{BasicNode, Snapshot, Vote};

use super::TypeConfig;

/// Knows no other member.
#[derive(Clone)]
pub(crate) struct Alone;

/// A member that cannot be reached, because there is no peer protocol yet.
pub(crate) struct Nobody {
    member: u64,
}

impl RaftNetworkFactory<TypeConfig> for Alone {
    type Network = Nobody;

    async fn new_client(&mut self, target: u64, _node: &BasicNode) -> Nobody {
        Nobody { member: target }
    }
}

impl Nobody {
    fn unreachable(&self) -> Unreachable {
        let what = format!("member {} is not part of this cluster of one", self.member);
        Unreachable::new(&std::io::Error::new(std::io::ErrorKind::NotConnected, what))
    }
}

impl RaftNetwork<TypeConfig> for Nobody {
    async fn append_entries(
        &mut self,
        _rpc: AppendEntriesRequest<TypeConfig>,
        _option: RPCOption,
    ) -> Result<AppendEntriesResponse<u64>, RPCError<u64, BasicNode, RaftError<u64>>> {
        Err(RPCError::Unreachable(self.unreachable()))
    }

    async fn vote(
        &mut self,
        _rpc: VoteRequest<u64>,
        _option: RPCOption,
    ) -> Result<VoteResponse<u64>, RPCError<u64, BasicNode, RaftError<u64>>> {
        Err(RPCError::Unreachable(self.unreachable()))
    }

    async fn full_snapshot(
        &mut self,
        _vote: Vote<u64>,
        _snapshot: Snapshot<TypeConfig>,
        _cancel: impl Future<Output = ReplicationClosed> + openraft::OptionalSend + 'static,
        _option: RPCOption,
    ) -> Result<SnapshotResponse<u64>, StreamingError<TypeConfig, openraft::error::Fatal<u64>>> {
        Err(StreamingError::Unreachable(self.unreachable()))
    }
}
