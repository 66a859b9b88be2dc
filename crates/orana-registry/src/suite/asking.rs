//! How scenarios ask: clients that are connected, readers that know what they were told, and errors that say what was
//! expected.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use orana_core::{Category, ServiceUrl};
use tokio::time::{Instant, timeout};

use super::{Client, Login, Product};
use crate::backend::{Link, RegistryBackend, Watching};
use crate::query::Query;
use crate::snapshot::Snapshot;

/// How soon a change has to be seen.
pub(crate) const SOON: Duration = Duration::from_secs(1);

/// How long something may take that needs connections to be made.
pub(crate) const LATER: Duration = Duration::from_secs(30);

pub(crate) type Told = Result<(), String>;

/// A client with its back-end, connected.
pub(super) struct Party {
    pub(super) client: Arc<dyn Client>,
    pub(super) backend: Arc<dyn RegistryBackend>,
}

/// A watch and all that it said.
pub(super) struct Reader {
    watching: Watching,
    /// Of each interface the newest lists.
    pub(super) known: HashMap<Arc<str>, Snapshot>,
}

pub(super) fn url(text: &str) -> Result<ServiceUrl, String> {
    ServiceUrl::parse(text).map_err(|error| format!("`{text}`: {error}"))
}

/// A provider of an interface at a port that tells it from others.
pub(super) fn provider(interface: &str, port: usize) -> Result<ServiceUrl, String> {
    url(&format!(
        "dubbo://127.0.0.1:{port}/{interface}?interface={interface}&side=provider"
    ))
}

/// The question after an interface, of all categories.
pub(super) fn question(interface: &str) -> Result<Query, String> {
    ask(&format!("admin://127.0.0.1/{interface}?category=*"))
}

pub(super) fn ask(text: &str) -> Result<Query, String> {
    Query::from_url(&url(text)?).map_err(|error| error.to_string())
}

pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Told {
    if holds { Ok(()) } else { Err(otherwise()) }
}

impl Party {
    pub(super) async fn join(product: &dyn Product, login: Login) -> Result<Party, String> {
        let client = product.connect(login).map_err(|error| error.to_string())?;
        let party = Party {
            backend: client.backend(),
            client,
        };
        party.epoch().await?;
        Ok(party)
    }

    /// The session, once there is one.
    pub(super) async fn epoch(&self) -> Result<u64, String> {
        let mut link = self.backend.link();
        let up = timeout(LATER, link.wait_for(Link::is_up)).await;
        match up {
            Ok(Ok(link)) => link.epoch().ok_or_else(|| "up without an epoch".into()),
            Ok(Err(_)) => Err("the link ended".into()),
            Err(_) => Err(format!(
                "not connected within {LATER:?}: {:?}",
                *self.backend.link().borrow()
            )),
        }
    }

    /// Waits until it is known that the connection is not there.
    pub(super) async fn down(&self) -> Told {
        let mut link = self.backend.link();
        match timeout(LATER, link.wait_for(|link| !link.is_up())).await {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("still up {LATER:?} after it was cut")),
        }
    }

    pub(super) async fn publish(&self, url: &ServiceUrl) -> Told {
        self.backend.publish(url).await.map_err(|error| error.to_string())
    }

    pub(super) async fn withdraw(&self, url: &ServiceUrl) -> Told {
        self.backend.withdraw(url).await.map_err(|error| error.to_string())
    }

    pub(super) async fn watch(&self, query: &Query) -> Result<Reader, String> {
        let watching = self.backend.watch(query).await.map_err(|error| error.to_string())?;
        let mut reader = Reader {
            watching,
            known: HashMap::new(),
        };
        reader.catch_up();
        Ok(reader)
    }
}

impl Reader {
    /// Takes in what is there already.
    pub(super) fn catch_up(&mut self) {
        while let Some(snapshot) = self.watching.try_next() {
            self.take(snapshot);
        }
    }

    /// The next snapshot; `None` when the watch has ended.
    pub(super) async fn next(&mut self, patience: Duration) -> Result<Option<Snapshot>, String> {
        match timeout(patience, self.watching.next()).await {
            Ok(Some(snapshot)) => {
                self.take(snapshot.clone());
                Ok(Some(snapshot))
            }
            Ok(None) => Ok(None),
            Err(_) => Err(format!("nothing was told within {patience:?}")),
        }
    }

    fn take(&mut self, snapshot: Snapshot) {
        match self.known.get_mut(&snapshot.interface) {
            Some(known) => known.overlay(snapshot),
            None => drop(self.known.insert(Arc::clone(&snapshot.interface), snapshot)),
        }
    }

    /// The ports of the providers of an interface in the order of the list; `None` when nothing is known.
    pub(super) fn ports(&self, interface: &str) -> Option<Vec<u16>> {
        let providers = self.known.get(interface)?.get(Category::Providers)?;
        Some(providers.iter().filter_map(ServiceUrl::port).collect())
    }

    /// Waits until the providers of an interface are those at exactly these ports.
    pub(super) async fn until(&mut self, interface: &str, ports: &[u16], patience: Duration) -> Told {
        let mut wanted = ports.to_vec();
        wanted.sort_unstable();
        let deadline = Instant::now() + patience;
        loop {
            self.catch_up();
            let mut there = self.ports(interface);
            if let Some(there) = &mut there {
                there.sort_unstable();
            }
            if there.as_ref() == Some(&wanted) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.next(left).await {
                Ok(Some(_)) => {}
                Ok(None) => return Err(format!("the watch ended; {there:?} were known instead of {wanted:?}")),
                Err(_) => return Err(format!("{there:?} instead of {wanted:?} after {patience:?}")),
            }
        }
    }

    /// Waits until the watch has ended.
    pub(super) async fn end(&mut self, patience: Duration) -> Told {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if self
                .next(left)
                .await
                .map_err(|_| format!("the watch has not ended within {patience:?}"))?
                .is_none()
            {
                return Ok(());
            }
        }
    }
}
