//! The state as bytes and back. A snapshot is a sequence of blocks of bounded size, so that neither side ever
//! holds more than one of them; the first says what follows, the last says how much there was.
//!
//! ```text
//!  header · leases* · lists* · places* · end
//! ```
//!
//! Slots are written as they lie, so that a restored state gives out the same slots, the same orders and the
//! same bytes again. Where blocks are kept and how they are protected against damage is not known here.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::acl::{AclEntry, AclId, AclTable};
use crate::id::{LeaseId, Zxid};
use crate::lease::{Lease, LeaseTable};
use crate::node::{Node, Owner, Slot, text};
use crate::state::State;
use crate::tree::{Place, Tree};

/// Raised whenever an older reader could not read what is written.
const FORMAT: u32 = 1;

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
    /// The last block is missing or there are more or fewer items than announced.
    #[error("snapshot is incomplete: {0}")]
    Incomplete(String),
    /// The links between nodes contradict each other.
    #[error("snapshot is inconsistent at slot {0}")]
    Inconsistent(u32),
}

#[derive(Serialize, Deserialize)]
enum Record<'a> {
    Header(Header),
    Lease(LeaseRecord),
    #[serde(borrow)]
    Acl(AclRecord<'a>),
    Vacant(u32),
    #[serde(borrow)]
    Node(NodeRecord<'a>),
    End {
        records: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    index: u64,
    zxid: Zxid,
    at: i64,
    vacant: u32,
    ephemerals: u64,
    bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct LeaseRecord {
    id: LeaseId,
    period_ms: u32,
    secret: [u8; 16],
    owned: u32,
    first_owned: u32,
    last_owned: u32,
}

#[derive(Serialize, Deserialize)]
struct AclRecord<'a> {
    id: u32,
    uses: u64,
    #[serde(borrow)]
    entries: Vec<(i32, &'a str, &'a str)>,
}

#[derive(Serialize, Deserialize)]
enum OwnerRecord {
    Nobody,
    Lease(LeaseId),
    Container,
    Ttl(u64),
}

#[derive(Serialize, Deserialize)]
struct NodeRecord<'a> {
    name: &'a str,
    #[serde(borrow, with = "serde_bytes")]
    data: Option<&'a [u8]>,
    owner: OwnerRecord,
    zxids: [i64; 3],
    times: [i64; 2],
    links: [u32; 7],
    children: u32,
    acl: u32,
    versions: [i32; 3],
}

impl State {
    /// The state as blocks of about 256 KiB. Encode a clone: it shares everything with the original and does
    /// not see what is written meanwhile.
    pub fn encode(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let mut records = self.records();
        let mut written = 0u64;
        let mut ended = false;
        std::iter::from_fn(move || {
            if ended {
                return None;
            }
            let mut block = Vec::with_capacity(BLOCK + BLOCK / 8);
            while block.len() < BLOCK {
                let Some(record) = records.next() else {
                    push(&mut block, &Record::End { records: written });
                    ended = true;
                    break;
                };
                push(&mut block, &record);
                written += 1;
            }
            Some(block)
        })
    }

    fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let header = Record::Header(Header {
            format: FORMAT,
            index: self.index,
            zxid: self.zxid,
            at: self.at,
            vacant: self.tree.first_vacant().0,
            ephemerals: self.ephemerals as u64,
            bytes: self.bytes,
        });
        let leases = self.leases.iter().map(|(id, lease)| {
            Record::Lease(LeaseRecord {
                id,
                period_ms: lease.period_ms,
                secret: lease.secret,
                owned: lease.owned,
                first_owned: lease.first_owned.0,
                last_owned: lease.last_owned.0,
            })
        });
        let lists = self.acls.iter().map(|(id, uses, acl)| {
            let entries = acl
                .iter()
                .map(|entry| (entry.permissions, &*entry.scheme, &*entry.id))
                .collect();
            Record::Acl(AclRecord {
                id: id.0,
                uses,
                entries,
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
    /// [`DecodeError`] if a block is malformed, missing or from a newer version; never a partial state.
    pub fn decode<B: AsRef<[u8]>>(blocks: impl IntoIterator<Item = B>) -> Result<State, DecodeError> {
        let mut reader = Reader::default();
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

fn push(block: &mut Vec<u8>, record: &Record<'_>) {
    // Writing to memory cannot fail, and every record has a known length.
    if let Ok(longer) = postcard::to_extend(record, std::mem::take(block)) {
        *block = longer;
    }
}

impl<'a> NodeRecord<'a> {
    fn of(node: &'a Node) -> NodeRecord<'a> {
        NodeRecord {
            name: std::str::from_utf8(node.name()).unwrap_or_default(),
            data: node.data(),
            owner: match node.owner {
                Owner::Nobody => OwnerRecord::Nobody,
                Owner::Lease(id) => OwnerRecord::Lease(id),
                Owner::Container => OwnerRecord::Container,
                Owner::Ttl(ms) => OwnerRecord::Ttl(ms),
            },
            zxids: [node.czxid.0, node.mzxid.0, node.pzxid.0],
            times: [node.ctime, node.mtime],
            links: [
                node.parent.0,
                node.previous.0,
                node.next.0,
                node.first_child.0,
                node.last_child.0,
                node.previous_owned.0,
                node.next_owned.0,
            ],
            children: node.children,
            acl: node.acl.0,
            versions: [node.version, node.created, node.aversion],
        }
    }

    fn into_node(self) -> Node {
        let [czxid, mzxid, pzxid] = self.zxids.map(Zxid);
        let [ctime, mtime] = self.times;
        let [
            parent,
            previous,
            next,
            first_child,
            last_child,
            previous_owned,
            next_owned,
        ] = self.links.map(Slot);
        let [version, created, aversion] = self.versions;
        Node {
            name: text(self.name.as_bytes()),
            data: self.data.map(text),
            owner: match self.owner {
                OwnerRecord::Nobody => Owner::Nobody,
                OwnerRecord::Lease(id) => Owner::Lease(id),
                OwnerRecord::Container => Owner::Container,
                OwnerRecord::Ttl(ms) => Owner::Ttl(ms),
            },
            czxid,
            mzxid,
            pzxid,
            ctime,
            mtime,
            parent,
            previous,
            next,
            first_child,
            last_child,
            previous_owned,
            next_owned,
            children: self.children,
            acl: AclId(self.acl),
            version,
            created,
            aversion,
        }
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    leases: Vec<(LeaseId, Lease)>,
    lists: Vec<(AclId, u64, crate::acl::Acl)>,
    places: Vec<Place>,
    records: u64,
    ended: bool,
}

impl Reader {
    fn block(&mut self, number: usize, mut rest: &[u8]) -> Result<(), DecodeError> {
        let malformed = |what: String| DecodeError::Malformed { block: number, what };
        while !rest.is_empty() {
            if self.ended {
                return Err(malformed("data after the end".into()));
            }
            let (record, after) =
                postcard::take_from_bytes::<Record<'_>>(rest).map_err(|e| malformed(e.to_string()))?;
            rest = after;
            if self.header.is_none() && !matches!(record, Record::Header(_)) {
                return Err(malformed("the header is missing".into()));
            }
            if let Record::End { records } = record {
                if records != self.records {
                    let (found, said) = (self.records, records);
                    return Err(DecodeError::Incomplete(format!("{found} records instead of {said}")));
                }
                self.ended = true;
                continue;
            }
            self.records += 1;
            self.record(record).map_err(|e| match e {
                Some(newer) => newer,
                None => malformed("a second header".into()),
            })?;
        }
        Ok(())
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), Option<DecodeError>> {
        match record {
            Record::Header(header) if header.format > FORMAT => {
                return Err(Some(DecodeError::TooNew { found: header.format }));
            }
            Record::Header(header) => {
                if self.header.replace(header).is_some() {
                    return Err(None);
                }
            }
            Record::Lease(lease) => self.leases.push((
                lease.id,
                Lease {
                    period_ms: lease.period_ms,
                    secret: lease.secret,
                    owned: lease.owned,
                    first_owned: Slot(lease.first_owned),
                    last_owned: Slot(lease.last_owned),
                },
            )),
            Record::Acl(list) => {
                let entries = list.entries.into_iter();
                let entries = entries.map(|(permissions, scheme, id)| AclEntry {
                    permissions,
                    scheme: scheme.into(),
                    id: id.into(),
                });
                self.lists.push((AclId(list.id), list.uses, entries.collect()));
            }
            Record::Vacant(next) => self.places.push(Place::Vacant(Slot(next))),
            Record::Node(node) => self.places.push(Place::Node(node.into_node())),
            Record::End { .. } => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<State, DecodeError> {
        if !self.ended {
            return Err(DecodeError::Incomplete("the end is missing".into()));
        }
        let header = self
            .header
            .ok_or_else(|| DecodeError::Incomplete("it is empty".into()))?;
        let bound = self.places.len() as u32;
        let known = |slot: Slot| slot == Slot::NONE || slot.0 < bound;
        if let Some((_, lease)) = self
            .leases
            .iter()
            .find(|(_, l)| !known(l.first_owned) || !known(l.last_owned))
        {
            return Err(DecodeError::Inconsistent(lease.first_owned.0));
        }
        let mortal = self.places.iter().enumerate().filter_map(|(at, place)| match place {
            Place::Node(node) if matches!(node.owner, Owner::Container | Owner::Ttl(_)) => Some(Slot(at as u32)),
            _ => None,
        });
        let mortal = std::sync::Arc::new(mortal.collect());
        let tree = Tree::restore(self.places.into_iter(), Slot(header.vacant));
        let state = State {
            tree: tree.map_err(|slot| DecodeError::Inconsistent(slot.0))?,
            acls: std::sync::Arc::new(AclTable::restore(self.lists)),
            leases: LeaseTable::restore(self.leases.into_iter()),
            zxid: header.zxid,
            index: header.index,
            at: header.at,
            ephemerals: header.ephemerals as usize,
            bytes: header.bytes,
            mortal,
        };
        for (id, lease) in state.leases.iter() {
            if let Some(slot) = lease.first_owned.some().or(lease.last_owned.some())
                && !state.tree.is_owned(slot, id)
            {
                return Err(DecodeError::Inconsistent(slot.0));
            }
        }
        Ok(state)
    }
}
