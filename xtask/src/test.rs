//! `cargo xtask test`: which steps, side by side with which, and what is done with their results.

mod fuzz;
mod install;
mod progress;
mod report;
mod rows;
mod scenarios;
mod step;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use anyhow::{Result, bail};

use self::progress::Progress;
use self::report::{Outcome, Report};
use self::rows::{Kind, Part, Row};
use self::step::{Beside, Step, Work};

/// Which steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection<'a> {
    /// All of them.
    Everything,
    /// Unit, property and golden tests.
    Unit,
    /// Scenarios against real peers; one file of them if it is named.
    Interop(Option<&'a str>),
    /// Licences, bans and sources of all dependencies.
    Deny,
    /// The fuzz targets, or the one that is named.
    Fuzz(Option<&'a str>),
    /// The benchmarks, or the one that is named.
    Bench(Option<&'a str>),
}

/// How thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Length {
    /// What each change must pass.
    Short,
    /// What is run before something counts as done.
    Long,
}

/// How many steps run side by side, where they do: scenarios wait for time-outs most of the time and the rig limits the
/// Java machines, and a fuzz target keeps one processor busy.
const LANES: usize = 2;

impl<'a> Selection<'a> {
    fn means(self, row: &Row, length: Length) -> bool {
        match self {
            Selection::Everything => row.from <= length,
            Selection::Unit => row.part == Part::Unit,
            Selection::Interop(None) => row.part == Part::Interop,
            // One file builds itself; the others may be in the middle of a change.
            Selection::Interop(Some(_)) => matches!(row.kind, Kind::Scenarios),
            Selection::Deny => row.part == Part::Deny,
            Selection::Fuzz(_) => row.part == Part::Fuzz,
            Selection::Bench(None) => row.part == Part::Bench,
            Selection::Bench(Some(name)) => {
                row.part == Part::Bench && row.name.strip_prefix("bench ").is_some_and(|bench| bench == name)
            }
        }
    }

    /// The one file or target that is meant of many.
    fn named(self) -> Option<&'a str> {
        match self {
            Selection::Interop(name) | Selection::Fuzz(name) => name,
            _ => None,
        }
    }
}

/// Runs the chosen steps and prints what came of them; the code is a failure if any step is. With `resume` a step that
/// has passed on this commit before counts as passed.
pub(crate) fn run(selection: Selection<'_>, length: Length, resume: bool) -> Result<ExitCode> {
    let steps = steps(selection, length)?;
    let usual = !(scenarios::are_altered() || fuzz::is_altered());
    let progress = Progress::begin(length, usual, resume)?;
    let report = Report::start();
    let failed: Mutex<BTreeSet<String>> = Mutex::default();
    let perform = |step: &Step| {
        let missing = {
            let failed = failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            step.needs.iter().find(|need| failed.contains(**need)).copied()
        };
        let outcome = match missing {
            Some(need) => Outcome::not_run(need),
            None if !step.prepares && progress.spares(&step.name) => Outcome::passed_before(),
            None => step.perform(),
        };
        progress.note(&step.name, outcome.passed());
        if !outcome.passed() {
            failed
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .insert(step.name.clone());
        }
        report.add(&step.name, outcome);
    };
    // What stands before the scenarios prepares them, what stands after them does not need them: so the steps that run
    // alone go first, and the others share what is left of the time with their like.
    for beside in [Beside::Nothing, Beside::Scenarios, Beside::FuzzTargets] {
        let group: Vec<_> = steps.iter().filter(|step| step.beside == beside).collect();
        let lanes = if beside == Beside::Nothing { 1 } else { LANES };
        let queue = Mutex::new(group.into_iter());
        thread::scope(|scope| {
            for _ in 0..lanes {
                scope.spawn(|| {
                    while let Some(step) = next(&queue) {
                        perform(step);
                    }
                });
            }
        });
    }
    Ok(report.finish())
}

fn next<'a>(queue: &Mutex<impl Iterator<Item = &'a Step>>) -> Option<&'a Step> {
    queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next()
}

/// The rows that are chosen and what they need, as steps.
fn steps(selection: Selection<'_>, length: Length) -> Result<Vec<Step>> {
    let rows = rows::with_needs(|row| selection.means(row, length));
    if let (Selection::Bench(Some(name)), true) = (selection, rows.is_empty()) {
        bail!("there is no step `bench {name}`; `cargo xtask bench {name}` runs what lies in bench/{name}");
    }
    let subject = std::env::var("SUBJECT").ok().filter(|subject| !subject.is_empty());
    let mut steps = Vec::new();
    for row in rows {
        match &row.kind {
            Kind::Cargo(arguments, variables) => {
                steps.push(Step::new(row.name, row.needs, Work::cargo(arguments).with(variables)))
            }
            Kind::Call(function) => steps.push(Step::new(row.name, row.needs, Work::Call(*function))),
            Kind::Scenarios => steps.extend(scenarios::steps(
                row.needs,
                selection.named(),
                subject.as_deref(),
                length,
            )?),
            Kind::FuzzTargets => steps.extend(fuzz::steps(row.needs, selection.named())?),
        }
        if row.part == Part::Preparation
            && let Some(step) = steps.last_mut()
        {
            step.prepares = true;
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(selection: Selection<'_>, length: Length) -> Result<Vec<String>> {
        Ok(steps(selection, length)?.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn parts_of_the_long_form_can_be_run_by_themselves() {
        let only = |selection| names(selection, Length::Long).unwrap();
        assert_eq!(only(Selection::Fuzz(Some("request"))), ["fuzz tool", "fuzz request"]);
        assert_eq!(only(Selection::Bench(Some("zookeeper"))), ["peers", "bench zookeeper"]);
        assert_eq!(
            only(Selection::Interop(Some("rig"))),
            ["peers", "release", "rig (orana)", "rig (zookeeper)"]
        );
        assert!(names(Selection::Bench(Some("nothing")), Length::Long).is_err());
        assert!(names(Selection::Fuzz(Some("nothing")), Length::Long).is_err());
    }

    #[test]
    fn all_parts_together_are_the_long_form() {
        let mut parts = BTreeSet::new();
        for selection in [
            Selection::Unit,
            Selection::Interop(None),
            Selection::Deny,
            Selection::Fuzz(None),
            Selection::Bench(None),
        ] {
            parts.extend(names(selection, Length::Long).unwrap());
        }
        let all = names(Selection::Everything, Length::Long).unwrap();
        let rest: Vec<_> = all.iter().filter(|name| !parts.contains(*name)).collect();
        assert_eq!(rest, ["format", "arrows", "lints", "documents"]);
    }
}
