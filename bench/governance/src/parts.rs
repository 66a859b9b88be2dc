//! The parts of the benchmark: each measures, prints a table with its goals, and gives its figures.

use std::sync::Arc;

use anyhow::{Result, ensure};
use orana_cluster::load_balance::LOAD_BALANCES;
use orana_cluster::{Cluster, ClusterInvoker};
use orana_core::{Invocation, UrlPool};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::fleet::{self, Weights};
use crate::java::Line;
use crate::picks::{self, Extent, Picked};
use crate::rebuild::{self, Spread};
use crate::rules::Rules;

/// The size that goals are about.
const JUDGED: usize = 1_000;

/// Of a pick with five rules, in ns; a missed one is printed, it is not a failure.
const GOAL: f64 = 1_000.0;
const GOAL_ARGUMENT: f64 = 20_000.0;

/// How many times quicker than Java.
const GOAL_RATIO: f64 = 50.0;
const GOAL_RATIO_RULES: f64 = 1_000.0;

/// From one change among 10,000 to the list, in µs.
const GOAL_REBUILD: f64 = 1_000.0;
const JUDGED_REBUILD: usize = 10_000;

/// What is measured, and where directories run.
pub(crate) struct Bench {
    pub(crate) handle: Handle,
    pub(crate) sizes: Vec<usize>,
    pub(crate) extent: Extent,
}

impl Bench {
    /// Picks under each set of rules, alone and by two threads at once, beside `java`.
    pub(crate) fn picks(&self, java: &[Line]) -> Result<Value> {
        println!("a pick: directory, rules, load balance `random`; ns");
        println!(
            "{:>9} {:<8} {:<11}{:>11}{:>12}{:>12}{:>12}{:>13}{:>10}",
            "providers", "weights", "rules", "candidates", "alone", "2 threads", "allocations", "Dubbo Java", "ratio"
        );
        let mut rows = Vec::new();
        for &size in &self.sizes {
            for weights in Weights::ALL {
                for rules in Rules::ALL {
                    let theirs = java.iter().find(|line| {
                        line.providers == size && line.weights == weights.name() && line.rules == rules.name()
                    });
                    rows.push(self.pick(size, weights, rules, theirs)?);
                }
            }
        }
        Ok(Value::Array(rows))
    }

    fn pick(&self, size: usize, weights: Weights, rules: Rules, java: Option<&Line>) -> Result<Value> {
        let fleet = Fleet::new(&self.handle, size, weights, rules, "random")?;
        let alone = fleet.picks(self.extent)?;
        let two = fleet.picks(Extent {
            threads: 2,
            ..self.extent
        })?;
        let ratio = java.map(|line| line.ns_per_pick / alone.nanos);
        println!(
            "{size:>9} {:<8} {:<11}{:>11}{:>12.0}{:>12.0}{:>12.2}{:>13}{:>10}{}",
            weights.name(),
            rules.name(),
            alone.candidates,
            alone.nanos,
            two.nanos,
            alone.allocations,
            java.map_or_else(String::new, |line| format!("{:.0}", line.ns_per_pick)),
            ratio.map_or_else(String::new, |ratio| format!("{ratio:.0}x")),
            if size == JUDGED {
                verdict(rules, &alone, ratio)
            } else {
                String::new()
            },
        );
        if let Some(line) = java {
            ensure!(
                line.candidates == alone.candidates,
                "rules leave {} to Java and {} here",
                line.candidates,
                alone.candidates
            );
        }
        Ok(json!({
            "providers": size, "weights": weights.name(), "rules": rules.name(), "candidates": alone.candidates,
            "ns_per_pick": alone.nanos, "ns_per_pick_2_threads": two.nanos, "allocations": alone.allocations,
            "java_ns_per_pick": java.map(|line| line.ns_per_pick), "ratio": ratio,
        }))
    }

    /// Picks of each load balance, without rules.
    pub(crate) fn balances(&self) -> Result<Value> {
        println!("a pick by each load balance, without rules; ns");
        let columns: String = self.sizes.iter().map(|size| format!("{size:>12}")).collect();
        println!("{:<20}{columns}", "");
        let mut rows = Vec::new();
        for (name, _) in LOAD_BALANCES {
            let mut text = String::new();
            for &size in &self.sizes {
                let fleet = Fleet::new(&self.handle, size, Weights::Stamped, Rules::None, name)?;
                let picked = fleet.picks(self.extent)?;
                text.push_str(&format!("{:>12.0}", picked.nanos));
                rows.push(json!({
                    "balance": name, "providers": size, "ns_per_pick": picked.nanos, "allocations": picked.allocations,
                }));
            }
            println!("{name:<20}{text}");
        }
        Ok(Value::Array(rows))
    }

