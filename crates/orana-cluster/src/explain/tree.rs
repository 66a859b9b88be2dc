//! An explanation for a person: a tree whose columns are aligned.

use std::fmt;
use std::sync::Arc;

use super::{Decided, Explanation};

/// So many addresses stand in one line; the JSON form has all of them.
const SHOWN: usize = 6;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, called by {} (registry {})",
            self.call, self.consumer, self.registry
        )?;
        let stages = self.stages.iter().map(|stage| stage.name.chars().count());
        let width = stages.max().unwrap_or(0).max("loadbalance".len());
        let flow = |before: usize, after: usize| format!("{before} → {after}");
        let flows = self
            .stages
            .iter()
            .map(|stage| flow(stage.before, stage.after).chars().count());
        let middle = flows.max().unwrap_or(0).max(
            self.values()
                .map(|(_, value, _)| value.chars().count())
                .max()
                .unwrap_or(0),
        );
        writeln!(f, "├─ {:width$}  {}", "registered", self.registered)?;
        for stage in &self.stages {
            let flow = flow(stage.before, stage.after);
            writeln!(f, "├─ {:width$}  {flow:middle$}  {}", stage.name, stage.rule)?;
            if !stage.removed.is_empty() {
                writeln!(f, "│  {:width$}  {:middle$}  without {}", "", "", some(&stage.removed))?;
            }
        }
        writeln!(f, "├─ {:width$}  {}", "candidates", self.candidates.len())?;
        let addresses = self
            .candidates
            .iter()
            .map(|candidate| candidate.address.chars().count());
        let address = addresses.max().unwrap_or(0);
        let weights = self
            .candidates
            .iter()
            .map(|candidate| candidate.weight.to_string().len());
        let weight = weights.max().unwrap_or(0);
        for (place, candidate) in self.candidates.iter().enumerate() {
            let branch = if place + 1 == self.candidates.len() {
                "└─"
            } else {
                "├─"
            };
            let share = candidate
                .probability
                .map_or_else(|| "     ?".to_owned(), |share| format!("{:5.1} %", share * 100.0));
            write!(
                f,
                "│  {branch} {:address$}  weight {:weight$}  {share}",
                candidate.address, candidate.weight
            )?;
            if candidate.weight != candidate.full_weight {
                write!(f, "  (warming up to {})", candidate.full_weight)?;
            }
            if let Some(note) = candidate.note {
                write!(f, "  ({note})")?;
            }
            writeln!(f)?;
        }
        for note in &self.notes {
            writeln!(f, "├─ {:width$}  {note}", "note")?;
        }
        let last = self.values().count() - usize::from(self.nobody.is_none());
        for (place, (name, value, origin)) in self.values().enumerate() {
            let branch = if place == last { "└─" } else { "├─" };
            writeln!(f, "{branch} {name:width$}  {value:middle$}  {origin}")?;
        }
        match &self.nobody {
            Some(nobody) => writeln!(f, "└─ {nobody}"),
            None => Ok(()),
        }
    }
}

impl Explanation {
    fn values(&self) -> impl Iterator<Item = (&'static str, String, &str)> {
        fn one<'a, T: ToString>(
            name: &'static str,
            unit: &str,
            decided: &'a Decided<T>,
        ) -> (&'static str, String, &'a str) {
            (name, format!("{}{unit}", decided.value.to_string()), &decided.origin)
        }
        [
            one("loadbalance", "", &self.loadbalance),
            one("cluster", "", &self.cluster),
            one("retries", "", &self.retries),
            one("timeout", " ms", &self.timeout),
        ]
        .into_iter()
    }
}

/// The first of these addresses.
fn some(addresses: &[Arc<str>]) -> String {
    let shown: Vec<&str> = addresses.iter().take(SHOWN).map(|address| &**address).collect();
    match addresses.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
