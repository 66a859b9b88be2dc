//! A view of some services that is kept true for as long as this is held, and the two ways to use it: ask, or be called.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use orana_core::ServiceUrl;
use tokio::sync::{OnceCell, watch};
use tokio::time::sleep;

use crate::convergence::Key;
use crate::error::RegistryError;
use crate::notification::{Freshness, Notification};
use crate::registration::Registration;
use crate::registry::{Handle, Registry};

/// The newest notification, and word of every newer one. Dropping the last clone unsubscribes.
#[derive(Clone)]
#[must_use = "dropping it unsubscribes"]
pub struct Subscription {
    told: watch::Receiver<Arc<Notification>>,
    hold: Arc<Hold>,
}

/// Calls a function with each notification until it is dropped.
#[must_use = "dropping it ends the calls"]
pub struct Listening {
    task: tokio::task::JoinHandle<()>,
}

/// A subscription that begins when it is first needed.
pub struct LazySubscription {
    registry: Registry,
    url: ServiceUrl,
    begun: OnceCell<Subscription>,
}

/// What is given back at the end.
struct Hold {
    handle: Arc<Handle>,
    key: Key,
    /// The subscriber itself, for others to see.
    _registration: Option<Registration>,
}

impl Subscription {
    pub(crate) fn new(
        handle: Arc<Handle>,
        key: Key,
        told: watch::Receiver<Arc<Notification>>,
        registration: Option<Registration>,
    ) -> Subscription {
        Subscription {
            told,
            hold: Arc::new(Hold {
                handle,
                key,
                _registration: registration,
            }),
        }
    }

    /// The same, with what is known now counted as seen.
    pub(crate) fn seen(mut self) -> Subscription {
        self.told.mark_unchanged();
        self
    }

    /// What is known now.
    pub fn current(&self) -> Arc<Notification> {
        Arc::clone(&self.told.borrow())
    }

    /// How far [`Subscription::current`] can be trusted now: a link that is lost makes no notification, but makes what was
    /// said stale.
    pub fn freshness(&self) -> Freshness {
        let said = self.told.borrow().freshness;
        let down_since = self.hold.handle.shared.state.lock().down_since;
        match (said, down_since) {
            (Freshness::Fresh, Some(since)) => Freshness::Stale { since },
            _ => said,
        }
    }

    /// The next notification after the one that was there when the subscription began, or after the last that this clone
    /// returned here; the newest if there were several. `None` when the registry was closed. Nothing is lost if the future is dropped.
    pub async fn changed(&mut self) -> Option<Arc<Notification>> {
        self.told.changed().await.ok()?;
        Some(Arc::clone(&self.told.borrow_and_update()))
    }

    /// Calls `listener` with what is known now and with every notification that follows, one at a time, in a task of its
    /// own. If it fails or panics it is called again after the registry's `retry.period`, with what is newest then.
    pub fn listen<E: fmt::Display>(
        mut self,
        mut listener: impl FnMut(&Notification) -> Result<(), E> + Send + 'static,
    ) -> Listening {
        let settings = &self.hold.handle.shared.settings;
        let (period, address) = (settings.retry.period, Arc::clone(&self.hold.handle.shared.address));
        let task = tokio::spawn(async move {
            let mut next = Some(Arc::clone(&self.told.borrow_and_update()));
            while let Some(notification) = next.take() {
                let failure = match std::panic::catch_unwind(AssertUnwindSafe(|| listener(&notification))) {
                    Ok(Ok(())) => None,
                    Ok(Err(error)) => Some(error.to_string()),
                    Err(_) => Some("it panicked".into()),
                };
                next = match failure {
                    None => self.changed().await,
                    Some(error) => {
                        let address = &*address;
                        tracing::warn!(address, error, "a listener failed and will be called again");
                        sleep(period).await;
                        Some(Arc::clone(&self.told.borrow_and_update()))
                    }
                };
            }
        });
        Listening { task }
    }
}

impl LazySubscription {
    pub(crate) fn new(registry: Registry, url: ServiceUrl) -> LazySubscription {
        LazySubscription {
            registry,
            url,
            begun: OnceCell::new(),
        }
    }

    /// The subscription, which begins now if it has not.
    ///
    /// # Errors
    /// Those of [`Registry::subscribe`]; the next call tries again.
    pub async fn get(&self) -> Result<&Subscription, RegistryError> {
        self.begun.get_or_try_init(|| self.registry.subscribe(&self.url)).await
    }

    /// The subscription if it has begun.
    pub fn begun(&self) -> Option<&Subscription> {
        self.begun.get()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.handle.shared.unsubscribe(self.key);
    }
}
