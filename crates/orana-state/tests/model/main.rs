//! Random histories: the state against a naive model of it, against itself after a snapshot or a replay, and
//! against damaged snapshots. A failure prints the shortest script that repeats it; `PROPTEST_CASES=10000` runs
//! more of them.

mod compare;
mod damage;
mod history;
mod naive;
mod rules;
mod script;
mod snapshot;
mod steer;

use proptest::test_runner::Config;

/// So many cases, unless the environment wants another number. A failure prints its script, so none is kept.
fn cases(cases: u32) -> Config {
    let wanted = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|number| number.parse().ok());
    Config {
        cases: wanted.unwrap_or(cases),
        failure_persistence: None,
        ..Config::default()
    }
}
