//! What waits to leave over one connection: a buffer that anybody may append frames to, and two ways out of it.
//!
//! The connection's task writes all that waits with one system call. Somebody who knows to be alone writes at once
//! instead, and saves waking that task. Knows nothing of what the frames say.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

use super::waker::TaskWaker;

/// A buffer that grew beyond this is not kept.
const KEPT: usize = 256 << 10;

/// One direction of a connection.
#[derive(Debug)]
pub(super) struct Outbox {
    socket: OwnedWriteHalf,
    queue: Mutex<Queue>,
    /// How many bytes may wait before no more frames are taken.
    limit: usize,
    /// Wakes the task that calls [`Outbox::poll_flush`].
    task: TaskWaker,
}

#[derive(Debug, Default)]
struct Queue {
    /// Whole frames that nobody has begun to write.
    waiting: BytesMut,
    /// What is left of those that somebody has.
    begun: BytesMut,
    /// An empty buffer, to be used again.
    spare: BytesMut,
    /// Somebody is in the middle of a system call, and will look again afterwards.
    writing: bool,
    /// The task wants to hear when that system call is over, whatever is left.
    awaited: bool,
    /// How many bytes the socket has taken, ever.
    sent: u64,
    /// Nothing is taken any more.
    closed: bool,
}

/// When frames should leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// At once: nobody else is likely to have something to send with it.
    Now,
    /// With whatever else is ready soon.
    Together,
    /// When whoever puts them flushes, which the connection's own task does.
    OnFlush,
}

/// Why nothing was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The connection is closed or closing.
    Closed,
    /// The peer does not read, and as much waits for it as may.
    Full,
}

impl Outbox {
    /// Nothing waits; once more than `limit` bytes do, no more is taken.
    pub(super) fn new(socket: OwnedWriteHalf, limit: usize) -> Outbox {
        Outbox {
            socket,
            limit,
            queue: Mutex::default(),
            task: TaskWaker::default(),
        }
    }

    /// The task to wake when there is something to write, or something else to look at.
    pub(super) fn task(&self) -> &TaskWaker {
        &self.task
    }

    /// Appends what `put` appends. Only whole frames may be put.
    pub(super) fn put<T>(&self, leave: Leave, put: impl FnOnce(&mut BytesMut) -> T) -> Result<T, Unsent> {
        let mut queue = self.queue.lock();
        if queue.closed {
            return Err(Unsent::Closed);
        }
        if queue.len() > self.limit {
            return Err(Unsent::Full);
        }
        let before = queue.waiting.len();
        let put = put(&mut queue.waiting);
        if queue.waiting.len() == before || queue.writing || leave == Leave::OnFlush {
            return Ok(put);
        }
        let alone = before == 0 && queue.begun.is_empty();
        if leave == Leave::Now && alone {
            let mut frames = queue.take_waiting();
            queue.writing = true;
            drop(queue);
            let written = self.socket.try_write(&frames).unwrap_or(0);
            frames.advance(written);
            let mut queue = self.queue.lock();
            queue.writing = false;
            queue.sent += written as u64;
            queue.put_back(frames);
            if queue.is_empty() && !std::mem::take(&mut queue.awaited) {
                return Ok(put);
            }
        } else {
            drop(queue);
        }
        // An error of the write is found by the task as well, and it knows what to do.
        self.task.wake();
        Ok(put)
    }

    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.queue.lock().len()
    }

    /// How many bytes the socket has taken, ever: who compares two answers sees whether the peer reads.
    pub(super) fn sent(&self) -> u64 {
        self.queue.lock().sent
    }

    /// Writes until nothing waits, or until the socket takes no more. Only for the task that [`Outbox::task`] wakes.
    pub(super) fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut queue = self.queue.lock();
            if queue.writing {
                // Whoever writes wakes this task.
                queue.awaited = true;
                return Poll::Pending;
            }
            let mut frames = match queue.begun.is_empty() {
                true if queue.waiting.is_empty() => return Poll::Ready(Ok(())),
                true => queue.take_waiting(),
                false => std::mem::take(&mut queue.begun),
            };
            queue.writing = true;
            drop(queue);
            let written = self.socket.try_write(&frames);
            if let Ok(written) = written {
                frames.advance(written);
            }
            let mut queue = self.queue.lock();
            queue.writing = false;
            queue.sent += *written.as_ref().unwrap_or(&0) as u64;
            queue.put_back(frames);
            drop(queue);
            match written {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let socket: &TcpStream = self.socket.as_ref();
                    ready!(socket.poll_write_ready(cx))?;
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// Takes nothing more; what waits is thrown away.
    pub(super) fn close(&self) {
        *self.queue.lock() = Queue {
            closed: true,
            ..Queue::default()
        };
    }

    /// Does the same, and closes the socket for both sides although others hold it, so that the peer hears of it.
    pub(super) fn cut(&self) {
        self.close();
        let socket: &TcpStream = self.socket.as_ref();
        if let Ok(socket) = socket.as_fd().try_clone_to_owned() {
            // If it is closed already nothing is left to do.
            let _ = std::net::TcpStream::from(socket).shutdown(Shutdown::Both);
        }
    }
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.begun.is_empty()
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.begun.len()
    }

    fn take_waiting(&mut self) -> BytesMut {
        let spare = std::mem::take(&mut self.spare);
        std::mem::replace(&mut self.waiting, spare)
    }

    /// Takes what somebody was writing.
    fn put_back(&mut self, mut frames: BytesMut) {
        if !frames.is_empty() {
            if !self.closed {
                self.begun = frames;
            }
        } else if frames.capacity() <= KEPT {
            frames.clear();
            // All of the block again, not only what was not written.
            let _ = frames.try_reclaim(KEPT.min(1024));
            self.spare = frames;
        }
    }
}
