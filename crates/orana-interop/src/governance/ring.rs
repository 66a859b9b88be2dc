//! Consistent hash from end to end: consumers that may use the same providers take the same one for each key, whatever
//! language they are in.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::question::Question;
use super::rule::Rule;
use super::trial::Trial;

/// As many as issue 5 asks for.
const KEYS: u64 = 1000;

impl Trial {
    /// Under `rule`, which chooses the balancer, every consumer that the rule names is asked for each key; an error names a key
    /// for which they do not agree. Returns the number of providers that were chosen.
    pub fn choose_alike(&mut self, rule: &Rule) -> Result<usize> {
        let step = rule.steps.first().context("a step")?;
        let ask = step.asks.first().context("a question")?;
        let questions: Vec<Question> = (0..KEYS)
            .map(|key| Question {
                id: key,
                method: ask.method.clone(),
                arguments: vec![Value::from(format!("order-{key}"))],
                attachments: Default::default(),
                calls: 2,
            })
            .collect();
        let answers = self.under(rule, |trial| trial.ask_all(ask.identity, &questions))?;
        let (first, others) = answers.split_first().context("nobody was asked")?;
        for (key, answer) in first.iter().enumerate() {
            ensure!(answer.reached.len() == 1, "key {key} reaches {:?}", answer.reached);
            for other in others.iter().filter_map(|other| other.get(key)) {
                ensure!(
                    answer.reached == other.reached,
                    "key {key} reaches {:?} for one consumer and {:?} for another",
                    answer.reached,
                    other.reached
                );
            }
        }
        let chosen: std::collections::BTreeSet<_> = first.iter().flat_map(|answer| &answer.reached).collect();
        Ok(chosen.len())
    }
}
