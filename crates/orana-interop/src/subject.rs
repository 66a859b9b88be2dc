//! The server under test: Orana's own binary, or the Apache ZooKeeper of Debian's package `zookeeper` that it is
//! measured against. `SUBJECT` chooses; either can be started whatever was chosen.

use std::{
    env, fmt, fs,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    place,
    process::{Log, Process},
    program,
};

/// How long a server may take until it serves, on a machine with other work.
const START: Duration = Duration::from_secs(60);

/// Which server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `orana server`.
    Orana,
    /// Apache ZooKeeper.
    Zookeeper,
}

/// How a server is to be started.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Which server.
    pub product: Product,
    /// The client port; free choice if absent.
    pub port: Option<u16>,
    data: Option<PathBuf>,
    settings: Vec<(Product, String, String)>,
}

/// A server with its data; dropping it kills it.
#[derive(Debug)]
pub struct Subject {
    setup: Setup,
    port: u16,
    admin: u16,
    home: PathBuf,
    log: Log,
    process: Option<Process>,
}

impl Product {
    /// The product that `SUBJECT` names; Orana if it is not set.
    pub fn chosen() -> Result<Product> {
        match env::var("SUBJECT").as_deref() {
            Err(_) | Ok("" | "orana") => Ok(Product::Orana),
            Ok("zookeeper") => Ok(Product::Zookeeper),
            Ok(other) => bail!("SUBJECT is `{other}`; it can be `orana` or `zookeeper`"),
        }
    }

    /// Orana's own program: the one that `ORANA_BIN` names, or the release build.
    pub fn binary() -> Result<PathBuf> {
        let binary = match env::var_os("ORANA_BIN") {
            Some(path) => PathBuf::from(path),
            None => place::target().join("release/orana"),
        };
        ensure!(
            binary.exists(),
            "no server at {}; `cargo build --release -p orana-cli` makes it",
            binary.display()
        );
        Ok(binary)
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Product::Orana => "orana",
            Product::Zookeeper => "zookeeper",
        })
    }
}

impl Setup {
    /// The product with its default settings.
    pub fn new(product: Product) -> Setup {
        Setup {
            product,
            port: None,
            data: None,
            settings: Vec::new(),
        }
    }

    /// On this port, for instance one that another server had before.
    pub fn port(mut self, port: u16) -> Setup {
        self.port = Some(port);
        self
    }

    /// With its data in this directory, for instance one on a disk that can be full.
    pub fn data(mut self, dir: &Path) -> Setup {
        self.data = Some(dir.to_owned());
        self
    }

    /// The unit of the server's time; sessions last from 2 to 20 of it.
    pub fn tick(self, tick: Duration) -> Setup {
        let millis = tick.as_millis();
        self.setting(Product::Orana, "tick-time", &format!("{millis}ms"))
            .setting(Product::Zookeeper, "tickTime", &millis.to_string())
    }

    /// A line of the configuration file of `product`; it has no effect on the other.
    pub fn setting(mut self, product: Product, key: &str, value: &str) -> Setup {
        self.settings.push((product, key.to_owned(), value.to_owned()));
        self
    }

    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.settings.iter().filter(|(product, ..)| *product == self.product);
        own.map(|(_, key, value)| (key.as_str(), value.as_str()))
    }
}

impl Subject {
    /// Starts a server that keeps its data and log below `dir`, and waits until it serves. `setup` names the port.
    pub fn start(setup: Setup, admin: u16, dir: &Path) -> Result<Subject> {
        let port = setup.port.context("a server needs a port")?;
        // A successor on the same port does not find its predecessor's data.
        let name = (1..)
            .map(|nth| format!("{}-{port}-{nth}", setup.product))
            .find(|name| !dir.join(name).exists());
        let name = name.context("a name")?;
        let home = dir.join(&name);
        fs::create_dir_all(&home)?;
        let log = Log::at(dir.join(format!("{name}.log")));
        let mut subject = Subject {
            setup,
            port,
            admin,
            home,
            log,
            process: None,
        };
        subject.restart()?;
        Ok(subject)
    }

    /// Which server it is.
    pub fn product(&self) -> Product {
        self.setup.product
    }

