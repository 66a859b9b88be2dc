//! The test's side of a peer program that plays many scenarios in one process: it hears how each went and does what the
//! program asks of the world outside it (pull a cable, kill the server). The words are those of
//! `interop/java/stage/src/orana/stage/Stage.java`, spoken by the Go and Python programs as well.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{drill::Drill, program::Program, subject::Setup, subject::Subject, wire::Wire};

/// A program and what is expected of it.
pub struct Stage<'a> {
    /// The program; its arguments are the server's address and the product's name.
    pub program: &'a dyn Program,
    /// How many scenarios it plays, so that none is lost unnoticed.
    pub scenarios: usize,
    /// The longest that all of them together may take.
    pub patience: Duration,
}

/// What happened on the stage so far.
struct Performance {
    subject: Subject,
    wires: HashMap<String, Wire>,
    played: usize,
    failures: Vec<String>,
}

impl Stage<'_> {
    /// Starts a server and the program, and lets it play; an error names each scenario that failed and why.
    pub fn play(&self, drill: &Drill, setup: Setup) -> Result<()> {
        let subject = drill.server(setup)?;
        let arguments = [subject.address(), subject.product().to_string()];
        let mut performance = Performance {
            subject,
            wires: HashMap::new(),
            played: 0,
            failures: Vec::new(),
        };
        let mut peer = drill.run(self.program, "peer", &arguments)?;
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = peer
                .until(left, |line| {
                    line.split_once(' ')
                        .map(|(word, rest)| (word.to_owned(), rest.to_owned()))
                })
                .with_context(|| {
                    format!(
                        "after {} scenarios; {}",
                        performance.played,
                        performance.failures.join("; ")
                    )
                })?;
            match (line.0.as_str(), line.1) {
                ("SCENARIO", outcome) => performance.note(&outcome),
                ("ASK", question) => {
                    let (number, question) = question.split_once(' ').context("a numbered question")?;
                    let answer = performance.answer(question)?;
                    peer.say(&format!("{number} {answer}"))?;
                }
                ("SCENARIOS", count) => return performance.verdict(self.scenarios, &count),
                _ => {}
            }
        }
    }
}

impl Performance {
    fn note(&mut self, outcome: &str) {
        self.played += 1;
        eprintln!("    {outcome}");
        if !outcome.contains(" ok ") || outcome.contains(" failed ") {
            self.failures.push(outcome.to_owned());
        }
    }

    fn answer(&mut self, question: &str) -> Result<String> {
        let (verb, about) = question.split_once(' ').unwrap_or((question, ""));
        match verb {
            "wire" => {
                let wire = Wire::to(self.subject.port())?;
                let address = wire.address().to_string();
                self.wires.insert(address.clone(), wire);
                return Ok(address);
            }
            "cut" => self.wire(about)?.cut(),
            "mend" => self.wire(about)?.mend(),
            "kill" => self.subject.kill()?,
            "stop" => {
                self.subject.terminate()?;
            }
            "start" => {
                self.subject.restart()?;
            }
            _ => bail!("nobody knows how to `{question}`"),
        }
        Ok("done".to_owned())
    }

    fn wire(&self, address: &str) -> Result<&Wire> {
        self.wires.get(address).with_context(|| format!("no wire at {address}"))
    }

    fn verdict(&self, expected: usize, said: &str) -> Result<()> {
        ensure!(
            self.failures.is_empty(),
            "{} of {} scenarios failed:\n  {}",
            self.failures.len(),
            self.played,
            self.failures.join("\n  ")
        );
        ensure!(
            self.played == expected && said.trim() == expected.to_string(),
            "{expected} scenarios are known, {} were played, the program counts {said}",
            self.played
        );
        Ok(())
    }
}
