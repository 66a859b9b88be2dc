//! The newest entries in memory, bounded by their encoded size. Knows no disk.
use std::collections::VecDeque;
use std::ops::Range;

use super::Entry;

/// An unbroken run of entries that ends with the newest.
pub(super) struct Recent {
    entries: VecDeque<Held>,
    /// Sum of the known sizes.
    bytes: usize,
    limit: usize,
}

struct Held {
    entry: Entry,
    /// Known once the entry can be read from the store; until then it must stay.
    stored_bytes: Option<usize>,
}

impl Recent {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            limit,
        }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push_back(Held {
            entry,
            stored_bytes: None,
        });
    }

    /// Notes that an entry can now be read from the store, where it takes `bytes`, and lets go of the oldest beyond the
    /// limit.
    pub(super) fn stored(&mut self, index: u64, bytes: usize) {
        if let Some(held) = self.place(index).and_then(|place| self.entries.get_mut(place))
            && held.stored_bytes.is_none()
        {
            held.stored_bytes = Some(bytes);
            self.bytes += bytes;
        }
        while self.bytes > self.limit {
            let Some(oldest) = self.entries.pop_front_if(|held| held.stored_bytes.is_some()) else {
                break;
            };
            self.bytes -= oldest.stored_bytes.unwrap_or(0);
        }
    }

    /// Splits a range into what has to come from the store and the entries held here.
    pub(super) fn split(&self, range: &Range<u64>) -> (Range<u64>, Vec<Entry>) {
        let Some(first) = self.first() else {
            return (range.clone(), Vec::new());
        };
        let middle = first.clamp(range.start, range.end.max(range.start));
        let skip = usize::try_from(middle - first.min(middle)).unwrap_or(usize::MAX);
        let take = usize::try_from(range.end.saturating_sub(middle)).unwrap_or(usize::MAX);
        let here = self
            .entries
            .iter()
            .skip(skip)
            .take(take)
            .map(|held| held.entry.clone())
            .collect();
        (range.start..middle, here)
    }

    pub(super) fn truncate_from(&mut self, index: u64) {
        while let Some(newest) = self.entries.pop_back_if(|held| held.entry.log_id.index >= index) {
            self.bytes -= newest.stored_bytes.unwrap_or(0);
        }
    }

    pub(super) fn forget_through(&mut self, index: u64) {
        while let Some(oldest) = self.entries.pop_front_if(|held| held.entry.log_id.index <= index) {
            self.bytes -= oldest.stored_bytes.unwrap_or(0);
        }
    }

    fn first(&self) -> Option<u64> {
        self.entries.front().map(|held| held.entry.log_id.index)
    }

    fn place(&self, index: u64) -> Option<usize> {
        usize::try_from(index.checked_sub(self.first()?)?).ok()
    }
}
