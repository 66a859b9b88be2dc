//! The sixteen bytes in front of every body.

use std::fmt;

use bytes::{BufMut, BytesMut};

/// How every frame begins.
pub const MAGIC: [u8; 2] = [0xda, 0xbb];

/// Bytes of a header.
pub const HEADER_BYTES: usize = 16;

const REQUEST: u8 = 0x80;
const TWO_WAY: u8 = 0x40;
const EVENT: u8 = 0x20;
const SERIALIZATION: u8 = 0x1f;

/// How a body is encoded: five bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Serialization(u8);

/// What became of a request. Any byte can arrive, so those without a name are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u8);

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Somebody asks; either side of a connection may.
    Request {
        /// Whether an answer is wanted. If not, none may be sent, not even an error.
        two_way: bool,
    },
    /// The answer to the request of the same id, which the other side sent.
    Response {
        /// What became of it.
        status: Status,
    },
}

/// A frame without its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Who speaks.
    pub direction: Direction,
    /// Not a call: a heartbeat or an announcement.
    pub event: bool,
    /// How the body is encoded.
    pub serialization: Serialization,
    /// Chosen by whoever asks, any 64 bits. Both sides may use the same ids at the same time.
    pub id: i64,
    /// Bytes of the body.
    pub length: u32,
}

// ---------------------------------------------------------------------------------------------------------------------

impl Serialization {
    /// Hessian 2, which every Dubbo speaks.
    pub const HESSIAN2: Serialization = Serialization(2);
    /// The binary JSON of fastjson2: in Java 3.2 the default of messages that answer no call.
    pub const FASTJSON2: Serialization = Serialization(23);

    /// The number on the wire.
    pub fn id(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Serialization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Serialization::HESSIAN2 => f.write_str("hessian2"),
            Serialization::FASTJSON2 => f.write_str("fastjson2"),
            Serialization(id) => write!(f, "serialization {id}"),
        }
    }
}

impl Status {
    /// Answered; an exception of the service's own is an answer, too.
    pub const OK: Status = Status(20);
    /// The result is too large to send.
    pub const SERIALIZATION_ERROR: Status = Status(25);
    /// Made by the caller: no answer, and the request had not left.
    pub const CLIENT_TIMEOUT: Status = Status(30);
    /// Made by the caller: no answer.
    pub const SERVER_TIMEOUT: Status = Status(31);
    /// Made by the caller: the connection is lost.
    pub const CHANNEL_INACTIVE: Status = Status(35);
    /// The request cannot be understood, or there is no such service or method.
    pub const BAD_REQUEST: Status = Status(40);
    /// The result cannot be encoded.
    pub const BAD_RESPONSE: Status = Status(50);
    /// Has a number, and no Java sends it.
    pub const SERVICE_NOT_FOUND: Status = Status(60);
    /// The call failed outside the service: not exported, a filter refused it.
    pub const SERVICE_ERROR: Status = Status(70);
    /// The server failed while it handled the request.
    pub const SERVER_ERROR: Status = Status(80);
    /// Made by the caller: the answer cannot be understood or is too large.
    pub const CLIENT_ERROR: Status = Status(90);
    /// No thread is free.
    pub const SERVER_THREADPOOL_EXHAUSTED: Status = Status(100);

    /// Whether the body is a result and not a text.
    pub fn is_ok(self) -> bool {
        self == Status::OK
    }

    /// The name that Dubbo has for it.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Status::OK => "OK",
            Status::SERIALIZATION_ERROR => "SERIALIZATION_ERROR",
            Status::CLIENT_TIMEOUT => "CLIENT_TIMEOUT",
            Status::SERVER_TIMEOUT => "SERVER_TIMEOUT",
            Status::CHANNEL_INACTIVE => "CHANNEL_INACTIVE",
            Status::BAD_REQUEST => "BAD_REQUEST",
            Status::BAD_RESPONSE => "BAD_RESPONSE",
            Status::SERVICE_NOT_FOUND => "SERVICE_NOT_FOUND",
            Status::SERVICE_ERROR => "SERVICE_ERROR",
            Status::SERVER_ERROR => "SERVER_ERROR",
            Status::CLIENT_ERROR => "CLIENT_ERROR",
            Status::SERVER_THREADPOOL_EXHAUSTED => "SERVER_THREADPOOL_EXHAUSTED",
            _ => return None,
        })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "status {}", self.0),
        }
    }
}

impl Header {
    /// The header of a request in Hessian 2 whose length is not known yet.
    pub fn request(id: i64, two_way: bool) -> Self {
        Header {
            direction: Direction::Request { two_way },
            event: false,
            serialization: Serialization::HESSIAN2,
            id,
            length: 0,
        }
    }

    /// The header of an answer in Hessian 2 whose length is not known yet.
    pub fn response(id: i64, status: Status) -> Self {
        Header {
            direction: Direction::Response { status },
            event: false,
            serialization: Serialization::HESSIAN2,
            id,
            length: 0,
        }
    }

    /// Whether this is a request that must be answered.
    pub fn wants_answer(&self) -> bool {
        self.direction == Direction::Request { two_way: true }
    }

    /// Whether Hessian 2 reads the body.
    pub fn is_hessian2(&self) -> bool {
        self.serialization == Serialization::HESSIAN2
    }

    /// Reads a header whose magic has been checked; `Err` is a negative length, which Java's signed integer permits.
    pub(super) fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Header, i32> {
        let [_, _, flags, status, rest @ ..] = *bytes;
        let [i7, i6, i5, i4, i3, i2, i1, i0, l3, l2, l1, l0] = rest;
        let length = i32::from_be_bytes([l3, l2, l1, l0]);
        let direction = if flags & REQUEST != 0 {
            Direction::Request {
                two_way: flags & TWO_WAY != 0,
            }
        } else {
            Direction::Response { status: Status(status) }
        };
        Ok(Header {
            direction,
            event: flags & EVENT != 0,
            serialization: Serialization(flags & SERIALIZATION),
            id: i64::from_be_bytes([i7, i6, i5, i4, i3, i2, i1, i0]),
            length: u32::try_from(length).map_err(|_| length)?,
        })
    }

    /// Appends the header.
    pub fn write(&self, out: &mut BytesMut) {
        let (mut flags, status) = match self.direction {
            Direction::Request { two_way } => (REQUEST | if two_way { TWO_WAY } else { 0 }, 0),
            Direction::Response { status } => (0, status.0),
        };
        flags |= if self.event { EVENT } else { 0 };
        out.put_slice(&MAGIC);
        out.put_u8(flags | self.serialization.0);
        out.put_u8(status);
        out.put_i64(self.id);
        out.put_u32(self.length);
    }
}
