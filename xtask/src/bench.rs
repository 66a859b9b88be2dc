//! Runs a benchmark program of `bench/`: the package `bench-NAME`, built for release.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::place;

/// Builds `orana` and `bench-NAME` and runs the latter with `arguments`.
pub(crate) fn run(name: &str, arguments: &[&str]) -> Result<ExitCode> {
    let folder = place::repository().join("bench").join(name);
    ensure!(folder.join("Cargo.toml").exists(), "there is no bench/{name}");
    // The program measures the server's binary, so that must be of this very source.
    for step in [
        &["build", "--release", "-p", "orana-cli"][..],
        &["build", "--release", "-p", &format!("bench-{name}")],
    ] {
        let status = cargo().args(step).status().context("cannot start cargo")?;
        ensure!(status.success(), "cargo {} failed", step.join(" "));
    }
    let package = format!("bench-{name}");
    let mut command = cargo();
    command
        .args(["run", "--release", "--quiet", "-p", &package, "--"])
        .args(arguments);
    let status = command.status().context("cannot start cargo")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(place::repository());
    command
}
