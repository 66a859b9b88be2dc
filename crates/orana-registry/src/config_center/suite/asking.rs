//! How scenarios ask: clients that are connected, alone and with the policy above them, and texts that are waited for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use orana_core::ServiceUrl;
use tokio::time::{Instant, timeout};

use super::{Client, Product};
use crate::backend::Link;
use crate::config_center::{
    ConfigBackend, ConfigCenter, ConfigKey, ConfigSettings, ConfigSubscription, ConfigValue, ConfigWatching,
};
use crate::suite::Login;
use crate::suite::asking::{LATER, Told};

/// The group of all that scenarios write.
pub(super) const GROUP: &str = "orana-suite";

/// A client with its back-end, connected.
pub(super) struct Party {
    pub(super) client: Arc<dyn Client>,
    pub(super) backend: Arc<dyn ConfigBackend>,
}

pub(super) fn key(key: &str) -> Result<ConfigKey, String> {
    ConfigKey::new(GROUP, key)
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Party {
    pub(super) async fn join(product: &dyn Product, login: Login) -> Result<Party, String> {
        let client = product.connect(login).map_err(words)?;
        let party = Party {
            backend: client.backend(),
            client,
        };
        party.epoch().await?;
        Ok(party)
    }

    /// The session, once there is one.
    pub(super) async fn epoch(&self) -> Result<u64, String> {
        self.epoch_after(0).await
    }

    /// The session after the one with this number, once there is one.
    pub(super) async fn epoch_after(&self, before: u64) -> Result<u64, String> {
        let mut link = self.backend.link();
        let later = |link: &Link| link.epoch().is_some_and(|epoch| epoch > before);
        match timeout(LATER, link.wait_for(later)).await {
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

    pub(super) async fn publish(&self, name: &str, text: &str) -> Told {
        self.backend.publish(&key(name)?, text).await.map_err(words)
    }

    /// Publishes as often as it takes while connections are being made.
    pub(super) async fn publish_patiently(&self, name: &str, text: &str) -> Told {
        let deadline = Instant::now() + LATER;
        loop {
            match self.publish(name, text).await {
                Ok(()) => return Ok(()),
                Err(why) if Instant::now() > deadline => return Err(why),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    pub(super) async fn remove(&self, name: &str) -> Told {
        self.backend.remove(&key(name)?).await.map_err(words)
    }

    /// The text that is there now.
    pub(super) async fn get(&self, name: &str) -> Result<Option<String>, String> {
        let content = self.backend.get(&key(name)?).await.map_err(words)?;
        Ok(content.map(|text| text.to_string()))
    }

    /// The policy above this client.
    pub(super) fn centre(&self) -> Result<ConfigCenter, String> {
        self.centre_with(|_| {})
    }

    /// The same with other settings.
    pub(super) fn centre_with(&self, change: impl FnOnce(&mut ConfigSettings)) -> Result<ConfigCenter, String> {
        let url = ServiceUrl::parse("suite://h:1?timeout=20000&retry.period=200").map_err(words)?;
        let mut settings = ConfigSettings::from_url(&url).map_err(words)?;
        change(&mut settings);
        let backend = Arc::clone(&self.backend);
        let builder = ConfigCenter::builder(&url).backend("suite", move |_| Ok(Arc::clone(&backend)));
        builder.settings(settings).build().map_err(words)
    }
}

pub(super) async fn subscribe(centre: &ConfigCenter, name: &str) -> Result<ConfigSubscription, String> {
    centre.subscribe(GROUP, name).await.map_err(words)
}

/// Waits until a subscriber knows this text, and has seen that it does.
pub(super) async fn until(
    subscription: &mut ConfigSubscription,
    wanted: Option<&str>,
    patience: Duration,
) -> Result<ConfigValue, String> {
    let deadline = Instant::now() + patience;
    let news = subscription.changed().now_or_never().flatten();
    let mut value = news.unwrap_or_else(|| subscription.current());
    while value.text.as_deref() != wanted || !value.is_known() {
        let left = deadline.saturating_duration_since(Instant::now());
        value = match timeout(left, subscription.changed()).await {
            Ok(Some(value)) => value,
            Ok(None) => return Err("the centre was closed".into()),
            Err(_) => {
                let key = subscription.key();
                let shown = |text: Option<&str>| text.map(|text| text.chars().take(80).collect::<String>());
                return Err(format!(
                    "{key}: {:?} instead of {:?} after {patience:?}",
                    shown(value.text.as_deref()),
                    shown(wanted)
                ));
            }
        };
    }
    Ok(value)
}

/// Waits until a watch has ended.
pub(super) async fn end(watching: &mut ConfigWatching, patience: Duration) -> Told {
    let ended = async { while watching.next().await.is_some() {} };
    timeout(patience, ended)
        .await
        .map_err(|_| format!("the watch has not ended within {patience:?}"))
}
