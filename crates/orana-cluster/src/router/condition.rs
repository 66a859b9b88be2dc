//! `condition`: when a call is such, providers must be such (`ConditionStateRouter`, `MultiDestConditionRouter`).

use std::borrow::Cow;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use orana_core::ServiceUrl;
use orana_core::rule::{Clause, Condition, ConditionRule, Pattern, Subject, Then};

use super::pattern::{self, Side};
use super::{Report, Routed, Router};
use crate::aspect::Aspect;
use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;

/// What stands for an argument that is not there, and for an attachment whose name Java does not understand, so that only mismatches hold.
const NOT_FOUND: &str = "dubbo_internal_not_found_argument_condition_value";

/// One condition of a rule.
pub struct ConditionRouter {
    condition: Condition,
    force: bool,
    /// The consumer's URL that was looked at last and what came of it: it is the same one for call after call.
    seen: ArcSwapOption<(ServiceUrl, Verdict)>,
}

/// What the clauses about the consumer's own URL say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Some of them does not hold.
    Never,
    /// They hold; clauses about the call remain.
    Depends,
    /// They hold and are all there is.
    Always,
}

impl ConditionRouter {
    /// One router for each condition of `rule`, in order; none if it is not enabled.
    pub fn of(rule: &ConditionRule) -> Vec<Arc<dyn Router>> {
        if !rule.enabled {
            return Vec::new();
        }
        let router = |condition: &Condition| {
            Arc::new(ConditionRouter {
                condition: condition.clone(),
                force: rule.force,
                seen: ArcSwapOption::empty(),
            }) as Arc<dyn Router>
        };
        rule.conditions.iter().map(router).collect()
    }

    /// Whether the condition is about this call.
    fn is_about(&self, call: &Call<'_>) -> bool {
        match self.verdict(call.consumer) {
            Verdict::Never => false,
            Verdict::Always => true,
            Verdict::Depends => {
                let mut of_call = self.condition.when.iter().filter(|clause| of_call(&clause.subject));
                of_call
                    .all(|clause| self.holds(clause, value_in_call(&clause.subject, call), Side::When, call.consumer))
            }
        }
    }

    fn verdict(&self, consumer: &ServiceUrl) -> Verdict {
        if let Some(seen) = &*self.seen.load()
            && seen.0 == *consumer
        {
            return seen.1;
        }
        let mut of_consumer = self.condition.when.iter().filter(|clause| !of_call(&clause.subject));
        let hold =
            of_consumer.all(|clause| self.holds(clause, value_in(&clause.subject, consumer), Side::When, consumer));
        let verdict = match (hold, self.condition.when.iter().any(|clause| of_call(&clause.subject))) {
            (false, _) => Verdict::Never,
            (true, true) => Verdict::Depends,
            (true, false) => Verdict::Always,
        };
        self.seen.store(Some(Arc::new((consumer.clone(), verdict))));
        verdict
    }

    /// Whether a provider is as `clauses` say.
    fn suits(&self, clauses: &[Clause], endpoint: &Endpoint, consumer: &ServiceUrl) -> bool {
        let holds = |clause: &Clause| match clause.subject {
            // Providers have no arguments and no attachments.
            Subject::Argument(_) | Subject::Attachment(_) | Subject::Method => false,
            _ => self.holds(
                clause,
                value_in(&clause.subject, endpoint.original()),
                Side::Then,
                consumer,
            ),
        };
        clauses.iter().all(holds)
    }

    fn holds(&self, clause: &Clause, value: Option<Cow<'_, str>>, side: Side, consumer: &ServiceUrl) -> bool {
        // For the URLs of 2.6 and 2.7 an argument that is not there fails every clause.
        let of_url = self.condition.missing_passes_mismatch;
        if of_url && matches!(clause.subject, Subject::Argument(_)) && value.as_deref() == Some(NOT_FOUND) {
            return false;
        }
        let Some(value) = value else {
            return self.condition.missing_passes_mismatch
                && clause.matches.is_empty()
                && !clause.mismatches.is_empty();
        };
        let hit = |pattern: &Pattern| pattern::matches(pattern, &value, side, consumer);
        if clause.mismatches.iter().any(hit) {
            return false;
        }
        match clause.matches.is_empty() {
            true => !clause.mismatches.is_empty(),
            false => clause.matches.iter().any(hit),
        }
    }

