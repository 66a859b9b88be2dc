//! A small blocking ZooKeeper client on the codec itself: it shows every frame as it came, keeps replies and events in
//! their order, and retries nothing. For tests and measurements; an application wants a client that reconnects.

use std::{
    collections::VecDeque,
    fmt,
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use orana_wire::zookeeper::{
    ConnectRequest, ConnectResponse, EventKind, OpCode, Reply, ReplyHeader, Request, WatchedEvent, WireError,
    frame::{FrameError, LENGTH_BYTES, next_frame},
    header::NOTIFICATION_XID,
    record::Reader,
};

/// How long [`RawClient::call`] and the handshake wait.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What a read from the socket asks for at once.
const CHUNK: usize = 64 * 1024;

/// Why nothing came, or nothing that can be used.
#[derive(Debug)]
pub enum RawError {
    /// The server closed the connection.
    Closed,
    /// The server said nothing for this long.
    Silent(Duration),
    /// The server answered the handshake with a session of zeros.
    Refused,
    /// The socket failed in another way.
    Socket(std::io::Error),
    /// What came is not the protocol.
    Frame(FrameError),
    /// What came is not the record that was expected.
    Record(WireError),
    /// A reply to another request than the one that was waited for.
    OutOfOrder {
        /// The number that was waited for.
        expected: i32,
        /// The number that came.
        found: i32,
    },
}

/// What it takes to resume a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// The session.
    pub id: i64,
    /// Its password.
    pub password: [u8; 16],
}

/// What a client opens a connection with.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    /// The session time-out that is asked for.
    pub timeout_ms: i32,
    /// The session to resume, or none for a new one.
    pub session: Option<SessionKey>,
    /// The newest transaction the client claims to have seen.
    pub last_zxid: i64,
    /// The readOnly byte, or no such byte.
    pub read_only: Option<bool>,
}

/// A watch event as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The header's transaction: -1 from servers before 3.9.
    pub zxid: i64,
    /// What happened.
    pub kind: EventKind,
    /// Where.
    pub path: String,
}

/// A reply as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The request's number, the server's transaction, the error.
    pub header: ReplyHeader,
    /// What follows the header.
    pub body: Bytes,
}

/// A frame as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// An answer to a request.
    Reply(Answer),
    /// Something nobody asked for.
    Event(Event),
}

/// A connection with a session.
#[derive(Debug)]
pub struct RawClient {
    stream: TcpStream,
    inbox: BytesMut,
    outbox: BytesMut,
    events: VecDeque<Event>,
    last_xid: i32,
    connected: ConnectResponse,
}

impl std::error::Error for RawError {}

impl fmt::Display for RawError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawError::Closed => write!(out, "the server closed the connection"),
            RawError::Silent(time) => write!(out, "no answer within {time:?}"),
            RawError::Refused => write!(out, "the session is refused"),
            RawError::Socket(error) => write!(out, "{error}"),
            RawError::Frame(error) => write!(out, "{error}"),
            RawError::Record(error) => write!(out, "{error}"),
            RawError::OutOfOrder { expected, found } => write!(out, "reply {found} instead of {expected}"),
        }
    }
}

impl From<std::io::Error> for RawError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => RawError::Closed,
            _ => RawError::Socket(error),
        }
    }
}

impl From<WireError> for RawError {
    fn from(error: WireError) -> Self {
        RawError::Record(error)
    }
}

impl Opening {
    /// A new session with this time-out, as current clients open it.
    pub fn new(timeout_ms: i32) -> Opening {
        Opening {
            timeout_ms,
            session: None,
            last_zxid: 0,
            read_only: Some(false),
        }
    }

    /// The session `key` again.
    pub fn resume(timeout_ms: i32, key: SessionKey) -> Opening {
        Opening {
            session: Some(key),
            ..Opening::new(timeout_ms)
        }
    }

    /// As a client that has seen this transaction.
    pub fn seen(self, last_zxid: i64) -> Opening {
        Opening { last_zxid, ..self }
    }
}

impl Answer {
    /// The body as what `op` is answered with; meaningful if the error is 0.
    pub fn reply(&self, op: OpCode) -> Result<Reply<'_>, RawError> {
        Ok(Reply::decode(op, &self.body)?)
    }

    /// Whether the request succeeded.
    pub fn is_ok(&self) -> bool {
        self.header.err == 0
    }
}

impl RawClient {
    /// Connects to 127.0.0.1 and opens a new session.
    pub fn connect(port: u16, timeout_ms: i32) -> Result<RawClient, RawError> {
        RawClient::open(port, &Opening::new(timeout_ms))
    }

