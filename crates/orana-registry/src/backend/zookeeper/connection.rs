//! What happens to the connection while a session lasts, how a session ends, and how much of it can be watched. Shared by
//! all that is served in a session; knows neither lists nor values.

use zookeeper_client::SessionState;

/// How many bytes of watched paths the client can name when it is connected again; it is 128 KiB in the client.
const NAMED: usize = 120 * 1024;

/// What happens to the connection while the session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// It is there, or there again; the session is the same.
    Mended,
    /// It is being made anew.
    Cut,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The server, or our clock, ended it.
    Expired,
    /// It lives, but this client will not get it back.
    Abandoned,
    /// The server does not accept who we are.
    Refused,
    /// Nobody needs it any more.
    Closed,
}

/// What a state of the client's session means.
///
/// # Errors
/// The session has ended.
pub(crate) fn judge(state: SessionState) -> Result<Connection, End> {
    match state {
        SessionState::SyncConnected | SessionState::ConnectedReadOnly => Ok(Connection::Mended),
        SessionState::Disconnected => Ok(Connection::Cut),
        SessionState::AuthFailed => Err(End::Refused),
        SessionState::Expired => Err(End::Expired),
        SessionState::Closed => Err(End::Closed),
    }
}

/// Whether the client cannot name so many bytes of watched paths to the server in one request: it then uses two of one
/// number, takes the second answer for one too many, and hangs up, again and again until the session has expired. A new
/// session is there at once, and takes over what this one registered without a gap.
pub(crate) fn is_too_large(named: usize) -> bool {
    named > NAMED
}
