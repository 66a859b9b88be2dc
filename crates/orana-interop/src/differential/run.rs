//! Plays episodes on both sides until the coverage is complete, and tells what differed.

use std::{
    fmt, thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, ensure};

use super::{
    author,
    coverage::{Coverage, Goal},
    left_out::{self, NOT_SENT, Verdict},
    script::{SLOTS, Step},
    seen::Seen,
    shrink,
    side::{Scene, Side},
};

/// After so many differences the rest is not worth waiting for.
const MOST_DIFFERENCES: usize = 12;

/// Two servers and what has been learnt of them.
#[derive(Debug)]
pub struct Run {
    original: Side,
    ours: Side,
    episodes: u32,
    coverage: Coverage,
    differences: Vec<Difference>,
}

/// A script after which the two servers differ.
#[derive(Debug)]
pub struct Difference {
    /// The shortest one found.
    pub script: Vec<Step>,
    /// The step that shows it, and what each side saw of it.
    pub shown: Shown,
}

/// What differed in one step.
#[derive(Debug)]
pub struct Shown {
    at: usize,
    slot: usize,
    original: Vec<Seen>,
    ours: Vec<Seen>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// What differed.
    pub differences: Vec<Difference>,
    /// The goals that were not reached often enough.
    pub lacking: Vec<Goal>,
    /// Everything that occurred.
    pub coverage: Coverage,
    /// How many episodes were played.
    pub episodes: u32,
}

impl Run {
    /// A run on two servers that nobody else uses; `original` is the one that is right.
    pub fn new(original: Side, ours: Side) -> Run {
        Run {
            original,
            ours,
            episodes: 0,
            coverage: Coverage::default(),
            differences: Vec::new(),
        }
    }

    /// Plays at least `episodes` episodes, and more until every goal is reached or the time is over.
    pub fn play(mut self, seed: u64, goals: &[Goal], episodes: u32, patience: Duration) -> Result<Outcome> {
        let start = Instant::now();
        let mut played = 0;
        loop {
            let lacking = self.coverage.lacking(goals);
            let over = start.elapsed() > patience || self.differences.len() >= MOST_DIFFERENCES;
            if over || (played >= episodes && lacking.is_empty()) {
                let counts = (self.original.census()?, self.ours.census()?);
                ensure!(
                    !self.differences.is_empty() || counts.0 == counts.1,
                    "{} holds {} nodes, {} holds {}",
                    self.original.name,
                    counts.0,
                    self.ours.name,
                    counts.1
                );
                return Ok(Outcome {
                    differences: self.differences,
                    lacking,
                    coverage: self.coverage,
                    episodes: played,
                });
            }
            let script = author::episode(seed.wrapping_add(u64::from(played)), &lacking);
            played += 1;
            if let Some(shown) = self.episode(&script, true)? {
                self.tell(script, shown)?;
            }
        }
    }

    /// Plays a script on both sides and returns the first thing that differs.
    fn episode(&mut self, script: &[Step], counts: bool) -> Result<Option<Shown>> {
        self.episodes += 1;
        self.original.begin(self.episodes)?;
        self.ours.begin(self.episodes)?;
        self.coverage.begin();
        let mut shown = None;
        for (at, step) in script.iter().enumerate() {
            // At the same time, so that neither side's sessions wait for the other side.
            let (original, ours) = thread::scope(|scope| {
                let original = scope.spawn(|| self.original.perform(step));
                let ours = self.ours.perform(step);
                (original.join(), ours)
            });
            let (original, ours) = (original.map_err(|_| anyhow!("the original's side panicked"))??, ours?);
            if counts {
                self.coverage.note(step, &original);
            }
            match compare(at, &original, &ours) {
                Compared::Agree => {}
                Compared::Part => break,
                Compared::Differ(difference) => {
                    shown = Some(difference);
                    break;
                }
            }
        }
        self.original.end()?;
        self.ours.end()?;
        Ok(shown)
    }

