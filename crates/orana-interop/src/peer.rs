//! A running peer program and the conversation with it: it prints lines, a test waits for the one it expects and may
//! answer on its standard input, whose end tells the program to leave.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::process::{Log, Process};

/// A peer program that runs; dropping it kills it.
#[derive(Debug)]
pub struct Peer {
    name: String,
    process: Process,
    said: Arc<Said>,
    log: Log,
}

/// The lines that nobody has read yet.
#[derive(Debug, Default)]
struct Said {
    unread: Mutex<Unread>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct Unread {
    lines: VecDeque<String>,
    ended: bool,
}

impl Peer {
    /// Starts `command`. What it prints is kept in `log` as well, together with its standard error.
    pub fn start(mut command: Command, name: impl Into<String>, log: Log) -> Result<Peer> {
        let name = name.into();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log.open()?);
        let mut process = Process::start(&mut command, &name)?;
        let output = process.child().stdout.take().context("a piped standard output")?;
        let said = Arc::new(Said::default());
        let (hears, mut copy) = (Arc::clone(&said), log.open()?);
        thread::Builder::new().name(format!("hears {name}")).spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = writeln!(copy, "> {line}");
                let mut unread = hears.unread.lock().unwrap_or_else(PoisonError::into_inner);
                unread.lines.push_back(line);
                hears.more.notify_all();
            }
            hears.unread.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            hears.more.notify_all();
        })?;
        Ok(Peer {
            name,
            process,
            said,
            log,
        })
    }

    /// The name it goes by in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The process, to pause, signal or kill it.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// What it has written so far, standard error included.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Waits for a line that begins with `start` and returns the rest of it. Lines before it are passed over.
    pub fn expect(&mut self, start: &str, patience: Duration) -> Result<String> {
        self.until(patience, |line| {
            line.strip_prefix(start).map(|rest| rest.trim().to_owned())
        })
        .with_context(|| format!("{} did not say `{start}`", self.name))
    }

    /// Waits for the first line of which `wanted` makes something.
    pub fn until<T>(&mut self, patience: Duration, mut wanted: impl FnMut(&str) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + patience;
        let mut unread = self.said.unread.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            while let Some(line) = unread.lines.pop_front() {
                if let Some(found) = wanted(&line) {
                    return Ok(found);
                }
            }
            if unread.ended {
                bail!("{} has ended; its last lines:\n{}", self.name, self.log.tail(40));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!(
                    "nothing within {patience:?} from {}; its last lines:\n{}",
                    self.name,
                    self.log.tail(40)
                );
            }
            unread = self
                .said
                .more
                .wait_timeout(unread, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Writes a line to its standard input.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let input = self
            .process
            .child()
            .stdin
            .as_mut()
            .context("the standard input is closed already")?;
        writeln!(input, "{line}").with_context(|| format!("{} does not listen any more", self.name))
    }

    /// Writes a line and waits for the answer that begins with `start`.
    pub fn ask(&mut self, line: &str, start: &str, patience: Duration) -> Result<String> {
        self.say(line)?;
        self.expect(start, patience)
    }

    /// Closes its standard input and waits until it has left by itself.
    pub fn leave(&mut self, patience: Duration) -> Result<ExitStatus> {
        drop(self.process.child().stdin.take());
        self.process.wait(patience)
    }

    /// Lets it run to its end and returns all lines that nobody has read; an error if it fails.
    pub fn finish(&mut self, patience: Duration) -> Result<Vec<String>> {
        let status = self.leave(patience)?;
        let mut unread = self.said.unread.lock().unwrap_or_else(PoisonError::into_inner);
        while !unread.ended {
            unread = self.said.more.wait(unread).unwrap_or_else(PoisonError::into_inner);
        }
        if !status.success() {
            bail!(
                "{} ended with {status}; its last lines:\n{}",
                self.name,
                self.log.tail(40)
            );
        }
        Ok(unread.lines.drain(..).collect())
    }
}
