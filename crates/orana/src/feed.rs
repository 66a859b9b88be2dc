//! Carries lists from subscriptions to a directory, for as long as somebody has the reference.

use std::sync::{Arc, Weak};

use orana_cluster::Directory;
use orana_core::ServiceUrl;
use orana_registry::{Notification, Subscription};
use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// One subscription's way into a directory; dropping it ends the subscription.
pub(crate) struct Feed(AbortHandle);

/// What each registry lists for one reference. Together that is what the directory is told.
pub(crate) struct Sources {
    directory: Weak<Directory>,
    /// One place for each registry; `None` while it has not said anything.
    lists: Mutex<Vec<Option<Arc<[ServiceUrl]>>>>,
}

impl Sources {
    /// `count` registries for one directory.
    pub(crate) fn new(directory: &Arc<Directory>, count: usize) -> Arc<Sources> {
        Arc::new(Sources {
            directory: Arc::downgrade(directory),
            lists: Mutex::new(vec![None; count]),
        })
    }

    /// Takes what registry number `index` says; whether the directory is still there to be told.
    fn tell(&self, index: usize, notification: &Notification) -> bool {
        let Some(directory) = self.directory.upgrade() else {
            return false;
        };
        // Nothing said about providers leaves those that are known.
        let Some(providers) = notification.providers() else {
            return true;
        };
        let mut lists = self.lists.lock();
        if let Some(list) = lists.get_mut(index) {
            *list = Some(Arc::clone(providers));
        }
        let mut known = lists.iter().flatten();
        let together = match (known.next(), known.next()) {
            (Some(only), None) => Arc::clone(only),
            _ => lists.iter().flatten().flat_map(|list| list.iter().cloned()).collect(),
        };
        // While the lists are held, so that the newest is told last.
        directory.notify(together);
        true
    }
}

impl Feed {
    /// Tells what `subscription`, that of registry number `index`, says now and with every change.
    pub(crate) fn start(mut subscription: Subscription, sources: &Arc<Sources>, index: usize) -> Feed {
        let sources = Arc::clone(sources);
        sources.tell(index, &subscription.current());
        let task = tokio::spawn(async move {
            while let Some(notification) = subscription.changed().await {
                if !sources.tell(index, &notification) {
                    return;
                }
            }
        });
        Feed(task.abort_handle())
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.abort();
    }
}
