//! ZooKeeper as Dubbo's configuration centre uses it, and whatever speaks its protocol: the text under `GROUP` and `KEY` is
//! the data of the node `/NAMESPACE/config/GROUP/KEY`.
//!
//! # Why the texts are true
//!
//! 1. The watch of a node is armed before its data is read, both by one connection, whose requests are executed in order: of
//!    every change after what was read we are told, be it the node's creation, its data or its end.
//! 2. Each thing that is told makes us read again, one read at a time; what is read later is never older.
//! 3. Nothing is told of what happens while the connection is cut: when it is mended every watch is armed anew and every
//!    text read anew. With the session all watches end, and the policy above begins them in the next one.
//! 4. A server before 3.6 has no watches that stay; there each read arms the next watch itself. And because a server may
//!    keep silent about a node that we may not read (`backend/zookeeper/audit.rs`), or the client lose a watch that it takes
//!    for one that nobody holds, each text is read again after some minutes of silence.
//!
//! # Sessions
//!
//! A centre has a session of its own, also where the registry is at the same address. A registry's session has to end at once
//! when the registry is closed, because what it registered goes with it, while texts are read until the program ends; and the
//! client can name only so many watches when a connection is mended, which the registry needs for its lists.

mod follow;
mod layout;
mod session;

use std::sync::Arc;

use orana_core::{BoxFuture, ServiceUrl};
use tokio::sync::{oneshot, watch};
use zookeeper_client::{Client, CreateMode, Error};

use self::follow::{Order, content};
use self::session::Values;
use super::{ConfigBackend, ConfigKey, ConfigWatching, Content};
use crate::backend::zookeeper::keeper::Live;
use crate::backend::zookeeper::line::Line;
use crate::backend::zookeeper::settings::Settings;
use crate::backend::{Link, Row};
use crate::error::{RegistryError, RegistryErrorKind};

/// The row of this back-end.
pub(super) const ROW: Row<dyn ConfigBackend> = Row {
    scheme: "zookeeper",
    connect,
};

/// How often a node may come and go under our hands before we say so.
const ATTEMPTS: usize = 5;

/// One ZooKeeper, or one ensemble.
struct ZooKeeperConfig {
    settings: Arc<Settings>,
    line: Line<Order>,
}

fn connect(url: &ServiceUrl) -> Result<Arc<dyn ConfigBackend>, RegistryError> {
    let settings = Arc::new(Settings::below(url, &layout::directory(url))?);
    let values = Values {
        settings: Arc::clone(&settings),
    };
    Ok(Arc::new(ZooKeeperConfig {
        line: Line::open(Arc::clone(&settings), values)?,
        settings,
    }))
}

impl ConfigBackend for ZooKeeperConfig {
    fn get<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<Content, RegistryError>> {
        Box::pin(self.line.with("cannot read", async |live: Live<Order>| {
            let path = layout::path(&self.settings, key)?;
            match live.client.get_data(&path).await {
                Ok((data, _)) => content(&self.settings, &path, data),
                Err(Error::NoNode) => Ok(None),
                Err(error) => Err(self.settings.failure("cannot read", &path, error)),
            }
        }))
    }

    fn publish<'a>(&'a self, key: &'a ConfigKey, text: &'a str) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(self.line.with("cannot publish", async |live: Live<Order>| {
            let path = layout::path(&self.settings, key)?;
            match put(&live.client, &self.settings, &path, text.as_bytes()).await {
                Ok(true) => Ok(()),
                Ok(false) => {
                    let what = "cannot publish: somebody else makes and removes the same node";
                    let address = Arc::clone(&self.settings.address);
                    Err(RegistryError::new(RegistryErrorKind::Failed, address, what).at(path))
                }
                Err(error) => Err(self.settings.failure("cannot publish", &path, error)),
            }
        }))
    }

    fn remove<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(self.line.with("cannot remove", async |live: Live<Order>| {
            let path = layout::path(&self.settings, key)?;
            let removed = match live.client.delete(&path, None).await {
                // Other keys stand below it; without data it is absent all the same.
                Err(Error::NotEmpty) => live.client.set_data(&path, b"", None).await.map(drop),
                removed => removed,
            };
            match removed {
                Ok(()) | Err(Error::NoNode) => Ok(()),
                Err(error) => Err(self.settings.failure("cannot remove", &path, error)),
            }
        }))
    }

    fn watch<'a>(&'a self, key: &'a ConfigKey) -> BoxFuture<'a, Result<ConfigWatching, RegistryError>> {
        Box::pin(self.line.with("cannot watch", async |live: Live<Order>| {
            let path = layout::path(&self.settings, key)?;
            let (feed, watching) = ConfigWatching::channel();
            let (ready, first) = oneshot::channel();
            let ended = |_| self.settings.unreachable("the session has ended");
            let order = Order { path, feed, ready };
            live.orders.send(order).await.map_err(|_| ended(()))?;
            drop(live);
            first.await.map_err(|_| ended(()))??;
            Ok(watching)
        }))
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.line.link()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.line.close())
    }
}

/// Writes a node, and makes it and those above it if they are not there. `false` when it came and went all the time. Done
/// twice, or done and not answered, it leaves the tree as once.
async fn put(client: &Client, settings: &Settings, path: &str, data: &[u8]) -> Result<bool, Error> {
    let options = settings.options(CreateMode::Persistent);
    for _ in 0..ATTEMPTS {
        match client.set_data(path, data, None).await {
            Ok(_) => return Ok(true),
            Err(Error::NoNode) => {}
            Err(error) => return Err(error),
        }
        match client.create(path, data, &options).await {
            Ok(_) => return Ok(true),
            Err(Error::NodeExists) => {}
            Err(Error::NoNode) => {
                let (above, _) = path.rsplit_once('/').unwrap_or_default();
                client.mkdir(above, &options).await?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
