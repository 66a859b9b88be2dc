//! One thing that is watched, shared by all who subscribed to it: its memory, and the newest notification.

use std::sync::Arc;

use orana_core::{ServiceUrl, UrlPool};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::error::RegistryError;
use crate::lists::{Lists, Trust};
use crate::notification::{Freshness, Notification};
use crate::query::Query;
use crate::snapshot::{Origin, Snapshot};

/// How far an item of the desired state has come.
#[derive(Clone, Debug)]
pub(crate) enum Progress {
    /// Not tried yet, or not since the last session.
    Pending,
    /// As it is wanted.
    Settled,
    /// The last try failed; the next will come by itself if `again`.
    Failed { error: RegistryError, again: bool },
    /// Not wanted any more, and gone.
    Gone,
}

/// A query and what is known of its answer.
pub(crate) struct Topic {
    /// The first URL that asked.
    pub(crate) subscriber: ServiceUrl,
    pub(crate) query: Query,
    pub(crate) progress: watch::Sender<Progress>,
    lists: Mutex<Lists>,
    told: watch::Sender<Arc<Notification>>,
}

impl Topic {
    pub(crate) fn new(subscriber: ServiceUrl, query: Query, trust: Trust) -> Topic {
        Topic {
            subscriber,
            lists: Mutex::new(Lists::new(query.clone(), trust)),
            query,
            progress: watch::Sender::new(Progress::Pending),
            told: watch::Sender::new(Arc::new(Notification::not_ready())),
        }
    }

    pub(crate) fn listen(&self) -> watch::Receiver<Arc<Notification>> {
        self.told.subscribe()
    }

    pub(crate) fn current(&self) -> Arc<Notification> {
        Arc::clone(&self.told.borrow())
    }

    /// Takes what the registry said in session `epoch`. `true` when there is something to [`Topic::tell`].
    pub(crate) fn take(&self, mut snapshot: Snapshot, epoch: u64, now: Instant, pool: &UrlPool) -> bool {
        share(&mut snapshot, pool);
        self.lists.lock().take(snapshot, Some(epoch), now)
    }

    /// All first snapshots of session `epoch` have been taken.
    pub(crate) fn complete(&self, epoch: u64, now: Instant) -> bool {
        self.lists.lock().complete(epoch, now)
    }

    /// Takes and tells what a disk remembers, unless somebody has said something before.
    pub(crate) fn remember(&self, mut snapshot: Snapshot, now: Instant, pool: &UrlPool) {
        share(&mut snapshot, pool);
        snapshot.origin = Origin::Disk;
        let mut lists = self.lists.lock();
        if lists.is_unknown() && lists.take(snapshot, None, now) {
            self.told.send_replace(Arc::new(lists.notification()));
        }
    }

    /// The link is not up any more.
    pub(crate) fn link_lost(&self) {
        self.lists.lock().link_lost();
    }

    /// The link is up again.
    pub(crate) fn link_back(&self, same_session: bool, now: Instant) {
        self.lists.lock().link_back(same_session, now);
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.lists.lock().deadline()
    }

    pub(crate) fn expire(&self, now: Instant) -> bool {
        self.lists.lock().expire(now)
    }

    /// Tells subscribers what is known now.
    pub(crate) fn tell(&self) {
        // Under the lock, so that the last to be told is the last that was taken.
        let lists = self.lists.lock();
        self.told.send_replace(Arc::new(lists.notification()));
    }

    /// What is worth keeping on disk: what the registry itself has said.
    pub(crate) fn to_keep(&self) -> Option<Notification> {
        // Not what was told: it may be saved before that.
        let known = self.lists.lock().notification();
        (known.freshness == Freshness::Fresh && !self.query.any_interface()).then_some(known)
    }
}

fn share(snapshot: &mut Snapshot, pool: &UrlPool) {
    for (_, urls) in &mut snapshot.categories {
        *urls = urls.iter().map(|url| pool.intern(url)).collect();
    }
}
