//! The servers that are compared: how each is started as its users start it, and when it is ready. Both write their log
//! durably before they answer, which is the default of both.

use std::{
    env, fmt,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use bytes::BytesMut;
use orana_interop::{
    place,
    ports::{self, Port},
    process::{Log, Process},
};
use orana_wire::zookeeper::{
    ConnectRequest, ConnectResponse,
    frame::{DEFAULT_LIMIT, next_frame},
};
use tempfile::TempDir;

/// How long a server may take until it serves.
const START: Duration = Duration::from_secs(60);

/// How often a new connection is tried while earlier ones are not answered. The original may accept one at its start and
/// never answer on it.
const NEXT_TRY: Duration = Duration::from_millis(25);

/// A server to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    /// Apache ZooKeeper, Debian's package.
    Zookeeper,
    /// `orana server`.
    Orana,
    /// Answers with fixed bytes: what the loader and the kernel cost by themselves.
    Null,
}

/// A product with its running server, if there is one. Dropping it kills the server and removes the data.
pub(crate) struct Contestant {
    product: Product,
    port: Port,
    admin: Port,
    home: TempDir,
    server: Option<Server>,
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    process: Process,
    /// The client port on 127.0.0.1.
    pub(crate) port: u16,
    /// From the start of the process to the first session.
    pub(crate) ready: Duration,
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Product::Zookeeper => "zookeeper",
            Product::Orana => "orana",
            Product::Null => "null server",
        })
    }
}

impl Server {
    /// Its process id.
    pub(crate) fn process(&self) -> u32 {
        self.process.id()
    }
}

impl Contestant {
    /// The product, not started yet.
    pub(crate) fn new(product: Product) -> Result<Contestant> {
        // Beside the build: a real disk, where /tmp may be memory.
        let parent = place::written("bench")?;
        Ok(Contestant {
            product,
            port: ports::claim()?,
            admin: ports::claim()?,
            home: TempDir::new_in(parent)?,
            server: None,
        })
    }

    /// Which product it is.
    pub(crate) fn product(&self) -> Product {
        self.product
    }

    /// The running server; started if need be.
    pub(crate) fn serving(&mut self) -> Result<&Server> {
        if self.server.is_none() {
            self.server = Some(self.start()?);
        }
        self.server.as_ref().context("a server that was just started")
    }

    /// A server without any data.
    pub(crate) fn fresh(&mut self) -> Result<&Server> {
        self.server = None;
        let parent = place::written("bench")?;
        self.home = TempDir::new_in(parent)?;
        self.serving()
    }

    /// Ends the server by SIGTERM and starts it with the same data.
    pub(crate) fn again(&mut self) -> Result<&Server> {
        let mut server = self.server.take().context("nothing to start again")?;
        server.process.terminate(Duration::from_secs(20))?;
        self.serving()
    }

    fn start(&self) -> Result<Server> {
        let mut command = match self.product {
            Product::Zookeeper => self.zookeeper()?,
            Product::Orana => self.orana()?,
            Product::Null => {
                let mut command = Command::new(env::current_exe()?);
                command.args(["null-server", &self.port.number().to_string()]);
                command
            }
        };
        let log = Log::at(self.home.path().join("log"));
        command
            .stdin(Stdio::null())
            .stdout(log.open()?)
            .stderr(log.open()?)
            .current_dir(&self.home);
        let began = Instant::now();
        let mut process = Process::start(&mut command, self.product.to_string())?;
        let mut tries = Vec::new();
        let mut last_try = None;
        while !answered(&mut tries)? {
            if let Some(status) = process.ended()? {
                bail!("{} ended with {status} at its start:\n{}", self.product, log.tail(30));
            }
            let late = || format!("{} does not serve after {START:?}:\n{}", self.product, log.tail(30));
            ensure!(began.elapsed() < START, late());
            if last_try.is_none_or(|at: Instant| at.elapsed() > NEXT_TRY)
                && let Ok(stream) = knock(self.port.number())
            {
                tries.push((stream, Vec::new()));
                last_try = Some(Instant::now());
            }
            thread::sleep(Duration::from_micros(500));
        }
        Ok(Server {
            process,
            port: self.port.number(),
            ready: began.elapsed(),
        })
    }

    fn orana(&self) -> Result<Command> {
        let binary = match env::var_os("ORANA_BIN") {
            Some(path) => PathBuf::from(path),
            None => place::target().join("release/orana"),
        };
        let missing = || format!("no {}; `cargo build --release -p orana-cli`", binary.display());
        ensure!(binary.exists(), missing());
        let mut command = Command::new(binary);
        // Ours, not the server's, which refuses variables of its prefix that it does not know.
        command.env_remove("ORANA_BIN").arg("server").arg("--data").arg("data");
        command.args(["--zookeeper", &format!("127.0.0.1:{}", self.port.number())]);
        command.args(["--admin", &format!("127.0.0.1:{}", self.admin.number())]);
        Ok(command)
    }

    fn zookeeper(&self) -> Result<Command> {
        let jar = Path::new("/usr/share/java/zookeeper.jar");
        let missing = || format!("no {}; `apt-get install zookeeper` brings it", jar.display());
        ensure!(jar.exists(), missing());
        let config = self.home.path().join("zoo.cfg");
        let mut text = format!("dataDir={}\ntickTime=2000\n", self.home.path().join("data").display());
        text.push_str("clientPortAddress=127.0.0.1\nmaxClientCnxns=0\nadmin.enableServer=false\n");
        text.push_str(&format!("clientPort={}\n", self.port.number()));
        std::fs::write(&config, text)?;
        let mut command = Command::new("java");
        // The heap of its own start script; collector and compiler as Java chooses them.
        command.args(["-Xmx1000m", "-Dzookeeper.jmx.log4j.disable=true"]);
        command.args(["-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar"]);
        command
            .arg("org.apache.zookeeper.server.quorum.QuorumPeerMain")
            .arg(config);
        Ok(command)
    }
}

/// Connects and asks for a session; the answer is not waited for.
fn knock(port: u16) -> Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    let mut request = BytesMut::new();
    ConnectRequest {
        protocol_version: 0,
        last_zxid_seen: 0,
        timeout_ms: 4_000,
        session_id: 0,
        password: Some(&[0; 16]),
        read_only: Some(false),
    }
    .encode(&mut request);
    stream.write_all(&request)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Whether one of these connections has got its session.
fn answered(tries: &mut Vec<(TcpStream, Vec<u8>)>) -> Result<bool> {
    let mut found = false;
    tries.retain_mut(|(stream, inbox)| {
        let mut chunk = [0; 256];
        match stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(count) => {
                inbox.extend_from_slice(&chunk[..count]);
                let frame = next_frame(inbox, DEFAULT_LIMIT).ok().flatten();
                let response = frame.and_then(|(body, _)| ConnectResponse::decode(body).ok());
                found |= response.is_some_and(|response| !response.is_refused());
                true
            }
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        }
    });
    Ok(found)
}
