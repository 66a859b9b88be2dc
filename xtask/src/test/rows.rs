//! The table of steps. Adding one is one row.

use std::io;

use anyhow::Result;

use super::{Length, install};

/// The parts that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Checks,
    Unit,
    /// Chosen by whoever needs it.
    Preparation,
    Interop,
    Deny,
    Fuzz,
    Bench,
}

/// One row of the table: a step, or a rule that makes steps of what is found in the repository.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) part: Part,
    /// The shortest run that includes it.
    pub(super) from: Length,
    /// Steps above it without which it makes no sense.
    pub(super) needs: &'static [&'static str],
    pub(super) kind: Kind,
}

pub(super) enum Kind {
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
pub(super) const ROWS: &[Row] = &[
    cargo("format", Part::Checks, &["fmt", "--all", "--check"]),
    row("arrows", Part::Checks, Kind::Call(|_| crate::arrows::check())),
    cargo(
        "lints",
        Part::Checks,
        &[
            "clippy",
            "--locked",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    cargo_with(
        "documents",
        Part::Checks,
        &["doc", "--locked", "--workspace", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    ),
    cargo("doc tests", Part::Unit, &["test", "--locked", "--workspace", "--doc"]),
    cargo(
        "unit",
        Part::Unit,
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
    ),
    row("peers", Part::Preparation, Kind::Call(install::peers)),
    // Programs that the scenarios run: another package's binaries or examples are one word more.
    cargo(
        "release",
        Part::Preparation,
        &["build", "--locked", "--release", "--bins", "-p", "orana-cli"],
    ),
    cargo(
        "scenarios",
        Part::Interop,
        &["test", "--locked", "-p", "orana-interop", "-p", "orana", "--no-run"],
    ),
    cargo(
        "rig",
        Part::Interop,
        &["test", "--locked", "-p", "orana-interop", "--lib"],
    )
    .needs(&["peers"]),
    row("interop", Part::Interop, Kind::Scenarios).needs(&["peers", "release"]),
    row("deny", Part::Deny, Kind::Call(install::and_run_deny)).long(),
    bench(
        "bench zookeeper",
        &["run", "--locked", "--quiet", "-p", "xtask", "--", "bench", "zookeeper"],
    ),
    bench(
        "bench rpc",
        &["run", "--locked", "--quiet", "-p", "xtask", "--", "bench", "rpc"],
    ),
    bench(
        "bench registry",
        &["run", "--locked", "--quiet", "-p", "xtask", "--", "bench", "registry"],
    ),
    bench(
        "bench governance",
        &["run", "--locked", "--quiet", "-p", "xtask", "--", "bench", "governance"],
    ),
    row("fuzz tool", Part::Preparation, Kind::Call(install::fuzz)).long(),
    row("fuzz", Part::Fuzz, Kind::FuzzTargets).needs(&["fuzz tool"]).long(),
];

const fn row(name: &'static str, part: Part, kind: Kind) -> Row {
    Row {
        name,
        part,
        from: Length::Short,
        needs: &[],
        kind,
    }
}

const fn cargo(name: &'static str, part: Part, arguments: &'static [&'static str]) -> Row {
    row(name, part, Kind::Cargo(arguments, &[]))
}

const fn cargo_with(
    name: &'static str,
    part: Part,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
) -> Row {
    row(name, part, Kind::Cargo(arguments, variables))
}

/// A benchmark as a step: `cargo xtask bench NAME`, which builds what it measures.
const fn bench(name: &'static str, arguments: &'static [&'static str]) -> Row {
    cargo(name, Part::Bench, arguments).needs(&["peers"]).long()
}

impl Row {
    /// Part of the long form only.
    const fn long(mut self) -> Row {
        self.from = Length::Long;
        self
    }

    const fn needs(mut self, needs: &'static [&'static str]) -> Row {
        self.needs = needs;
        self
    }
}

/// The rows that `chosen` picks, and what they need, in their order.
pub(super) fn with_needs(chosen: impl Fn(&Row) -> bool) -> Vec<&'static Row> {
    let mut wanted: Vec<bool> = ROWS.iter().map(chosen).collect();
    // A row needs rows above it only.
    for index in (0..ROWS.len()).rev() {
        if wanted[index] {
            for (above, row) in ROWS.iter().enumerate().take(index) {
                wanted[above] |= ROWS[index].needs.contains(&row.name);
            }
        }
    }
    let rows = ROWS.iter().zip(wanted);
    rows.filter_map(|(row, wanted)| wanted.then_some(row)).collect()
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
    fn what_is_chosen_brings_what_it_needs() {
        let names = |part| -> Vec<_> {
            let rows = with_needs(|row| row.part == part);
            rows.iter().map(|row| row.name).collect()
        };
        assert_eq!(names(Part::Fuzz), ["fuzz tool", "fuzz"]);
        assert_eq!(names(Part::Deny), ["deny"]);
        assert_eq!(
            names(Part::Interop),
            ["peers", "release", "scenarios", "rig", "interop"]
        );
    }

    #[test]
    fn the_long_form_holds_every_step_of_the_short_one() {
        let count = |length| with_needs(|row| row.from <= length).len();
        assert!(count(Length::Short) < count(Length::Long) && count(Length::Long) == ROWS.len());
    }
}
