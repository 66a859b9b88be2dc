//! Documents of rules in a configuration centre: what they are, and what they become. Reads no rule.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, BoxStream, SelectAll, StreamExt};
use orana_core::ServiceKey;
use orana_registry::config_center::{ConfigCenter, ConfigSubscription, ConfigValue};

use super::keys::{GROUP, Slot};

/// How long a service waits for documents that are to hold from its first call on.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a document is now.
pub(crate) struct Word {
    pub(crate) slot: Slot,
    pub(crate) key: Arc<str>,
    pub(crate) value: ConfigValue,
}

/// Changes of documents, for as long as this is held.
pub(crate) type Changes = SelectAll<BoxStream<'static, Word>>;

/// Subscribes to the documents in these slots, of the application and the service: what they are now, and what they become.
pub(crate) async fn listen(
    centre: &ConfigCenter,
    slots: &[Slot],
    application: &str,
    service: &ServiceKey,
) -> (Vec<Word>, Changes) {
    let one = |slot: Slot| async move {
        let key: Arc<str> = slot.key(application, service).into();
        match tokio::time::timeout(PATIENCE, centre.subscribe(GROUP, &key)).await {
            Ok(Ok(subscription)) => Some((slot, key, subscription)),
            Ok(Err(error)) => {
                tracing::warn!(%error, rule = %key, %service, "rules cannot be read");
                None
            }
            Err(_) => {
                tracing::warn!(rule = %key, %service, centre = centre.address(), "the configuration centre does not answer; rules are not obeyed");
                None
            }
        }
    };
    let subscriptions = join_all(slots.iter().map(|slot| one(*slot))).await;
    let (mut now, mut changes) = (Vec::new(), Changes::new());
    for (slot, key, subscription) in subscriptions.into_iter().flatten() {
        now.push(Word {
            slot,
            key: Arc::clone(&key),
            value: subscription.current(),
        });
        changes.push(becoming(slot, key, subscription));
    }
    (now, changes)
}

/// What a document becomes, for as long as the stream is held.
fn becoming(slot: Slot, key: Arc<str>, subscription: ConfigSubscription) -> BoxStream<'static, Word> {
    let next = move |mut subscription: ConfigSubscription| {
        let key = Arc::clone(&key);
        async move {
            let value = subscription.changed().await?;
            Some((Word { slot, key, value }, subscription))
        }
    };
    stream::unfold(subscription, next).boxed()
}
