//! What came of the steps: a line when each ends, the end of a failed one's log, and the closing table.

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

/// So much of a failed step's log is shown.
const SHOWN_LINES: usize = 120;

/// How many tests the programs of a step counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
}

/// What came of one step.
pub(super) struct Outcome {
    pub(super) result: Result<()>,
    pub(super) took: Duration,
    pub(super) counts: Counts,
    pub(super) log: String,
}

/// What came of all steps so far.
pub(super) struct Report {
    start: Instant,
    rows: Mutex<Vec<Line>>,
}

struct Line {
    name: String,
    passed: bool,
    counts: Counts,
    took: Duration,
}

impl Counts {
    /// Adds up the closing lines of Rust's test programs.
    pub(super) fn of(log: &str) -> Counts {
        let mut sum = Counts::default();
        for line in log.lines().filter_map(|line| line.trim().strip_prefix("test result:")) {
            // `ok. 3 passed; 0 failed; 0 ignored; …`
            let words: Vec<&str> = line.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
            for pair in words.windows(2) {
                let [number, what] = pair else { continue };
                let Ok(number) = number.parse::<u64>() else { continue };
                match *what {
                    "passed" => sum.passed += number,
                    "failed" => sum.failed += number,
                    "ignored" => sum.ignored += number,
                    _ => {}
                }
            }
        }
        sum
    }
}

impl Outcome {
    /// A step that was left out because `need` has failed.
    pub(super) fn not_run(need: &str) -> Outcome {
        let result = Err(anyhow!("not run, because `{need}` failed"));
        Outcome {
            result,
            took: Duration::ZERO,
            counts: Counts::default(),
            log: String::new(),
        }
    }

    pub(super) fn passed(&self) -> bool {
        self.result.is_ok()
    }
}

impl Report {
    pub(super) fn start() -> Report {
        Report {
            start: Instant::now(),
            rows: Mutex::default(),
        }
    }

    /// Says what came of a step and keeps it for the table.
    pub(super) fn add(&self, name: &str, outcome: Outcome) {
        // Held while printing, so that two steps that end at once do not mix their lines.
        let mut rows = self.rows();
        match &outcome.result {
            Ok(()) => println!("{name}: passed in {:.1} s", outcome.took.as_secs_f64()),
            Err(error) => {
                println!("{name}: FAILED in {:.1} s: {error:#}", outcome.took.as_secs_f64());
                let lines: Vec<&str> = outcome.log.lines().collect();
                let left_out = lines.len().saturating_sub(SHOWN_LINES);
                if left_out > 0 {
                    println!("  | … {left_out} lines before, in target/xtask/logs");
                }
                lines.iter().skip(left_out).for_each(|line| println!("  | {line}"));
            }
        }
        let passed = outcome.passed();
        rows.push(Line {
            name: name.to_owned(),
            passed,
            counts: outcome.counts,
            took: outcome.took,
        });
    }

    /// Prints the table and the closing line; the code says whether all is well.
    pub(super) fn finish(&self) -> ExitCode {
        let rows = self.rows();
        let width = rows
            .iter()
            .map(|line| line.name.chars().count())
            .max()
            .unwrap_or(0)
            .max(4);
        println!("\n{:width$}  {:8}{:>7}{:>9}", "step", "result", "tests", "seconds");
        for line in rows.iter() {
            let result = if line.passed { "passed" } else { "FAILED" };
            let tests = line.counts.passed + line.counts.failed;
            let tests = if tests == 0 { "-".to_owned() } else { tests.to_string() };
            println!(
                "{:width$}  {result:8}{tests:>7}{:>9.1}",
                line.name,
                line.took.as_secs_f64()
            );
        }
        println!("\nall steps took {:.0} s", self.start.elapsed().as_secs_f64());
        let failed = rows.iter().filter(|line| !line.passed).count();
        println!("{} passed, {failed} failed", rows.len() - failed);
        if failed == 0 && !rows.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn rows(&self) -> MutexGuard<'_, Vec<Line>> {
        self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_lines_of_several_test_programs_are_added_up() {
        let log = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s\n\
                   test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 0 filtered out; finished in 1.07s\n";
        assert_eq!(
            Counts::of(log),
            Counts {
                passed: 4,
                failed: 2,
                ignored: 4
            }
        );
        assert_eq!(Counts::of("nothing of the kind"), Counts::default());
    }
}
