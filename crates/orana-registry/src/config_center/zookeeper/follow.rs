//! Follows one node for as long as somebody reads and the session lasts: arm, read, tell, wait; and again.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join;
use tokio::sync::{oneshot, watch};
use tokio::time::sleep;
use zookeeper_client::{AddWatchMode, Client, Error, EventType, PersistentWatcher, WatchedEvent};

use crate::backend::zookeeper::arming::{Style, Watcher};
use crate::backend::zookeeper::settings::Settings;
use crate::config_center::{ConfigFeed, Content};
use crate::error::{RegistryError, RegistryErrorKind};

/// How long a text waits to be read again after the server could not give it.
const AGAIN: Duration = Duration::from_millis(500);

/// After so long a silence a text is watched and read anew.
const SILENCE: Duration = Duration::from_secs(300);

/// The most that is taken in of what a watch has told before the text is read: it is read once for all of it.
const BURST: usize = 4096;

/// A wish for a watch.
pub(super) struct Order {
    pub(super) path: String,
    pub(super) feed: ConfigFeed,
    /// Told when the first word is in the feed, or why it never will be.
    pub(super) ready: oneshot::Sender<Result<(), RegistryError>>,
}

/// What is needed to follow a node.
pub(super) struct Follower {
    pub(super) settings: Arc<Settings>,
    pub(super) client: Client,
    pub(super) style: Style,
    /// Whether the connection is there; a change says that watches are void.
    pub(super) cable: watch::Receiver<bool>,
}

/// What is to be done after waiting.
enum Next {
    Read,
    Arm,
}

impl Follower {
    /// Runs until nobody reads, or the node cannot be read for good; how long the path is that is not watched any more.
    pub(super) async fn follow(mut self, order: Order) -> usize {
        let Order { path, feed, ready } = order;
        tokio::select! {
            () = self.run(&path, &feed, ready) => {}
            () = feed.unread() => {}
        }
        path.len()
    }

    async fn run(&mut self, path: &str, feed: &ConfigFeed, ready: oneshot::Sender<Result<(), RegistryError>>) {
        let mut ready = Some(ready);
        // Kept until the next is armed, so that the client never takes a watch for one that nobody holds.
        let mut watcher = None;
        let mut next = Next::Arm;
        loop {
            if !*self.cable.borrow_and_update() {
                if self.cable.changed().await.is_err() {
                    return;
                }
                next = Next::Arm;
                continue;
            }
            let read = match next {
                Next::Read => existing(self.client.get_data(path).await.map(|(data, _)| data)),
                Next::Arm => self.arm(path).await.map(|(armed, data)| {
                    watcher = Some(armed);
                    data
                }),
            };
            let error = match read {
                Ok(data) => {
                    let word = data.map_or(Ok(None), |data| content(&self.settings, path, data));
                    feed.put(word);
                    if let Some(ready) = ready.take() {
                        // Nobody may be waiting any more.
                        let _ = ready.send(Ok(()));
                    }
                    next = self.wait(&mut watcher).await;
                    continue;
                }
                Err(error) => error,
            };
            next = Next::Arm;
            if self.style == Style::Persistent && matches!(error, Error::Unimplemented | Error::BadArguments(_)) {
                // Another member of the ensemble, an older one, has taken over.
                self.style = Style::OneShot;
                continue;
            }
            let error = self.settings.failure("cannot read", path, error);
            if let Some(ready) = ready.take() {
                let _ = ready.send(Err(error));
                return;
            }
            if error.kind() == RegistryErrorKind::Refused {
                feed.put(Err(error));
                return;
            }
            tracing::debug!(%error, "a text is read again soon");
            tokio::select! {
                () = sleep(AGAIN.mul_f64(0.75 + fastrand::f64() / 2.0)) => {}
                _ = self.cable.changed() => {}
            }
        }
    }

