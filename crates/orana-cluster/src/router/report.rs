//! What routers say about their decisions, if somebody asks; nothing is worked out otherwise.

use std::sync::Arc;

use serde::Serialize;

use crate::candidates::Candidates;

/// Collects what routers did with one call.
#[derive(Debug, Default)]
pub struct Report {
    stages: Option<Vec<Stage>>,
    router: String,
}

/// What one part of a rule did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// The router: `tag`, `condition`, …
    pub name: String,
    /// Which rule and line, in words: `tag gray (rule order-service.tag-router line 4)`.
    pub rule: String,
    /// How many there were before.
    #[serde(rename = "in")]
    pub before: usize,
    /// How many are left.
    #[serde(rename = "out")]
    pub after: usize,
    /// Who was taken away, `host:port`.
    pub removed: Vec<Arc<str>>,
}

impl Report {
    /// One that nobody asks.
    pub fn silent() -> Report {
        Report::default()
    }

    /// One that collects.
    pub fn recording() -> Report {
        Report {
            stages: Some(Vec::new()),
            router: String::new(),
        }
    }

    /// Whether somebody asks.
    pub fn is_wanted(&self) -> bool {
        self.stages.is_some()
    }

    /// Says that the part of a rule that `rule` names left `after` of `before`. Also worth saying when it took nobody away or did not apply.
    pub fn step(&mut self, rule: impl FnOnce() -> String, before: &Candidates<'_>, after: &Candidates<'_>) {
        if let Some(stages) = &mut self.stages {
            stages.push(Stage {
                name: self.router.clone(),
                rule: rule(),
                before: before.len(),
                after: after.len(),
                removed: before.without(after),
            });
        }
    }

    /// What was said, in order.
    pub fn into_stages(self) -> Vec<Stage> {
        self.stages.unwrap_or_default()
    }

    pub(super) fn of_router(&mut self, name: &str) {
        if self.stages.is_some() {
            name.clone_into(&mut self.router);
        }
    }
}
