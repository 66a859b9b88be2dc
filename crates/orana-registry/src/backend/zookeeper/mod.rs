//! ZooKeeper as Dubbo uses it, and whatever speaks its protocol: `ROOT/INTERFACE/CATEGORY/URL`.
//!
//! # Why the lists are true
//!
//! A category is watched by a *persistent recursive* watch on its directory, which names the child that came or went; then
//! the list is read once, and from there on changes are laid over it (`listing.rs`). That is right because:
//!
//! 1. The watch is armed before the list is read, both by one connection, whose requests are executed in order. So every
//!    change after the state that the list shows is told of, in the order in which it happened.
//! 2. Some changes that the list already shows may be told of, too. "X came" and "X went" are idempotent, and for each name
//!    the last word counts: applying *all* that was told since the arming, in order, to any state after the arming gives the
//!    state after the last of them. (A property test in `listing.rs` states exactly this.)
//! 3. A server tells of a change before it answers a read that shows it. So when the list arrives, all changes that it shows
//!    have arrived as well; they are applied before any reader is told, and no reader sees an older state after a newer one.
//! 4. Nothing is told of what happens while the connection is cut. Every watch is therefore armed anew and every list read
//!    anew when it is mended; what an earlier watch still had to say is void.
//! 5. A newer server does not tell of nodes that we may not read. An audit counts the children of every directory once a
//!    minute; a directory in which that does not add up is read as a whole at each change from then on.
//!
//! A server before 3.6 has no such watches. There, and in 5., the watch fires once, is armed anew by the read that follows,
//! and says only that something has changed since.
//!
//! # Sessions
//!
//! An epoch is a session. When a connection is cut and mended within one, what was published is still there; when a session
//! has expired, all watches end and a new one begins, in which everything has to be said again.

pub(crate) mod arming;
mod audit;
pub(crate) mod connection;
pub(crate) mod failure;
pub(crate) mod keeper;
mod layout;
pub(crate) mod line;
mod listing;
mod request;
mod session;
pub(crate) mod settings;
mod watchlist;

use std::sync::Arc;

use orana_core::{BoxFuture, ServiceUrl, UrlPool};
use tokio::sync::{oneshot, watch};

use self::keeper::Live;
use self::line::Line;
use self::session::{Lists, Order};
use self::settings::Settings;
use super::{Link, RegistryBackend, Row, Watching};
use crate::error::RegistryError;
use crate::query::Query;
use crate::snapshot::Snapshot;

/// The row of this back-end.
pub(super) const ROW: Row = Row {
    scheme: "zookeeper",
    connect,
};

/// One ZooKeeper, or one ensemble.
struct ZooKeeper {
    settings: Arc<Settings>,
    pool: Arc<UrlPool>,
    line: Line<Order>,
}

fn connect(url: &ServiceUrl) -> Result<Arc<dyn RegistryBackend>, RegistryError> {
    let settings = Arc::new(Settings::from_url(url)?);
    let pool = Arc::new(UrlPool::new());
    let lists = Lists {
        settings: Arc::clone(&settings),
        pool: Arc::clone(&pool),
    };
    Ok(Arc::new(ZooKeeper {
        line: Line::open(Arc::clone(&settings), lists)?,
        settings,
        pool,
    }))
}

impl RegistryBackend for ZooKeeper {
    fn publish<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(self.line.with("cannot register", async |live| {
            request::publish(&live.client, &self.settings, url).await
        }))
    }

    fn withdraw<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<(), RegistryError>> {
        Box::pin(self.line.with("cannot unregister", async |live| {
            request::withdraw(&live.client, &self.settings, url).await
        }))
    }

    fn watch<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Watching, RegistryError>> {
        Box::pin(self.line.with("cannot subscribe", async |live: Live<Order>| {
            if !query.any_interface() {
                self.settings.check(query.interface())?;
            }
            let (feed, watching) = Watching::channel();
            let (ready, first) = oneshot::channel();
            let order = Order {
                query: query.clone(),
                feed,
                ready,
            };
            let ended = |_| self.settings.unreachable("the session has ended");
            live.orders.send(order).await.map_err(|_| ended(()))?;
            drop(live);
            first.await.map_err(|_| ended(()))??;
            Ok(watching)
        }))
    }

    fn lookup<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Snapshot>, RegistryError>> {
        Box::pin(self.line.with("cannot look up", async |live| {
            if !query.any_interface() {
                self.settings.check(query.interface())?;
            }
            request::look_up(&live.client, &self.settings, &self.pool, query).await
        }))
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.line.link()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.line.close())
    }
}
