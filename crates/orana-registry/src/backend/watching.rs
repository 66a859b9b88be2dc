//! The stream of snapshots between a back-end and whoever watches: for each interface the newest state wins, so a slow
//! reader costs one pending snapshot for each interface and never misses the last word.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::snapshot::Snapshot;

/// The reading end. Dropping it ends the watch.
pub struct Watching {
    pending: Arc<Pending>,
}

/// The writing end, which a back-end keeps. Dropping it ends the stream once it is read.
pub struct Feed {
    pending: Arc<Pending>,
}

struct Pending {
    state: Mutex<State>,
    /// Wakes the reader: there is a snapshot, or the feed has gone.
    filled: Notify,
    /// Wakes whoever waits in [`Feed::unread`].
    left: Notify,
}

#[derive(Default)]
struct State {
    /// Interfaces in the order of their first unread snapshot, each once: bounded by the interfaces watched.
    order: VecDeque<Arc<str>>,
    snapshots: HashMap<Arc<str>, Snapshot>,
    feed_gone: bool,
    reader_gone: bool,
}

impl Watching {
    /// Both ends of a new stream.
    pub fn channel() -> (Feed, Watching) {
        let pending = Arc::new(Pending {
            state: Mutex::default(),
            filled: Notify::new(),
            left: Notify::new(),
        });
        (
            Feed {
                pending: Arc::clone(&pending),
            },
            Watching { pending },
        )
    }

    /// The next snapshot; `None` when the watch has ended and must be begun anew. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Snapshot> {
        loop {
            {
                let mut state = self.pending.state.lock();
                if let Some(snapshot) = state.take() {
                    return Some(snapshot);
                }
                if state.feed_gone {
                    return None;
                }
            }
            // A permit is kept for one who comes late, so nothing that happens between the lock and here is missed.
            self.pending.filled.notified().await;
        }
    }

    /// The next snapshot if one is there already.
    pub fn try_next(&mut self) -> Option<Snapshot> {
        self.pending.state.lock().take()
    }
}

impl Feed {
    /// Puts a snapshot into the stream, over what the reader has not yet read of that interface. `false` when nobody
    /// reads any more.
    pub fn put(&self, snapshot: Snapshot) -> bool {
        {
            let mut state = self.pending.state.lock();
            if state.reader_gone {
                return false;
            }
            match state.snapshots.get_mut(&snapshot.interface) {
                Some(unread) => unread.overlay(snapshot),
                None => {
                    state.order.push_back(Arc::clone(&snapshot.interface));
                    state.snapshots.insert(Arc::clone(&snapshot.interface), snapshot);
                }
            }
        }
        self.pending.filled.notify_one();
        true
    }

    /// Whether the reader has gone.
    pub fn is_unread(&self) -> bool {
        self.pending.state.lock().reader_gone
    }

    /// Returns when the reader has gone.
    pub async fn unread(&self) {
        while !self.is_unread() {
            self.pending.left.notified().await;
        }
    }
}

impl State {
    fn take(&mut self) -> Option<Snapshot> {
        let interface = self.order.pop_front()?;
        self.snapshots.remove(&interface)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let unread = {
            let mut state = self.pending.state.lock();
            state.reader_gone = true;
            state.order.clear();
            std::mem::take(&mut state.snapshots)
        };
        drop(unread);
        self.pending.left.notify_one();
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.pending.state.lock().feed_gone = true;
        self.pending.filled.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use orana_core::{Category, ServiceUrl};

    use super::*;

    fn snapshot(interface: &str, category: Category, urls: &[&str]) -> Snapshot {
        let urls: Vec<_> = urls.iter().map(|url| ServiceUrl::parse(url).unwrap()).collect();
        Snapshot::new(interface).with(category, urls)
    }

    #[tokio::test]
    async fn a_slow_reader_gets_the_newest_state_of_each_interface_and_all_its_categories() {
        let (feed, mut watching) = Watching::channel();
        assert!(feed.put(snapshot("a", Category::Providers, &["dubbo://h:1/a"])));
        assert!(feed.put(snapshot("b", Category::Providers, &[])));
        assert!(feed.put(snapshot("a", Category::Routers, &[])));
        assert!(feed.put(snapshot("a", Category::Providers, &["dubbo://h:2/a"])));

        let first = watching.next().await.unwrap();
        assert_eq!(first.get(Category::Providers).unwrap()[0].port(), Some(2));
        assert!(first.get(Category::Routers).is_some());
        assert_eq!(&*watching.next().await.unwrap().interface, "b");
        assert_eq!(watching.try_next(), None);
    }

    #[tokio::test]
    async fn the_stream_ends_after_what_was_put_into_it() {
        let (feed, mut watching) = Watching::channel();
        feed.put(snapshot("a", Category::Providers, &[]));
        drop(feed);
        assert!(watching.next().await.is_some());
        assert!(watching.next().await.is_none());
        assert!(watching.next().await.is_none());
    }

    #[tokio::test]
    async fn the_feed_learns_that_nobody_reads() {
        let (feed, watching) = Watching::channel();
        let waits = tokio::spawn(async move {
            feed.unread().await;
            feed.put(snapshot("a", Category::Providers, &[]))
        });
        tokio::task::yield_now().await;
        drop(watching);
        assert!(!waits.await.unwrap());
    }
}
