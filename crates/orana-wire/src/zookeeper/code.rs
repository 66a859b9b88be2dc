//! The error codes of the protocol, the ones that never travel included.

/// One row per code, so that number, variant and name cannot drift apart.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal,)*) => {
        /// A result code. Clients fail on codes they do not know, so no server may invent one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum ErrorCode { $($(#[$doc])* $name = $number,)* }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The code of a number, if it is one.
            pub fn from_i32(number: i32) -> Option<Self> {
                match number { $($number => Some(ErrorCode::$name),)* _ => None }
            }

            /// The name that ZooKeeper's documentation uses.
            pub fn name(self) -> &'static str {
                match self { $(ErrorCode::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// No error.
    Ok = 0 "OK",
    /// Marks the range of system errors; never sent.
    SystemError = -1 "SYSTEMERROR",
    /// In a failed multi: this operation came after the one that failed.
    RuntimeInconsistency = -2 "RUNTIMEINCONSISTENCY",
    /// Never sent.
    DataInconsistency = -3 "DATAINCONSISTENCY",
    /// Made by clients: the connection broke, the outcome is unknown.
    ConnectionLoss = -4 "CONNECTIONLOSS",
    /// The request could not be read.
    MarshallingError = -5 "MARSHALLINGERROR",
    /// The server does not know the operation.
    Unimplemented = -6 "UNIMPLEMENTED",
    /// Made by clients: no answer in time.
    OperationTimeout = -7 "OPERATIONTIMEOUT",
    /// Path, flags or another argument is not legal.
    BadArguments = -8 "BADARGUMENTS",
    /// Made by servers for themselves; never sent.
    UnknownSession = -12 "UNKNOWNSESSION",
    /// Reconfig: the new members have no quorum that is up to date.
    NewConfigNoQuorum = -13 "NEWCONFIGNOQUORUM",
    /// Reconfig: another one is under way.
    ReconfigInProgress = -14 "RECONFIGINPROGRESS",
    /// Marks the range of API errors; never sent.
    ApiError = -100 "APIERROR",
    /// There is no such node, or no parent for it.
    NoNode = -101 "NONODE",
    /// The connection's identities do not have the permission.
    NoAuth = -102 "NOAUTH",
    /// The version is not the expected one.
    BadVersion = -103 "BADVERSION",
    /// The parent is ephemeral.
    NoChildrenForEphemerals = -108 "NOCHILDRENFOREPHEMERALS",
    /// There is such a node already.
    NodeExists = -110 "NODEEXISTS",
    /// The node has children.
    NotEmpty = -111 "NOTEMPTY",
    /// The session is over.
    SessionExpired = -112 "SESSIONEXPIRED",
    /// Made by clients.
    InvalidCallback = -113 "INVALIDCALLBACK",
    /// The ACL is empty or names a scheme or identity that cannot be.
    InvalidAcl = -114 "INVALIDACL",
    /// The scheme is unknown or its proof is not valid.
    AuthFailed = -115 "AUTHFAILED",
    /// The session is served by another member; servers close instead of sending it.
    SessionMoved = -118 "SESSIONMOVED",
    /// A write reached a read-only server.
    NotReadOnly = -119 "NOTREADONLY",
    /// A local session cannot own ephemeral nodes.
    EphemeralOnLocalSession = -120 "EPHEMERALONLOCALSESSION",
    /// There is no such watch to remove.
    NoWatcher = -121 "NOWATCHER",
    /// Made by clients.
    RequestTimeout = -122 "REQUESTTIMEOUT",
    /// Reconfig is switched off.
    ReconfigDisabled = -123 "RECONFIGDISABLED",
    /// The server wants the connection to authenticate first.
    SessionClosedRequireSaslAuth = -124 "SESSIONCLOSEDREQUIRESASLAUTH",
    /// The subtree's quota is used up.
    QuotaExceeded = -125 "QUOTAEXCEEDED",
    /// Not executed because the server is overloaded.
    ThrottledOp = -127 "THROTTLEDOP",
}

impl ErrorCode {
    /// The number on the wire.
    pub fn as_i32(self) -> i32 {
        self as i32
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back_to_its_code() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_i32(code.as_i32()), Some(*code));
        }
        for number in [1, -9, -126, -128, i32::MIN] {
            assert_eq!(ErrorCode::from_i32(number), None);
        }
    }
}
