//! How a place is watched: arms a watch and reads the list behind it, in the way the server understands.

use std::time::Duration;

use futures_util::future::join;
use tokio::time::timeout;
use zookeeper_client::{AddWatchMode, Client, Error, OneshotWatcher, PersistentWatcher, SessionState};

use super::layout::Place;
use super::settings::Settings;

/// How long a server may take to hang up on a request that it does not know, and to take the session back.
const HANG_UP: Duration = Duration::from_secs(2);

/// How places are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// By watches that stay and name the child that changed.
    Persistent,
    /// By watches that fire once and do not say more than that something changed: for servers before 3.6.
    OneShot,
}

/// An armed watch.
pub(crate) enum Watcher {
    Persistent(PersistentWatcher),
    OneShot(OneshotWatcher),
}

/// A list, and the watch behind which it was read.
pub(super) struct Reading {
    /// The watch that was armed before the list was read.
    pub(super) watcher: Option<Watcher>,
    /// The names of the children, if the node exists.
    pub(super) names: Option<Vec<String>>,
}

impl Style {
    /// Finds out which the server understands. A server that does not know persistent watches answers so and hangs up; the
    /// session survives that, and is connected again on return.
    pub(super) async fn of(client: &Client, settings: &Settings) -> Result<Style, Error> {
        let root = settings.path(&Place::Root);
        let mut states = client.state_watcher();
        match client.watch(&root, AddWatchMode::Persistent).await {
            Ok(_) => return Ok(Style::Persistent),
            Err(Error::Unimplemented | Error::BadArguments(_) | Error::MarshallingError) => {}
            Err(error) => return Err(error),
        }
        let mended = async {
            loop {
                match states.changed().await {
                    SessionState::Disconnected => {}
                    state if state.is_terminated() => return Err(Error::SessionExpired),
                    // The two changes may be seen as one.
                    _ => return Ok(()),
                }
            }
        };
        match timeout(HANG_UP, mended).await {
            Ok(Err(error)) => Err(error),
            // It may as well not hang up.
            Ok(Ok(())) | Err(_) => Ok(Style::OneShot),
        }
    }
}

/// Arms a watch and reads the list behind it.
pub(super) async fn arm(client: &Client, path: &str, place: &Place, style: Style) -> Result<Reading, Error> {
    if style == Style::OneShot {
        return arm_once(client, path).await;
    }
    let mode = match place {
        Place::Root => AddWatchMode::Persistent,
        Place::Category(..) => AddWatchMode::PersistentRecursive,
    };
    // A request is sent when its future is made: the watch is armed first, and one round trip serves both.
    let (watcher, names) = join(client.watch(path, mode), client.list_children(path)).await;
    Ok(Reading {
        watcher: Some(Watcher::Persistent(watcher?)),
        names: existing(names)?,
    })
}

/// Reads a list together with a watch that fires at the next change; where there is no node yet, a watch for its creation.
async fn arm_once(client: &Client, path: &str) -> Result<Reading, Error> {
    loop {
        match client.list_and_watch_children(path).await {
            Ok((names, watcher)) => {
                return Ok(Reading {
                    watcher: Some(Watcher::OneShot(watcher)),
                    names: Some(names),
                });
            }
            Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
        if let (None, watcher) = client.check_and_watch_stat(path).await? {
            return Ok(Reading {
                watcher: Some(Watcher::OneShot(watcher)),
                names: None,
            });
        }
        // It was made in between.
    }
}

/// The list that was read; `None` when there is no such node.
pub(super) fn existing(names: Result<Vec<String>, Error>) -> Result<Option<Vec<String>>, Error> {
    match names {
        Ok(names) => Ok(Some(names)),
        Err(Error::NoNode) => Ok(None),
        Err(error) => Err(error),
    }
}
