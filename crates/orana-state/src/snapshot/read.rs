//! Reads the blocks of a snapshot one after the other. What the records mean together is judged in `audit.rs`.

use xxhash_rust::xxh3::Xxh3;

use crate::acl::{AclEntry, AclId, AclTable, Interned};
use crate::id::LeaseId;
use crate::lease::{Lease, LeaseTable};
use crate::node::Slot;
use crate::owned::Ends;
use crate::snapshot::record::{Header, Record};
use crate::snapshot::{DecodeError, FORMAT, MAGIC};
use crate::state::State;
use crate::tree::{Place, Places};

/// The highest number of a list may exceed the number of places by so much: a multi that sets lists holds the old
/// ones until its end.
const LISTS_BEYOND_PLACES: u32 = 1 << 20;

/// What was read so far.
#[derive(Default)]
pub(super) struct Reader {
    header: Option<Header>,
    leases: Vec<(LeaseId, Lease)>,
    lists: Vec<(AclId, Interned)>,
    places: Places,
    rank: u8,
    records: u64,
    hasher: Xxh3,
    begun: bool,
    ended: bool,
}

impl Reader {
    pub(super) fn block(&mut self, number: usize, block: &[u8]) -> Result<(), DecodeError> {
        let malformed = |what: String| DecodeError::Malformed { block: number, what };
        let mut rest = if self.begun { block } else { begin(block)? };
        self.begun = true;
        let mut hashed = block.len();
        while !rest.is_empty() {
            if self.ended {
                return Err(malformed("data after the end".into()));
            }
            let before = block.len() - rest.len();
            let (record, after) =
                postcard::take_from_bytes::<Record<'_>>(rest).map_err(|e| malformed(e.to_string()))?;
            rest = after;
            if record.rank() < self.rank || (self.header.is_none() && record.rank() > 0) {
                return Err(malformed("a record is out of its order".into()));
            }
            self.rank = record.rank();
            if let Record::End { records, hash } = record {
                hashed = before;
                self.hasher.update(block.get(..before).unwrap_or_default());
                self.end(records, hash)?;
                continue;
            }
            self.records += 1;
            self.record(record);
        }
        if hashed == block.len() {
            self.hasher.update(block);
        }
        Ok(())
    }

    fn record(&mut self, record: Record<'_>) {
        match record {
            Record::Header(header) => {
                self.header = Some(header);
                // There is one only.
                self.rank = 1;
            }
            Record::Lease(lease) => {
                let [first, last] = lease.ends.map(Slot);
                let facts = Lease {
                    period_ms: lease.period_ms,
                    secret: lease.secret,
                    owned: lease.owned,
                    ends: Ends { first, last },
                };
                self.leases.push((lease.id, facts));
            }
            Record::Acl(list) => {
                let entries = list.entries.into_iter();
                let entries = entries.map(|(permissions, scheme, id)| AclEntry {
                    permissions,
                    scheme: scheme.into(),
                    id: id.into(),
                });
                let (acl, uses) = (entries.collect(), list.uses);
                self.lists.push((AclId(list.id), Interned { acl, uses }));
            }
            Record::Vacant(next) => self.places.push(Place::Vacant(Slot(next))),
            Record::Node(node) => self.places.push(Place::Node(node.into_node())),
            Record::End { .. } => {}
        }
    }

    fn end(&mut self, records: u64, said: u64) -> Result<(), DecodeError> {
        if records != self.records {
            let found = self.records;
            return Err(DecodeError::Incomplete(format!("{found} records instead of {records}")));
        }
        let found = self.hasher.digest();
        if found != said {
            return Err(DecodeError::Damaged { found, said });
        }
        self.ended = true;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<State, DecodeError> {
        let header = self
            .header
            .filter(|_| self.ended)
            .ok_or_else(|| DecodeError::Incomplete("the end is missing".into()))?;
        let most = self.places.len().saturating_add(LISTS_BEYOND_PLACES);
        let acls = AclTable::restore(self.lists, most)
            .map_err(|id| DecodeError::Inconsistent(format!("access control list {} does not fit", id.0)))?;
        if !self.leases.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err(DecodeError::Inconsistent("leases are out of order".into()));
        }
        let [first, last] = header.mortal.map(Slot);
        let state = State {
            tree: self.places.tree(Slot(header.vacant))?,
            acls,
            leases: LeaseTable::restore(self.leases.into_iter()),
            zxid: header.zxid,
            index: header.index,
            at: header.at,
            ephemerals: header.ephemerals as usize,
            bytes: header.bytes,
            mortal: Ends { first, last },
        };
        state.audit()?;
        Ok(state)
    }
}

/// What follows the magic and the format.
fn begin(block: &[u8]) -> Result<&[u8], DecodeError> {
    let malformed = |what: &str| DecodeError::Malformed {
        block: 0,
        what: what.into(),
    };
    let rest = block
        .strip_prefix(&MAGIC)
        .ok_or_else(|| malformed("this is no snapshot"))?;
    let (format, rest) = rest
        .split_first_chunk()
        .ok_or_else(|| malformed("the format is missing"))?;
    match u32::from_le_bytes(*format) {
        FORMAT => Ok(rest),
        found if found > FORMAT => Err(DecodeError::TooNew { found }),
        found => Err(malformed(&format!("there was never a format {found}"))),
    }
}
