//! One scenario from start to end: it holds the seats and ports, starts servers and peers in a directory of its own, and
//! when it fails shows the last lines of everything that ran.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    peer::Peer,
    place,
    ports::{self, Port},
    process::Log,
    program::Program,
    seats::{self, Seats},
    subject::{Product, Setup, Subject},
};

/// A scenario that is under way.
#[derive(Debug)]
pub struct Drill {
    dir: PathBuf,
    ports: Mutex<Vec<Port>>,
    _seats: Seats,
}

impl Drill {
    /// Takes `seats` seats (one for each Java peer) and makes the scenario's directory.
    pub fn begin(name: &str, seats: usize) -> Result<Drill> {
        let seats = seats::take(seats)?;
        let drills = place::written("drills")?;
        let stem = format!("{name}-{}-", Product::chosen()?);
        clear_up(&drills, &stem)?;
        let dir = drills.join(format!("{stem}{}", process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Drill {
            dir,
            ports: Mutex::default(),
            _seats: seats,
        })
    }

    /// The scenario's own directory: logs, data and homes.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A loopback port that stays ours until the scenario ends.
    pub fn port(&self) -> Result<u16> {
        let port = ports::claim()?;
        let number = port.number();
        self.ports.lock().unwrap_or_else(PoisonError::into_inner).push(port);
        Ok(number)
    }

    /// Starts the server under test, chosen by `SUBJECT`, with its default settings.
    pub fn subject(&self) -> Result<Subject> {
        self.server(Setup::new(Product::chosen()?))
    }

    /// Starts a server on a port of its own, or on the one that `setup` names.
    pub fn server(&self, setup: Setup) -> Result<Subject> {
        let port = match setup.port {
            Some(port) => port,
            None => self.port()?,
        };
        Subject::start(setup.port(port), self.port()?, &self.dir)
    }

    /// Starts a peer program under `name` (different for each peer of a scenario) with `arguments`.
    pub fn run<A: AsRef<str>>(&self, program: &dyn Program, name: &str, arguments: &[A]) -> Result<Peer> {
        let home = self.dir.join(format!("{name}-home"));
        fs::create_dir_all(&home)?;
        let mut command = program.command(&home)?;
        command.args(arguments.iter().map(AsRef::as_ref)).current_dir(&home);
        Peer::start(command, name, Log::at(self.dir.join(format!("{name}.log"))))
    }
}

impl Drop for Drill {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", last_words(&self.dir));
        }
    }
}

/// Runs a scenario and says how long it took; a failure shows what the servers and peers wrote last, and their logs stay.
///
/// # Panics
/// When the scenario fails, as a test does.
pub fn drill(name: &str, seats: usize, scenario: impl FnOnce(&Drill) -> Result<()>) {
    let outcome = Drill::begin(name, seats).and_then(|drill| {
        let start = Instant::now();
        let outcome = scenario(&drill);
        eprintln!(
            "drill {name}: {} in {:.1} s",
            if outcome.is_ok() { "passed" } else { "failed" },
            start.elapsed().as_secs_f32()
        );
        match outcome {
            Ok(()) => fs::remove_dir_all(&drill.dir).context("cannot clear up"),
            Err(error) => {
                eprintln!("{}", last_words(&drill.dir));
                Err(error)
            }
        }
    });
    if let Err(error) = outcome {
        panic!(
            "drill {name} failed: {}",
            error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
        );
    }
}

/// Asks again and again until `question` has an answer; the last refusal becomes the error.
pub fn eventually<T>(patience: Duration, mut question: impl FnMut() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        match question() {
            Ok(answer) => return Ok(answer),
            Err(refusal) if start.elapsed() > patience => bail!("not within {patience:?}: {refusal:#}"),
            Err(_) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Removes what earlier runs of a scenario left because they failed, except one that is still under way.
fn clear_up(drills: &Path, stem: &str) -> Result<()> {
    for entry in fs::read_dir(drills)? {
        let entry = entry?;
        let name = entry.file_name();
        let process = name
            .to_str()
            .and_then(|name| name.strip_prefix(stem))
            .and_then(|id| id.parse::<u32>().ok());
        let over = |id: u32| id == process::id() || !Path::new("/proc").join(id.to_string()).exists();
        if process.is_some_and(over) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The ends of all logs of a scenario.
fn last_words(dir: &Path) -> String {
    let mut logs: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.sort();
    let ends = logs
        .iter()
        .map(|path| format!("---- {}\n{}", path.display(), Log::at(path).tail(30)));
    ends.collect::<Vec<_>>().join("\n")
}
