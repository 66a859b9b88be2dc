//! The last flushed index, kept apart from the log so that a log which lost its end is noticed.
//!
//! Two slots are written in turn, each with its own checksum: a slot torn by a power loss leaves the other. The marker is
//! a lower bound. It is written after the flush it speaks of and is not flushed with it, so after a power loss (not after
//! a mere kill) it can be somewhat old.
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{Doing, StoreError};

/// Distance of the slots; more than one sector, so that one torn write cannot touch both.
const SLOT_STRIDE: u64 = 4096;
const SLOT_BYTES: usize = 256;
/// Checksum and length in front of a slot's content.
const SLOT_HEAD: usize = 6;

/// What the marker says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The directory this marker belongs to.
    pub(super) directory: u64,
    /// Counts the writes; the higher slot is the newer one.
    generation: u64,
    /// The log reaches at least to here.
    pub(super) flushed: Option<u64>,
    /// The number of the newest durable record.
    pub(super) records: u64,
    /// What the caller knows to be committed, in its own words. May be old.
    pub(super) committed: Vec<u8>,
}

/// The marker file, open for writing.
#[derive(Debug)]
pub(super) struct Marker {
    file: File,
    path: PathBuf,
    mark: Mark,
    /// Whether the file holds what `mark` says.
    written: bool,
    /// Whether the disk does.
    flushed: bool,
}

impl Marker {
    pub(super) fn path(directory: &Path) -> PathBuf {
        directory.join("marker")
    }

    pub(super) fn create(directory: &Path, number: u64) -> Result<(), StoreError> {
        let path = Self::path(directory);
        let file = File::create(&path).doing("create", &path)?;
        let mark = Mark {
            directory: number,
            ..Mark::default()
        };
        let mut marker = Self {
            file,
            path,
            mark,
            written: false,
            flushed: false,
        };
        // Both slots, so that a later look never meets one that was never written.
        marker.write()?;
        marker.written = false;
        marker.write()?;
        marker.flush()
    }

    pub(super) fn open(directory: &Path, number: u64) -> Result<Self, StoreError> {
        let path = Self::path(directory);
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::damaged(
                    &path,
                    "the marker of the last flushed index",
                    "no such file",
                ));
            }
            Err(error) => return Err(error).doing("open", &path),
        };
        let mut newest: Option<Mark> = None;
        for slot in 0..2 {
            let Some(mark) = read_slot(&file, slot).doing("read", &path)? else {
                continue;
            };
            if newest.as_ref().is_none_or(|newest| newest.generation < mark.generation) {
                newest = Some(mark);
            }
        }
        let Some(mark) = newest else {
            return Err(StoreError::damaged(&path, "one slot whose checksum is right", "none"));
        };
        if mark.directory != number {
            return Err(StoreError::damaged(
                &path,
                format!("the marker of directory {number:016x}"),
                format!("that of directory {:016x}", mark.directory),
            ));
        }
        Ok(Self {
            file,
            path,
            mark,
            written: true,
            flushed: false,
        })
    }

    pub(super) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Changes the mark in memory; `write` brings it to the file.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Mark)) {
        change(&mut self.mark);
        self.written = false;
    }

    /// Writes the mark into the older slot.
    pub(super) fn write(&mut self) -> Result<(), StoreError> {
        if self.written {
            return Ok(());
        }
        self.mark.generation += 1;
        let slot = encode_slot(&self.mark)
            .map_err(std::io::Error::other)
            .doing("encode", &self.path)?;
        self.file
            .write_all_at(&slot, (self.mark.generation % 2) * SLOT_STRIDE)
            .doing("write", &self.path)?;
        self.written = true;
        self.flushed = false;
        Ok(())
    }

    /// Makes the mark durable.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        self.write()?;
        if !self.flushed {
            self.file.sync_data().doing("flush", &self.path)?;
            self.flushed = true;
        }
        Ok(())
    }
}

fn encode_slot(mark: &Mark) -> Result<[u8; SLOT_BYTES], &'static str> {
    let mut slot = [0; SLOT_BYTES];
    let (head, body) = slot.split_at_mut(SLOT_HEAD);
    let length = postcard::to_slice(mark, body)
        .map_err(|_| "the mark does not fit into its slot")?
        .len();
    let length = u16::try_from(length)
        .map_err(|_| "the mark does not fit into its slot")?
        .to_le_bytes();
    let checksum = crc32fast::hash(body).to_le_bytes();
    for (to, from) in head.iter_mut().zip(checksum.into_iter().chain(length)) {
        *to = from;
    }
    Ok(slot)
}

/// Reads one slot; `None` if it is torn, damaged or missing.
fn read_slot(file: &File, slot: u64) -> std::io::Result<Option<Mark>> {
    let mut bytes = [0; SLOT_BYTES];
    match file.read_exact_at(&mut bytes, slot * SLOT_STRIDE) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    Ok(decode_slot(&bytes))
}

fn decode_slot(bytes: &[u8; SLOT_BYTES]) -> Option<Mark> {
    let (checksum, rest) = bytes.split_first_chunk::<4>()?;
    let (length, body) = rest.split_first_chunk::<2>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    postcard::from_bytes(body.get(..usize::from(u16::from_le_bytes(*length)))?).ok()
}
