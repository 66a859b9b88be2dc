//! `cargo xtask test`: the steps, in the order in which they run, and what is done with their results.

mod install;
mod report;
mod step;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Mutex;
use std::{io, thread};

use anyhow::{Result, bail};

use self::report::{Outcome, Report};
use self::step::{Step, Work};
use crate::place;

/// Which steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection<'a> {
    /// All of them.
    Everything,
    /// Unit, property and golden tests.
    Unit,
    /// Scenarios against real peers; one file of them if it is named.
    Interop(Option<&'a str>),
}

/// How thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Length {
    /// What each change must pass.
    Short,
    /// What is run before something counts as done.
    Long,
}

/// The parts that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Checks,
    Unit,
    Peers,
    Interop,
}

/// One row of the table: a step, or a rule that makes steps of what is found in the repository.
struct Row {
    name: &'static str,
    part: Part,
    /// The shortest run that includes it.
    from: Length,
    /// Steps without which it makes no sense.
    needs: &'static [&'static str],
    kind: Kind,
}

enum Kind {
    /// `cargo` with these arguments and variables.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A function of ours that writes what it does into the step's log.
    Call(fn(&mut dyn io::Write) -> Result<()>),
    /// One step for each file of scenarios.
    Scenarios,
    /// One step for each fuzz target.
    FuzzTargets,
}