    /// The client port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The client address as clients write it: `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The address of the admin pages (Orana only; nobody listens there with ZooKeeper).
    pub fn admin(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.admin))
    }

    /// Where the server keeps its data.
    pub fn data(&self) -> PathBuf {
        self.setup.data.clone().unwrap_or_else(|| self.home.join("data"))
    }

    /// What the server wrote, over all its starts.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The server's process; an error while it is stopped.
    pub fn process(&mut self) -> Result<&mut Process> {
        self.process.as_mut().context("the server is not running")
    }

    /// `kill -9`.
    pub fn kill(&mut self) -> Result<()> {
        self.process.take().context("the server is not running")?.kill()
    }

    /// SIGTERM, and waits for the end.
    pub fn terminate(&mut self) -> Result<ExitStatus> {
        self.process
            .take()
            .context("the server is not running")?
            .terminate(Duration::from_secs(20))
    }

    /// Waits for the end by itself.
    pub fn wait(&mut self, patience: Duration) -> Result<ExitStatus> {
        let status = self.process()?.wait(patience)?;
        self.process = None;
        Ok(status)
    }

    /// Starts it again and kills it after this time, whether it serves by then or not.
    pub fn start_and_kill(&mut self, after: Duration) -> Result<()> {
        ensure!(self.process.is_none(), "the server is running already");
        let mut process = self.spawn()?;
        thread::sleep(after);
        if let Some(status) = process.ended()? {
            bail!(
                "{} ended with {status} at its start:\n{}",
                self.setup.product,
                self.log.tail(30)
            );
        }
        process.kill()
    }

    fn spawn(&self) -> Result<Process> {
        let mut command = match self.setup.product {
            Product::Orana => self.orana()?,
            Product::Zookeeper => self.zookeeper()?,
        };
        command
            .stdin(Stdio::null())
            .stdout(self.log.open()?)
            .stderr(self.log.open()?)
            .current_dir(&self.home);
        Process::start(&mut command, self.setup.product.to_string())
    }

    /// Starts it again on the same port with the same data; returns how long it took until it served.
    pub fn restart(&mut self) -> Result<Duration> {
        ensure!(self.process.is_none(), "the server is running already");
        let before = self.log.length();
        let start = Instant::now();
        let mut process = self.spawn()?;
        while !self.serves(before) {
            if let Some(status) = process.ended()? {
                bail!(
                    "{} ended with {status} at its start:\n{}",
                    self.setup.product,
                    self.log.tail(30)
                );
            }
            if start.elapsed() > START {
                bail!(
                    "{} does not serve after {START:?}:\n{}",
                    self.setup.product,
                    self.log.tail(30)
                );
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.process = Some(process);
        Ok(start.elapsed())
    }

    fn serves(&self, log_before: usize) -> bool {
        match self.setup.product {
            Product::Orana => self
                .log
                .since(log_before)
                .lines()
                .any(|line| line.contains("ready zookeeper=")),
            // At its start it may accept a connection and never answer on it.
            Product::Zookeeper => self
                .asked("srvr", Duration::from_millis(500))
                .is_ok_and(|text| text.contains("Mode: ")),
        }
    }

    /// Sends a four-letter word and returns the answer.
    pub fn four_letters(&self, word: &str) -> Result<String> {
        self.asked(word, Duration::from_secs(5))
    }

    fn asked(&self, word: &str, patience: Duration) -> Result<String> {
        let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)), patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.write_all(word.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    fn orana(&self) -> Result<Command> {
        let binary = Product::binary()?;
        let mut text = String::new();
        if !self.setup.settings().any(|(key, _)| key == "reap-interval") {
            // As for the original: every second instead of every minute.
            text.push_str("reap-interval = \"1s\"\n");
        }
        for (key, value) in self.setup.settings() {
            let bare = value == "true" || value == "false" || value.parse::<i64>().is_ok() || value.starts_with('[');
            let value = if bare { value.to_owned() } else { format!("\"{value}\"") };
            text.push_str(&format!("{key} = {value}\n"));
        }
        let config = self.home.join("orana.toml");
        fs::write(&config, text)?;
        let mut command = Command::new(binary);
        // Ours, not the server's, which refuses variables of its prefix that it does not know.
        command.env_remove("ORANA_BIN");
        command
            .arg("server")
            .arg("--config")
            .arg(config)
            .arg("--data")
            .arg(self.data());
        command.args([
            "--zookeeper",
            &self.address(),
            "--admin",
            &self.admin().to_string(),
            "--log-level",
            "info",
        ]);
        Ok(command)
    }

    fn zookeeper(&self) -> Result<Command> {
        let jar = Path::new("/usr/share/java/zookeeper.jar");
        ensure!(
            jar.exists(),
            "no {}; `apt-get install zookeeper` brings it",
            jar.display()
        );
        let mut text = format!(
            "dataDir={}\nclientPort={}\nclientPortAddress=127.0.0.1\nmaxClientCnxns=0\n4lw.commands.whitelist=*\n",
            self.data().display(),
            self.port
        );
        text.push_str("admin.enableServer=false\n");
        if !self.setup.settings().any(|(key, _)| key == "tickTime") {
            text.push_str("tickTime=2000\n");
        }
        for (key, value) in self.setup.settings() {
            text.push_str(&format!("{key}={value}\n"));
        }
        let config = self.home.join("zoo.cfg");
        fs::write(&config, text)?;
        let mut command = program::java(&self.home);
        command.arg("-Dzookeeper.extendedTypesEnabled=true");
        command.arg("-Dzookeeper.jmx.log4j.disable=true");
        // Containers and nodes with a time to live are looked after every second instead of every minute.
        command.arg("-Dznode.container.checkIntervalMs=1000");
        // The server's jar names all that it needs, except where its log shall go: here to standard error.
        command.args(["-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar"]);
        command
            .arg("org.apache.zookeeper.server.quorum.QuorumPeerMain")
            .arg(config);
        Ok(command)
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let ended = self.process.as_mut().and_then(|process| process.ended().ok().flatten());
        if let Some(status) = ended {
            eprintln!(
                "{} on port {} had ended by itself with {status}",
                self.setup.product, self.port
            );
        }
    }
}
