//! A URL that is kept registered for as long as this is held.

use std::sync::Arc;

use orana_core::ServiceUrl;
use tokio::time::Instant;

use crate::contact::Waited;
use crate::convergence::Key;
use crate::error::RegistryError;
use crate::registry::Handle;
use crate::topic::Progress;

/// Keeps a URL registered, through every interruption. Dropping it unregisters in the background.
#[must_use = "dropping it unregisters"]
pub struct Registration {
    handle: Arc<Handle>,
    url: ServiceUrl,
    key: Option<Key>,
}

impl Registration {
    pub(crate) fn new(handle: Arc<Handle>, url: ServiceUrl, key: Key) -> Registration {
        Registration {
            handle,
            url,
            key: Some(key),
        }
    }

    /// What is registered.
    pub fn url(&self) -> &ServiceUrl {
        &self.url
    }

    /// Waits until the registry has it, however long that takes. `false` if that will never be: the registry was closed.
    pub async fn settled(&self) -> bool {
        let progress = self.key.and_then(|key| self.handle.shared.progress(key));
        let Some(mut progress) = progress else { return false };
        progress
            .wait_for(|progress| matches!(progress, Progress::Settled))
            .await
            .is_ok()
    }

    /// Unregisters and waits until that is done.
    ///
    /// # Errors
    /// It could not be done now; it goes on in the background until it is, or until the registry is closed.
    pub async fn unregister(mut self) -> Result<(), RegistryError> {
        let shared = &self.handle.shared;
        let Some(progress) = self.key.take().and_then(|key| shared.unregister(key)) else {
            return Ok(());
        };
        let until = Instant::now() + shared.settings.timeout;
        match shared.wait(progress, until, false).await {
            Waited::Settled => Ok(()),
            Waited::Not(error) => Err(error),
        }
    }

    /// Leaves it as it is: with `dynamic=false` it stays in the registry until somebody removes it, otherwise it is kept
    /// until the registry is closed.
    pub fn keep(mut self) {
        self.key = None;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.handle.shared.unregister(key);
        }
    }
}