/// Every step, in order.
const ROWS: &[Row] = &[
    row(
        "format",
        Part::Checks,
        Length::Short,
        &[],
        Kind::Cargo(&["fmt", "--all", "--check"], &[]),
    ),
    row(
        "arrows",
        Part::Checks,
        Length::Short,
        &[],
        Kind::Call(|_| crate::arrows::check()),
    ),
    row(
        "lints",
        Part::Checks,
        Length::Short,
        &[],
        Kind::Cargo(
            &[
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
    ),
    row(
        "documents",
        Part::Checks,
        Length::Short,
        &[],
        Kind::Cargo(
            &["doc", "--locked", "--workspace", "--no-deps"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
    ),
    row(
        "doc tests",
        Part::Unit,
        Length::Short,
        &[],
        Kind::Cargo(&["test", "--locked", "--workspace", "--doc"], &[]),
    ),
    row(
        "unit",
        Part::Unit,
        Length::Short,
        &[],
        Kind::Cargo(
            &[
                "test",
                "--locked",
                "--workspace",
                "--exclude",
                "orana-interop",
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ],
            &[],
        ),
    ),
    row("peers", Part::Peers, Length::Short, &[], Kind::Call(install::peers)),
    row(
        "release",
        Part::Peers,
        Length::Short,
        &[],
        Kind::Cargo(&["build", "--locked", "--release", "-p", "orana-cli"], &[]),
    ),
    row(
        "scenarios",
        Part::Peers,
        Length::Short,
        &[],
        Kind::Cargo(&["test", "--locked", "-p", "orana-interop", "--no-run"], &[]),
    ),
    row(
        "rig",
        Part::Interop,
        Length::Short,
        &["peers"],
        Kind::Cargo(&["test", "--locked", "-p", "orana-interop", "--lib"], &[]),
    ),
    row(
        "interop",
        Part::Interop,
        Length::Short,
        &["peers", "release"],
        Kind::Scenarios,
    ),
    row(
        "deny",
        Part::Checks,
        Length::Long,
        &[],
        Kind::Call(install::and_run_deny),
    ),
    row("fuzz tool", Part::Checks, Length::Long, &[], Kind::Call(install::fuzz)),
    row("fuzz", Part::Checks, Length::Long, &["fuzz tool"], Kind::FuzzTargets),
    row(
        "bench",
        Part::Checks,
        Length::Long,
        &["peers", "release"],
        Kind::Cargo(
            &["run", "--locked", "--quiet", "-p", "xtask", "--", "bench", "zookeeper"],
            &[],
        ),
    ),
];

/// What is known of a file of scenarios beyond its name. A file without a row runs side by side with others.
struct Scenario {
    file: &'static str,
    /// Whether other scenarios would disturb it: it measures, or takes the whole machine.
    alone: bool,
    /// Variables of the short form and of the long form, unless the caller has set them.
    variables: &'static [(&'static str, &'static str, &'static str)],
}

/// The files that must be there, whoever else is.
const SCENARIOS: &[Scenario] = &[
    Scenario {
        file: "differential",
        alone: true,
        variables: &[],
    },
    Scenario {
        file: "durability",
        alone: true,
        variables: &[("KILLS", "20", "1000")],
    },
    Scenario {
        file: "flush_order",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "hostile",
        alone: true,
        variables: &[],
    },
    Scenario {
        file: "slow_clients",
        alone: true,
        variables: &[],
    },
    Scenario {
        file: "leases",
        alone: true,
        variables: &[("PAUSE", "10", "30")],
    },
    Scenario {
        file: "disk_full",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "lifecycle",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "deliberate",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "dubbo_interface",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "dubbo_application",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "dubbo_rules",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "dubbo_restart",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "dubbo_swap",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "curator",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "zookeeper_java",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "zkcli",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "kazoo",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "go_zk",
        alone: false,
        variables: &[],
    },
    Scenario {
        file: "rust_client",
        alone: false,
        variables: &[],
    },
];

/// How many scenarios run side by side: they wait for time-outs most of the time, and the rig limits the Java machines.
const LANES: usize = 2;

const fn row(name: &'static str, part: Part, from: Length, needs: &'static [&'static str], kind: Kind) -> Row {
    Row {
        name,
        part,
        from,
        needs,
        kind,
    }
}

/// Runs the chosen steps and prints what came of them; the code is a failure if any step is.
pub(crate) fn run(selection: Selection<'_>, length: Length) -> Result<ExitCode> {
    let steps = steps(selection, length)?;
    let report = Report::start();
    let failed: Mutex<BTreeSet<String>> = Mutex::default();
    let perform = |step: &Step| {
        let missing = {
            let failed = failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            step.needs.iter().find(|need| failed.contains(**need)).copied()
        };
        let outcome = match missing {
            Some(need) => Outcome::not_run(need),
            None => step.perform(),
        };
        if !outcome.passed() {
            failed
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .insert(step.name.clone());
        }
        report.add(&step.name, outcome);
    };
    let (alone, beside): (Vec<_>, Vec<_>) = steps.into_iter().partition(|step| step.alone);
    // What stands before the scenarios prepares them, what stands after them does not need them: so the steps that run
    // alone go first, and the others share what is left of the time.
    alone.iter().for_each(perform);
    let queue = Mutex::new(beside.iter());
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(step) = next(&queue) {
                    perform(step);
                }
            });
        }
    });
    Ok(report.finish())
}

fn next<'a>(queue: &Mutex<std::slice::Iter<'a, Step>>) -> Option<&'a Step> {
    queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next()
}

/// The rows that are chosen, as steps.
fn steps(selection: Selection<'_>, length: Length) -> Result<Vec<Step>> {
    let chosen = |row: &&Row| match selection {
        Selection::Everything => row.from <= length,
        Selection::Unit => row.part == Part::Unit,
        Selection::Interop(None) => matches!(row.part, Part::Peers | Part::Interop),
        // One file builds itself; the others may be in the middle of a change.
        Selection::Interop(Some(_)) => {
            matches!(row.kind, Kind::Scenarios) || (row.part == Part::Peers && row.name != "scenarios")
        }
    };
    let mut steps = Vec::new();
    for row in ROWS.iter().filter(chosen) {
        match &row.kind {
            Kind::Cargo(arguments, variables) => {
                steps.push(Step::new(row.name, row.needs, Work::cargo(arguments).with(variables)))
            }
            Kind::Call(function) => steps.push(Step::new(row.name, row.needs, Work::Call(*function))),
            Kind::Scenarios => steps.extend(scenarios(row, selection, length)?),
            Kind::FuzzTargets => steps.extend(fuzz_targets(row)?),
        }
    }
    Ok(steps)
}

