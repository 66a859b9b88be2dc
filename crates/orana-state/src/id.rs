//! Identities that the state hands out: both come from one counter, one step per command.

use serde::{Deserialize, Serialize};

/// The number of a command: strictly increasing, the same on every member. Written as the ZooKeeper
/// protocol's zxid on the wire, hence signed 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Zxid(pub i64);

impl Zxid {
    /// Where a new data directory begins. Clients that come over from another server say which zxid they
    /// have seen and must not be ahead of us; 2^52 is above what an epoch/counter zxid reaches in practice
    /// (epoch 2^20) and leaves 2^11 times as much room above.
    pub const ORIGIN: Zxid = Zxid(1 << 52);

    pub(crate) fn next(self) -> Zxid {
        Zxid(self.0 + 1)
    }
}

/// A lease: the owner of what must vanish when somebody is gone. Its number is the zxid of its grant, so it
/// is never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LeaseId(pub i64);

impl std::fmt::Display for LeaseId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "0x{:x}", self.0)
    }
}

impl std::fmt::Display for Zxid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "0x{:x}", self.0)
    }
}
