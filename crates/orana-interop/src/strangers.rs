//! Connections of clients that know the protocol badly, each from a loopback address of its own if that is wanted: a
//! server that tells its log of strangers names them by address.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};
use bytes::BytesMut;
use orana_wire::zookeeper::{ConnectRequest, frame::next_frame};
use tokio::{net::TcpSocket, runtime::Runtime};

use crate::raw::SessionKey;

/// Makes connections from any loopback address.
#[derive(Debug)]
pub struct Strangers {
    runtime: Runtime,
    port: u16,
}

/// One connection.
#[derive(Debug)]
pub struct Stranger {
    stream: TcpStream,
}

impl Strangers {
    /// Strangers to the server on `port` of 127.0.0.1.
    pub fn to(port: u16) -> Result<Strangers> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        Ok(Strangers { runtime, port })
    }

    /// A connection from this address.
    pub fn from(&self, address: Ipv4Addr) -> Result<Stranger> {
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let stream = self.runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::from((address, 0)))?;
            socket.connect(to).await?.into_std()
        });
        let stream = stream.with_context(|| format!("no connection from {address}"))?;
        stream.set_nonblocking(false)?;
        Ok(Stranger { stream })
    }
}

impl Stranger {
    /// Says this; that the server has hung up already is no error.
    pub fn say(&mut self, bytes: &[u8]) -> Result<()> {
        match self.stream.write_all(bytes) {
            Err(error) if !is_hang_up(error.kind()) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Opens a session and returns what it takes to resume it.
    pub fn greet(&mut self, timeout_ms: i32) -> Result<SessionKey> {
        self.say(&greeting(timeout_ms, None))?;
        let body = self.frame(Duration::from_secs(10))?;
        let answer = orana_wire::zookeeper::ConnectResponse::decode(&body)?;
        Ok(SessionKey {
            id: answer.session_id,
            password: answer.password,
        })
    }

    /// The body of the next frame.
    pub fn frame(&mut self, patience: Duration) -> Result<Vec<u8>> {
        self.stream.set_read_timeout(Some(patience))?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).context("no frame")?;
        let mut body = vec![0; usize::try_from(i32::from_be_bytes(length))?];
        self.stream.read_exact(&mut body).context("no whole frame")?;
        Ok(body)
    }

    /// Says this and reads at the same time until the server hangs up; returns the frames that came.
    pub fn exchange(&mut self, bytes: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>> {
        let mut speaker = Stranger {
            stream: self.stream.try_clone()?,
        };
        thread::scope(|scope| {
            let said = scope.spawn(move || speaker.say(bytes));
            let frames = self.hung_up(patience)?;
            said.join().map_err(|_| anyhow!("the speaker broke"))??;
            Ok(frames)
        })
    }

    /// Waits until the server hangs up; returns the frames that came before.
    pub fn hung_up(&mut self, patience: Duration) -> Result<Vec<Vec<u8>>> {
        let deadline = Instant::now() + patience;
        let mut bytes = Vec::new();
        let mut chunk = vec![0; 256 * 1024];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("the server has not hung up within {patience:?}");
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if is_hang_up(error.kind()) => break,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut frames = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some((body, used)) = next_frame(rest, usize::MAX)? {
            frames.push(body.to_vec());
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(frames)
    }
}

fn is_hang_up(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof
    )
}

/// A connect request as it is sent.
pub fn greeting(timeout_ms: i32, session: Option<SessionKey>) -> BytesMut {
    let mut bytes = BytesMut::new();
    ConnectRequest {
        protocol_version: 0,
        last_zxid_seen: 0,
        timeout_ms,
        session_id: session.map_or(0, |key| key.id),
        password: Some(session.as_ref().map_or(&[0; 16], |key| &key.password)),
        read_only: Some(false),
    }
    .encode(&mut bytes);
    bytes
}

/// A length, and then these bytes, however many there are.
pub fn framed(length: i32, body: &[u8]) -> Vec<u8> {
    [&length.to_be_bytes(), body].concat()
}

/// A whole frame: header and record.
pub fn request(xid: i32, op: i32, record: &[u8]) -> Vec<u8> {
    let length = i32::try_from(8 + record.len()).unwrap_or(i32::MAX);
    framed(length, &[&xid.to_be_bytes(), &op.to_be_bytes(), record].concat())
}

/// Raises this process's limit of descriptors as far as it may.
pub fn allow_many_descriptors(wanted: u64) -> Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.maximum.is_some_and(|maximum| maximum < wanted) {
        bail!("{wanted} descriptors are needed, the limit is {:?}", limit.maximum);
    }
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    )?;
    Ok(())
}
