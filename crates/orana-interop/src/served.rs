//! Servers that a contract suite can kill and start again, clients behind a cable of their own, and a server of the years
//! before persistent watches. Knows no suite: what a client is for, a test says.

use std::{
    fs,
    net::{Ipv4Addr, TcpStream},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result};

use crate::{
    Drill, Java, Peer, Setup, Subject, drill::eventually, process::Log, program, subject::Product, wire::Wire,
};

/// The unit of time of the servers: their sessions last from two to twenty of it.
pub const TICK: Duration = Duration::from_secs(1);

/// The session that clients ask for.
pub const SESSION: Duration = Duration::from_secs(4);

/// A server that can be killed and started again.
pub trait Served: Send {
    /// Where it listens on 127.0.0.1.
    fn port(&self) -> u16;
    /// `kill -9`.
    fn kill(&mut self) -> Result<()>;
    /// Starts it, again with the same data.
    fn start(&mut self) -> Result<()>;
}

/// Apache ZooKeeper 3.5.9, from what Dubbo 2.7 brings along. It knows no persistent watches, answers so and hangs up.
pub struct Old<'d> {
    drill: &'d Drill,
    port: u16,
    peer: Option<Peer>,
}

/// A server that many clients of a suite share.
pub struct Server<S>(Mutex<S>);

/// The server under test, with short sessions.
pub fn subject(drill: &Drill) -> Result<Subject> {
    drill.server(Setup::new(Product::chosen()?).tick(TICK))
}

impl<'d> Old<'d> {
    /// Starts it; a Java program, which takes a seat of the drill.
    pub fn begin(drill: &'d Drill) -> Result<Old<'d>> {
        let mut old = Old {
            drill,
            port: drill.port()?,
            peer: None,
        };
        old.start()?;
        Ok(old)
    }
}

impl<S: Served> Server<S> {
    /// A server to share.
    pub fn new(server: S) -> Server<S> {
        Server(Mutex::new(server))
    }

    /// A cable of its own to the server.
    pub fn wire(&self) -> Result<Wire> {
        Wire::to(self.lock().port())
    }

    /// Kills the server in the middle of everything and starts it again; to be called on a runtime of several threads.
    ///
    /// # Errors
    /// In words.
    pub fn restart(&self) -> Result<(), String> {
        tokio::task::block_in_place(|| {
            let mut server = self.lock();
            server.kill()?;
            server.start()
        })
        .map_err(|error: anyhow::Error| format!("{error:#}"))
    }

    fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a cable cut until the session of whoever is behind it has expired.
pub async fn expire(wire: &Wire) {
    wire.cut();
    tokio::time::sleep(SESSION + 2 * TICK).await;
    wire.mend();
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