    /// Arms a watch and reads the data behind it.
    async fn arm(&self, path: &str) -> Result<(Watcher, Option<Vec<u8>>), Error> {
        if self.style == Style::OneShot {
            return self.arm_once(path).await;
        }
        // A request is sent when its future is made: the watch is armed first, and one round trip serves both.
        let watch = self.client.watch(path, AddWatchMode::Persistent);
        let (watcher, data) = join(watch, self.client.get_data(path)).await;
        let data = existing(data.map(|(data, _)| data));
        Ok((Watcher::Persistent(watcher?), data?))
    }

    /// Reads data together with a watch that fires at the next change; where there is no node yet, a watch for its creation.
    async fn arm_once(&self, path: &str) -> Result<(Watcher, Option<Vec<u8>>), Error> {
        loop {
            match self.client.get_and_watch_data(path).await {
                Ok((data, _, watcher)) => return Ok((Watcher::OneShot(watcher), Some(data))),
                Err(Error::NoNode) => {}
                Err(error) => return Err(error),
            }
            if let (None, watcher) = self.client.check_and_watch_stat(path).await? {
                return Ok((Watcher::OneShot(watcher), None));
            }
            // It was made in between.
        }
    }

    /// Waits until the text may be another, or the watch is none any more.
    async fn wait(&mut self, watcher: &mut Option<Watcher>) -> Next {
        let silence = SILENCE.mul_f64(0.75 + fastrand::f64() / 2.0);
        let told = async {
            match watcher {
                Some(Watcher::Persistent(watcher)) => {
                    told(watcher).await;
                    Next::Read
                }
                Some(Watcher::OneShot(_)) => {
                    if let Some(Watcher::OneShot(watcher)) = watcher.take() {
                        watcher.changed().await;
                    }
                    Next::Arm
                }
                None => Next::Arm,
            }
        };
        tokio::select! {
            next = told => next,
            _ = self.cable.changed() => Next::Arm,
            () = sleep(silence) => Next::Arm,
        }
    }
}

/// Waits until a watch that stays tells of the node itself; all that it has told by then counts as one.
async fn told(watcher: &mut PersistentWatcher) {
    let mut event = watcher.changed().await;
    for _ in 0..BURST {
        if is_end(&event) {
            // To ask such a watcher for more is an error; the session itself ends what we do.
            return std::future::pending().await;
        }
        if is_news(&event) {
            break;
        }
        event = watcher.changed().await;
    }
    for _ in 0..BURST {
        match watcher.changed().now_or_never() {
            Some(event) if is_end(&event) => return std::future::pending().await,
            Some(_) => {}
            None => return,
        }
    }
}

fn is_end(event: &WatchedEvent) -> bool {
    event.event_type == EventType::Session && event.session_state.is_terminated()
}

/// Whether the data may be other than before. What happens to the nodes below is not ours, and the connection is followed on
/// its own.
fn is_news(event: &WatchedEvent) -> bool {
    use EventType::{NodeCreated, NodeDataChanged, NodeDeleted};
    matches!(event.event_type, NodeCreated | NodeDataChanged | NodeDeleted)
}

/// The data that was read; `None` when there is no such node.
fn existing(data: Result<Vec<u8>, Error>) -> Result<Option<Vec<u8>>, Error> {
    match data {
        Ok(data) => Ok(Some(data)),
        Err(Error::NoNode) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a node's data. A node without data is a directory, or a rule that somebody has blanked: no text.
pub(super) fn content(settings: &Settings, path: &str, data: Vec<u8>) -> Result<Content, RegistryError> {
    if data.is_empty() {
        return Ok(None);
    }
    match String::from_utf8(data) {
        Ok(text) => Ok(Some(text.into())),
        Err(error) => {
            let what = format!("the data is no text: {}", error.utf8_error());
            let address = Arc::clone(&settings.address);
            Err(RegistryError::new(RegistryErrorKind::Failed, address, what).at(path))
        }
    }
}
