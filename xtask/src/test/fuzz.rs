//! The fuzz targets as steps.

use anyhow::{Result, bail};

use super::step::{Beside, Step, Work};
use crate::place;

/// The crates of fuzz targets. A target's name tells it from those of all others.
const DIRS: [&str; 2] = ["crates/orana-wire/fuzz", "crates/orana-registry/fuzz"];
/// How long each target is fuzzed; `FUZZ_SECONDS` says otherwise.
const SECONDS: u64 = 300;
const SECONDS_VARIABLE: &str = "FUZZ_SECONDS";

/// Whether the caller has set how long.
pub(super) fn is_altered() -> bool {
    std::env::var_os(SECONDS_VARIABLE).is_some()
}

/// One step for each target, or for the one that is named. A target uses one processor, so two run side by side.
pub(super) fn steps(needs: &'static [&'static str], named: Option<&str>) -> Result<Vec<Step>> {
    let mut targets = Vec::new();
    for dir in DIRS {
        let found = place::rust_files(&format!("{dir}/fuzz_targets"))?;
        if found.is_empty() {
            bail!("there are no fuzz targets in {dir}");
        }
        targets.extend(found.into_iter().map(|target| (dir, target)));
    }
    if let Some(name) = named {
        if !targets.iter().any(|(_, target)| target == name) {
            let known: Vec<_> = targets.iter().map(|(_, target)| target.as_str()).collect();
            bail!("there is no fuzz target `{name}`; there are `{}`", known.join("`, `"));
        }
        targets.retain(|(_, target)| target == name);
    }
    let seconds = match std::env::var(SECONDS_VARIABLE) {
        Ok(text) => match text.parse() {
            Ok(seconds) => seconds,
            Err(_) => bail!("{SECONDS_VARIABLE} is `{text}`, which is no number"),
        },
        Err(_) => SECONDS,
    };
    targets
        .iter()
        .map(|(dir, target)| step(needs, dir, target, seconds))
        .collect()
}

fn step(needs: &'static [&'static str], dir: &str, target: &str, seconds: u64) -> Result<Step> {
    // What the fuzzer finds new goes to the first folder, so that the repository's seeds stay as they are.
    let found = place::written(&format!("corpus/{target}"))?;
    let found = found.to_string_lossy();
    let seeds = format!("{dir}/seeds/{target}");
    let limit = format!("-max_total_time={seconds}");
    let work = Work::cargo(&["fuzz", "run", "--fuzz-dir", dir, target, &found, &seeds, "--", &limit])
        // cargo-fuzz asks for options that a stable compiler hides.
        .with(&[("RUSTC_BOOTSTRAP", "1")]);
    Ok(Step::new(&format!("fuzz {target}"), needs, work).beside(Beside::FuzzTargets))
}
