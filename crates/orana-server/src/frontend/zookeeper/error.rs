//! The one map from our refusals and failures to ZooKeeper's codes.

use orana_node::NodeError;
use orana_state::Refusal;
use orana_wire::zookeeper::ErrorCode;

/// The code of a refusal.
pub(super) fn code(refusal: Refusal) -> ErrorCode {
    match refusal {
        Refusal::NoNode => ErrorCode::NoNode,
        Refusal::NodeExists => ErrorCode::NodeExists,
        Refusal::NotEmpty => ErrorCode::NotEmpty,
        Refusal::BadVersion => ErrorCode::BadVersion,
        Refusal::NoAuth => ErrorCode::NoAuth,
        Refusal::NoChildrenForEphemerals => ErrorCode::NoChildrenForEphemerals,
        Refusal::InvalidAcl => ErrorCode::InvalidAcl,
        Refusal::BadArguments => ErrorCode::BadArguments,
        Refusal::Malformed => ErrorCode::MarshallingError,
        Refusal::LeaseGone => ErrorCode::SessionExpired,
        // What a real server gives to the parts of a multi before and after the one that failed.
        Refusal::RolledBack => ErrorCode::Ok,
        Refusal::NotAttempted => ErrorCode::RuntimeInconsistency,
    }
}

/// The code of a failure, or `None` if only closing the connection says the truth: the client then knows that it
/// does not know.
pub(super) fn failure(error: &NodeError) -> Option<ErrorCode> {
    match error {
        // Every client version knows this code, and those that retry do so. Nothing was done.
        NodeError::DiskReserve { .. } => Some(ErrorCode::OperationTimeout),
        _ => None,
    }
}
