//! Our ZooKeeper back-end against real servers: the contract suite of all back-ends, over the server under test and over one
//! of the years before persistent watches.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use orana_core::{BoxFuture, ServiceUrl};
use orana_interop::{
    drill,
    served::{self, Old, SESSION, Served, Server, TICK},
    wire::Wire,
};
use orana_registry::{
    RegistryError,
    backend::{BACKENDS, RegistryBackend},
    suite::{Client, Login, Notion, Outcome, Product, SCENARIOS},
};

#[test]
fn the_back_end_keeps_the_contract_of_all_back_ends() {
    drill("registry-suite", 0, |drill| keeps_the_contract(served::subject(drill)?));
}

/// A server of 3.5 knows no persistent watches, answers so and hangs up.
#[test]
fn the_back_end_keeps_the_contract_with_a_server_of_2021() {
    drill("registry-suite-old", 1, |drill| keeps_the_contract(Old::begin(drill)?));
}

fn keeps_the_contract<S: Served>(server: S) -> Result<()> {
    let server = Ensemble(Server::new(server));
    let mut failures = Vec::new();
    for scenario in SCENARIOS {
        // Each on a runtime of its own: no client of one disturbs the next.
        let outcome = run(async { Ok(scenario.play(&server).await) })?;
        eprintln!("    {}: {outcome}", scenario.name);
        if !matches!(outcome, Outcome::Passed(_)) {
            failures.push(format!("{}: {outcome}", scenario.name));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// The server under test, as the suite sees it.
struct Ensemble<S>(Server<S>);

/// A client behind a cable of its own.
struct Cabled {
    backend: Arc<dyn RegistryBackend>,
    wire: Wire,
}

impl<S: Served> Product for Ensemble<S> {
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError> {
        let wire = self.0.wire().expect("a cable");
        let (user, group) = match login {
            Login::Open => ("", "dubbo"),
            Login::Owner => ("ann:secret@", "owned"),
            Login::Stranger => ("ann:guess@", "owned"),
        };
        let url = format!(
            "zookeeper://{user}{}?group={group}&session={}",
            wire.address(),
            SESSION.as_millis()
        );
        let backend = connect(&url)?;
        Ok(Arc::new(Cabled { backend, wire }))
    }

    fn has(&self, _: Notion) -> bool {
        true
    }

    fn mourning(&self) -> Duration {
        SESSION + 2 * TICK
    }

    fn restart(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { self.0.restart() })
    }
}

impl Client for Cabled {
    fn backend(&self) -> Arc<dyn RegistryBackend> {
        Arc::clone(&self.backend)
    }

    fn cut(&self) {
        self.wire.cut();
    }

    fn mend(&self) {
        self.wire.mend();
    }

    fn expire(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            served::expire(&self.wire).await;
            Ok(())
        })
    }

    fn die(&self) {
        self.wire.cut();
    }
}

fn connect(url: &str) -> Result<Arc<dyn RegistryBackend>, RegistryError> {
    let row = BACKENDS
        .iter()
        .find(|row| row.scheme == "zookeeper")
        .expect("the back-end is built in");
    (row.connect)(&ServiceUrl::parse(url).expect("a url"))
}

fn run<T>(scenario: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("a runtime")?;
    runtime.block_on(scenario)
}
