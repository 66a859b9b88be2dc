//! Which steps have passed on this very commit, so that a long run that was broken off, or was done in parts, goes on
//! where it was instead of beginning anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};

use super::Length;
use crate::place;

/// The record of one commit and one form: a step's name in each line.
pub(super) struct Progress {
    /// None if what passes now says nothing of a later run.
    file: Option<PathBuf>,
    passed: Mutex<BTreeSet<String>>,
    resume: bool,
}

impl Progress {
    /// Goes on with the record of this commit. `usual` is whether the steps do all that they should; with `resume` those
    /// that have passed count.
    pub(super) fn begin(length: Length, usual: bool, resume: bool) -> Result<Progress> {
        let mut progress = Progress {
            file: None,
            passed: Mutex::default(),
            resume,
        };
        let changes = git(&["status", "--porcelain"]);
        if !usual || !changes.as_ref().is_ok_and(String::is_empty) {
            ensure!(
                !resume,
                "cannot resume: what has passed is known for a commit in its usual form; commit all changes, and set no \
                 variables that shorten a step"
            );
            return Ok(progress);
        }
        let form = match length {
            Length::Short => "short",
            Length::Long => "long",
        };
        let file = place::written("passed")?.join(format!("{}-{form}", git(&["rev-parse", "HEAD"])?));
        let known = fs::read_to_string(&file).unwrap_or_default();
        progress.passed = Mutex::new(known.lines().map(str::to_owned).collect());
        progress.file = Some(file);
        Ok(progress)
    }

    /// Whether the step need not be done again.
    pub(super) fn spares(&self, step: &str) -> bool {
        let passed = self.passed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.resume && passed.contains(step)
    }

    /// Takes note of what came of a step.
    pub(super) fn note(&self, step: &str, passes: bool) {
        let mut passed = self.passed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let news = if passes {
            passed.insert(step.to_owned())
        } else {
            passed.remove(step)
        };
        let Some(file) = self.file.as_ref().filter(|_| news) else {
            return;
        };
        let lines: String = passed.iter().map(|step| format!("{step}\n")).collect();
        if let Err(error) = fs::write(file, lines) {
            // It costs time later and nothing else.
            eprintln!("{}: {error}", file.display());
        }
    }
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(place::repository())
        .output()
        .context("cannot start git")?;
    let told = arguments.join(" ");
    ensure!(output.status.success(), "git {told} ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_run_spares_what_passed_and_repeats_what_failed() {
        let dir = place::written("tests").unwrap();
        let at = |resume| Progress {
            file: Some(dir.join(format!("progress-{}", std::process::id()))),
            passed: Mutex::default(),
            resume,
        };
        let progress = at(true);
        progress.note("one", true);
        progress.note("two", true);
        progress.note("two", false);
        assert!(progress.spares("one") && !progress.spares("two") && !progress.spares("three"));
        let file = progress.file.unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\n");
        fs::remove_file(file).unwrap();
        let anew = at(false);
        anew.note("one", true);
        assert!(!anew.spares("one"));
        fs::remove_file(anew.file.unwrap()).unwrap();
    }
}
