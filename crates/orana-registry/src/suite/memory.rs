//! The suite over the registry inside the process.

use std::sync::Arc;
use std::time::Duration;

use orana_core::BoxFuture;
use parking_lot::Mutex;

use super::{Client, Login, Notion, Outcome, Product, SCENARIOS};
use crate::backend::{MemoryBackend, MemoryCentre, RegistryBackend};
use crate::error::RegistryError;

#[tokio::test]
async fn the_registry_inside_the_process_keeps_the_contract() {
    let product = Inside(MemoryCentre::named("the contract"));
    let mut foreign = Vec::new();
    for scenario in SCENARIOS {
        match scenario.play(&product).await {
            Outcome::Passed(_) => {}
            Outcome::Foreign(notion) => foreign.push(notion),
            Outcome::Failed(why) => panic!("{}: {why}", scenario.name),
        }
    }
    assert_eq!(foreign, [Notion::Server]);
}

struct Inside(MemoryCentre);

struct Member {
    centre: MemoryCentre,
    backend: Mutex<Option<Arc<MemoryBackend>>>,
    /// It was told that it is not let in; that ends with it.
    refused: bool,
}

impl Product for Inside {
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError> {
        let refused = login == Login::Stranger;
        if refused {
            self.0.refuse(Some("wrong password"));
        }
        Ok(Arc::new(Member {
            centre: self.0.clone(),
            backend: Mutex::new(Some(Arc::new(self.0.connect()))),
            refused,
        }))
    }

    fn has(&self, notion: Notion) -> bool {
        // Without a server there is nothing to restart.
        notion != Notion::Server
    }

    fn mourning(&self) -> Duration {
        Duration::ZERO
    }

    fn restart(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Err("there is no server".into()) })
    }
}

impl Client for Member {
    fn backend(&self) -> Arc<dyn RegistryBackend> {
        self.backend.lock().clone().expect("it is alive")
    }

    fn cut(&self) {
        self.centre.cut();
    }

    fn mend(&self) {
        self.centre.mend();
    }

    fn expire(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            self.centre.lose_sessions();
            Ok(())
        })
    }

    fn die(&self) {
        self.backend.lock().take();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.refused {
            self.centre.refuse(None);
        }
    }
}
