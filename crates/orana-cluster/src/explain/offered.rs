//! The first stages: what of the registry's list can be called, and what each configurator makes of it.

use std::sync::Arc;

use ahash::{HashSet, HashSetExt, RandomState};
use indexmap::IndexMap;
use orana_core::{Connector, ServiceUrl};

use super::Stage;
use super::decided::named;
use crate::configurator::{Change, Effect};
use crate::directory::{as_called, is_disabled, unusable};
use crate::governance::Governance;
use crate::merge::merged;

/// So many overrides are named that are for nobody here.
const MOST_IDLE: usize = 50;

/// So many different changes of one override are named.
const MOST_CHANGES: usize = 20;

/// Who is offered to calls.
pub(super) struct Offered {
    pub(super) registered: usize,
    pub(super) stages: Vec<Stage>,
    /// Merged URLs, each once.
    pub(super) listed: HashSet<ServiceUrl>,
}

/// What one override did to all of them.
struct Tally {
    name: String,
    changes: IndexMap<Change, usize, RandomState>,
    refused: Vec<Arc<str>>,
    applied: usize,
    why_not: Option<String>,
    removed: Vec<Arc<str>>,
}

/// Works through a list of the registry as `consumer` sees it.
pub(super) fn offered(
    told: &[ServiceUrl],
    consumer: &ServiceUrl,
    governance: &Governance,
    connector: &dyn Connector,
) -> Offered {
    let providers: Vec<&ServiceUrl> = told.iter().filter(|url| url.protocol() != Some("empty")).collect();
    let mut passed_over: IndexMap<&'static str, Vec<Arc<str>>, RandomState> = IndexMap::default();
    let mut tallies: Vec<Tally> = Vec::new();
    let mut by_others: Vec<Arc<str>> = Vec::new();
    let mut again: Vec<Arc<str>> = Vec::new();
    let mut listed = HashSet::with_capacity(providers.len());
    for provider in &providers {
        let address: Arc<str> = provider.address().into();
        if let Some(why) = unusable(provider, consumer, connector) {
            passed_over.entry(why).or_default().push(address);
            continue;
        }
        let effects = match &governance.configurator {
            Some(configurator) => configurator.effects(&merged(provider, consumer)),
            None => Vec::new(),
        };
        let switch = effects.iter().rposition(|effect| effect.changes.iter().any(is_switch));
        if tallies.is_empty() {
            tallies = effects.iter().map(Tally::of).collect();
        }
        for (tally, effect) in tallies.iter_mut().zip(effects) {
            tally.add(effect);
        }
        let url = as_called(provider, consumer, governance);
        if is_disabled(&url) {
            match switch.and_then(|switch| tallies.get_mut(switch)) {
                Some(tally) => tally.removed.push(address),
                None if is_disabled(&merged(provider, consumer)) => {
                    passed_over
                        .entry("it is registered as disabled")
                        .or_default()
                        .push(address);
                }
                None => by_others.push(address),
            }
        } else if !listed.insert(url) {
            again.push(address);
        }
    }
    let mut left = providers.len();
    let mut stages = Vec::new();
    let mut stage = |name: &str, rule: String, removed: Vec<Arc<str>>| {
        let before = left;
        left -= removed.len();
        stages.push(Stage {
            name: name.to_owned(),
            rule,
            before,
            after: left,
            removed,
        });
    };
    for (why, removed) in passed_over {
        stage("usable", format!("not usable: {why}"), removed);
    }
    if !again.is_empty() {
        stage("usable", "listed more than once".to_owned(), again);
    }
    let mut idle = 0;
    for tally in tallies {
        if tally.applied == 0 {
            idle += 1;
            if idle > MOST_IDLE {
                continue;
            }
        }
        stage("configurator", tally.told(providers.len()), tally.removed);
    }
    if idle > MOST_IDLE {
        let more = idle - MOST_IDLE;
        stage(
            "configurator",
            format!("{more} more overrides are for nobody here"),
            Vec::new(),
        );
    }
    if !by_others.is_empty() {
        stage(
            "configurator",
            "disabled by the program's own configurator".to_owned(),
            by_others,
        );
    }
    Offered {
        registered: providers.len(),
        stages,
        listed,
    }
}

/// Whether a change can switch a provider off.
fn is_switch(change: &Change) -> bool {
    matches!(&*change.key, "disabled" | "enabled")
}

impl Tally {
    fn of(effect: &Effect) -> Tally {
        Tally {
            name: named(effect),
            changes: IndexMap::default(),
            refused: effect.refused.clone(),
            applied: 0,
            why_not: None,
            removed: Vec::new(),
        }
    }

    fn add(&mut self, effect: Effect) {
        match effect.why_not {
            Some(why) => {
                self.why_not.get_or_insert(why);
            }
            None => self.applied += 1,
        }
        for change in effect.changes {
            let known = self.changes.len();
            match self.changes.get_mut(&change) {
                Some(count) => *count += 1,
                None if known < MOST_CHANGES => {
                    self.changes.insert(change, 1);
                }
                None => {}
            }
        }
    }

    /// What it did to how many of `all`.
    fn told(&self, all: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        if self.applied == 0 {
            let why = self.why_not.as_deref().unwrap_or("there is nobody");
            parts.push(format!("for nobody here: {why}"));
        }
        for (change, count) in &self.changes {
            let before = change.before.as_deref().unwrap_or("none");
            let (key, after) = (&change.key, &change.after);
            parts.push(format!("{key} {before} → {after} at {count} of {all}"));
        }
        if self.applied > 0 && self.changes.is_empty() {
            parts.push("changes nothing".to_owned());
        }
        for key in &self.refused {
            parts.push(format!("may not set {key}"));
        }
        format!("{}: {}", self.name, parts.join(", "))
    }
}
