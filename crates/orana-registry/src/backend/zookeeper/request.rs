//! The requests that need no watch: to publish, to withdraw, to look up.
//!
//! Each is repeatable: done twice, or done and not answered, it leaves the tree as once. None of them waits for a
//! connection.

use std::sync::Arc;

use futures_util::future::try_join_all;
use orana_core::{ServiceUrl, UrlPool};
use zookeeper_client::{Acls, Client, CreateMode, CreateOptions, Error, MultiWriteError};

use super::layout::{Place, check_interface, interface_of};
use super::listing::Listing;
use super::settings::Settings;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::query::Query;
use crate::snapshot::Snapshot;

/// How often a node may come and go under our hands before we say so.
const ATTEMPTS: usize = 5;

/// Makes the node of a URL, and the directories above it. An ephemeral one belongs to this session afterwards: one that an
/// earlier session left behind is replaced in one step, so that nobody sees the list without it.
pub(super) async fn publish(client: &Client, settings: &Settings, url: &ServiceUrl) -> Result<(), RegistryError> {
    let (directory, name) = settings.node(url)?;
    let path = format!("{directory}/{name}");
    create(client, settings, &directory, &path, url.flag_or("dynamic", true))
        .await
        .map_err(|error| settings.failure("cannot register", &path, error))?
        .then_some(())
        .ok_or_else(|| {
            let what = "cannot register: somebody else makes and removes the same node";
            RegistryError::new(RegistryErrorKind::Failed, settings.address.clone(), what).at(path)
        })
}

/// `false` when the node was never as expected.
async fn create(client: &Client, settings: &Settings, directory: &str, path: &str, own: bool) -> Result<bool, Error> {
    let options = settings.options(if own {
        CreateMode::Ephemeral
    } else {
        CreateMode::Persistent
    });
    for _ in 0..ATTEMPTS {
        match client.create(path, b"", &options).await {
            Ok(_) => return Ok(true),
            Err(Error::NoNode) => {
                client
                    .mkdir(directory, &settings.options(CreateMode::Persistent))
                    .await?;
                continue;
            }
            Err(Error::NodeExists) => {}
            Err(error) => return Err(error),
        }
        let Some(stat) = client.check_stat(path).await? else {
            continue;
        };
        let wanted = if own { client.session_id().0 } else { 0 };
        if stat.ephemeral_owner == wanted {
            return Ok(true);
        }
        let mut writer = client.new_multi_writer();
        writer.add_delete(path, None)?;
        writer.add_create(path, b"", &options)?;
        match writer.commit().await {
            Ok(_) => return Ok(true),
            // It went, or came again, in between.
            Err(MultiWriteError::OperationFailed {
                source: Error::NoNode | Error::NodeExists,
                ..
            }) => {}
            Err(MultiWriteError::OperationFailed { source, .. } | MultiWriteError::RequestFailed { source }) => {
                return Err(source);
            }
        }
    }
    Ok(false)
}

/// Removes the node of a URL, whoever made it.
pub(super) async fn withdraw(client: &Client, settings: &Settings, url: &ServiceUrl) -> Result<(), RegistryError> {
    let (directory, name) = settings.node(url)?;
    let path = format!("{directory}/{name}");
    match client.delete(&path, None).await {
        Ok(()) | Err(Error::NoNode) => Ok(()),
        Err(error) => Err(settings.failure("cannot unregister", &path, error)),
    }
}

/// Reads what answers a query, once; all lists are asked for at the same time.
pub(super) async fn look_up(
    client: &Client,
    settings: &Settings,
    pool: &Arc<UrlPool>,
    query: &Query,
) -> Result<Vec<Snapshot>, RegistryError> {
    if !query.any_interface() {
        let (snapshot, _) = look_up_interface(client, settings, pool, query, query.interface()).await?;
        return Ok(vec![snapshot]);
    }
    let root = settings.path(&Place::Root);
    let names = children(client, settings, &root).await?.unwrap_or_default();
    let interfaces = names
        .iter()
        .filter_map(|name| interface_of(name))
        .filter(|interface| check_interface(interface).is_ok());
    let asked = interfaces.map(|interface| async move {
        match look_up_interface(client, settings, pool, query, &interface).await {
            Ok((snapshot, exists)) => Ok(exists.then_some(snapshot)),
            // What stands beside the interfaces may be none of our business.
            Err(error) if error.kind() == RegistryErrorKind::Refused => Ok(None),
            Err(error) => Err(error),
        }
    });
    Ok(try_join_all(asked).await?.into_iter().flatten().collect())
}

/// The snapshot of one interface, and whether any of its directories exists.
async fn look_up_interface(
    client: &Client,
    settings: &Settings,
    pool: &Arc<UrlPool>,
    query: &Query,
    interface: &Arc<str>,
) -> Result<(Snapshot, bool), RegistryError> {
    let asked = query.categories().iter().map(|category| async move {
        let path = settings.path(&Place::Category(Arc::clone(interface), *category));
        Ok((*category, children(client, settings, &path).await?, path))
    });
    let mut snapshot = Snapshot::new(Arc::clone(interface));
    let mut exists = false;
    for (category, names, path) in try_join_all(asked).await? {
        exists |= names.is_some();
        let mut listing = Listing::new(Arc::clone(pool));
        listing.replace(names.iter().flatten().map(String::as_str));
        snapshot.set(category, listing.admitted(query));
        listing.count_skipped(&mut snapshot.skipped, &path);
    }
    Ok((snapshot, exists))
}

/// The names of the children; `None` when there is no such node.
async fn children(client: &Client, settings: &Settings, path: &str) -> Result<Option<Vec<String>>, RegistryError> {
    match client.list_children(path).await {
        Ok(names) => Ok(Some(names)),
        Err(Error::NoNode) => Ok(None),
        Err(error) => Err(settings.failure("cannot read", path, error)),
    }
}

impl Settings {
    /// With credentials a node belongs to whoever has them, as Dubbo 3 does it; otherwise it is everybody's.
    pub(crate) fn options(&self, mode: CreateMode) -> CreateOptions<'static> {
        mode.with_acls(match self.credentials {
            Some(_) => Acls::creator_all(),
            None => Acls::anyone_all(),
        })
    }
}
