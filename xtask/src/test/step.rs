//! One step: a program that is run, or a function that is called, with a log of what it said.

use std::fs::{self, File};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::report::{Counts, Outcome};
use crate::place;

/// No step takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// A step that is ready to be performed.
pub(super) struct Step {
    pub(super) name: String,
    pub(super) needs: &'static [&'static str],
    /// What may run at the same time.
    pub(super) beside: Beside,
    /// Whether others stand on what it leaves on the machine, so that it is done each time.
    pub(super) prepares: bool,
    work: Work,
}

/// What a step minds beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Everything.
    Nothing,
    /// All but scenarios.
    Scenarios,
    /// All but fuzz targets.
    FuzzTargets,
}

/// What a step does.
pub(super) enum Work {
    /// Runs `cargo` in the root of the repository.
    Cargo {
        arguments: Vec<String>,
        variables: Vec<(String, String)>,
    },
    /// Calls a function.
    Call(fn(&mut dyn Write) -> Result<()>),
}

impl Step {
    pub(super) fn new(name: &str, needs: &'static [&'static str], work: Work) -> Step {
        Step {
            name: name.to_owned(),
            needs,
            beside: Beside::Nothing,
            prepares: false,
            work,
        }
    }

    /// The same step, which minds none of these beside it.
    pub(super) fn beside(self, beside: Beside) -> Step {
        Step { beside, ..self }
    }

    /// What a variable is set to.
    #[cfg(test)]
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let Work::Cargo { variables, .. } = &self.work else {
            return None;
        };
        let (_, value) = variables.iter().find(|(variable, _)| variable == name)?;
        Some(value)
    }

    /// Does it; whatever goes wrong is an outcome.
    pub(super) fn perform(&self) -> Outcome {
        println!("{} …", self.name);
        let start = Instant::now();
        let file = format!("{}.log", self.name.replace([' ', '(', ')'], "-").trim_matches('-'));
        let (result, log) = match place::written("logs") {
            Ok(dir) => {
                let path = dir.join(file);
                (
                    File::create(&path)
                        .context("cannot write a log")
                        .and_then(|log| self.work.perform(log)),
                    Some(path),
                )
            }
            Err(error) => (Err(error.into()), None),
        };
        let text = log.and_then(|path| fs::read(path).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let counts = Counts::of(&text);
        let result = result.and_then(|()| self.believe(counts));
        Outcome {
            result,
            took: start.elapsed(),
            counts,
            log: text,
            before: false,
        }
    }

    /// A test program that ran nothing, or left something out, has proved nothing.
    fn believe(&self, counts: Counts) -> Result<()> {
        ensure!(counts.ignored == 0, "{} tests are ignored", counts.ignored);
        let names_tests = |word: &String| word == "--test" || word == "--tests";
        let tests = matches!(&self.work, Work::Cargo { arguments, .. } if arguments.iter().any(names_tests));
        ensure!(!tests || counts.passed > 0, "no test ran");
        Ok(())
    }
}

impl Work {
    pub(super) fn cargo(arguments: &[&str]) -> Work {
        Work::Cargo {
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            variables: Vec::new(),
        }
    }

    /// The same with more variables; a function has none.
    pub(super) fn with(mut self, more: &[(&str, &str)]) -> Work {
        if let Work::Cargo { variables, .. } = &mut self {
            variables.extend(more.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        }
        self
    }

    fn perform(&self, mut log: File) -> Result<()> {
        match self {
            Work::Call(function) => {
                let result = function(&mut log);
                if let Err(error) = &result {
                    writeln!(log, "{error:#}")?;
                }
                result
            }
            Work::Cargo { arguments, variables } => {
                let mut command = Command::new("cargo");
                command
                    .args(arguments)
                    .envs(variables.iter().map(|(name, value)| (name, value)));
                run(command.current_dir(place::repository()), &mut log)
            }
        }
    }
}

/// Runs a program to its end, all that it says going to `log`; after [`PATIENCE`] it and its children are ended.
pub(super) fn run(command: &mut Command, log: &mut File) -> Result<()> {
    writeln!(log, "$ {command:?}")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "ended with {status}");
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            end_tree(child.id())?;
            child.wait()?;
            bail!("did not end within {} minutes", PATIENCE.as_secs() / 60);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Kills a process and all that descend from it, parents first so that none of them starts another.
fn end_tree(root: u32) -> io::Result<()> {
    let mut doomed = vec![root];
    let mut next = 0;
    while let Some(&parent) = doomed.get(next) {
        if let Some(pid) = i32::try_from(parent).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended by itself; then there is nothing left to do.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            if parent_of(pid) == Some(parent) && !doomed.contains(&pid) {
                doomed.push(pid);
            }
        }
        next += 1;
    }
    Ok(())
}

fn parent_of(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))?
        .trim()
        .parse()
        .ok()
}
