//! Writes a snapshot, block by block, so that the log beside it hardly notices.
use std::sync::Arc;

use super::super::error::{Doing, StoreError};
use super::super::frame;
use super::{Hold, SnapshotHead, Snapshots, block_seed, key};

/// The largest block.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;
/// Blocks are gathered up to this size and then made durable, so that a log flush never has to wait for much of a
/// snapshot to reach the disk.
const STRIDE_BYTES: usize = 1 << 20;

/// A snapshot being written. Dropping it unfinished discards it.
pub(crate) struct SnapshotWriter {
    home: Arc<Snapshots>,
    hold: Hold,
    head: SnapshotHead,
    gathered: Vec<Vec<u8>>,
    gathered_bytes: usize,
}

impl SnapshotWriter {
    pub(super) fn new(home: Arc<Snapshots>, head: SnapshotHead, hold: Hold) -> Self {
        Self {
            home,
            hold,
            head,
            gathered: Vec::new(),
            gathered_bytes: 0,
        }
    }

    /// Adds the next block, of at most [`BLOCK_BYTES`].
    pub(crate) fn push(&mut self, block: impl AsRef<[u8]>) -> Result<(), StoreError> {
        let block = block.as_ref();
        if block.len() > BLOCK_BYTES {
            let error = std::io::Error::other(format!("a block of {} bytes is too large", block.len()));
            return Err(error).doing("write a snapshot in", self.home.path());
        }
        let seed = block_seed(self.home.blocks.directory, self.head.number);
        self.gathered.push(frame::seal(seed, self.head.blocks, block));
        self.gathered_bytes += block.len();
        self.head.blocks += 1;
        self.head.bytes += block.len() as u64;
        if self.gathered_bytes >= STRIDE_BYTES {
            self.write_gathered()
        } else {
            Ok(())
        }
    }

    /// Makes the snapshot durable and then current; the earlier one is removed.
    pub(crate) fn finish(mut self) -> Result<SnapshotHead, StoreError> {
        self.write_gathered()?;
        self.home.make_current(self.head.clone(), self.hold)?;
        Ok(self.head)
    }

    fn write_gathered(&mut self) -> Result<(), StoreError> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let path = self.home.path();
        let first = self.head.blocks - self.gathered.len() as u64;
        let mut ingestion = self
            .home
            .blocks
            .keyspace
            .start_ingestion()
            .doing("write a snapshot in", path)?;
        for (number, block) in (first..).zip(self.gathered.drain(..)) {
            ingestion
                .write(key(self.head.number, number), block)
                .doing("write a snapshot in", path)?;
        }
        self.gathered_bytes = 0;
        ingestion.finish().doing("flush a snapshot in", path)
    }
}
