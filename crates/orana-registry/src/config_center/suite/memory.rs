//! The suite over the centre inside the process.

use std::sync::Arc;

use orana_core::BoxFuture;

use super::{Client, Product, SCENARIOS};
use crate::config_center::{ConfigBackend, MemoryConfig, MemoryConfigBackend};
use crate::error::RegistryError;
use crate::suite::{Login, Notion, Outcome};

#[tokio::test]
async fn the_centre_inside_the_process_keeps_the_contract() {
    let product = Inside(MemoryConfig::named("the contract of configuration centres"));
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

struct Inside(MemoryConfig);

struct Member {
    centre: MemoryConfig,
    backend: Arc<MemoryConfigBackend>,
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
            backend: Arc::new(self.0.connect()),
            refused,
        }))
    }

    fn has(&self, notion: Notion) -> bool {
        // Without a server there is nothing to restart.
        notion != Notion::Server
    }

    fn restart(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Err("there is no server".into()) })
    }
}

impl Client for Member {
    fn backend(&self) -> Arc<dyn ConfigBackend> {
        Arc::clone(&self.backend) as Arc<dyn ConfigBackend>
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
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.refused {
            self.centre.refuse(None);
        }
    }
}
