//! Looks at fjall's journals before fjall does, because fjall cuts a journal at the first byte it does not understand and
//! says nothing: half a log can be gone, and the evidence with it. Here the journal is only read; who calls decides, with
//! the marker in hand, whether what is wrong is the torn end of a power loss or damage.
//!
//! Knows how fjall 3 frames its journal (batches of items between a start and an end with a checksum) and nothing of what
//! the items mean. The tests beside this file fail if a later fjall frames it differently.
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use rustix::fs::SeekFrom;
use xxhash_rust::xxh3::Xxh3;

use super::error::{Doing, StoreError};

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const TRAILER: [u8; 4] = [b'F', b'J', b'L', 3];
/// Fields of an item between its tag and its key: kind (1), compression (1), keyspace (8), lengths (2, 4, 4).
const ITEM_HEAD: usize = 20;
/// Read buffer; a journal can hold 64 MiB, which must not all be in memory.
const BUFFER_BYTES: usize = 128 << 10;
/// Nothing that this store writes comes near it.
const LONGEST_VALUE: u32 = 1 << 30;

/// What an item does to its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Stores a value.
    Put(&'a [u8]),
    /// Removes it.
    Remove,
}

/// What a journal holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scan {
    pub(super) path: PathBuf,
    /// Bytes that are whole batches.
    pub(super) whole: u64,
    /// Whether something other than zeros follows them.
    pub(super) torn: bool,
}

/// fjall's journals in a database directory, oldest first.
pub(super) fn journals(database: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(database).doing("list", database)? {
        let path = entry.doing("list", database)?.path();
        if path.extension().is_none_or(|extension| extension != "jnl") {
            continue;
        }
        let number = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .and_then(|stem| stem.parse().ok());
        match number {
            Some(number) => found.push((number, path)),
            None => {
                return Err(StoreError::damaged(
                    &path,
                    "a journal named by a number",
                    "another name",
                ));
            }
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Reads one journal and shows each item of each whole batch, in order.
pub(super) fn scan(path: &Path, mut item: impl FnMut(&[u8], Step<'_>)) -> Result<Scan, StoreError> {
    let file = File::open(path).doing("open", path)?;
    let length = file.metadata().doing("look at", path)?.len();
    let mut reader = Reader {
        inner: BufReader::with_capacity(BUFFER_BYTES, &file),
        position: 0,
    };
    let mut whole = 0;
    let mut batch = Batch::default();
    loop {
        match batch.read(&mut reader) {
            Ok(true) => {
                whole = reader.position;
                for (key, value) in batch.items() {
                    item(key, value);
                }
            }
            Ok(false) => break,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error).doing("read", path),
        }
    }
    let torn = whole < length && holds_data(&file, whole).doing("read", path)?;
    Ok(Scan {
        path: path.to_owned(),
        whole,
        torn,
    })
}

/// Removes what follows the whole batches.
pub(super) fn cut(scan: &Scan) -> Result<(), StoreError> {
    let file = OpenOptions::new()
        .write(true)
        .open(&scan.path)
        .doing("open", &scan.path)?;
    file.set_len(scan.whole).doing("shorten", &scan.path)?;
    file.sync_all().doing("flush", &scan.path)
}

struct Reader<'a> {
    inner: BufReader<&'a File>,
    position: u64,
}

impl Reader<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }
}

/// One batch; its memory is used again for the next.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Key, value and whether it is a value, as places in `bytes`.
    places: Vec<(std::ops::Range<usize>, std::ops::Range<usize>, bool)>,
}

impl Batch {
    /// Reads the next batch; `false` when what is there is not a whole one.
    fn read(&mut self, reader: &mut Reader<'_>) -> io::Result<bool> {
        self.bytes.clear();
        self.places.clear();
        if reader.array::<1>()? != [TAG_START] {
            return Ok(false);
        }
        let items = u32::from_le_bytes(reader.array()?);
        let _sequence: [u8; 8] = reader.array()?;
        let mut checksum = Xxh3::new();
        for _ in 0..items {
            if !self.read_item(reader, &mut checksum)? {
                return Ok(false);
            }
        }
        if reader.array::<1>()? != [TAG_END] {
            return Ok(false);
        }
        let expected = u64::from_le_bytes(reader.array()?);
        let trailer: [u8; 4] = reader.array()?;
        Ok(trailer == TRAILER && checksum.digest() == expected)
    }

    fn read_item(&mut self, reader: &mut Reader<'_>, checksum: &mut Xxh3) -> io::Result<bool> {
        let begin = self.bytes.len();
        let tag: [u8; 1] = reader.array()?;
        self.bytes.extend_from_slice(&tag);
        match tag {
            [TAG_ITEM] => {
                let head: [u8; ITEM_HEAD] = reader.array()?;
                self.bytes.extend_from_slice(&head);
                let [
                    kind,
                    _compression,
                    _,
                    _,
                    _,
                    _,
                    _,
                    _,
                    _,
                    _,
                    k0,
                    k1,
                    v0,
                    v1,
                    v2,
                    v3,
                    d0,
                    d1,
                    d2,
                    d3,
                ] = head;
                let value_bytes = u32::from_le_bytes([v0, v1, v2, v3]);
                if value_bytes > LONGEST_VALUE || value_bytes != u32::from_le_bytes([d0, d1, d2, d3]) {
                    return Ok(false);
                }
                let key_end = self.bytes.len() + usize::from(u16::from_le_bytes([k0, k1]));
                let value_end = key_end + value_bytes as usize;
                self.places
                    .push((self.bytes.len()..key_end, key_end..value_end, kind == 0));
                self.extend(reader, value_end)?;
            }
            [TAG_CLEAR] => {
                let keyspace: [u8; 8] = reader.array()?;
                self.bytes.extend_from_slice(&keyspace);
            }
            _ => return Ok(false),
        }
        checksum.update(self.bytes.get(begin..).unwrap_or_default());
        Ok(true)
    }

    /// Reads on until `end` bytes are held; grows in steps, because a damaged length may claim far more than there is.
    fn extend(&mut self, reader: &mut Reader<'_>, end: usize) -> io::Result<()> {
        while self.bytes.len() < end {
            let from = self.bytes.len();
            self.bytes.resize(end.min(from + BUFFER_BYTES), 0);
            reader.fill(self.bytes.get_mut(from..).unwrap_or_default())?;
        }
        Ok(())
    }

    fn items(&self) -> impl Iterator<Item = (&[u8], Step<'_>)> {
        self.places.iter().filter_map(|(key, value, is_value)| {
            let step = if *is_value {
                Step::Put(self.bytes.get(value.clone())?)
            } else {
                Step::Remove
            };
            Some((self.bytes.get(key.clone())?, step))
        })
    }
}

/// Whether anything but zeros follows; holes of the preallocated file are skipped, not read.
fn holds_data(file: &File, from: u64) -> io::Result<bool> {
    let mut from = from;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        from = match rustix::fs::seek(file, SeekFrom::Data(from)) {
            Ok(found) => found,
            Err(rustix::io::Errno::NXIO) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let read = std::os::unix::fs::FileExt::read_at(file, &mut buffer, from)?;
        if read == 0 {
            return Ok(false);
        }
        if buffer.get(..read).unwrap_or_default().iter().any(|byte| *byte != 0) {
            return Ok(true);
        }
        from += read as u64;
    }
}

#[cfg(test)]
mod tests;
