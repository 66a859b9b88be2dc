//! Why a configuration is refused: each message names the key, the place and the way out.

use std::net::SocketAddr;

use super::source::Origin;

/// A configuration that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A key nobody knows; both names are written as that place writes them.
    #[error("unknown {}; the nearest known one is `{nearest}`", place(given, origin))]
    UnknownKey {
        /// The key as it was given.
        given: String,
        /// Where it was given.
        origin: Origin,
        /// The known key most like it.
        nearest: String,
    },
    /// A value that its key does not take.
    #[error("`{key}` ({origin}) does not take `{given}`; it takes {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// Where the value was given.
        origin: Origin,
        /// The value as it was given.
        given: String,
        /// What would have been taken.
        expected: String,
    },
    /// A file that is not TOML.
    #[error("`{file}` line {line}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A listener that others could reach, without the consent that needs.
    #[error(
        "`{key}` ({origin}) would listen on `{address}`, which other machines can reach, and there are no credentials \
         yet; use a loopback address, or set `allow-remote = true` to accept that"
    )]
    Remote {
        /// The key.
        key: &'static str,
        /// The address.
        address: SocketAddr,
        /// Where it was given.
        origin: Origin,
    },
    /// Both faces are off.
    #[error("`zookeeper` and `admin` are both off: there is nothing to serve")]
    NothingToServe,
    /// The session bounds cross.
    #[error("`min-session-timeout` ({min}) is above `max-session-timeout` ({max})")]
    SessionBounds {
        /// The lower bound.
        min: String,
        /// The upper bound.
        max: String,
    },
    /// A request of the greatest size could never be accepted.
    #[error(
        "`max-outstanding-bytes` ({outstanding}) is below `max-request-bytes` ({request}): the largest request could never be accepted"
    )]
    OutstandingBelowRequest {
        /// The bytes that may wait in all.
        outstanding: u64,
        /// The bytes that one request may have.
        request: u64,
    },
}

/// What was given, and where, without saying a name twice.
fn place(given: &str, origin: &Origin) -> String {
    match origin {
        Origin::Variable(_) => format!("variable `{given}`"),
        Origin::Flag(_) => format!("flag `{given}`"),
        origin => format!("key `{given}` ({origin})"),
    }
}
