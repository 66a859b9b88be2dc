//! The four peers of the matrix, and one of its cells: a provider of one, a consumer of another, and what they had to say.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::drill::Drill;
use crate::peer::Peer;
use crate::program::{Go, Java, Program};

/// How long a peer may take to start while others start beside it.
const START: Duration = Duration::from_secs(120);

/// How long a consumer may take for all that it checks.
const PATIENCE: Duration = Duration::from_secs(300);

const GO: Go = Go { project: "dubbo" };

/// Who provides or consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The crate `orana`.
    Rust,
    /// Dubbo Java 3.3.6.
    Java33,
    /// Dubbo Java 2.7.23.
    Java27,
    /// dubbo-go 3.3.0.
    Go,
}

/// A program of this workspace that is built already.
#[derive(Debug, Clone)]
pub struct Built(pub PathBuf);

/// One cell of the matrix.
#[derive(Debug)]
pub struct Cell<'a> {
    /// The Rust peer.
    pub rust: &'a Built,
    /// Who provides.
    pub provider: Kind,
    /// Who consumes.
    pub consumer: Kind,
    /// The cases that the consumer leaves out, by the beginnings of their names.
    pub except: &'a [&'a str],
}

impl Program for Built {
    fn command(&self, home: &Path) -> Result<Command> {
        ensure!(self.0.exists(), "no program at {}", self.0.display());
        let mut command = Command::new(&self.0);
        command.env("HOME", home);
        Ok(command)
    }
}

impl Kind {
    /// The seats that one program of it takes.
    pub fn seats(self) -> usize {
        usize::from(matches!(self, Kind::Java33 | Kind::Java27))
    }

    fn java(self, main: &'static str) -> Java {
        match self {
            Kind::Java27 => Java {
                project: "dubbo27",
                main,
                with_sources_of: &["dubbo33"],
            },
            _ => Java {
                project: "dubbo33",
                main,
                with_sources_of: &[],
            },
        }
    }

    /// Starts it in a role, `corpus-provider` or `corpus-consumer`.
    pub fn start(self, drill: &Drill, rust: &Built, role: &str, flags: &[String]) -> Result<Peer> {
        let name = format!("{role}-{self}");
        let with_role = || {
            let mut arguments = vec![role.to_owned()];
            arguments.extend_from_slice(flags);
            arguments
        };
        match self {
            Kind::Rust => drill.run(rust, &name, &with_role()),
            Kind::Go => drill.run(&GO, &name, &with_role()),
            Kind::Java33 | Kind::Java27 => {
                let main = match role {
                    "corpus-provider" => "org.example.peer.CorpusProvider",
                    "corpus-consumer" => "org.example.peer.CorpusConsumer",
                    "greeter-provider" => "org.example.peer.GreeterProvider",
                    _ => "org.example.peer.GreeterConsumer",
                };
                drill.run(&self.java(main), &name, flags)
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Rust => "rust",
            Kind::Java33 => "java33",
            Kind::Java27 => "java27",
            Kind::Go => "go",
        })
    }
}

impl Cell<'_> {
    /// Starts both with the registry at `registry` and lets the consumer check everything; an error names each case that went
    /// wrong. Returns how many went right.
    pub fn run(&self, drill: &Drill, registry: &str) -> Result<usize> {
        let registry = format!("zookeeper://{registry}");
        let port = drill.port()?.to_string();
        let flags = |application: &str, more: &[&str]| -> Vec<String> {
            let common = ["--application", application, "--registry", &registry];
            common.iter().chain(more).map(|word| (*word).to_owned()).collect()
        };
        let provider_flags = flags("corpus-provider", &["--port", &port]);
        let mut provider = self
            .provider
            .start(drill, self.rust, "corpus-provider", &provider_flags)?;
        let except = self.except.join(",");
        let mut more = Vec::new();
        if self.provider == Kind::Go {
            more.extend(["--peer", "go"]);
        }
        if !except.is_empty() {
            more.extend(["--except", &*except]);
        }
        provider.expect("READY", START)?;
        let consumer_flags = flags("corpus-consumer", &more);
        let mut consumer = self
            .consumer
            .start(drill, self.rust, "corpus-consumer", &consumer_flags)?;
        consumer.expect("READY", START)?;
        checked(&mut consumer)
    }
}

/// Waits until a consumer has checked everything; an error names each case that went wrong. Returns how many went right.
fn checked(consumer: &mut Peer) -> Result<usize> {
    let mut bad = Vec::new();
    let done = consumer.until(PATIENCE, |line| {
        if let Some(what) = line.strip_prefix("bad ") {
            bad.push(what.to_owned());
        }
        line.strip_prefix("DONE ").map(str::to_owned)
    })?;
    let mut numbers = done.split(' ').filter_map(|word| word.parse::<usize>().ok());
    let (ok, counted) = numbers.next().zip(numbers.next()).context("`DONE` without numbers")?;
    ensure!(
        bad.is_empty() && counted == 0 && ok > 0,
        "{ok} cases are right, {counted} are not:\n  {}",
        bad.join("\n  ")
    );
    Ok(ok)
}
