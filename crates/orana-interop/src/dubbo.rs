//! Dubbo applications as peers: providers that answer with their port, and consumers that call without retries at a
//! steady rate, so that a test can say who answered and that no call was lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    drill::{Drill, eventually},
    peer::Peer,
    program::{Go, Java, Program},
    tree::Tree,
};

/// The service that every provider offers.
pub const SERVICE: &str = "org.orana.interop.Greeter";

/// How long an application may take to start while others start beside it.
const START: Duration = Duration::from_secs(90);

/// How long it may take until a change in the registry shows in who answers. Dubbo holds lists back for up to 5 s.
const CHANGE: Duration = Duration::from_secs(30);

const MAIN: &str = "org.orana.interop.DubboApplication";
const JAVA_33: Java = Java {
    project: "dubbo33",
    main: MAIN,
    with_sources_of: &[],
};
const JAVA_27: Java = Java {
    project: "dubbo27",
    main: MAIN,
    with_sources_of: &["dubbo33"],
};
const GO: Go = Go { project: "dubbo" };

/// Which Dubbo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dubbo {
    /// Dubbo Java 3.3.6.
    Java33,
    /// Dubbo Java 2.7.23.
    Java27,
    /// dubbo-go 3.3.0.
    Go,
}

/// How an application is to use the registry.
#[derive(Debug, Clone)]
pub struct Application<'a> {
    drill: &'a Drill,
    program: &'a dyn Program,
    registry: String,
    options: Vec<String>,
}

/// A provider that runs.
#[derive(Debug)]
pub struct Provider {
    /// The program.
    pub peer: Peer,
    /// The port that it offers the service on, by which consumers tell it from others.
    pub port: u16,
}

/// A consumer that runs and calls.
#[derive(Debug)]
pub struct Consumer {
    /// The program.
    pub peer: Peer,
    unsettled: Calls,
}

/// What a consumer has seen for a while.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls that were answered.
    pub ok: u64,
    /// Calls that were not.
    pub failed: u64,
    /// Who answered how many of them, by port.
    pub by: BTreeMap<u16, u64>,
}

impl Dubbo {
    fn program(self) -> &'static dyn Program {
        match self {
            Dubbo::Java33 => &JAVA_33,
            Dubbo::Java27 => &JAVA_27,
            Dubbo::Go => &GO,
        }
    }

    /// The seats that one application of it takes.
    pub fn seats(self) -> usize {
        usize::from(self != Dubbo::Go)
    }
}

impl fmt::Display for Dubbo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dubbo::Java33 => "java33",
            Dubbo::Java27 => "java27",
            Dubbo::Go => "go",
        })
    }
}

impl<'a> Application<'a> {
    /// An application with the framework's own settings; the Java ones register each interface.
    pub fn new(drill: &'a Drill, dubbo: Dubbo, registry: impl Into<String>) -> Application<'a> {
        Application::of(drill, dubbo.program(), registry)
    }

    /// An application of any program that understands the same words.
    pub fn of(drill: &'a Drill, program: &'a dyn Program, registry: impl Into<String>) -> Application<'a> {
        Application {
            drill,
            program,
            registry: registry.into(),
            options: Vec::new(),
        }
    }

    /// With an argument of the program, `key=value`.
    pub fn with(mut self, argument: impl Into<String>) -> Application<'a> {
        self.options.push(argument.into());
        self
    }

    /// Without configuration and metadata centre, which makes the given session time-out count (a Java application
    /// takes it from whichever of the three connects first).
    pub fn bare(self, session: Duration) -> Application<'a> {
        self.with("centres=off")
            .with(format!("session={}", session.as_millis()))
    }

    /// Starts a provider called `name`; does not wait until it is ready, so that several may start at once.
    pub fn provider(&self, name: &str) -> Result<Starting<Provider>> {
        self.provider_at(name, self.drill.port()?)
    }

    /// The same at a given port, for instance that of one that has ended.
    pub fn provider_at(&self, name: &str, port: u16) -> Result<Starting<Provider>> {
        let peer = self.start("provider", name, &[format!("port={port}")])?;
        Ok(Starting(Provider { peer, port }))
    }

    /// Starts a consumer called `name`; it is ready once a call has succeeded.
    pub fn consumer(&self, name: &str) -> Result<Starting<Consumer>> {
        Ok(Starting(Consumer {
            peer: self.start("consumer", name, &[])?,
            unsettled: Calls::default(),
        }))
    }

    fn start(&self, role: &str, name: &str, more: &[String]) -> Result<Peer> {
        let mut arguments = vec![
            role.to_owned(),
            format!("registry={}", self.registry),
            format!("name={name}"),
        ];
        arguments.extend(self.options.iter().cloned());
        arguments.extend(more.iter().cloned());
        self.drill.run(self.program, name, &arguments)
    }
}

/// An application that was started and may not be ready yet.
#[derive(Debug)]
#[must_use]
pub struct Starting<T>(T);

impl Starting<Provider> {
    /// Waits until it has registered, as far as the framework says so.
    pub fn ready(mut self) -> Result<Provider> {
        self.0.peer.expect("READY", START)?;
        Ok(self.0)
    }
}

