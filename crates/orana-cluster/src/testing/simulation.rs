//! Some time in the life of a consumer: calls come evenly, providers take their time or fail, and nobody waits for any of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use super::{Lab, call_with};
use crate::call::Call;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::load_balance::LoadBalance;
use crate::statistics::MethodStatistics;

/// How a provider treats calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// How long a call takes, milliseconds.
    pub(crate) takes: u64,
    /// Whether it fails then.
    pub(crate) fails: bool,
}

/// Answers after so many milliseconds.
pub(crate) const fn answers(takes: u64) -> Manner {
    Manner { takes, fails: false }
}

/// Fails after so many milliseconds.
pub(crate) const fn fails(takes: u64) -> Manner {
    Manner { takes, fails: true }
}

/// How many calls each provider gets in `seconds` with one call each millisecond.
pub(crate) fn simulated(lab: &Lab, manners: &[Manner], balance: &dyn LoadBalance, seconds: u64) -> Vec<usize> {
    const START: u64 = 1_000_000_000;
    let invocation = call_with("say", &[]);
    let statistics: Vec<Arc<MethodStatistics>> = lab
        .list
        .endpoints()
        .iter()
        .map(|endpoint| endpoint.statistics().method("say"))
        .collect();
    let plan = lab.plan(&Call::new(&invocation, &lab.consumer, EpochMillis(START), 0));
    let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
    let mut chance = fastrand::Rng::with_seed(11);
    let mut counts = vec![0; manners.len()];
    let mut begun = Vec::new();
    let mut ends: BinaryHeap<Reverse<(u64, usize, usize)>> = BinaryHeap::new();
    for millis in START..START + seconds * 1_000 {
        while let Some(Reverse((at, number, place))) = ends.peek().copied().filter(|Reverse((at, ..))| *at <= millis) {
            ends.pop();
            let call: &mut Option<crate::statistics::Begun<'_>> = &mut begun[number];
            let took = Duration::from_millis(manners[place].takes);
            call.take().unwrap().ended(!manners[place].fails, took, EpochMillis(at));
        }
        let now = EpochMillis(millis);
        let call = Call::new(&invocation, &lab.consumer, now, chance.u64(..));
        let place = lab.place_of(balance.select(&call, &candidates).unwrap());
        counts[place] += 1;
        ends.push(Reverse((millis + manners[place].takes, begun.len(), place)));
        begun.push(Some(statistics[place].begin(now)));
    }
    counts
}
