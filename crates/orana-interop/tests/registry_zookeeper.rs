//! Our ZooKeeper back-end against a real server: the contract suite of all back-ends, and what only ZooKeeper has.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use orana_core::{BoxFuture, ServiceUrl};
use orana_interop::{Setup, Subject, drill, subject, wire::Wire};
use orana_registry::{
    RegistryError,
    backend::{BACKENDS, RegistryBackend},
    suite::{Client, Login, Notion, Outcome, Product, SCENARIOS},
};

const TICK: Duration = Duration::from_secs(1);
const SESSION: Duration = Duration::from_secs(4);

#[test]
fn the_back_end_keeps_the_contract_of_all_back_ends() {
    drill("registry-suite", 0, |drill| {
        let subject = drill.server(Setup::new(subject::Product::chosen()?).tick(TICK))?;
        let zookeeper = Server(Mutex::new(subject));
        let mut failures = Vec::new();
        for scenario in SCENARIOS {
            // Each on a runtime of its own: no client of one disturbs the next.
            let outcome = run(async { Ok(scenario.play(&zookeeper).await) })?;
            eprintln!("    {}: {outcome}", scenario.name);
            if !matches!(outcome, Outcome::Passed(_)) {
                failures.push(format!("{}: {outcome}", scenario.name));
            }
        }
        ensure!(failures.is_empty(), "{}", failures.join("\n"));
        Ok(())
    });
}

/// The server under test, as the suite sees it.
struct Server(Mutex<Subject>);

/// A client behind a cable of its own.
struct Cabled {
    backend: Arc<dyn RegistryBackend>,
    wire: Wire,
}

impl Server {
    fn subject(&self) -> std::sync::MutexGuard<'_, Subject> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Product for Server {
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError> {
        let wire = Wire::to(self.subject().port()).expect("a cable");
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
        Box::pin(async {
            tokio::task::block_in_place(|| {
                let mut subject = self.subject();
                subject.kill()?;
                subject.restart()
            })
            .map(drop)
            .map_err(|error| format!("{error:#}"))
        })
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
            self.wire.cut();
            tokio::time::sleep(SESSION + 2 * TICK).await;
            self.wire.mend();
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