impl Starting<Consumer> {
    /// Waits for its first answer.
    pub fn ready(mut self) -> Result<Consumer> {
        self.0.peer.expect("READY", START)?;
        Ok(self.0)
    }
}

impl Consumer {
    /// What happened since the last count, or since it became ready.
    pub fn count(&mut self) -> Result<Calls> {
        let calls = Calls::parse(&self.peer.ask("COUNT", "CALLS", Duration::from_secs(20))?)?;
        self.unsettled.add(&calls);
        Ok(calls)
    }

    /// All that happened since this was last asked, however often it was counted; begins a new account.
    pub fn settle(&mut self) -> Result<Calls> {
        self.count()?;
        Ok(std::mem::take(&mut self.unsettled))
    }

    /// What happens from now on for `period`.
    pub fn during(&mut self, period: Duration) -> Result<Calls> {
        self.count()?;
        thread::sleep(period);
        self.count()
    }

    /// Lets calls take that long at the provider.
    pub fn delay(&mut self, time: Duration) -> Result<()> {
        self.peer.say(&format!("DELAY {}", time.as_millis()))
    }

    /// Waits until `expected` holds for what happens within half a second, and returns that. Calls of the time before
    /// that may have failed or not.
    pub fn until(&mut self, expectation: &str, expected: impl Fn(&Calls) -> bool) -> Result<Calls> {
        let start = Instant::now();
        loop {
            let calls = self.during(Duration::from_millis(500))?;
            if expected(&calls) {
                return Ok(calls);
            }
            if start.elapsed() > CHANGE {
                bail!(
                    "{}: {expectation}: not within {CHANGE:?}; last: {calls}",
                    self.peer.name()
                );
            }
        }
    }

    /// Waits until exactly these providers answer, and nothing fails.
    pub fn until_answered_by(&mut self, ports: &[u16]) -> Result<Calls> {
        let wanted = ports.iter().copied().collect::<BTreeSet<_>>();
        self.until(&format!("answers from exactly {wanted:?}"), |calls| {
            calls.failed == 0 && calls.by.keys().copied().collect::<BTreeSet<_>>() == wanted
        })
    }

    /// Settles; an error if a call failed, or if none was made.
    pub fn lost_nothing(&mut self) -> Result<Calls> {
        let calls = self.settle()?;
        ensure!(calls.ok > 0, "{} has called nobody", self.peer.name());
        ensure!(
            calls.failed == 0,
            "{}: calls failed: {calls}\n{}",
            self.peer.name(),
            self.peer.log().tail(40)
        );
        Ok(calls)
    }
}

impl Calls {
    fn parse(line: &str) -> Result<Calls> {
        let mut calls = Calls::default();
        for word in line.split_whitespace() {
            let (key, value) = word
                .split_once('=')
                .with_context(|| format!("`{line}` is not a count"))?;
            let value = value.parse()?;
            match key {
                "ok" => calls.ok = value,
                "failed" => calls.failed = value,
                port => drop(calls.by.insert(port.parse()?, value)),
            }
        }
        Ok(calls)
    }

    fn add(&mut self, other: &Calls) {
        self.ok += other.ok;
        self.failed += other.failed;
        for (port, count) in &other.by {
            *self.by.entry(*port).or_default() += count;
        }
    }
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answered, {} failed, by port {:?}", self.ok, self.failed, self.by)
    }
}

/// The ports of the providers that are registered for the service, as the tree shows them.
pub fn registered(tree: &Tree) -> Result<Vec<u16>> {
    let mut ports = Vec::new();
    for name in tree.children(&format!("/dubbo/{SERVICE}/providers"))? {
        let port = name
            .strip_prefix("dubbo%3A%2F%2F127.0.0.1%3A")
            .and_then(|rest| rest.split_once("%2F"));
        let (port, _) = port.with_context(|| format!("`{name}` is not a provider of dubbo on 127.0.0.1"))?;
        ports.push(port.parse()?);
    }
    ports.sort_unstable();
    Ok(ports)
}

/// The ports of the instances of an application, as the tree shows them.
pub fn instances(tree: &Tree, application: &str) -> Result<Vec<u16>> {
    let names = tree.children(&format!("/services/{application}"))?;
    let ports = names.iter().map(|name| {
        let (_, port) = name
            .split_once(':')
            .with_context(|| format!("`{name}` is not an instance"))?;
        Ok(port.parse()?)
    });
    let mut ports = ports.collect::<Result<Vec<u16>>>()?;
    ports.sort_unstable();
    Ok(ports)
}

/// Waits until exactly these providers are registered for the service; returns how long that took.
pub fn await_registered(tree: &Tree, ports: &[u16], patience: Duration) -> Result<Duration> {
    let start = Instant::now();
    let mut wanted = ports.to_vec();
    wanted.sort_unstable();
    eventually(patience, || {
        let there = registered(tree)?;
        ensure!(there == wanted, "{there:?} are registered instead of {wanted:?}");
        Ok(())
    })?;
    Ok(start.elapsed())
}
