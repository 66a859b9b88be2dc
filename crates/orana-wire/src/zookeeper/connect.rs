//! The handshake: the first frame in each direction, which alone has no header.

use bytes::BytesMut;

use super::frame::{begin_frame, end_frame};
use super::record::{Buffer, Reader, Record, WireError, put_buffer};

/// Bytes of a session password; clients rely on exactly these many.
pub const PASSWORD_BYTES: usize = 16;

/// What a client opens with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectRequest<'a> {
    /// 0; servers do not look at it.
    pub protocol_version: i32,
    /// The highest transaction the client has seen; a server that has not got so far must not serve it.
    pub last_zxid_seen: i64,
    /// The session time-out it asks for.
    pub timeout_ms: i32,
    /// 0 for a new session, else the one to resume.
    pub session_id: i64,
    /// The resumed session's password; ignored for a new one, then also null or empty.
    pub password: Buffer<'a>,
    /// Whether a read-only server would do. `None`: the byte is absent, and so it must be in the answer.
    pub read_only: Option<bool>,
}

impl<'a> ConnectRequest<'a> {
    /// Reads a frame's body; anything behind the record is ignored.
    pub fn decode(body: &'a [u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        Ok(ConnectRequest {
            protocol_version: reader.read()?,
            last_zxid_seen: reader.read()?,
            timeout_ms: reader.read()?,
            session_id: reader.read()?,
            password: reader.read()?,
            read_only: reader.read().ok(),
        })
    }

    /// Appends the whole frame.
    pub fn encode(&self, out: &mut BytesMut) {
        let frame = begin_frame(out);
        self.protocol_version.write(out);
        self.last_zxid_seen.write(out);
        self.timeout_ms.write(out);
        self.session_id.write(out);
        self.password.write(out);
        if let Some(read_only) = self.read_only {
            read_only.write(out);
        }
        end_frame(out, frame);
    }
}

/// What the server answers, if it answers at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectResponse {
    /// The time-out granted, 0 if the session is refused.
    pub timeout_ms: i32,
    /// The session, 0 if refused.
    pub session_id: i64,
    /// Needed to resume the session.
    pub password: [u8; PASSWORD_BYTES],
    /// Present exactly if the request had it.
    pub read_only: Option<bool>,
}

impl ConnectResponse {
    /// The answer to a session that is unknown, expired or not the client's: everything zero. `read_only` is `None`
    /// when the request had no such byte.
    pub fn refused(read_only: Option<bool>) -> Self {
        ConnectResponse {
            timeout_ms: 0,
            session_id: 0,
            password: [0; PASSWORD_BYTES],
            read_only,
        }
    }

    /// Whether the session was refused; clients look at different fields, so both are zero.
    pub fn is_refused(&self) -> bool {
        self.timeout_ms <= 0 || self.session_id == 0
    }

    /// Reads a frame's body. A version other than 0 or a password of another length is an error.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let version = reader.read::<i32>()?;
        if version != 0 {
            return Err(WireError::Value(version));
        }
        let (timeout_ms, session_id) = (reader.read()?, reader.read()?);
        let password = reader.read::<Buffer<'_>>()?.ok_or(WireError::Null)?;
        let length = i32::try_from(password.len()).unwrap_or(i32::MAX);
        let password = password.try_into().map_err(|_| WireError::Length(length))?;
        Ok(ConnectResponse {
            timeout_ms,
            session_id,
            password,
            read_only: reader.read().ok(),
        })
    }

    /// Appends the whole frame.
    pub fn encode(&self, out: &mut BytesMut) {
        let frame = begin_frame(out);
        0i32.write(out);
        self.timeout_ms.write(out);
        self.session_id.write(out);
        put_buffer(out, Some(&self.password));
        if let Some(read_only) = self.read_only {
            read_only.write(out);
        }
        end_frame(out, frame);
    }
}
