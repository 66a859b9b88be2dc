//! The state as bytes and back. A snapshot is a sequence of blocks of bounded size, so that neither side ever
//! holds more than one of them; the first begins with what it is and in which format, the last ends with how much
//! there was and a hash of it all.
//!
//! ```text
//!  "OranaSt\n" format · header · leases* · lists* · places* · end
//! ```
//!
//! Slots are written as they lie, so that a restored state gives out the same slots, the same orders and the
//! same bytes again. Where blocks are kept is not known here. The hash tells damage from data; whoever keeps
//! blocks may add one to each, to know which one is damaged.

use xxhash_rust::xxh3::Xxh3;

use crate::state::State;
use crate::tree::Place;

mod audit;
mod read;
mod record;

use record::{AclRecord, Header, LeaseRecord, NodeRecord, Record};

/// Raised whenever an older reader could not read what is written.
const FORMAT: u32 = 1;

/// What a snapshot begins with; the format follows in four bytes, the lowest first.
const MAGIC: [u8; 8] = *b"OranaSt\n";

/// A block is closed once it is at least so long; one node may make it longer by its own length.
const BLOCK: usize = 256 * 1024;

/// Why bytes are not a state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A block does not have the expected form.
    #[error("snapshot block {block}: {what}")]
    Malformed {
        /// Number of the block, from 0.
        block: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a newer version.
    #[error("snapshot format {found} is newer than the newest known one ({FORMAT}); use the version that wrote it")]
    TooNew {
        /// The format found.
        found: u32,
    },
    /// The last block is missing or there are more or fewer records than announced.
    #[error("snapshot is incomplete: {0}")]
    Incomplete(String),
    /// The bytes are not the ones that were written.
    #[error("snapshot is damaged: its bytes have the hash {found:016x} instead of {said:016x}")]
    Damaged {
        /// The hash of the bytes found.
        found: u64,
        /// The hash that was written after them.
        said: u64,
    },
    /// The records contradict each other.
    #[error("snapshot is inconsistent: {0}")]
    Inconsistent(String),
}

impl State {
    /// The state as blocks of about 256 KiB. Encode a clone: it shares everything with the original and does
    /// not see what is written meanwhile.
    pub fn encode(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        seal(self.records())
    }

    fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let header = Record::Header(Header {
            index: self.index,
            zxid: self.zxid,
            at: self.at,
            vacant: self.tree.first_vacant().0,
            ephemerals: self.ephemerals as u64,
            bytes: self.bytes,
            mortal: [self.mortal.first.0, self.mortal.last.0],
        });
        let leases = self.leases.iter().map(|(id, lease)| {
            Record::Lease(LeaseRecord {
                id,
                period_ms: lease.period_ms,
                secret: lease.secret,
                owned: lease.owned,
                ends: [lease.ends.first.0, lease.ends.last.0],
            })
        });
        let lists = self.acls.iter().map(|(id, interned)| {
            let entries = interned.acl.iter();
            let entries = entries.map(|entry| (entry.permissions, &*entry.scheme, &*entry.id));
            Record::Acl(AclRecord {
                id: id.0,
                uses: interned.uses,
                entries: entries.collect(),
            })
        });
        let places = self.tree.places().map(|place| match place {
            Place::Vacant(next) => Record::Vacant(next.0),
            Place::Node(node) => Record::Node(NodeRecord::of(node)),
        });
        std::iter::once(header).chain(leases).chain(lists).chain(places)
    }

    /// The state again.
    ///
    /// # Errors
    /// [`DecodeError`] if a block is malformed, missing, damaged or from a newer version; never a partial state.
    pub fn decode<B: AsRef<[u8]>>(blocks: impl IntoIterator<Item = B>) -> Result<State, DecodeError> {
        let mut reader = read::Reader::default();
        for (number, block) in blocks.into_iter().enumerate() {
            reader.block(number, block.as_ref())?;
        }
        reader.finish()
    }

    /// A fingerprint of everything that is replicated: members with equal histories have equal digests.
    pub fn digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        for block in self.encode() {
            hasher.update(&block);
        }
        hasher.digest128()
    }
}

/// Writes records as blocks, from the magic to the end.
fn seal<'r>(mut records: impl Iterator<Item = Record<'r>>) -> impl Iterator<Item = Vec<u8>> {
    let mut hasher = Xxh3::new();
    let mut written = 0u64;
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 8);
        if written == 0 {
            block.extend_from_slice(&MAGIC);
            block.extend_from_slice(&FORMAT.to_le_bytes());
        }
        while block.len() < BLOCK {
            let Some(record) = records.next() else {
                ended = true;
                break;
            };
            push(&mut block, &record);
            written += 1;
        }
        hasher.update(&block);
        if ended {
            let hash = hasher.digest();
            push(&mut block, &Record::End { records: written, hash });
        }
        Some(block)
    })
}

fn push(block: &mut Vec<u8>, record: &Record<'_>) {
    // Writing to memory cannot fail, and every record has a known length.
    if let Ok(longer) = postcard::to_extend(record, std::mem::take(block)) {
        *block = longer;
    }
}

#[cfg(test)]
mod tests;
