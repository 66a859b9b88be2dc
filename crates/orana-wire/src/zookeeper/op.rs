//! The operations and their numbers.

/// One row per operation, so that number, variant and name cannot drift apart.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal,)*) => {
        /// An operation that the protocol knows, those that only servers use among themselves included.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum OpCode { $($(#[$doc])* $name = $number,)* }

        impl OpCode {
            /// Every operation.
            pub const ALL: &'static [OpCode] = &[$(OpCode::$name,)*];

            /// The name that ZooKeeper's documentation uses.
            pub fn name(self) -> &'static str {
                match self { $(OpCode::$name => $text,)* }
            }
        }

        impl TryFrom<i32> for OpCode {
            type Error = UnknownOp;

            #[inline]
            fn try_from(number: i32) -> Result<Self, UnknownOp> {
                match number { $($number => Ok(OpCode::$name),)* _ => Err(UnknownOp(number)) }
            }
        }
    };
}

operations! {
    /// Create a node; the answer is its path.
    Create = 1 "create",
    /// Delete a node.
    Delete = 2 "delete",
    /// Is there a node.
    Exists = 3 "exists",
    /// Data and stat.
    GetData = 4 "getData",
    /// Write data.
    SetData = 5 "setData",
    /// ACL and stat.
    GetAcl = 6 "getACL",
    /// Set the ACL.
    SetAcl = 7 "setACL",
    /// Names of the children.
    GetChildren = 8 "getChildren",
    /// Wait for everything committed before.
    Sync = 9 "sync",
    /// Keep the session alive.
    Ping = 11 "ping",
    /// Names of the children and the stat.
    GetChildren2 = 12 "getChildren2",
    /// Compare a version; only inside a multi.
    Check = 13 "check",
    /// Several writes, all or none.
    Multi = 14 "multi",
    /// Create; the answer is path and stat.
    Create2 = 15 "create2",
    /// Change the members of the ensemble.
    Reconfig = 16 "reconfig",
    /// Is there a watch of this connection.
    CheckWatches = 17 "checkWatches",
    /// Take watches of this connection away.
    RemoveWatches = 18 "removeWatches",
    /// Create a node that goes when its last child has gone.
    CreateContainer = 19 "createContainer",
    /// How a server removes an empty container or an old TTL node; no client's business.
    DeleteContainer = 20 "deleteContainer",
    /// Create a node that goes when it has not been written for a time.
    CreateTtl = 21 "createTTL",
    /// Several reads.
    MultiRead = 22 "multiRead",
    /// Add an identity to the connection.
    Auth = 100 "auth",
    /// Set watches again after a reconnect.
    SetWatches = 101 "setWatches",
    /// A step of a SASL exchange.
    Sasl = 102 "sasl",
    /// Paths of this session's ephemeral nodes.
    GetEphemerals = 103 "getEphemerals",
    /// Number of all descendants.
    GetAllChildrenNumber = 104 "getAllChildrenNumber",
    /// As setWatches, with persistent ones.
    SetWatches2 = 105 "setWatches2",
    /// Set a persistent watch.
    AddWatch = 106 "addWatch",
    /// Identities of the connection.
    WhoAmI = 107 "whoAmI",
    /// How a server replicates a new session; no client's business.
    CreateSession = -10 "createSession",
    /// End the session and all that it owns.
    CloseSession = -11 "closeSession",
}

impl OpCode {
    /// The number on the wire.
    pub fn as_i32(self) -> i32 {
        self as i32
    }
}

impl std::fmt::Display for OpCode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// A number that is no operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation {0}")]
pub struct UnknownOp(pub i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back_to_its_operation() {
        for op in OpCode::ALL {
            assert_eq!(OpCode::try_from(op.as_i32()), Ok(*op));
        }
        for number in [0, 10, 99, 108, -1, -9, i32::MIN, i32::MAX] {
            assert_eq!(OpCode::try_from(number), Err(UnknownOp(number)));
        }
    }
}
