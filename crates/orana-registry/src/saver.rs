//! Saves the lists after they changed: when, and when again. Knows neither the file's form nor what is in the lists.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::shared::Shared;

/// Changes that come together are saved together.
const DELAY: Duration = Duration::from_millis(500);
/// The longest wait between two tries.
const RETRY_MAX: Duration = Duration::from_secs(60);

/// Saves the lists after every change, for ever.
pub(crate) async fn keep_saved(shared: Arc<Shared>) {
    let Some(cache) = &shared.cache else { return };
    let mut failures = 0;
    loop {
        if failures == 0 {
            cache.changed().await;
        }
        let wait = DELAY.saturating_mul(1 << failures.min(10)).min(RETRY_MAX);
        match cache.synchronous {
            false => sleep(wait).await,
            // Somebody waits for each change to be tried.
            true if failures > 0 => {
                let _ = timeout(wait, cache.changed()).await;
            }
            true => {}
        }
        let began = Instant::now();
        match cache.save(cache.changes(), shared.to_keep()).await {
            Ok(()) => failures = 0,
            Err(error) => {
                failures += 1;
                if failures == 3 || failures % 60 == 0 {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, failures, "the lists are not saved and will be tried again");
                }
            }
        }
        // A large file must not keep the disk busy.
        if !cache.synchronous {
            sleep(began.elapsed() * 4).await;
        }
    }
}

/// Saves what has changed since the last save, once.
pub(crate) async fn save_rest(shared: &Shared) {
    let Some(cache) = shared.cache.as_ref().filter(|cache| cache.is_behind()) else {
        return;
    };
    if let Err(error) = cache.save(cache.changes(), shared.to_keep()).await {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(error, "the lists are not saved");
    }
}