    /// Connects to 127.0.0.1; a refusal of the session is an error.
    pub fn open(port: u16, opening: &Opening) -> Result<RawClient, RawError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        let mut client = RawClient {
            stream,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            events: VecDeque::new(),
            last_xid: 0,
            connected: ConnectResponse::refused(None),
        };
        let request = ConnectRequest {
            protocol_version: 0,
            last_zxid_seen: opening.last_zxid,
            timeout_ms: opening.timeout_ms,
            session_id: opening.session.map_or(0, |key| key.id),
            password: Some(opening.session.as_ref().map_or(&[0; 16], |key| &key.password)),
            read_only: opening.read_only,
        };
        request.encode(&mut client.outbox);
        client.flush()?;
        client.connected = ConnectResponse::decode(&client.frame(PATIENCE)?)?;
        if client.connected.is_refused() {
            return Err(RawError::Refused);
        }
        Ok(client)
    }

    /// What the server answered to the handshake.
    pub fn connected(&self) -> &ConnectResponse {
        &self.connected
    }

    /// What it takes to resume this session.
    pub fn session(&self) -> SessionKey {
        SessionKey {
            id: self.connected.session_id,
            password: self.connected.password,
        }
    }

    /// The socket, for whoever waits for many at once.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Puts a request under the next number into the outbox; nothing is sent yet.
    pub fn queue(&mut self, request: &Request<'_>) -> i32 {
        self.last_xid = self.last_xid.checked_add(1).unwrap_or(1);
        request.encode(self.last_xid, &mut self.outbox);
        self.last_xid
    }

    /// Puts bytes that need not be a request into the outbox.
    pub fn queue_bytes(&mut self, bytes: &[u8]) {
        self.outbox.extend_from_slice(bytes);
    }

    /// Sends the outbox.
    pub fn flush(&mut self) -> Result<(), RawError> {
        let outbox = self.outbox.split();
        self.stream.write_all(&outbox)?;
        Ok(())
    }

    /// Sends a request and returns its number.
    pub fn send(&mut self, request: &Request<'_>) -> Result<i32, RawError> {
        let xid = self.queue(request);
        self.flush()?;
        Ok(xid)
    }

    /// Sends a request and waits for its answer; events that come before it are kept for [`next_event`](Self::next_event).
    pub fn call(&mut self, request: &Request<'_>) -> Result<Answer, RawError> {
        let expected = self.send(request)?;
        loop {
            match self.receive(PATIENCE)? {
                Incoming::Event(event) => self.events.push_back(event),
                // A ping is answered under a number of its own.
                Incoming::Reply(answer) if answer.header.xid == expected || matches!(request, Request::Ping) => {
                    return Ok(answer);
                }
                Incoming::Reply(answer) => {
                    return Err(RawError::OutOfOrder {
                        expected,
                        found: answer.header.xid,
                    });
                }
            }
        }
    }

    /// The next frame, whatever it is.
    pub fn receive(&mut self, patience: Duration) -> Result<Incoming, RawError> {
        let mut body = self.frame(patience)?;
        let mut reader = Reader::new(&body);
        let header: ReplyHeader = reader.read()?;
        if header.xid == NOTIFICATION_XID {
            let event: WatchedEvent<'_> = reader.read()?;
            let path = event.path.into_owned();
            return Ok(Incoming::Event(Event {
                zxid: header.zxid,
                kind: event.kind,
                path,
            }));
        }
        let body = body.split_off(body.len() - reader.rest().len());
        Ok(Incoming::Reply(Answer { header, body }))
    }

    /// The next event, one kept by [`call`](Self::call) first.
    pub fn next_event(&mut self, patience: Duration) -> Result<Event, RawError> {
        if let Some(event) = self.events.pop_front() {
            return Ok(event);
        }
        match self.receive(patience)? {
            Incoming::Event(event) => Ok(event),
            Incoming::Reply(answer) => Err(RawError::OutOfOrder {
                expected: NOTIFICATION_XID,
                found: answer.header.xid,
            }),
        }
    }

    /// Ends the session and waits until the server has closed the connection.
    pub fn close(mut self) -> Result<(), RawError> {
        self.send(&Request::CloseSession)?;
        loop {
            match self.receive(PATIENCE) {
                Ok(_) => {}
                Err(RawError::Closed) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// The next frame's body.
    fn frame(&mut self, patience: Duration) -> Result<Bytes, RawError> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some((body, consumed)) = next_frame(&self.inbox, usize::MAX).map_err(RawError::Frame)? {
                debug_assert_eq!(consumed, body.len() + LENGTH_BYTES);
                return Ok(self.inbox.split_to(consumed).freeze().slice(LENGTH_BYTES..));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(RawError::Silent(patience));
            }
            self.stream.set_read_timeout(Some(left))?;
            let before = self.inbox.len();
            self.inbox.resize(before + CHUNK, 0);
            let read = self.stream.read(&mut self.inbox[before..]);
            self.inbox.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Err(RawError::Closed),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