fn scenarios(row: &Row, selection: Selection<'_>, length: Length) -> Result<Vec<Step>> {
    let mut files: BTreeSet<String> = place::rust_files("crates/orana-interop/tests")?.into_iter().collect();
    if let Selection::Interop(Some(name)) = selection {
        if !files.contains(name) {
            let known: Vec<_> = files.into_iter().collect();
            bail!("there are no scenarios `{name}`; there are `{}`", known.join("`, `"));
        }
        files.retain(|file| file == name);
    } else {
        files.extend(SCENARIOS.iter().map(|scenario| scenario.file.to_owned()));
    }
    let chosen_subject = std::env::var("SUBJECT").ok().filter(|subject| !subject.is_empty());
    let subjects = match (&chosen_subject, length) {
        (Some(subject), _) => vec![subject.as_str()],
        (None, Length::Short) => vec!["orana"],
        (None, Length::Long) => vec!["orana", "zookeeper"],
    };
    let mut steps = Vec::new();
    for subject in subjects {
        for file in &files {
            let scenario = SCENARIOS.iter().find(|scenario| scenario.file == file);
            let mut work = Work::cargo(&[
                "test",
                "--locked",
                "-p",
                "orana-interop",
                "--no-fail-fast",
                "--test",
                file,
            ])
            .with(&[("SUBJECT", subject)]);
            for (name, short, long) in scenario.map_or(&[][..], |scenario| scenario.variables) {
                if std::env::var_os(name).is_none() {
                    work = work.with(&[(name, if length == Length::Long { long } else { short })]);
                }
            }
            let step = Step::new(&format!("{file} ({subject})"), row.needs, work);
            steps.push(if scenario.is_some_and(|scenario| scenario.alone) {
                step
            } else {
                step.beside_others()
            });
        }
    }
    Ok(steps)
}

fn fuzz_targets(row: &Row) -> Result<Vec<Step>> {
    let targets = place::rust_files("crates/orana-wire/fuzz/fuzz_targets")?;
    if targets.is_empty() {
        bail!("there are no fuzz targets in crates/orana-wire/fuzz");
    }
    let mut steps = Vec::new();
    for target in targets {
        // What the fuzzer finds new goes to the first folder, so that the repository's seeds stay as they are.
        let found = place::written(&format!("corpus/{target}"))?;
        let found = found.to_string_lossy();
        let seeds = format!("crates/orana-wire/fuzz/seeds/{target}");
        let work = Work::cargo(&[
            "fuzz",
            "run",
            "--fuzz-dir",
            "crates/orana-wire/fuzz",
            &target,
            &found,
            &seeds,
            "--",
            "-max_total_time=300",
        ])
        // cargo-fuzz asks for options that a stable compiler hides.
        .with(&[("RUSTC_BOOTSTRAP", "1")]);
        steps.push(Step::new(&format!("fuzz {target}"), row.needs, work));
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_is_a_row_above() {
        for (index, row) in ROWS.iter().enumerate() {
            for need in row.needs {
                assert!(
                    ROWS.iter().take(index).any(|above| above.name == *need),
                    "{} needs {need}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn a_scenario_that_nobody_wrote_is_named_and_refused() {
        let error = steps(Selection::Interop(Some("nothing")), Length::Short)
            .map(|steps| steps.len())
            .unwrap_err();
        assert!(error.to_string().contains("`nothing`"), "{error}");
    }

    #[test]
    fn the_long_form_holds_every_step_of_the_short_one() {
        let names = |length| -> BTreeSet<String> {
            let rows = ROWS.iter().filter(|row| row.from <= length);
            rows.map(|row| row.name.to_owned()).collect()
        };
        assert!(names(Length::Long).is_superset(&names(Length::Short)));
    }
}
