//! How many bytes of log there are between two indexes, coarsely and in little memory. Knows only sizes.
use std::collections::VecDeque;

/// Bytes that share one mark.
const MARK_BYTES: u64 = 256 << 10;

/// Sizes of the entries present.
#[derive(Debug, Default)]
pub(super) struct Volume {
    /// Last index and bytes of each stretch, in order.
    stretches: VecDeque<(u64, u64)>,
    total: u64,
}

impl Volume {
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn add(&mut self, index: u64, bytes: u64) {
        self.total += bytes;
        match self.stretches.back_mut() {
            Some((last, sum)) if *sum < MARK_BYTES => {
                *last = index;
                *sum += bytes;
            }
            _ => self.stretches.push_back((index, bytes)),
        }
    }

    /// Takes out the stretches that end at or before `index`.
    pub(super) fn remove_through(&mut self, index: u64) {
        while let Some((_, bytes)) = self.stretches.pop_front_if(|(last, _)| *last <= index) {
            self.total -= bytes;
        }
    }

    /// Takes out the stretches that begin at or behind `index`.
    pub(super) fn remove_from(&mut self, index: u64) {
        while self.stretches.len() > 1
            && self
                .stretches
                .get(self.stretches.len() - 2)
                .is_some_and(|(last, _)| *last + 1 >= index)
        {
            if let Some((_, bytes)) = self.stretches.pop_back() {
                self.total -= bytes;
            }
        }
    }
}
