//! A text that is kept true for as long as this is held.

use std::sync::Arc;

use tokio::sync::watch;

use super::center::Handle;
use super::{ConfigKey, ConfigValue};
use crate::convergence::Key;

/// What is known of a key, and word of every change. Dropping the last clone unsubscribes.
#[derive(Clone)]
#[must_use = "dropping it unsubscribes"]
pub struct ConfigSubscription {
    told: watch::Receiver<ConfigValue>,
    hold: Arc<Hold>,
}

/// What is given back at the end.
struct Hold {
    handle: Arc<Handle>,
    item: Key,
    key: ConfigKey,
}

impl ConfigSubscription {
    pub(super) fn new(
        handle: Arc<Handle>,
        item: Key,
        key: ConfigKey,
        told: watch::Receiver<ConfigValue>,
    ) -> ConfigSubscription {
        ConfigSubscription {
            told,
            hold: Arc::new(Hold { handle, item, key }),
        }
    }

    /// The same, with what is known now counted as seen.
    pub(super) fn seen(mut self) -> ConfigSubscription {
        self.told.mark_unchanged();
        self
    }

    /// What was subscribed to.
    pub fn key(&self) -> &ConfigKey {
        &self.hold.key
    }

    /// What is known now.
    pub fn current(&self) -> ConfigValue {
        self.told.borrow().clone()
    }

    /// The value after the one that was there when the subscription began, or after the last that this clone returned here;
    /// the newest if there were several. That a text turns stale, or fresh again, is no change. `None` when the centre was
    /// closed. Nothing is lost if the future is dropped.
    pub async fn changed(&mut self) -> Option<ConfigValue> {
        self.told.changed().await.ok()?;
        Some(self.told.borrow_and_update().clone())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.handle.shared.unsubscribe(self.item);
    }
}
