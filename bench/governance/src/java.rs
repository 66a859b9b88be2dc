//! Dubbo Java 3.3.6 at the same work: the program `Picks` of `interop/java/governance`, and what it prints.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use orana_interop::program::{Java, java};
use serde::Deserialize;

const JAVA: Java = Java {
    project: "governance/dubbo33",
    main: "org.orana.interop.governance.bench.Picks",
    with_sources_of: &[],
};

/// One line of the program.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Line {
    pub(crate) providers: usize,
    pub(crate) weights: String,
    pub(crate) rules: String,
    pub(crate) candidates: usize,
    pub(crate) ns_per_pick: f64,
}

/// Lets it measure these sizes, each load for so many seconds after the same time to get warm.
pub(crate) fn measured(home: &Path, sizes: &[usize], seconds: f64) -> Result<Vec<Line>> {
    let class_path = JAVA.class_path()?;
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let mut command = java(home);
    // A machine that may optimise, unlike those of the tests.
    command.args([
        "-Xmx1g",
        "-XX:TieredStopAtLevel=4",
        "-XX:-UseSerialGC",
        "-XX:+UseParallelGC",
    ]);
    command.args([
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "-cp",
        &class_path,
        JAVA.main,
    ]);
    command.args([sizes.join(","), seconds.to_string()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().context("the program has no output")?;
    let mut lines = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        if line.starts_with('{') {
            lines.push(serde_json::from_str(&line).with_context(|| format!("`{line}` is no figure"))?);
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "the Java program ended with {status}");
    Ok(lines)
}
