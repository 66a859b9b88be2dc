//! The log itself: number → bytes in one keyspace, each value framed with its number and a checksum. Knows what is first
//! and last; does not know the marker or what the bytes mean.
use std::ops::Range;
use std::path::Path;

use fjall::{AbstractTree, Keyspace};
use parking_lot::Mutex;

use super::StoreOptions;
use super::database::{SmallDatabase, for_entries};
use super::error::{Doing, StoreError};
use super::frame;
use super::journal::Step;
use super::volume::Volume;

/// Entries written to fjall's journal in one batch at most; bounds the memory of a long truncation.
const REMOVALS_PER_BATCH: u64 = 4096;

/// What is wrong with the log from some index on.
pub(super) struct Damage {
    /// The first entry that is not as it should be.
    pub(super) at: u64,
    /// What is there instead.
    pub(super) found: String,
    /// Whether whole entries follow, so that this is not merely a torn end.
    pub(super) whole_after: bool,
}

pub(super) struct Entries {
    database: SmallDatabase,
    keyspace: Keyspace,
    directory: u64,
    /// The indexes present. An empty range still says which index comes next; none: any may.
    bounds: Mutex<Option<Range<u64>>>,
    volume: Mutex<Volume>,
}

impl Entries {
    pub(super) fn open(path: &Path, directory: u64, options: &StoreOptions) -> Result<Self, StoreError> {
        let database = SmallDatabase::open(path, options)?;
        let keyspace = database.keyspace("entries", || for_entries(options))?;
        Ok(Self {
            database,
            keyspace,
            directory,
            bounds: Mutex::new(None),
            volume: Mutex::default(),
        })
    }

    pub(super) fn bounds(&self) -> Range<u64> {
        self.bounds.lock().clone().unwrap_or_default()
    }

    /// Bytes of the entries present.
    pub(super) fn bytes(&self) -> u64 {
        self.volume.lock().total()
    }

    /// Walks from `first` to the end and sets the bounds to what is whole and without a gap. Whatever is not is returned,
    /// for the caller to judge.
    pub(super) fn verify_from(&self, first: u64) -> Result<Option<Damage>, StoreError> {
        let mut next = first;
        let mut damage: Option<Damage> = None;
        for guard in self.keyspace.range(first.to_be_bytes()..) {
            let (key, value) = match guard.into_inner() {
                Ok(pair) => pair,
                Err(error) => {
                    let found = format!("a table that cannot be read ({error})");
                    damage.get_or_insert(Damage {
                        at: next,
                        found,
                        whole_after: true,
                    });
                    break;
                }
            };
            let index = index_of(&key);
            let fault = match index {
                None => Some("a key that is not an index".to_owned()),
                // A first entry above the expected one is as much a gap as any other.
                Some(index) if damage.is_none() && index != next => Some(format!("entry {index}")),
                Some(index) => frame::open(self.directory, index, &value)
                    .err()
                    .map(|fault| fault.to_string()),
            };
            match (fault, &mut damage) {
                (None, None) => {
                    self.volume.lock().add(next, value.len() as u64);
                    next += 1;
                }
                (None, Some(damage)) => damage.whole_after = true,
                (Some(found), None) => {
                    let whole = index.is_some_and(|index| frame::open(self.directory, index, &value).is_ok());
                    damage = Some(Damage {
                        at: next,
                        found,
                        whole_after: whole,
                    });
                }
                (Some(_), Some(_)) => {}
            }
        }
        *self.bounds.lock() = (next > 0).then_some(first..next);
        Ok(damage)
    }

    /// Removes whatever lies at or behind `index`, whole or not; durable on return.
    pub(super) fn cut_from(&self, index: u64) -> Result<(), StoreError> {
        let path = self.database.path();
        for guard in self.keyspace.range(index.to_be_bytes()..) {
            let key = guard.key().doing("read the log in", path)?;
            self.keyspace.remove(key).doing("cut the log in", path)?;
        }
        self.database.flush()
    }

