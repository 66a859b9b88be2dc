//! The files of scenarios: what is known of each, and the steps that come of it.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::Length;
use super::step::{Beside, Step, Work};
use crate::place;

/// The servers that can be the subject, ours first.
const SUBJECTS: [&str; 2] = ["orana", "zookeeper"];
const ORANA: &str = SUBJECTS[0];

/// What is known of a file of scenarios beyond its name. A file without a row runs side by side with others, and in the
/// long form also with the original as subject.
struct Scenario {
    file: &'static str,
    /// Whether other scenarios would disturb it: it measures, or takes the whole machine.
    alone: bool,
    /// Whether it asks nothing of whatever `SUBJECT` names, so that there is nothing to repeat with the original.
    orana_only: bool,
    /// Variables of the short form and of the long form, unless the caller has set them. The original gets the short one
    /// always: it proves the scenario, the scenario does not prove it.
    variables: &'static [(&'static str, &'static str, &'static str)],
}

/// The files that must be there, whoever else is.
const SCENARIOS: &[Scenario] = &[
    file("differential").alone(),
    file("durability").alone().with(&[("KILLS", "20", "1000")]),
    file("flush_order").orana_only(),
    file("governance_live").alone().with(&[("CHANGES", "60", "1000")]),
    file("hostile").alone().orana_only(),
    file("slow_clients").alone().orana_only(),
    file("leases").alone().with(&[("PAUSE", "10", "30")]),
    file("disk_full").orana_only(),
    file("io_errors").orana_only(),
    file("lifecycle").orana_only(),
    file("deliberate").orana_only(),
    file("hessian_java").orana_only(),
    file("rig"),
    file("cli"),
    file("dubbo_interface"),
    file("dubbo_application"),
    file("dubbo_rules"),
    file("dubbo_restart"),
    file("dubbo_swap"),
    file("sdk_drills").with(&[("PAUSE", "3", "300")]),
    file("sdk_drills_java"),
    file("sdk_matrix"),
    file("sdk_examples"),
    file("sdk_impostors"),
    file("sdk_deadlines").orana_only(),
    file("curator"),
    file("zookeeper_java"),
    file("zkcli"),
    file("kazoo"),
    file("go_zk"),
    file("rust_client"),
];

const fn file(file: &'static str) -> Scenario {
    Scenario {
        file,
        alone: false,
        orana_only: false,
        variables: &[],
    }
}

impl Scenario {
    const fn alone(mut self) -> Scenario {
        self.alone = true;
        self
    }

    const fn orana_only(mut self) -> Scenario {
        self.orana_only = true;
        self
    }

    const fn with(mut self, variables: &'static [(&'static str, &'static str, &'static str)]) -> Scenario {
        self.variables = variables;
        self
    }
}

/// Whether the caller has set a variable, so that the scenarios do not do what they usually do.
pub(super) fn are_altered() -> bool {
    let mut variables = SCENARIOS.iter().flat_map(|scenario| scenario.variables);
    variables.any(|(variable, ..)| std::env::var_os(variable).is_some())
}

/// One step for each file, or for the one that is named, and each subject that it is for. `subject` is what the caller
/// wants to have instead of the form's subjects.
pub(super) fn steps(
    needs: &'static [&'static str],
    named: Option<&str>,
    subject: Option<&str>,
    length: Length,
) -> Result<Vec<Step>> {
    let mut files: BTreeSet<String> = place::rust_files("crates/orana-interop/tests")?.into_iter().collect();
    if let Some(name) = named {
        if !files.contains(name) {
            let known: Vec<_> = files.into_iter().collect();
            bail!("there are no scenarios `{name}`; there are `{}`", known.join("`, `"));
        }
        files.retain(|file| file == name);
    } else {
        files.extend(SCENARIOS.iter().map(|scenario| scenario.file.to_owned()));
    }
    let subjects = match (subject, length) {
        (Some(subject), _) => vec![subject],
        (None, Length::Short) => vec![ORANA],
        (None, Length::Long) => SUBJECTS.to_vec(),
    };
    let mut steps = Vec::new();
    for subject in subjects {
        for name in &files {
            let plain = file("");
            let known = SCENARIOS.iter().find(|scenario| scenario.file == name);
            let scenario = known.unwrap_or(&plain);
            if subject == ORANA || !scenario.orana_only {
                steps.push(step(needs, name, scenario, subject, length));
            }
        }
    }
    if steps.is_empty() {
        bail!("`{}` has no other subject than `{ORANA}`", named.unwrap_or_default());
    }
    Ok(steps)
}

fn step(needs: &'static [&'static str], name: &str, scenario: &Scenario, subject: &str, length: Length) -> Step {
    let mut work = Work::cargo(&[
        "test",
        "--locked",
        "-p",
        "orana-interop",
        "--no-fail-fast",
        "--test",
        name,
    ])
    .with(&[("SUBJECT", subject)]);
    for (variable, short, long) in scenario.variables {
        if std::env::var_os(variable).is_none() {
            let full = length == Length::Long && subject == ORANA;
            work = work.with(&[(variable, if full { long } else { short })]);
        }
    }
    let beside = if scenario.alone {
        Beside::Nothing
    } else {
        Beside::Scenarios
    };
    Step::new(&format!("{name} ({subject})"), needs, work).beside(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(named: Option<&str>, subject: Option<&str>, length: Length) -> Result<Vec<String>> {
        let steps = steps(&[], named, subject, length)?;
        Ok(steps.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn a_scenario_that_nobody_wrote_is_named_and_refused() {
        let error = names(Some("nothing"), None, Length::Short).unwrap_err();
        assert!(error.to_string().contains("`nothing`"), "{error}");
    }

    #[test]
    fn the_original_is_asked_only_what_it_can_answer() {
        let long = names(None, None, Length::Long).unwrap();
        let both = |file: &str| SUBJECTS.map(|subject| long.contains(&format!("{file} ({subject})")));
        assert_eq!(both("kazoo"), [true, true]);
        assert_eq!(both("disk_full"), [true, false]);
        assert!(names(Some("disk_full"), Some("zookeeper"), Length::Short).is_err());
        let short = names(None, None, Length::Short).unwrap();
        assert!(
            short
                .iter()
                .all(|name| long.contains(name) && name.ends_with("(orana)"))
        );
    }

    #[test]
    fn only_orana_is_killed_a_thousand_times() {
        let told = |subject| {
            let steps = steps(&[], Some("durability"), Some(subject), Length::Long).unwrap();
            let step = steps.into_iter().next().unwrap();
            step.variable("KILLS").map(str::to_owned)
        };
        assert_eq!(told("orana").as_deref(), Some("1000"));
        assert_eq!(told("zookeeper").as_deref(), Some("20"));
    }

    #[test]
    fn no_file_has_two_rows() {
        let files: BTreeSet<_> = SCENARIOS.iter().map(|scenario| scenario.file).collect();
        assert_eq!(files.len(), SCENARIOS.len());
    }
}
