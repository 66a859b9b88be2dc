//! The few small values that must survive beside the log: the vote, how far the log was purged, which snapshot is
//! current. Each write gets the next number, so that a store which lost its newest writes is noticed.
use std::path::Path;
use std::sync::Arc;

use fjall::Keyspace;
use parking_lot::Mutex;

use super::StoreOptions;
use super::database::{SmallDatabase, for_records};
use super::error::{Doing, StoreError};
use super::frame;
use super::journal::Step;
use super::marker::Marker;

/// What a record is about. Also the first byte of its value, so that values cannot change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Subject {
    Vote = 1,
    Purged = 2,
    Snapshot = 3,
}

impl Subject {
    const ALL: [Self; 3] = [Self::Vote, Self::Purged, Self::Snapshot];

    fn key(self) -> [u8; 1] {
        [self as u8]
    }
}

pub(super) struct Records {
    database: SmallDatabase,
    keyspace: Keyspace,
    directory: u64,
    marker: Arc<Mutex<Marker>>,
    /// Number of the newest record.
    newest: Mutex<u64>,
}

impl Records {
    pub(super) fn open(
        database: SmallDatabase,
        directory: u64,
        marker: Arc<Mutex<Marker>>,
        options: &StoreOptions,
    ) -> Result<Self, StoreError> {
        let keyspace = database.keyspace("records", || for_records(options))?;
        let records = Self {
            database,
            keyspace,
            directory,
            marker,
            newest: Mutex::new(0),
        };
        let mut newest = 0;
        for subject in Subject::ALL {
            if let Some((number, _)) = records.read(subject)? {
                newest = newest.max(number);
            }
        }
        *records.newest.lock() = newest;
        Ok(records)
    }

    pub(super) fn newest(&self) -> u64 {
        *self.newest.lock()
    }

    pub(super) fn get(&self, subject: Subject) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read(subject)?.map(|(_, payload)| payload))
    }

    /// Writes a record and makes it durable.
    pub(super) fn put(&self, subject: Subject, payload: &[u8]) -> Result<(), StoreError> {
        let mut newest = self.newest.lock();
        let number = *newest + 1;
        let mut marked = Vec::with_capacity(1 + payload.len());
        marked.push(subject as u8);
        marked.extend_from_slice(payload);
        self.keyspace
            .insert(subject.key(), frame::seal(self.directory, number, &marked))
            .doing("write a record in", self.database.path())?;
        self.database.flush()?;
        *newest = number;
        let mut marker = self.marker.lock();
        marker.change(|mark| mark.records = number);
        marker.write()
    }

    /// Lets the files of removed snapshots go.
    pub(super) fn sweep(&self) -> Result<(), StoreError> {
        self.database.sweep(&self.keyspace)
    }

    /// Finds the number of the newest record in a journal.
    pub(super) fn newest_after(newest: Option<u64>, _key: &[u8], step: Step<'_>) -> Option<u64> {
        match step {
            Step::Put(value) => frame::claimed_number(value).max(newest),
            Step::Remove => newest,
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.database.path()
    }

    fn read(&self, subject: Subject) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let path = self.database.path();
        let Some(value) = self.keyspace.get(subject.key()).doing("read a record in", path)? else {
            return Ok(None);
        };
        let expected = || format!("the record of {subject:?}");
        let number = frame::claimed_number(&value)
            .ok_or_else(|| StoreError::damaged(path, expected(), frame::Fault::Short.to_string()))?;
        let marked = frame::open(self.directory, number, &value)
            .map_err(|fault| StoreError::damaged(path, expected(), fault.to_string()))?;
        match marked.split_first() {
            Some((mark, payload)) if *mark == subject as u8 => Ok(Some((number, payload.to_vec()))),
            _ => Err(StoreError::damaged(path, expected(), "the record of something else")),
        }
    }
}
