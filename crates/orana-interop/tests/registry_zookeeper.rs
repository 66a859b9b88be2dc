//! Our ZooKeeper back-end against real servers: the contract suite of all back-ends, over the server under test and over one
//! of the years before persistent watches.

use std::{
    fs,
    net::{Ipv4Addr, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use orana_core::{BoxFuture, ServiceUrl};
use orana_interop::{
    Drill, Java, Peer, Setup, Subject, drill, drill::eventually, process::Log, program, subject, wire::Wire,
};
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
        keeps_the_contract(subject)
    });
}

/// A server of 3.5 knows no persistent watches, answers so and hangs up.
#[test]
fn the_back_end_keeps_the_contract_with_a_server_of_2021() {
    drill("registry-suite-old", 1, |drill| {
        let port = drill.port()?;
        let mut old = Old {
            drill,
            port,
            peer: None,
        };
        old.start()?;
        keeps_the_contract(old)
    });
}

fn keeps_the_contract<S: Served>(server: S) -> Result<()> {
    let server = Server(Mutex::new(server));
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
struct Server<S>(Mutex<S>);

/// A server that can be killed and started again.
trait Served: Send {
    fn port(&self) -> u16;
    fn kill(&mut self) -> Result<()>;
    fn start(&mut self) -> Result<()>;
}

/// Apache ZooKeeper 3.5.9, from what Dubbo 2.7 brings along.
struct Old<'d> {
    drill: &'d Drill,
    port: u16,
    peer: Option<Peer>,
}

/// A client behind a cable of its own.
struct Cabled {
    backend: Arc<dyn RegistryBackend>,
    wire: Wire,
}

impl Served for Subject {
    fn port(&self) -> u16 {
        Subject::port(self)
    }

    fn kill(&mut self) -> Result<()> {
        Subject::kill(self)
    }

    fn start(&mut self) -> Result<()> {
        self.restart().map(drop)
    }
}

impl Served for Old<'_> {
    fn port(&self) -> u16 {
        self.port
    }

    fn kill(&mut self) -> Result<()> {
        self.peer.take().context("it is not running")?.process().kill()
    }

    fn start(&mut self) -> Result<()> {
        let home = self.drill.dir().join("old");
        fs::create_dir_all(&home)?;
        let config = home.join("zoo.cfg");
        let (port, tick) = (self.port, TICK.as_millis());
        fs::write(
            &config,
            format!(
                "tickTime={tick}\nclientPort={port}\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\n\
                 admin.enableServer=false\n4lw.commands.whitelist=*\ndataDir={}\n",
                home.join("data").display()
            ),
        )?;
        let brought = Java {
            project: "dubbo27",
            main: "",
            with_sources_of: &["dubbo33"],
        };
        let mut command = program::java(&home);
        command.arg("-Dzookeeper.jmx.log4j.disable=true");
        command.args([
            "-cp",
            &brought.class_path()?,
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
        ]);
        command.arg(config).current_dir(&home);
        self.peer = Some(Peer::start(command, "old", Log::at(self.drill.dir().join("old.log")))?);
        eventually(Duration::from_secs(30), || {
            Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map(drop)?)
        })
    }
}

impl<S> Server<S> {
    fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Served> Product for Server<S> {
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError> {
        let wire = Wire::to(self.lock().port()).expect("a cable");
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
                let mut server = self.lock();
                server.kill()?;
                server.start()
            })
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
