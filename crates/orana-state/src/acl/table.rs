//! Every access control list in use, once, because a million nodes mostly share a handful of them. When each has
//! its own, a snapshot must not make a writer copy them all: like the tree, the table is kept in pieces, and
//! whoever writes while a clone lives copies the pieces that it touches. What a list means is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::acl::{Acl, AclEntry};

const CHUNK: usize = 64;
const SHARDS: usize = 1024;

/// The number of an interned list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AclId(pub(crate) u32);

#[derive(Clone, Debug)]
pub(crate) struct AclTable {
    rows: Vec<Arc<[Option<Interned>; CHUNK]>>,
    /// The chunks of `rows` that have a vacant place. The lowest is taken first, so that numbers depend on the
    /// history alone.
    roomy: BTreeSet<u32>,
    by_content: Vec<Arc<BTreeMap<Acl, AclId>>>,
    // Chooses among the maps of `by_content`; never visible, because nothing is listed in their order.
    hasher: ahash::RandomState,
}

/// A list and the number of nodes that use it.
#[derive(Clone, Debug)]
pub(crate) struct Interned {
    pub(crate) acl: Acl,
    pub(crate) uses: u64,
}

impl AclTable {
    /// The open list is never counted: it is what nearly every node has.
    pub(crate) const OPEN: AclId = AclId(0);

    pub(crate) fn new() -> AclTable {
        let mut table = AclTable {
            rows: Vec::new(),
            roomy: BTreeSet::new(),
            by_content: vec![Arc::default(); SHARDS],
            hasher: ahash::RandomState::new(),
        };
        table.place(
            Self::OPEN,
            Interned {
                acl: Arc::from([AclEntry::open()]),
                uses: 1,
            },
        );
        table
    }

    fn interned(&self, id: AclId) -> Option<&Interned> {
        let at = id.0 as usize;
        self.rows.get(at / CHUNK)?.get(at % CHUNK)?.as_ref()
    }

    fn row(&mut self, id: AclId) -> Option<&mut Option<Interned>> {
        let at = id.0 as usize;
        Arc::make_mut(self.rows.get_mut(at / CHUNK)?).get_mut(at % CHUNK)
    }

    pub(crate) fn get(&self, id: AclId) -> &[AclEntry] {
        self.interned(id).map_or(&[], |interned| &interned.acl)
    }

    /// `None` for the open list: nothing has to be checked.
    pub(crate) fn shared(&self, id: AclId) -> Option<Acl> {
        if id == Self::OPEN {
            return None;
        }
        self.interned(id).map(|interned| interned.acl.clone())
    }

    /// The number of this list, one use more.
    pub(crate) fn acquire(&mut self, list: Vec<AclEntry>) -> AclId {
        let shard = self.shard(&list);
        if let Some(id) = self.by_content[shard].get(&*list).copied() {
            self.retain(id);
            return id;
        }
        let id = self.lowest_vacant();
        let acl = list.into();
        self.place(id, Interned { acl, uses: 1 });
        id
    }

    fn retain(&mut self, id: AclId) {
        if id != Self::OPEN
            && let Some(Some(interned)) = self.row(id)
        {
            interned.uses += 1;
        }
    }

    /// One use less; a list without any is forgotten.
    pub(crate) fn release(&mut self, id: AclId) {
        if id == Self::OPEN {
            return;
        }
        let Some(row) = self.row(id) else { return };
        let forgotten = match row {
            Some(interned) if interned.uses > 1 => {
                interned.uses -= 1;
                return;
            }
            _ => row.take(),
        };
        if let Some(Interned { acl, .. }) = forgotten {
            let shard = self.shard(&acl);
            Arc::make_mut(&mut self.by_content[shard]).remove(&acl);
            self.roomy.insert(id.0 / CHUNK as u32);
        }
    }

    fn shard(&self, list: &[AclEntry]) -> usize {
        self.hasher.hash_one(list) as usize % SHARDS
    }

    fn lowest_vacant(&self) -> AclId {
        let chunk = self.roomy.first().map_or(self.rows.len(), |chunk| *chunk as usize);
        let row = self
            .rows
            .get(chunk)
            .and_then(|rows| rows.iter().position(Option::is_none));
        AclId((chunk * CHUNK + row.unwrap_or(0)) as u32)
    }