    /// Writes entries into the journal; they are durable after the next flush.
    pub(super) fn append(&self, entries: impl Iterator<Item = (u64, Vec<u8>)>) -> Result<(), StoreError> {
        let mut bounds = self.bounds.lock();
        let mut batch = self.database.inner().batch();
        let mut grown = bounds.clone();
        for (index, payload) in entries {
            let next = grown.get_or_insert(index..index);
            if next.end != index {
                return Err(StoreError::OutOfOrder {
                    expected: next.end,
                    found: index,
                });
            }
            next.end += 1;
            let framed = frame::seal(self.directory, index, &payload);
            self.volume.lock().add(index, framed.len() as u64);
            batch.insert(&self.keyspace, index.to_be_bytes(), framed);
        }
        batch.commit().doing("append to the log in", self.database.path())?;
        *bounds = grown;
        Ok(())
    }

    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.database.flush()
    }

    /// The entries of `range` that the log has, each checked.
    pub(super) fn read(&self, range: Range<u64>) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let present = self.bounds();
        let range = range.start.max(present.start)..range.end.min(present.end);
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let mut entries = Vec::with_capacity(usize::try_from(range.end - range.start).unwrap_or(0).min(1024));
        let mut next = range.start;
        for guard in self.keyspace.range(range.start.to_be_bytes()..range.end.to_be_bytes()) {
            let (key, value) = guard.into_inner().doing("read the log in", self.database.path())?;
            let index = index_of(&key);
            if index != Some(next) {
                break;
            }
            let payload =
                frame::open(self.directory, next, &value).map_err(|fault| self.damaged(next, fault.to_string()))?;
            entries.push((next, payload.to_vec()));
            next += 1;
        }
        // A purge may have passed by while reading; then the beginning is missing rightly.
        let missing = next < range.end && self.bounds().contains(&next);
        if missing {
            Err(self.damaged(next, "nothing".to_owned()))
        } else {
            Ok(entries)
        }
    }

    /// Removes everything from `index` on; durable on return.
    pub(super) fn truncate_from(&self, index: u64) -> Result<(), StoreError> {
        let mut bounds = self.bounds.lock();
        let Some(present) = bounds.as_mut() else { return Ok(()) };
        let index = index.max(present.start);
        let mut from = index;
        while from < present.end {
            let until = present.end.min(from + REMOVALS_PER_BATCH);
            let mut batch = self.database.inner().batch();
            for index in from..until {
                batch.remove(&self.keyspace, index.to_be_bytes());
            }
            batch.commit().doing("truncate the log in", self.database.path())?;
            from = until;
        }
        present.end = present.end.min(index);
        self.volume.lock().remove_from(index);
        self.database.flush()
    }

    /// Forgets everything up to `index`. The bytes go with `reclaim_through`.
    pub(super) fn forget_through(&self, index: u64) {
        let mut bounds = self.bounds.lock();
        let present = bounds.get_or_insert_default();
        *present = present.start.max(index + 1)..present.end.max(index + 1);
        self.volume.lock().remove_through(index);
    }

    /// Gives back the disk space of what was forgotten: whole tables go, and writing out the memtable lets the journals
    /// behind it go.
    pub(super) fn reclaim_through(&self, index: u64) -> Result<(), StoreError> {
        self.database.write_out(&self.keyspace)?;
        self.keyspace
            .tree
            .drop_range(..=index.to_be_bytes())
            .map_err(fjall::Error::from)
            .doing("purge the log in", self.database.path())?;
        self.database.sweep(&self.keyspace)
    }

    /// Finds the newest index a journal item leaves behind.
    pub(super) fn newest_after(newest: Option<u64>, key: &[u8], step: Step<'_>) -> Option<u64> {
        let Some(index) = index_of(key) else { return newest };
        match step {
            Step::Put(_) => Some(index),
            Step::Remove => newest.and_then(|newest| {
                if newest < index {
                    Some(newest)
                } else {
                    index.checked_sub(1)
                }
            }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.database.path()
    }

    fn damaged(&self, index: u64, found: String) -> StoreError {
        StoreError::damaged(self.database.path(), format!("log entry {index}"), found)
    }
}

fn index_of(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}
