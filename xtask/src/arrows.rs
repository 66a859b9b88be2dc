//! Compares the block of arrows in ARCHITECTURE.md with the dependencies that the workspace really has.
//!
//! Every crate below `crates/` has its line, and the line names its dependencies on other crates of the workspace, no more
//! and no fewer. Dependencies of tests are not counted, except for `orana-interop`, which is nothing but tests. A line may
//! stand for a crate that is still to come.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

use crate::place;

/// A crate and the crates it depends on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The crate whose dependencies of tests count as well.
const ALL_TESTS: &str = "orana-interop";

/// Fails with every difference between the document and the workspace.
pub(crate) fn check() -> Result<()> {
    let path = place::repository().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).context("cannot read ARCHITECTURE.md")?;
    let metadata = MetadataCommand::new()
        .current_dir(place::repository())
        .no_deps()
        .exec()?;
    let differences = differences(&written(&text)?, &actual(&metadata));
    ensure!(
        differences.is_empty(),
        "ARCHITECTURE.md and the workspace differ:\n  {}",
        differences.join("\n  ")
    );
    Ok(())
}

/// The arrows that the document's block states.
fn written(text: &str) -> Result<Arrows> {
    let block = text
        .split_once("```arrows\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(block, _)| block)
        .context("ARCHITECTURE.md has no block that begins with ```arrows")?;
    let mut arrows = Arrows::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let (from, to) = line.split_once("->").with_context(|| format!("no arrow in `{line}`"))?;
        let to = to.split_whitespace().map(str::to_owned).collect();
        if arrows.insert(from.trim().to_owned(), to).is_some() {
            bail!("`{}` has two lines", from.trim());
        }
    }
    Ok(arrows)
}

/// The arrows that the manifests below `crates/` state.
fn actual(metadata: &Metadata) -> Arrows {
    let packages = metadata.workspace_packages();
    let crates: Vec<_> = packages
        .iter()
        .filter(|package| {
            package
                .manifest_path
                .starts_with(metadata.workspace_root.join("crates"))
        })
        .collect();
    let names: BTreeSet<String> = crates.iter().map(|package| package.name.to_string()).collect();
    crates
        .iter()
        .map(|package| {
            let counts = |kind| kind != DependencyKind::Development || package.name.as_str() == ALL_TESTS;
            let to = package.dependencies.iter().filter(|dependency| counts(dependency.kind));
            let to = to
                .map(|dependency| dependency.name.clone())
                .filter(|name| names.contains(name));
            (package.name.to_string(), to.collect())
        })
        .collect()
}

fn differences(written: &Arrows, actual: &Arrows) -> Vec<String> {
    let mut differences = Vec::new();
    for (from, real) in actual {
        let Some(stated) = written.get(from) else {
            differences.push(format!("`{from}` has no line in the block"));
            continue;
        };
        for to in real.difference(stated) {
            differences.push(format!("`{from}` depends on `{to}`, which the block does not allow"));
        }
        for to in stated.difference(real).filter(|to| actual.contains_key(*to)) {
            differences.push(format!(
                "the block says `{from} -> {to}`, but `{from}` does not depend on it"
            ));
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(block: &str) -> Arrows {
        written(&format!("# Title\n```arrows\n{block}\n```\nmore\n")).expect("a block")
    }

    #[test]
    fn the_same_arrows_in_any_layout_do_not_differ() {
        assert!(differences(&arrows("a   ->\nb -> a"), &arrows("b->a\n\na ->")).is_empty());
    }

    #[test]
    fn a_dependency_too_many_or_too_few_is_a_difference() {
        assert_eq!(
            differences(&arrows("a ->\nb ->"), &arrows("a ->\nb -> a")),
            ["`b` depends on `a`, which the block does not allow"]
        );
        assert_eq!(
            differences(&arrows("a ->\nb -> a"), &arrows("a ->\nb ->")),
            ["the block says `b -> a`, but `b` does not depend on it"]
        );
        assert_eq!(
            differences(&arrows("a ->"), &arrows("a ->\nb ->")),
            ["`b` has no line in the block"]
        );
    }

    #[test]
    fn crates_that_are_still_to_come_may_stand_in_the_block() {
        assert!(differences(&arrows("a -> later\nlater ->"), &arrows("a ->")).is_empty());
    }

    #[test]
    fn a_document_without_a_block_is_refused() {
        assert!(written("# nothing").is_err());
        assert!(written("```arrows\na b\n```").is_err());
        assert!(written("```arrows\na ->\na ->\n```").is_err());
    }
}
