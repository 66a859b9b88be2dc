//! A process that ends when its owner lets go of it.

use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rustix::process::Pid;
pub use rustix::process::Signal;

/// A started process; dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    what: String,
}

impl Process {
    /// Starts `command`, called `what` in messages.
    pub fn start(command: &mut Command, what: impl Into<String>) -> Result<Process> {
        let what = what.into();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {what}: `{command:?}`"))?;
        Ok(Process { child, what })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The pipes, for whoever talks to it.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// `kill -9`; returns once the process is gone.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// SIGTERM, then waits for the end; an error if it takes longer than `patience`.
    pub fn terminate(&mut self, patience: Duration) -> Result<ExitStatus> {
        self.signal(Signal::TERM)?;
        self.wait(patience)
    }

    /// SIGSTOP: the process stands still, its sockets stay open.
    pub fn pause(&self) -> Result<()> {
        self.signal(Signal::STOP)
    }

    /// SIGCONT.
    pub fn resume(&self) -> Result<()> {
        self.signal(Signal::CONT)
    }

    /// The exit status if the process has ended.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Waits for the end by itself; an error if it takes longer than `patience`.
    pub fn wait(&mut self, patience: Duration) -> Result<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            if start.elapsed() > patience {
                bail!("{} is still running after {patience:?}", self.what);
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends a signal and does not wait for what comes of it.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let pid = i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .context("a process id")?;
        rustix::process::kill_process(pid, signal).with_context(|| format!("cannot signal {}", self.what))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; either way nothing of it is left.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A text file that a process writes and a test reads afterwards.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Log {
        Log { path: path.into() }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, open for appending; made if it is not there.
    pub fn open(&self) -> Result<File> {
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.with_context(|| format!("cannot open {}", self.path.display()))
    }

    /// Its length in bytes so far.
    pub fn length(&self) -> usize {
        fs::metadata(&self.path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX))
    }

    /// All text from byte `start` on.
    pub fn since(&self, start: usize) -> String {
        let bytes = fs::read(&self.path).unwrap_or_default();
        String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned()
    }

    /// The last `count` lines, for a message about a failure.
    pub fn tail(&self, count: usize) -> String {
        let text = self.since(0);
        let lines: Vec<&str> = text.lines().collect();
        let from = lines.len().saturating_sub(count);
        lines.get(from..).unwrap_or_default().join("\n")
    }
}