    /// Whole calls that are answered at once.
    pub(crate) fn calls(&self) -> Result<Value> {
        println!("a whole call by `failfast`, answered at once (one allocation is the answer's)");
        println!("{:>9} {:<11}{:>12}{:>14}", "providers", "rules", "ns", "allocations");
        let mut rows = Vec::new();
        for &size in &self.sizes {
            for rules in [Rules::None, Rules::Tag] {
                let fleet = Fleet::new(&self.handle, size, Weights::Plain, rules, "random")?;
                let called = picks::whole_call(&self.handle, self.extent, &fleet.calls, |cluster| {
                    fleet.invoker(cluster)
                })?;
                println!(
                    "{size:>9} {:<11}{:>12.0}{:>14.2}",
                    rules.name(),
                    called.nanos,
                    called.allocations
                );
                rows.push(json!({
                    "providers": size, "rules": rules.name(), "ns_per_call": called.nanos, "allocations": called.allocations,
                }));
            }
        }
        Ok(Value::Array(rows))
    }

    /// One provider changes.
    pub(crate) fn rebuild(&self, changes: usize) -> Result<Value> {
        println!(
            "one provider changes: from notify to the published list, and the first pick after it; µs, median (best to worst)"
        );
        println!(
            "{:>9} {:<20}{:>26}{:>28}{:>14}{:>14}{:>16}",
            "providers", "rules", "list", "first pick", "second pick", "first list", "rules changed"
        );
        let mut rows = Vec::new();
        for &size in &self.sizes {
            for (rules, overridden) in [(Rules::None, false), (Rules::Tag, false), (Rules::Tag, true)] {
                let rebuilt = rebuild::measured(&self.handle, size, rules, overridden, changes)?;
                let name = format!("{}{}", rules.name(), if overridden { " + override" } else { "" });
                let goal = match size == JUDGED_REBUILD {
                    true => goal(rebuilt.published.median <= GOAL_REBUILD, "1 ms"),
                    false => String::new(),
                };
                println!(
                    "{size:>9} {name:<20}{:>26}{:>28}{:>14.1}{:>14.0}{:>16}{goal}",
                    spread(rebuilt.published),
                    spread(rebuilt.first_pick),
                    rebuilt.second_pick.median,
                    rebuilt.first_list,
                    rebuilt
                        .governed
                        .map_or_else(String::new, |micros| format!("{micros:.0}")),
                );
                rows.push(json!({
                    "providers": size, "rules": name, "list_us": figures(rebuilt.published),
                    "first_pick_us": figures(rebuilt.first_pick), "second_pick_us": figures(rebuilt.second_pick),
                    "first_list_us": rebuilt.first_list, "rules_changed_us": rebuilt.governed,
                }));
            }
        }
        Ok(Value::Array(rows))
    }
}

/// A directory that is there, and calls for it.
struct Fleet<'b> {
    handle: &'b Handle,
    directory: Arc<orana_cluster::Directory>,
    calls: Arc<Vec<Invocation>>,
}

impl<'b> Fleet<'b> {
    fn new(handle: &'b Handle, size: usize, weights: Weights, rules: Rules, balance: &str) -> Result<Fleet<'b>> {
        let providers = fleet::providers(size, weights, &UrlPool::new())?;
        let directory = fleet::directory(fleet::consumer(balance)?, providers, rules.governance(false)?);
        Ok(Fleet {
            handle,
            directory: handle.block_on(directory)?,
            calls: Arc::new(fleet::calls()),
        })
    }

    fn invoker(&self, cluster: Box<dyn Cluster>) -> ClusterInvoker {
        fleet::invoker(Arc::clone(&self.directory), cluster)
    }

    fn picks(&self, extent: Extent) -> Result<Picked> {
        picks::measured(self.handle, extent, &self.calls, |cluster| self.invoker(cluster))
    }
}

fn verdict(rules: Rules, alone: &Picked, ratio: Option<f64>) -> String {
    let (time, most, least) = match rules {
        Rules::None => ("1 µs", GOAL, GOAL_RATIO),
        Rules::Conditions | Rules::Tag => ("1 µs", GOAL, GOAL_RATIO_RULES),
        Rules::Argument => ("20 µs", GOAL_ARGUMENT, GOAL_RATIO_RULES),
    };
    let mut text = goal(alone.nanos <= most, time);
    if let Some(ratio) = ratio {
        text.push_str(&goal(ratio >= least, &format!("{least:.0}x")));
    }
    text.push_str(&goal(alone.allocations < 0.001, "0 allocations"));
    text
}

fn goal(is_met: bool, what: &str) -> String {
    format!("   {what} {}", if is_met { "reached" } else { "MISSED" })
}

fn spread(spread: Spread) -> String {
    format!("{:.0} ({:.0} to {:.0})", spread.median, spread.best, spread.worst)
}

fn figures(spread: Spread) -> Value {
    json!({ "best": spread.best, "median": spread.median, "worst": spread.worst })
}
