//! Sessions: a ZooKeeper session is a lease of the state. Opening one is a command; taking one up again is a look
//! at the state and a change of holder.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use orana_node::{Centre, Holder, LeaseClock};
use orana_state::{Action, LeaseId};
use orana_wire::zookeeper::{ConnectRequest, ConnectResponse};
use subtle::ConstantTimeEq;

use super::face::FaceConfig;

/// A session that a connection holds.
pub(super) struct Session {
    pub(super) lease: LeaseId,
    pub(super) clock: Arc<LeaseClock>,
    pub(super) timeout_ms: u32,
}

/// What to do about a connect request.
pub(super) enum Opening {
    /// The client has seen what this server has not: it must look for another one. Close without a word.
    Ahead,
    /// A new session: propose this.
    New { grant: Action, timeout_ms: u32 },
    /// An old session.
    Resumed(Session),
    /// Unknown or expired.
    Refused,
    /// Somebody else's.
    Stranger,
}

/// Decides about a connect request.
pub(super) fn open(centre: &Centre, config: &FaceConfig, asked: &ConnectRequest<'_>) -> Opening {
    if asked.last_zxid_seen > centre.read(|state| state.zxid().0) {
        return Opening::Ahead;
    }
    let timeout_ms = negotiate(asked.timeout_ms, config.min_session, config.max_session);
    if asked.session_id == 0 {
        let mut secret = [0; 16];
        if let Err(error) = getrandom::fill(&mut secret) {
            tracing::error!(%error, "no random number for a session's password");
            return Opening::Refused;
        }
        return Opening::New {
            grant: Action::Grant {
                period_ms: timeout_ms,
                secret,
            },
            timeout_ms,
        };
    }
    let lease = LeaseId(asked.session_id);
    // The password is compared before anything is touched, so a stranger cannot even disturb the owner.
    let secret = centre.read(|state| state.lease(lease).map(|lease| lease.secret));
    let proved = match (&secret, asked.password) {
        (Some(secret), Some(password)) => bool::from(secret.as_slice().ct_eq(password)),
        _ => false,
    };
    match centre.lease(lease) {
        Some(clock) if proved => Opening::Resumed(Session {
            lease,
            clock,
            timeout_ms,
        }),
        _ if secret.is_some() && !proved => Opening::Stranger,
        _ => Opening::Refused,
    }
}

/// Makes `holder` the session's only connection.
pub(super) fn take_up(session: &Session, holder: std::sync::Weak<dyn Holder>, now: Instant) {
    session
        .clock
        .set_period(Duration::from_millis(u64::from(session.timeout_ms)));
    session.clock.touch(now);
    session.clock.attach(holder);
}

/// The frame that tells a client its session; the readOnly byte only if the client sent one.
pub(super) fn response(lease: LeaseId, secret: [u8; 16], timeout_ms: u32, read_only: Option<bool>) -> BytesMut {
    let mut frame = BytesMut::new();
    ConnectResponse {
        timeout_ms: timeout_ms as i32,
        session_id: lease.0,
        password: secret,
        read_only: read_only.map(|_| false),
    }
    .encode(&mut frame);
    frame
}

/// The frame that tells a client that its session is no more.
pub(super) fn refusal(read_only: Option<bool>) -> BytesMut {
    let mut frame = BytesMut::new();
    ConnectResponse::refused(read_only.map(|_| false)).encode(&mut frame);
    frame
}

fn negotiate(asked_ms: i32, min: Duration, max: Duration) -> u32 {
    let asked = Duration::from_millis(u64::try_from(asked_ms).unwrap_or(0));
    asked.max(min).min(max).as_millis() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_is_brought_into_the_bounds() {
        let (min, max) = (Duration::from_secs(4), Duration::from_secs(40));
        for (asked, granted) in [(-5, 4000), (1, 4000), (10_000, 10_000), (100_000_000, 40_000)] {
            assert_eq!(negotiate(asked, min, max), granted);
        }
    }
}
