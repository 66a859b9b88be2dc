//! The way from the outbox to the socket. Whoever holds it is the only one who writes, so that nothing is overtaken: the
//! connection's task, or for a moment a thread that goes through a crowd that was told the same. Does not know when a
//! connection has to end.

use std::collections::VecDeque;
use std::io::{IoSlice, Result};
use std::time::Instant;

use bytes::Buf;
use parking_lot::Mutex;
use tokio::net::tcp::OwnedWriteHalf;

use super::outbox::{Outbox, Piece};
use super::stats::Stats;

/// Slices handed to the kernel at a time.
const SLICES: usize = 64;

/// What is written for a crowd at most; with more a client's own task is quicker, since the crowd has several.
const SMALL: usize = 16 * 1024;

pub(super) struct Outlet {
    /// Gone when the connection has ended.
    socket: Option<OwnedWriteHalf>,
    /// Taken from the outbox and not yet by the socket.
    unsent: VecDeque<Piece>,
    /// When the socket took something last.
    progress: Instant,
}

impl Outlet {
    pub(super) fn new(socket: OwnedWriteHalf, now: Instant) -> Outlet {
        Outlet {
            socket: Some(socket),
            unsent: VecDeque::new(),
            progress: now,
        }
    }

    /// Takes what may leave.
    pub(super) fn load(&mut self, out: &mut Outbox, stats: &Stats) {
        out.told = false;
        out.take(&mut self.unsent);
        let sent = std::mem::take(&mut out.sent);
        if sent > 0 {
            Stats::add(&stats.sent, sent);
        }
    }

    /// Writes as much as the socket takes.
    ///
    /// # Errors
    /// The connection is broken.
    pub(super) fn write(&mut self, outbox: &Mutex<Outbox>, stats: &Stats) -> Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        while let Some(first) = self.unsent.front() {
            let result = if self.unsent.len() == 1 {
                // The usual case, an event or a few small replies, and the cheaper system call.
                socket.try_write(&first.bytes)
            } else {
                let mut slices = [IoSlice::new(&[]); SLICES];
                let mut filled = 0;
                for (slice, piece) in slices.iter_mut().zip(&self.unsent) {
                    *slice = IoSlice::new(&piece.bytes);
                    filled += 1;
                }
                socket.try_write_vectored(slices.get(..filled).unwrap_or_default())
            };
            let written = match result {
                Ok(written) => written,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            self.progress = Instant::now();
            Stats::add(&stats.bytes_sent, written as u64);
            let own = drop_written(&mut self.unsent, written);
            outbox.lock().written(written, own);
        }
        Ok(())
    }

    /// Takes and writes what was told, if that is all there is to do and the socket takes it. False if the connection's
    /// task has to look.
    pub(super) fn pass_on(&mut self, outbox: &Mutex<Outbox>, stats: &Stats) -> bool {
        if self.socket.is_none() {
            return true;
        }
        if !self.is_drained() {
            return false;
        }
        {
            let mut out = outbox.lock();
            if !out.told {
                // The task has come first.
                return true;
            }
            if !out.only_has_output(SMALL) {
                return false;
            }
            self.load(&mut out, stats);
        }
        self.write(outbox, stats).is_ok() && self.is_drained()
    }

    /// True if the socket has taken everything.
    pub(super) fn is_drained(&self) -> bool {
        self.unsent.is_empty()
    }

    /// When the socket took something last.
    pub(super) fn progress(&self) -> Instant {
        self.progress
    }

    /// Lets go of the socket and of what it did not take.
    pub(super) fn close(&mut self) {
        self.unsent = VecDeque::new();
        if let Some(socket) = self.socket.take() {
            // The other half closes it, at once and in both directions.
            socket.forget();
        }
    }
}

/// Drops what was written; returns how much of it nobody shares.
fn drop_written(unsent: &mut VecDeque<Piece>, mut written: usize) -> usize {
    let mut own = 0;
    while written > 0 {
        let Some(first) = unsent.front_mut() else { break };
        let part = first.bytes.len().min(written);
        own += if first.shared { 0 } else { part };
        written -= part;
        if part < first.bytes.len() {
            first.bytes.advance(part);
        } else {
            unsent.pop_front();
        }
    }
    own
}

#[cfg(test)]
mod tests;
