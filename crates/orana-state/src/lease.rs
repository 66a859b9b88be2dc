//! Leases: what keeps ephemeral nodes alive. A ZooKeeper session is one, and other protocols' signs of life
//! (a connection, a beat, a renewal) fit as well. When a lease has run out is not known here: whoever counts
//! the time proposes [`crate::Action::Revoke`].

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::id::LeaseId;
use crate::owned::Ends;

/// The public facts of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Milliseconds without a sign of life after which it may be revoked.
    pub period_ms: u32,
    /// What a client shows to take the lease up again.
    pub secret: [u8; 16],
    /// How many nodes it owns.
    pub owned: u32,
    pub(crate) ends: Ends,
}

/// All leases, by number. One ordered map behind one pointer: ten thousand leases are half a megabyte, copied
/// once by the first write after a snapshot was begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeaseTable(Arc<BTreeMap<LeaseId, Lease>>);

impl LeaseTable {
    pub(crate) fn grant(&mut self, id: LeaseId, period_ms: u32, secret: [u8; 16]) {
        let lease = Lease {
            period_ms,
            secret,
            owned: 0,
            ends: Ends::NONE,
        };
        Arc::make_mut(&mut self.0).insert(id, lease);
    }

    pub(crate) fn get(&self, id: LeaseId) -> Option<&Lease> {
        self.0.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: LeaseId) -> Option<&mut Lease> {
        Arc::make_mut(&mut self.0).get_mut(&id)
    }

    pub(crate) fn remove(&mut self, id: LeaseId) -> Option<Lease> {
        Arc::make_mut(&mut self.0).remove(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (LeaseId, &Lease)> {
        self.0.iter().map(|(id, lease)| (*id, lease))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn restore(rows: impl Iterator<Item = (LeaseId, Lease)>) -> LeaseTable {
        LeaseTable(Arc::new(rows.collect()))
    }
}
