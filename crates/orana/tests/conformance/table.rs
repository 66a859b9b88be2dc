//! The table of cases in the documentation names tests; each of them exists.

use std::path::Path;

/// Where the table is.
const PAGE: &str = include_str!("../../../../docs/protocols/rules.md");
const BEGIN: &str = "## Worked cases and traps";

/// `FILE: NAME` of every test that a row names.
fn named() -> Vec<(&'static str, &'static str)> {
    let (_, section) = PAGE.split_once(BEGIN).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.rsplit('|').nth(1));
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.filter_map(|text| text.split_once(": ")).collect()
}

#[test]
fn every_test_that_the_table_names_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let named = named();
    assert!(named.len() >= 60, "only {} tests are named", named.len());
    let missing: Vec<_> = named
        .iter()
        .filter(|(file, test)| {
            let text = std::fs::read_to_string(crates.join(file)).unwrap_or_default();
            !text.contains(&format!("fn {test}("))
        })
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
