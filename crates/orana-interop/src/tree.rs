//! Looks into a server's tree from outside and writes into it as an operator would, by way of an ordinary client. Each
//! question opens a connection of its own, so that a server that was restarted in between is no special case.

use std::{future::Future, time::Duration};

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};
use zookeeper_client::{Acls, Client, CreateMode, Error};

/// The tree of the server at an address.
#[derive(Debug)]
pub struct Tree {
    address: String,
    runtime: Runtime,
}

impl Tree {
    /// The tree of the server at `address`.
    pub fn at(address: impl Into<String>) -> Result<Tree> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        Ok(Tree {
            address: address.into(),
            runtime,
        })
    }

    /// The names of the children, sorted; none if the node is not there.
    pub fn children(&self, path: &str) -> Result<Vec<String>> {
        let mut names = self.ask(async |client| match client.list_children(path).await {
            Err(Error::NoNode) => Ok(Vec::new()),
            answer => Ok(answer?),
        })?;
        names.sort();
        Ok(names)
    }

    /// A node's content; nothing if the node is not there.
    pub fn data(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.ask(async |client| match client.get_data(path).await {
            Err(Error::NoNode) => Ok(None),
            answer => Ok(Some(answer?.0)),
        })
    }

    /// The session that owns a node, 0 if it is not ephemeral; nothing if the node is not there.
    pub fn owner(&self, path: &str) -> Result<Option<i64>> {
        self.ask(async |client| Ok(client.check_stat(path).await?.map(|stat| stat.ephemeral_owner)))
    }

    /// Writes a node's content, and makes it and the nodes above it if they are not there.
    pub fn put(&self, path: &str, content: &str) -> Result<()> {
        let made = CreateMode::Persistent.with_acls(Acls::anyone_all());
        self.ask(
            async |client| match client.set_data(path, content.as_bytes(), None).await {
                Err(Error::NoNode) => {
                    if let Some((above, _)) = path.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
                        client.mkdir(above, &made).await?;
                    }
                    client.create(path, content.as_bytes(), &made).await?;
                    Ok(())
                }
                answer => Ok(answer.map(drop)?),
            },
        )
    }

    /// Deletes a node.
    pub fn delete(&self, path: &str) -> Result<()> {
        self.ask(async |client| Ok(client.delete(path, None).await?))
    }

    fn ask<T>(&self, question: impl AsyncFnOnce(Client) -> Result<T>) -> Result<T> {
        self.runtime.block_on(within(async {
            let connector = Client::connector()
                .with_session_timeout(Duration::from_secs(6))
                .with_fail_eagerly();
            let client = connector
                .connect(&self.address)
                .await
                .with_context(|| format!("cannot reach {}", self.address))?;
            question(client).await
        }))
    }
}

async fn within<T>(question: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(Duration::from_secs(20), question)
        .await
        .context("no answer from the server")?
}
