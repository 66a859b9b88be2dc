//! One connection of the loader: requests go out together, frames come in as they are. It does not wait for anything;
//! see [`crate::crowd`].

use std::{collections::VecDeque, net::TcpStream, time::Instant};

use anyhow::{Context, Result, bail, ensure};
use bytes::{Buf, BytesMut};
use orana_interop::raw::RawClient;
use orana_wire::zookeeper::{ReplyHeader, Request, frame::next_frame, header::NOTIFICATION_XID, record::Reader};
use rustix::{buffer::spare_capacity, io::Errno};

/// A session's time-out: the longest that servers grant by default, since the loader sends no pings.
pub(crate) const SESSION_MS: i32 = 40_000;

/// How much is read at once.
pub(crate) const CHUNK: usize = 256 << 10;

/// A connection with a session.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    pub(crate) requests: Requests,
    /// The beginning of a frame whose end has not come.
    partial: Vec<u8>,
    /// All that came, in bytes.
    pub(crate) received: u64,
}

/// What is to be sent, and what was sent and is not answered yet.
#[derive(Default)]
pub(crate) struct Requests {
    outbox: BytesMut,
    last_xid: i32,
    unanswered: VecDeque<(i32, Instant)>,
}

/// A frame from the server.
pub(crate) enum Incoming<'a> {
    /// The answer to the oldest request; its error was 0.
    Reply { asked: Instant, body: &'a [u8] },
    /// A watch event.
    Event { body: &'a [u8] },
}

impl Connection {
    /// Opens a session on 127.0.0.1.
    pub(crate) fn open(port: u16) -> Result<Connection> {
        let client = RawClient::connect(port, SESSION_MS).context("cannot open a session")?;
        let stream = client.stream().try_clone()?;
        stream.set_nonblocking(true)?;
        Ok(Connection {
            stream,
            requests: Requests::default(),
            partial: Vec::new(),
            received: 0,
        })
    }

    /// Reads once what is there and hands on each whole frame. All connections read into the same `scratch`, which so
    /// stays in the processor's cache.
    pub(crate) fn read(
        &mut self,
        scratch: &mut Vec<u8>,
        mut take: impl FnMut(&mut Requests, Incoming<'_>) -> Result<()>,
    ) -> Result<()> {
        scratch.clear();
        scratch.append(&mut self.partial);
        scratch.reserve(CHUNK);
        match rustix::io::read(&self.stream, spare_capacity(scratch)) {
            Ok(0) => bail!("the server closed a connection"),
            Ok(count) => self.received += count as u64,
            // Nothing new; what is there is kept below.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut rest = &scratch[..];
        while let Some((frame, consumed)) = next_frame(rest, usize::MAX)? {
            let incoming = self.requests.incoming(frame)?;
            take(&mut self.requests, incoming)?;
            rest = &rest[consumed..];
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// Sends what the socket takes; false if something is left.
    pub(crate) fn write(&mut self) -> Result<bool> {
        while self.requests.outbox.has_remaining() {
            match rustix::io::write(&self.stream, &self.requests.outbox) {
                Ok(count) => self.requests.outbox.advance(count),
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Asks for the end of the session.
    pub(crate) fn say_goodbye(&mut self) -> Result<()> {
        self.stream.set_nonblocking(false)?;
        self.requests.queue(&Request::CloseSession, Instant::now());
        ensure!(self.write()?, "a blocking socket took only a part");
        Ok(())
    }

    /// Waits until the server has closed the connection.
    pub(crate) fn wait_for_end(self, scratch: &mut Vec<u8>) -> Result<()> {
        loop {
            scratch.clear();
            match rustix::io::read(&self.stream, spare_capacity(scratch)) {
                Ok(0) | Err(Errno::CONNRESET) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Requests {
    /// Puts a request under the next number into the outbox; it is sent at the end of the turn.
    pub(crate) fn queue(&mut self, request: &Request<'_>, now: Instant) {
        self.last_xid += 1;
        request.encode(self.last_xid, &mut self.outbox);
        self.unanswered.push_back((self.last_xid, now));
    }

    /// Whether something waits to be sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.outbox.is_empty()
    }

    fn incoming<'a>(&mut self, frame: &'a [u8]) -> Result<Incoming<'a>> {
        let mut reader = Reader::new(frame);
        let header: ReplyHeader = reader.read()?;
        let body = reader.rest();
        if header.xid == NOTIFICATION_XID {
            return Ok(Incoming::Event { body });
        }
        let (xid, asked) = self.unanswered.pop_front().context("an answer to nothing")?;
        ensure!(header.xid == xid, "answer {} instead of {xid}", header.xid);
        ensure!(header.err == 0, "request {xid} was answered with error {}", header.err);
        Ok(Incoming::Reply { asked, body })
    }
}