    /// Puts a new list into a vacant row, which is not beyond the first chunk that does not exist yet.
    fn place(&mut self, id: AclId, interned: Interned) {
        let at = id.0 as usize;
        let chunk = at / CHUNK;
        if self.rows.len() == chunk {
            self.rows.push(Arc::new([const { None }; CHUNK]));
            self.roomy.insert(chunk as u32);
        }
        let shard = self.shard(&interned.acl);
        Arc::make_mut(&mut self.by_content[shard]).insert(interned.acl.clone(), id);
        let rows = Arc::make_mut(&mut self.rows[chunk]);
        rows[at % CHUNK] = Some(interned);
        if rows.iter().all(Option::is_some) {
            self.roomy.remove(&(chunk as u32));
        }
    }

    /// Every list, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (AclId, &Interned)> {
        let rows = self.rows.iter().flat_map(|rows| rows.iter()).enumerate();
        rows.filter_map(|(at, row)| row.as_ref().map(|interned| (AclId(at as u32), interned)))
    }

    /// A table again, from what [`AclTable::iter`] gave. `Err` names the first number that does not fit: all
    /// begin with the open list, ascend, and have contents of their own. Memory stays within what the rows
    /// deserve as long as the gaps between them do, which `most`, the highest number that can be, sees to.
    pub(crate) fn restore(lists: Vec<(AclId, Interned)>, most: u32) -> Result<AclTable, AclId> {
        let mut table = AclTable::new();
        let mut previous = None;
        for (id, interned) in lists {
            if id.0 > most || previous.is_some_and(|previous| id <= previous) {
                return Err(id);
            }
            if previous.is_none() && (id != Self::OPEN || *interned.acl != [AclEntry::open()] || interned.uses != 1) {
                return Err(id);
            }
            previous = Some(id);
            if id == Self::OPEN {
                continue;
            }
            if interned.acl.is_empty() || table.by_content[table.shard(&interned.acl)].contains_key(&interned.acl) {
                return Err(id);
            }
            while table.rows.len() < id.0 as usize / CHUNK {
                table.roomy.insert(table.rows.len() as u32);
                table.rows.push(Arc::new([const { None }; CHUNK]));
            }
            table.place(id, interned);
        }
        match previous {
            Some(_) => Ok(table),
            None => Err(Self::OPEN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(at: usize) -> Vec<AclEntry> {
        vec![AclEntry {
            permissions: 1,
            scheme: "digest".into(),
            id: format!("user-{at}:x").into(),
        }]
    }

    #[test]
    fn a_list_is_stored_once_and_forgotten_after_its_last_use() {
        let mut table = AclTable::new();
        let first = table.acquire(list(1));
        assert_eq!(table.acquire(list(1)), first);
        table.release(first);
        assert_eq!(table.get(first), &list(1)[..]);
        table.release(first);
        assert_eq!(table.iter().count(), 1);
        assert_eq!(table.acquire(vec![AclEntry::open()]), AclTable::OPEN);
    }

    #[test]
    fn the_lowest_vacant_number_is_given_out_first() {
        let mut table = AclTable::new();
        let numbers: Vec<_> = (0..200).map(|at| table.acquire(list(at)).0).collect();
        assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
        for id in [150, 70, 3] {
            table.release(AclId(id));
        }
        let again: Vec<_> = (500..504).map(|at| table.acquire(list(at)).0).collect();
        assert_eq!(again, [3, 70, 150, 201]);
    }

    #[test]
    fn a_restored_table_gives_out_the_same_numbers() {
        let mut table = AclTable::new();
        for at in 0..200 {
            table.acquire(list(at));
        }
        for id in 60..199 {
            table.release(AclId(id));
        }
        let rows = |table: &AclTable| table.iter().map(|(id, interned)| (id, interned.clone())).collect();
        let mut restored = AclTable::restore(rows(&table), 200).expect("restore");
        for at in 1000..1300 {
            assert_eq!(restored.acquire(list(at)), table.acquire(list(at)));
        }
    }

    #[test]
    fn a_table_with_doubtful_rows_is_not_restored() {
        let open = (
            AclTable::OPEN,
            Interned {
                acl: Arc::from([AclEntry::open()]),
                uses: 1,
            },
        );
        let row = |id, at| {
            let acl = list(at).into();
            (AclId(id), Interned { acl, uses: 1 })
        };
        for rows in [
            vec![],
            vec![row(0, 1)],
            vec![row(1, 1)],
            vec![open.clone(), row(2, 1), row(1, 2)],
            vec![open.clone(), row(1, 1), row(2, 1)],
            vec![open.clone(), open.clone()],
            vec![open.clone(), row(u32::MAX, 1)],
        ] {
            assert!(AclTable::restore(rows, 10).is_err());
        }
    }
}
