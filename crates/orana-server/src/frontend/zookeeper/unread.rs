//! How many bytes are in memory only because clients have not read them, all clients together. An answer that many read
//! is in memory once, so it counts once, and only from when nobody else keeps it. Who has to go is not decided here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use bytes::{Bytes, BytesMut};

/// A connection tells of changes of at least so many bytes: most answers are read at once and never counted.
const STEP: usize = 16 * 1024;

/// The sums over all connections, in bytes.
#[derive(Debug)]
pub(super) struct Unread {
    /// What belongs to one connection each.
    own: AtomicUsize,
    /// Shared answers that are kept for nobody but those who have not read them.
    stale: AtomicUsize,
    limit: usize,
}

/// One connection's part of the sum; given back when it is dropped.
pub(super) struct Part {
    all: Arc<Unread>,
    counted: usize,
}

/// An answer that many read.
pub(super) struct Shared {
    bytes: BytesMut,
    all: Arc<Unread>,
    stale: AtomicBool,
}

/// A reader's hold of a [`Shared`].
struct Lent(Arc<Shared>);

impl Unread {
    pub(super) fn new(limit: usize) -> Arc<Unread> {
        Arc::new(Unread {
            own: AtomicUsize::new(0),
            stale: AtomicUsize::new(0),
            limit,
        })
    }

    /// All of it.
    pub(super) fn bytes(&self) -> usize {
        self.own.load(Relaxed).saturating_add(self.stale.load(Relaxed))
    }

    /// True if somebody has to go.
    pub(super) fn is_too_much(&self) -> bool {
        self.bytes() > self.limit
    }

    /// True if the greater part are shared answers.
    pub(super) fn is_mostly_stale(&self) -> bool {
        self.stale.load(Relaxed) > self.own.load(Relaxed)
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }
}

impl Part {
    pub(super) fn of(all: Arc<Unread>) -> Part {
        Part { all, counted: 0 }
    }

    /// So many bytes of its own wait for this connection now.
    pub(super) fn set(&mut self, bytes: usize) {
        if bytes > self.counted && bytes - self.counted >= STEP {
            self.all.own.fetch_add(bytes - self.counted, Relaxed);
            self.counted = bytes;
        } else if bytes < self.counted && (bytes == 0 || self.counted - bytes >= STEP) {
            self.all.own.fetch_sub(self.counted - bytes, Relaxed);
            self.counted = bytes;
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl Shared {
    pub(super) fn new(bytes: BytesMut, all: Arc<Unread>) -> Arc<Shared> {
        let stale = AtomicBool::new(false);
        Arc::new(Shared { bytes, all, stale })
    }

    /// The bytes for readers; all who get a clone of it share them.
    pub(super) fn lend(self: &Arc<Self>) -> Bytes {
        Bytes::from_owner(Lent(self.clone()))
    }

    /// From now on it is there for those who have not read it, and for nobody else.
    pub(super) fn retire(&self) {
        if !self.stale.swap(true, Relaxed) {
            self.all.stale.fetch_add(self.bytes.len(), Relaxed);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if *self.stale.get_mut() {
            self.all.stale.fetch_sub(self.bytes.len(), Relaxed);
        }
    }
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_counted_in_steps_and_given_back() {
        let all = Unread::new(100_000);
        let mut part = Part::of(all.clone());
        part.set(STEP - 1);
        assert_eq!(all.bytes(), 0);
        part.set(STEP + 5);
        part.set(STEP + 6);
        assert_eq!(all.bytes(), STEP + 5);
        part.set(200_000);
        assert!(all.is_too_much() && !all.is_mostly_stale());
        part.set(0);
        assert_eq!(all.bytes(), 0);
        part.set(2 * STEP);
        drop(part);
        assert_eq!(all.bytes(), 0);
    }

    #[test]
    fn a_shared_answer_counts_once_from_when_only_its_readers_keep_it() {
        let all = Unread::new(100);
        let shared = Shared::new(BytesMut::zeroed(1000), all.clone());
        let (one, other) = (shared.lend(), shared.lend());
        assert_eq!(all.bytes(), 0);
        shared.retire();
        drop(shared);
        assert_eq!(all.bytes(), 1000);
        assert!(all.is_too_much() && all.is_mostly_stale());
        drop(one);
        assert_eq!(all.bytes(), 1000);
        drop(other);
        assert_eq!(all.bytes(), 0);
    }
}
