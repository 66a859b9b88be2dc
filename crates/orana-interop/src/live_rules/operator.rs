//! An operator with an ordinary ZooKeeper client, who stays connected.

use std::time::Duration;

use anyhow::{Context, Result};
use zookeeper_client::{Acls, Client, CreateMode, Error};

use super::changes::{Act, Change, Place};
use crate::dubbo::SERVICE;

/// Who changes rules.
pub struct Operator(Client);

impl Operator {
    /// Connected with the server at `address`; the nodes above rules are there afterwards.
    pub async fn at(address: &str) -> Result<Operator> {
        let connector = Client::connector().with_session_timeout(Duration::from_secs(20));
        let client = connector.connect(address).await;
        let client = client.with_context(|| format!("cannot reach {address}"))?;
        let made = CreateMode::Persistent.with_acls(Acls::anyone_all());
        for above in [
            "/dubbo/config/dubbo".to_owned(),
            directory("routers"),
            directory("configurators"),
        ] {
            client.mkdir(&above, &made).await?;
        }
        Ok(Operator(client))
    }

    /// Does it; returns when the server has.
    pub async fn perform(&self, change: &Change) -> Result<()> {
        self.act(&change.place, &change.act)
            .await
            .with_context(|| format!("{}: {}", change.what, change.place.path()))
    }

    /// Does that there.
    pub async fn act(&self, place: &Place, act: &Act) -> Result<()> {
        let path = place.path();
        match act {
            Act::Delete => self.0.delete(&path, None).await?,
            Act::Write(content) => match self.0.set_data(&path, content, None).await {
                Err(Error::NoNode) => {
                    let made = CreateMode::Persistent.with_acls(Acls::anyone_all());
                    self.0.create(&path, content, &made).await?;
                }
                answer => drop(answer?),
            },
        }
        Ok(())
    }

    /// Everything that stands where rules do, which is nothing when all are gone.
    pub async fn rules(&self) -> Result<Vec<String>> {
        let mut rules = self.0.list_children("/dubbo/config/dubbo").await?;
        for category in ["routers", "configurators"] {
            rules.extend(self.0.list_children(&directory(category)).await?);
        }
        Ok(rules)
    }
}

fn directory(category: &str) -> String {
    format!("/dubbo/{SERVICE}/{category}")
}