    fn told(&self, what: &str) -> String {
        let condition = &self.condition;
        match what.is_empty() {
            true => format!("condition `{}` (rule {})", condition.text, condition.place),
            false => format!("condition `{}` (rule {}): {what}", condition.text, condition.place),
        }
    }
}

impl Router for ConditionRouter {
    fn name(&self) -> &str {
        "condition"
    }

    fn aspect(&self, call: &Call<'_>, aspect: &mut Aspect) {
        if self.verdict(call.consumer) == Verdict::Depends {
            aspect.flag(self.is_about(call));
        }
    }

    fn route<'l>(&self, call: &Call<'_>, set: Candidates<'l>, report: &mut Report) -> Result<Routed<'l>, String> {
        if !self.is_about(call) {
            report.step(|| self.told("not about this call"), &set, &set);
            return Ok(Routed::Set(set));
        }
        let left = |clauses: &[Clause]| {
            let mut left = set.clone();
            left.retain(|endpoint| self.suits(clauses, endpoint, call.consumer));
            left
        };
        let after = match &self.condition.then {
            Then::Nobody => {
                let mut nobody = set.clone();
                nobody.retain(|_| false);
                report.step(|| self.told(""), &set, &nobody);
                return Ok(Routed::Set(nobody));
            }
            Then::Keep(clauses) => left(clauses),
            Then::Shares(destinations) => {
                let shares = destinations
                    .iter()
                    .map(|destination| (destination, left(&destination.clauses)));
                let mut some: Vec<_> = shares.filter(|(_, left)| !left.is_empty()).collect();
                if some.len() > 1 {
                    for (destination, left) in &some {
                        report.step(
                            || self.told(&format!("share {} to `{}`", destination.weight, destination.text)),
                            &set,
                            left,
                        );
                    }
                    let some = some.into_iter().map(|(destination, left)| (destination.weight, left));
                    return Ok(Routed::Shares(some.collect()));
                }
                match some.pop() {
                    Some((_, only)) => only,
                    None => left_nobody(&set),
                }
            }
        };
        if after.is_empty() && !self.force {
            report.step(|| self.told("would leave nobody and is not forced"), &set, &set);
            return Ok(Routed::Set(set));
        }
        report.step(|| self.told(""), &set, &after);
        Ok(Routed::Set(after))
    }
}

fn left_nobody<'l>(set: &Candidates<'l>) -> Candidates<'l> {
    let mut nobody = set.clone();
    nobody.retain(|_| false);
    nobody
}

/// Whether a clause looks at the call rather than at its consumer.
fn of_call(subject: &Subject) -> bool {
    matches!(subject, Subject::Method | Subject::Argument(_) | Subject::Attachment(_))
}

fn value_in_call<'a>(subject: &Subject, call: &'a Call<'_>) -> Option<Cow<'a, str>> {
    match subject {
        Subject::Method => Some(Cow::Borrowed(&call.method)),
        Subject::Argument(index) => {
            let argument = index.and_then(|index| call.invocation.argument_text(index));
            Some(argument.unwrap_or(Cow::Borrowed(NOT_FOUND)))
        }
        Subject::Attachment(None) => Some(Cow::Borrowed(NOT_FOUND)),
        Subject::Attachment(Some(name)) => call.invocation.attachments.get(name).map(Cow::Borrowed),
        _ => None,
    }
}

fn value_in<'a>(subject: &Subject, url: &'a ServiceUrl) -> Option<Cow<'a, str>> {
    match subject {
        Subject::Host => url.host().map(Cow::Borrowed),
        Subject::Address => Some(Cow::Owned(url.address())),
        Subject::Port => Some(Cow::Owned(url.port().unwrap_or(0).to_string())),
        Subject::Protocol => url.protocol().map(Cow::Borrowed),
        Subject::Path => url.path().map(Cow::Borrowed),
        Subject::User => url.user().map(Cow::Borrowed),
        Subject::Password => url.password().map(Cow::Borrowed),
        Subject::Parameter(name) => url.parameter(name).map(Cow::Borrowed),
        Subject::Method | Subject::Argument(_) | Subject::Attachment(_) => None,
    }
}

#[cfg(test)]
mod tests;
