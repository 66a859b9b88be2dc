//! The texts of properties that a configuration centre holds for all applications and for this one: read at the start, and followed.

use std::sync::Arc;

use arc_swap::ArcSwap;
use orana_core::{RpcError, RpcErrorCode};
use orana_registry::config_center::{ConfigCenter, ConfigSubscription};
use tokio::task::AbortHandle;

use crate::Result;
use crate::config::{Configuration, External, Layers};

/// The key of both texts.
const PROPERTIES: &str = "dubbo.properties";

/// Follows both texts; dropping it ends that.
pub(crate) struct Followed {
    task: AbortHandle,
    _centre: ConfigCenter,
}

/// Both texts, and what they are laid between.
struct Texts {
    layers: Layers,
    address: String,
    application: Arc<str>,
    global: ConfigSubscription,
    own: ConfigSubscription,
}

impl Followed {
    /// Loads `layers` with what the centre has for the application of that name, into `configuration`, now and with every change. A later text
    /// that is wrong leaves what is in force, with a warning.
    pub(crate) async fn start(
        centre: ConfigCenter,
        application: Arc<str>,
        layers: Layers,
        configuration: Arc<ArcSwap<Configuration>>,
    ) -> Result<Followed> {
        let told = |error: orana_registry::RegistryError| {
            RpcError::new(RpcErrorCode::Registry, error.to_string())
                .about(format!("configuration centre {}", centre.address()))
                .because(error)
        };
        let mut texts = Texts {
            layers,
            address: centre.address().to_owned(),
            global: centre.subscribe("dubbo", PROPERTIES).await.map_err(told)?,
            own: centre.subscribe(&application, PROPERTIES).await.map_err(told)?,
            application,
        };
        configuration.store(Arc::new(texts.load()?));
        let task = tokio::spawn(async move {
            loop {
                let changed = tokio::select! {
                    changed = texts.global.changed() => changed,
                    changed = texts.own.changed() => changed,
                };
                if changed.is_none() {
                    return;
                }
                match texts.load() {
                    Ok(loaded) => {
                        configuration.store(Arc::new(loaded));
                        tracing::info!(
                            centre = texts.address,
                            "properties changed; they count for what is made from now on"
                        );
                    }
                    Err(error) => {
                        tracing::warn!(%error, "properties of the configuration centre are wrong; those before stay in force")
                    }
                }
            }
        });
        Ok(Followed {
            task: task.abort_handle(),
            _centre: centre,
        })
    }
}

impl Texts {
    fn load(&self) -> Result<Configuration> {
        let texts = [
            (External::Global, "dubbo", &self.global),
            (External::Application, &*self.application, &self.own),
        ];
        let mut layers = self.layers.clone();
        for (scope, group, subscription) in texts {
            if let Some(text) = subscription.current().text {
                let place = format!("{}/{group}/{PROPERTIES}", self.address);
                layers = layers.external(scope, &place, &text).map_err(wrong)?;
            }
        }
        let configuration = Configuration::load(layers).map_err(wrong)?;
        for warning in configuration.warnings() {
            tracing::warn!(application = &*self.application, "{warning}");
        }
        Ok(configuration)
    }
}

/// What is wrong in a place that is no code.
pub(crate) fn wrong(error: crate::config::ConfigError) -> RpcError {
    RpcError::new(RpcErrorCode::Validation, error.to_string()).about("configuration")
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.task.abort();
    }
}
