//! What a node tells about itself besides its data.

use crate::id::Zxid;

/// The eleven facts of a node, as a ZooKeeper client sees them (zookeeper.jute `Stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Command that created the node.
    pub czxid: Zxid,
    /// Command that last set its data (its creation if none).
    pub mzxid: Zxid,
    /// Command that last created or deleted a direct child (its own creation if none).
    pub pzxid: Zxid,
    /// Milliseconds since 1970 of `czxid`.
    pub ctime: i64,
    /// Milliseconds since 1970 of `mzxid`.
    pub mtime: i64,
    /// Number of changes of the data.
    pub version: i32,
    /// Number of creations and deletions of direct children.
    pub cversion: i32,
    /// Number of changes of the access control list.
    pub aversion: i32,
    /// Owning lease of an ephemeral node, 0 for every other kind.
    pub ephemeral_owner: i64,
    /// Bytes of data; 0 both for null and for empty data.
    pub data_length: i32,
    /// Number of direct children.
    pub num_children: i32,
}
