//! What came of the steps: a line when each ends, the end of a failed one's log, and the closing table.

use std::fs;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::place;

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
    /// Whether this came of an earlier run.
    pub(super) before: bool,
}

/// What came of all steps so far.
pub(super) struct Report {
    start: Instant,
    rows: Mutex<Vec<Line>>,
}

struct Line {
    name: String,
    result: &'static str,
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
            before: false,
        }
    }

    /// A step that was left out because it has passed already.
    pub(super) fn passed_before() -> Outcome {
        Outcome {
            result: Ok(()),
            took: Duration::ZERO,
            counts: Counts::default(),
            log: String::new(),
            before: true,
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
            Ok(()) if outcome.before => println!("{name}: passed before"),
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
            result: match (passed, outcome.before) {
                (true, false) => "passed",
                (true, true) => "before",
                (false, _) => "FAILED",
            },
            passed,
            counts: outcome.counts,
            took: outcome.took,
        });
    }

    /// Prints the table and the closing lines, which are kept beside the logs too; the code says whether all is well.
    pub(super) fn finish(&self) -> ExitCode {
        let rows = self.rows();
        let table = table(&rows, self.start.elapsed());
        print!("\n{table}");
        let kept = place::written("logs").and_then(|dir| fs::write(dir.join("summary.txt"), table));
        if let Err(error) = kept {
            eprintln!("the summary is not kept: {error}");
        }
        if rows.iter().all(|line| line.passed) && !rows.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn rows(&self) -> MutexGuard<'_, Vec<Line>> {
        self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn table(rows: &[Line], took: Duration) -> String {
    let width = rows.iter().map(|line| line.name.chars().count()).max();
    let width = width.unwrap_or(0).max(4);
    let mut text = format!("{:width$}  {:8}{:>7}{:>9}\n", "step", "result", "tests", "seconds");
    for line in rows {
        let tests = line.counts.passed + line.counts.failed;
        let tests = if tests == 0 { "-".to_owned() } else { tests.to_string() };
        let seconds = line.took.as_secs_f64();
        text += &format!("{:width$}  {:8}{tests:>7}{seconds:>9.1}\n", line.name, line.result);
    }
    let seconds = took.as_secs();
    text += &format!("\nall steps took {} min {} s\n", seconds / 60, seconds % 60);
    let failed: Vec<&str> = rows
        .iter()
        .filter(|line| !line.passed)
        .map(|line| line.name.as_str())
        .collect();
    if !failed.is_empty() {
        text += &format!("failed: {}\n", failed.join(", "));
    }
    text + &format!("{} passed, {} failed\n", rows.len() - failed.len(), failed.len())
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

    #[test]
    fn the_summary_says_what_ran_how_long_and_what_failed() {
        let line = |name: &str, result, passed| Line {
            name: name.to_owned(),
            result,
            passed,
            counts: Counts {
                passed: 2,
                failed: u64::from(!passed),
                ignored: 0,
            },
            took: Duration::from_millis(1500),
        };
        let rows = [line("one", "passed", true), line("two (orana)", "FAILED", false)];
        let expected = "step         result    tests  seconds\n\
                        one          passed        2      1.5\n\
                        two (orana)  FAILED        3      1.5\n\n\
                        all steps took 2 min 5 s\n\
                        failed: two (orana)\n\
                        1 passed, 1 failed\n";
        assert_eq!(table(&rows, Duration::from_secs(125)), expected);
    }
}
