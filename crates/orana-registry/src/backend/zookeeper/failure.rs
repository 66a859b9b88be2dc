//! What an error of the client means to whoever asked: the one map from ZooKeeper's codes to ours.

use zookeeper_client::Error;

use super::settings::Settings;
use crate::error::{RegistryError, RegistryErrorKind};

impl Settings {
    /// The error of a request that tried to do `what` (`cannot …`) with the node at `path`.
    pub(crate) fn failure(&self, what: &str, path: &str, error: Error) -> RegistryError {
        let kind = kind(&error);
        let what = match (kind, self.user()) {
            (RegistryErrorKind::Refused, Some(user)) => {
                format!("{what}: {error}, the credentials of `{user}` give no right to it")
            }
            (RegistryErrorKind::Refused, None) => format!("{what}: {error}, it needs credentials and none are set"),
            _ => format!("{what}: {error}"),
        };
        RegistryError::new(kind, self.address.clone(), what)
            .at(path)
            .because(error)
    }

    /// The error of a request for which there is no connection.
    pub(crate) fn unreachable(&self, reason: &str) -> RegistryError {
        let kind = RegistryErrorKind::Unreachable;
        RegistryError::new(kind, self.address.clone(), format!("no connection: {reason}"))
    }
}

/// Whether it says that the connection or the session is gone, not that the request was wrong.
pub(crate) fn is_loss(error: &Error) -> bool {
    kind(error) == RegistryErrorKind::Unreachable
}

fn kind(error: &Error) -> RegistryErrorKind {
    match error {
        // `InvalidAcl`: "those who I am" comes to nobody, because the credentials were not accepted.
        Error::NoAuth | Error::AuthFailed | Error::InvalidAcl => RegistryErrorKind::Refused,
        Error::ConnectionLoss
        | Error::SessionExpired
        | Error::SessionMoved
        | Error::ClientClosed
        | Error::NoHosts
        // An answer that never came because the connection was being made anew.
        | Error::UnexpectedError(_)
        | Error::Custom(_) => RegistryErrorKind::Unreachable,
        Error::Timeout => RegistryErrorKind::TimedOut,
        Error::BadArguments(_) => RegistryErrorKind::Invalid,
        Error::Unimplemented => RegistryErrorKind::Unsupported,
        _ => RegistryErrorKind::Failed,
    }
}
