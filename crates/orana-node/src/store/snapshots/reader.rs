//! Reads a snapshot and believes nothing.
use std::sync::Arc;

use super::super::error::{Doing, StoreError};
use super::super::frame;
use super::{Blocks, Hold, SnapshotHead, block_seed, key};

/// A finished snapshot: its blocks in order, each checked; a missing one is an error. It stays readable while this
/// exists, even after a later one has become current.
pub(crate) struct SnapshotReader {
    head: SnapshotHead,
    blocks: Blocks,
    /// Dropped after everything else.
    _hold: Arc<Hold>,
    /// None until the first block is asked for.
    stored: Option<fjall::Iter>,
    next: u64,
}

impl SnapshotReader {
    pub(super) fn new(head: SnapshotHead, blocks: Blocks, hold: Arc<Hold>) -> Self {
        Self {
            head,
            blocks,
            _hold: hold,
            stored: None,
            next: 0,
        }
    }

    /// What is known of it.
    pub(crate) fn head(&self) -> &SnapshotHead {
        &self.head
    }

    /// The caller's own description.
    pub(crate) fn meta(&self) -> &[u8] {
        &self.head.meta
    }

    /// One block, checked.
    pub(crate) fn block(&self, number: u64) -> Result<Vec<u8>, StoreError> {
        let stored = self.blocks.keyspace.get(key(self.head.number, number));
        match stored.doing("read a snapshot in", self.blocks.database.path())? {
            Some(value) => self.open_block(number, &value),
            None => Err(self.damaged(number, "nothing".to_owned())),
        }
    }

    /// A quick look that the first and the last block are there and whole; the others are checked as they are read.
    pub(super) fn check_ends(&self) -> Result<(), StoreError> {
        if let Some(last) = self.head.blocks.checked_sub(1) {
            self.block(0)?;
            self.block(last)?;
        }
        Ok(())
    }

    fn read_next(&mut self, number: u64) -> Result<Vec<u8>, StoreError> {
        let range = || key(self.head.number, 0)..=key(self.head.number, u64::MAX);
        let stored = self.stored.get_or_insert_with(|| self.blocks.keyspace.range(range()));
        let Some(guard) = stored.next() else {
            return Err(self.damaged(number, "nothing".to_owned()));
        };
        let (found, value) = guard
            .into_inner()
            .doing("read a snapshot in", self.blocks.database.path())?;
        if found.as_ref() != key(self.head.number, number) {
            return Err(self.damaged(number, "another block".to_owned()));
        }
        self.open_block(number, &value)
    }

    fn open_block(&self, number: u64, value: &[u8]) -> Result<Vec<u8>, StoreError> {
        frame::open(block_seed(self.blocks.directory, self.head.number), number, value)
            .map(<[u8]>::to_vec)
            .map_err(|fault| self.damaged(number, fault.to_string()))
    }

    fn damaged(&self, number: u64, found: String) -> StoreError {
        let expected = format!(
            "block {number} of the {} of snapshot {}",
            self.head.blocks, self.head.number
        );
        StoreError::damaged(self.blocks.database.path(), expected, found)
    }
}

impl Iterator for SnapshotReader {
    type Item = Result<Vec<u8>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.head.blocks {
            return None;
        }
        let block = self.read_next(self.next);
        // After an error there is nothing more to say.
        self.next = if block.is_ok() { self.next + 1 } else { self.head.blocks };
        Some(block)
    }
}
