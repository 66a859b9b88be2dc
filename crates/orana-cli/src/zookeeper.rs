//! A small blocking ZooKeeper client: one session, one question at a time, then it says good-bye. It is meant for
//! commands that end before any session could run out, so it neither pings nor reconnects.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use bytes::BytesMut;
use clap::Args;
use orana_wire::zookeeper::frame::next_frame;
use orana_wire::zookeeper::header::NOTIFICATION_XID;
use orana_wire::zookeeper::record::{Reader, WireError};
use orana_wire::zookeeper::{ConnectRequest, ConnectResponse, ErrorCode, Reply, ReplyHeader, Request};

use crate::failure::{Failure, Kind};

/// How long the server may take for one answer, and so how long the session has to live.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long one address may take to accept the connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

/// A server does not limit what it sends, so this is far above any answer, and yet below every length that begins with a
/// letter: text of another protocol is found out at once.
const LONGEST: usize = 1 << 30;

/// Which server, and how the answer shall look; the same for every command of this kind.
#[derive(Args)]
pub(crate) struct Question {
    /// The path of the node, as in /dubbo
    path: String,
    /// The server's client address
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "ORANA_ZOOKEEPER",
        default_value = "127.0.0.1:2181"
    )]
    zookeeper: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// An open session.
pub(crate) struct Session {
    address: String,
    stream: TcpStream,
    received: Vec<u8>,
    next_xid: i32,
}

impl Question {
    /// The path, checked as far as a slip of the hand goes; the server knows the rest.
    pub(crate) fn path(&self) -> Result<&str, Failure> {
        match self.path.as_str() {
            path if path.starts_with('/') => Ok(path),
            path => Err(Failure::new(
                Kind::Usage,
                format_args!("a path begins with `/`, `{path}` does not"),
            )),
        }
    }

    /// Opens a session, asks, closes it. `read` picks the answer out of the reply.
    pub(crate) fn ask<T>(
        &self,
        request: &Request<'_>,
        read: impl FnOnce(Reply<'_>) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut session = Session::open(&self.zookeeper)?;
        let answer = session.ask(request, &self.path, read)?;
        session.close();
        Ok(answer)
    }
}

impl Session {
    /// Connects to the first address of `address` that answers, and opens a session.
    fn open(address: &str) -> Result<Session, Failure> {
        let unreachable = |error: io::Error| {
            Failure::new(
                Kind::Unreachable,
                format_args!("cannot connect to `{address}`: {error}"),
            )
        };
        let candidates = address.to_socket_addrs().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => {
                Failure::new(Kind::Usage, format_args!("`{address}` is no `HOST:PORT`: {error}"))
            }
            _ => unreachable(error),
        })?;
        let mut last = io::Error::other("the name has no address");
        for candidate in candidates {
            match TcpStream::connect_timeout(&candidate, CONNECT_PATIENCE) {
                Ok(stream) => return Session::greet(address, stream),
                Err(error) => last = error,
            }
        }
        Err(unreachable(last))
    }

    fn greet(address: &str, stream: TcpStream) -> Result<Session, Failure> {
        let mut session = Session {
            address: address.to_owned(),
            stream,
            received: Vec::new(),
            next_xid: 1,
        };
        let setup = session.stream.set_read_timeout(Some(PATIENCE));
        let setup = setup.and_then(|()| session.stream.set_write_timeout(Some(PATIENCE)));
        setup
            .and_then(|()| session.stream.set_nodelay(true))
            .map_err(|error| session.broke(&error))?;
        let mut hello = BytesMut::new();
        let timeout_ms = i32::try_from(PATIENCE.as_millis()).unwrap_or(i32::MAX);
        ConnectRequest {
            protocol_version: 0,
            last_zxid_seen: 0,
            timeout_ms,
            session_id: 0,
            password: Some(&[0; 16]),
            read_only: Some(false),
        }
        .encode(&mut hello);
        session.send(&hello)?;
        let frame = session.receive()?;
        match ConnectResponse::decode(&frame) {
            Ok(response) if !response.is_refused() => Ok(session),
            Ok(_) => Err(Failure::new(
                Kind::Unreachable,
                format_args!("`{address}` refuses the session"),
            )),
            Err(error) => Err(session.nonsense(&error)),
        }
    }

    fn ask<T>(
        &mut self,
        request: &Request<'_>,
        path: &str,
        read: impl FnOnce(Reply<'_>) -> Option<T>,
    ) -> Result<T, Failure> {
        let xid = self.next_xid;
        self.next_xid += 1;
        let mut frame = BytesMut::new();
        request.encode(xid, &mut frame);
        self.send(&frame)?;
        loop {
            let frame = self.receive()?;
            let mut reader = Reader::new(&frame);
            let header: ReplyHeader = reader.read().map_err(|error| self.nonsense(&error))?;
            // An event that nobody asked for would be the server's mistake, but no reason to give up.
            if header.xid == NOTIFICATION_XID {
                continue;
            }
            if header.xid != xid {
                return Err(self.nonsense(&WireError::Value(header.xid)));
            }
            if header.err != 0 {
                return Err(refused(header.err, path));
            }
            let reply = Reply::decode(request.op(), reader.rest()).map_err(|error| self.nonsense(&error))?;
            return read(reply).ok_or_else(|| Failure::new(Kind::Failed, "the server answered another question"));
        }
    }

    /// Ends the session, so that it does not linger until its time-out; if that fails, it lingers.
    fn close(mut self) {
        let _ = self.ask(&Request::CloseSession, "", |_| Some(()));
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(bytes).map_err(|error| self.broke(&error))
    }

    /// The next frame's body.
    fn receive(&mut self) -> Result<Vec<u8>, Failure> {
        let mut chunk = vec![0; 64 << 10];
        loop {
            match next_frame(&self.received, LONGEST) {
                Ok(Some((body, consumed))) => {
                    let body = body.to_vec();
                    self.received.drain(..consumed);
                    return Ok(body);
                }
                Ok(None) => {}
                Err(error) => {
                    let message = format_args!("`{}` does not speak ZooKeeper's protocol: {error}", self.address);
                    return Err(Failure::new(Kind::Failed, message));
                }
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => {
                    let message = format_args!("`{}` closed the connection without an answer", self.address);
                    return Err(Failure::new(Kind::Unreachable, message));
                }
                Ok(count) => self.received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broke(&error)),
            }
        }
    }

    fn broke(&self, error: &io::Error) -> Failure {
        let what = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("`{}` does not answer within {} s", self.address, PATIENCE.as_secs())
            }
            _ => format!("the connection to `{}` broke: {error}", self.address),
        };
        Failure::new(Kind::Unreachable, what)
    }

    fn nonsense(&self, error: &WireError) -> Failure {
        let message = format_args!("`{}` answered what no ZooKeeper does: {error}", self.address);
        Failure::new(Kind::Failed, message)
    }
}

/// The failure that an error code of the server means.
fn refused(number: i32, path: &str) -> Failure {
    match ErrorCode::from_i32(number) {
        Some(ErrorCode::NoNode) => Failure::new(Kind::NotFound, format_args!("there is no node `{path}`")),
        Some(ErrorCode::NoAuth) => Failure::new(Kind::Forbidden, format_args!("`{path}` may not be read by everybody")),
        Some(ErrorCode::BadArguments) => Failure::new(Kind::Usage, format_args!("`{path}` is no legal path")),
        Some(code) => Failure::new(Kind::Failed, format_args!("the server refuses: {code}")),
        None => Failure::new(
            Kind::Failed,
            format_args!("the server refuses with the unknown code {number}"),
        ),
    }
}
