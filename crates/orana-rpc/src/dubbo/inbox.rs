//! What arrives over one connection: bytes into frames.
//!
//! Says when a peer dawdles: a frame that has begun must make progress. Knows nothing of what the frames say.

use std::io;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use orana_wire::dubbo::header::HEADER_BYTES;
use orana_wire::dubbo::{FrameError, Frames, Header, Step};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;
use tokio::time::Instant;

/// What is read at once, at first and at most.
const ROOM: usize = 8 << 10;
const ROOM_MAX: usize = 128 << 10;

/// How long a frame may take that comes slower than [`SLOWEST`].
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes a second.
const SLOWEST: f64 = 1024.0;

/// One direction of a connection.
#[derive(Debug)]
pub(super) struct Inbox {
    socket: OwnedReadHalf,
    buffer: BytesMut,
    frames: Frames,
    /// How much is read at once.
    room: usize,
    /// What the frame at the front still lacks, as far as known.
    lacking: usize,
    /// Since when the frame at the front is incomplete, and how much has come since then.
    incomplete: Option<(Instant, usize)>,
}

/// What the peer says next.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A whole frame.
    Frame(Header, Bytes),
    /// A frame whose body is over the limit, and is skipped.
    Oversized(Header),
}

impl Inbox {
    /// Bodies may have `limit` bytes.
    pub(super) fn new(socket: OwnedReadHalf, limit: usize) -> Inbox {
        Inbox {
            socket,
            buffer: BytesMut::new(),
            frames: Frames::new(limit),
            room: ROOM,
            lacking: 0,
            incomplete: None,
        }
    }

    /// Reads what there is; zero bytes are the end.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // A length is only a promise: room for it is made as it is kept.
        let room = self.room.max(self.lacking.min(self.buffer.len().max(ROOM)));
        if self.buffer.capacity() - self.buffer.len() < room.min(ROOM) {
            self.buffer.reserve(room);
        }
        let space = self.buffer.capacity() - self.buffer.len();
        let read = pin!(self.socket.read_buf(&mut self.buffer)).poll(cx);
        if let Poll::Ready(Ok(read)) = read {
            self.room = match read {
                read if read == space => (self.room * 2).min(ROOM_MAX),
                read if read < self.room / 4 => (self.room / 2).max(ROOM),
                _ => self.room,
            };
            if let Some((_, come)) = &mut self.incomplete {
                *come += read;
            }
        }
        read
    }

    /// The next frame that has arrived.
    pub(super) fn next(&mut self, now: impl FnOnce() -> Instant) -> Result<Option<Incoming>, FrameError> {
        let incoming = match self.frames.next(&self.buffer)? {
            Step::More { consumed } => {
                self.buffer.advance(consumed);
                self.lacking = self.missing();
                if self.buffer.is_empty() && !self.frames.is_skipping() {
                    self.incomplete = None;
                } else if self.incomplete.is_none() {
                    self.incomplete = Some((now(), 0));
                }
                return Ok(None);
            }
            Step::Frame { header, consumed, .. } => {
                let mut frame = self.buffer.split_to(consumed);
                frame.advance(consumed - usize::try_from(header.length).unwrap_or(usize::MAX).min(consumed));
                Incoming::Frame(header, frame.freeze())
            }
            Step::Oversized { header, consumed } => {
                self.buffer.advance(consumed);
                Incoming::Oversized(header)
            }
        };
        self.incomplete = None;
        Ok(Some(incoming))
    }

    /// Bytes of the frame at the front that are not there yet.
    fn missing(&self) -> usize {
        let header = self.buffer.first_chunk::<HEADER_BYTES>();
        let Some(length) = header.and_then(|header| header.last_chunk::<4>()) else {
            return 0;
        };
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(0);
        HEADER_BYTES.saturating_add(length).saturating_sub(self.buffer.len())
    }

    /// It is not the peer's fault that nothing comes: nobody has read. A frame that has begun gets its time anew.
    pub(super) fn excuse(&mut self, now: Instant) {
        if self.incomplete.is_some() {
            self.incomplete = Some((now, 0));
        }
    }

    /// Whether a frame has begun that is not whole yet.
    pub(super) fn is_within_a_frame(&self) -> bool {
        self.incomplete.is_some()
    }

    /// Whether the peer has begun a frame and does not get on with it.
    pub(super) fn dawdles(&self, now: Instant) -> bool {
        self.incomplete.is_some_and(|(since, come)| {
            let elapsed = now.saturating_duration_since(since);
            #[allow(clippy::cast_precision_loss, reason = "a rough measure")]
            let slow = (come as f64) < elapsed.as_secs_f64() * SLOWEST;
            elapsed > PATIENCE && slow
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[tokio::test]
    async fn who_begins_a_frame_and_hardly_goes_on_dawdles() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut inbox = Inbox::new(listener.accept().await.unwrap().0.into_split().0, 1 << 20);
        let start = Instant::now();
        let mut send = async |bytes: &[u8], second: u64| {
            peer.write_all(bytes).await.unwrap();
            std::future::poll_fn(|cx| inbox.poll_read(cx)).await.unwrap();
            let now = start + Duration::from_secs(second);
            let complete = inbox.next(|| now).unwrap().is_some();
            (complete, inbox.dawdles(now))
        };
        let frame = [
            0xda, 0xbb, 0x22, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0x4e, 0x4e, 0x4e,
        ];
        assert_eq!(send(&frame, 0).await, (true, false));
        assert_eq!(send(&frame[..5], 100).await, (false, false));
        assert_eq!(send(&frame[5..6], 129).await, (false, false));
        assert_eq!(send(&frame[6..7], 131).await, (false, true));
        // A frame that is complete makes it good.
        assert_eq!(send(&frame[7..], 132).await, (true, false));
        // A long one may take long, if it goes on.
        let long = [&frame[..12], &[0, 1, 0, 0][..], &[0; 1024]].concat();
        assert_eq!(send(&long, 200).await, (false, false));
        for second in 201..=240 {
            assert_eq!(send(&[0; 1024], second).await, (false, false), "{second}");
        }
    }
}
