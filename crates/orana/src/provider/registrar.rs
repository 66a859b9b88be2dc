//! One service in one registry: what is registered follows what is wanted, and at no moment is the service missing.

use orana_core::ServiceUrl;
use orana_registry::{Registration, Registry};
use tokio::sync::watch;

/// Keeps `registry` at what `wanted` says, beginning with what is `held`; gives back what is registered when nobody can want anything any more.
///
/// Another URL is registered first, and the old one taken back when the registry has the new one, so that nobody sees a list without the service
/// (Dubbo takes back first). Until then the old one stays: as long as the registry does not answer, or refuses. Both are tried again as the
/// registry tries everything.
pub(super) async fn keep(
    registry: Registry,
    mut held: Registration,
    mut wanted: watch::Receiver<ServiceUrl>,
) -> Registration {
    loop {
        let url = wanted.borrow_and_update().clone();
        if url == *held.url() {
            match wanted.changed().await {
                Ok(()) => continue,
                Err(_) => return held,
            }
        }
        let next = match registry.register_in_background(&url) {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, registry = registry.address(), "a changed service cannot be registered; the registry has it as it was");
                match wanted.changed().await {
                    Ok(()) => continue,
                    Err(_) => return held,
                }
            }
        };
        tokio::select! {
            settled = next.settled() => match settled {
                // What is dropped is taken back in the background.
                true => held = next,
                false => return held,
            },
            changed = wanted.changed() => if changed.is_err() {
                return held;
            },
        }
    }
}

#[cfg(test)]
mod tests;