    /// Cuts a difference down and keeps it, unless it looks like one that is known already.
    fn tell(&mut self, mut script: Vec<Step>, shown: Shown) -> Result<()> {
        script.truncate(shown.at + 1);
        let mut last = shown;
        let script = shrink::shortest(script, |shorter| {
            let shown = self.episode(shorter, false)?;
            let differs = shown.is_some();
            if let Some(shown) = shown {
                last = shown;
            }
            Ok(differs)
        })?;
        if !self.differences.iter().any(|known| known.shown.looks_like(&last)) {
            let difference = Difference { script, shown: last };
            eprintln!("{difference}");
            self.differences.push(difference);
        }
        Ok(())
    }
}

/// What came of comparing a step.
enum Compared {
    Agree,
    Part,
    Differ(Shown),
}

fn compare(at: usize, original: &Scene, ours: &Scene) -> Compared {
    let nothing = Vec::new();
    let mut parted = false;
    for slot in 0..SLOTS {
        let theirs = original.get(&slot).unwrap_or(&nothing);
        let our = ours.get(&slot).unwrap_or(&nothing);
        let verdicts: Vec<Verdict> = theirs
            .iter()
            .zip(our)
            .map(|(one, other)| left_out::compare(one, other))
            .collect();
        let first = verdicts.iter().find(|verdict| **verdict != Verdict::Agree);
        match first {
            Some(Verdict::Part) => parted = true,
            None if theirs.len() == our.len() => {}
            _ => {
                return Compared::Differ(Shown {
                    at,
                    slot,
                    original: theirs.clone(),
                    ours: our.clone(),
                });
            }
        }
    }
    if parted { Compared::Part } else { Compared::Agree }
}

impl Shown {
    /// The first pair that differs.
    fn pair(&self) -> (Option<&Seen>, Option<&Seen>) {
        let length = self.original.len().max(self.ours.len());
        let pairs = (0..length).map(|at| (self.original.get(at), self.ours.get(at)));
        pairs
            .into_iter()
            .find(|(one, other)| match (one, other) {
                (Some(one), Some(other)) => left_out::compare(one, other) != Verdict::Agree,
                _ => true,
            })
            .unwrap_or((None, None))
    }

    /// Whether it is the same operation with the same two errors, or the same two sorts of thing.
    fn looks_like(&self, other: &Shown) -> bool {
        let rough = |seen: Option<&Seen>| match seen {
            Some(Seen::Answer { op, code, .. }) => format!("{op} {code}"),
            Some(Seen::Event { kind, .. }) => format!("{kind:?}"),
            Some(seen) => format!("{seen:?}"),
            None => "nothing".to_owned(),
        };
        let of = |shown: &Shown| {
            let (one, other) = shown.pair();
            (rough(one), rough(other))
        };
        of(self) == of(other)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "---- a difference, after:")?;
        for step in &self.script {
            writeln!(out, "{}", step.to_string().trim_end())?;
        }
        writeln!(out, "at [{}], original:", self.shown.slot)?;
        self.shown
            .original
            .iter()
            .try_for_each(|seen| writeln!(out, "    {seen:?}"))?;
        writeln!(out, "ours:")?;
        self.shown
            .ours
            .iter()
            .try_for_each(|seen| writeln!(out, "    {seen:?}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} episodes; occurred:\n{}", self.episodes, self.coverage)?;
        if !self.lacking.is_empty() {
            let lacking = self
                .lacking
                .iter()
                .map(|goal| format!("{goal} ({})", self.coverage.reached(goal)));
            writeln!(out, "not often enough: {}", lacking.collect::<Vec<_>>().join(", "))?;
        }
        writeln!(out, "not sent:")?;
        for (what, why) in NOT_SENT {
            writeln!(out, "  {what}: {why}")?;
        }
        writeln!(out, "different on purpose:")?;
        for place in left_out::DELIBERATE {
            writeln!(out, "  {}: {}", place.what, place.why)?;
        }
        writeln!(out, "{} differences", self.differences.len())
    }
}
