//! The counters of each candidate for the method that is called, looked up once for what routing left.

use std::sync::Arc;

use crate::call::Call;
use crate::candidates::Candidates;
use crate::endpoint::Endpoint;
use crate::statistics::MethodStatistics;

/// In the order of the candidates. Cloning shares them.
#[derive(Clone)]
pub(super) struct Counters(Arc<[Arc<MethodStatistics>]>);

impl Counters {
    /// Those for the method of `call`.
    pub(super) fn of(call: &Call<'_>, candidates: &Candidates<'_>) -> Counters {
        Counters(candidates.iter().map(|endpoint| counted(call, endpoint)).collect())
    }

    /// Those of the candidate at `index`.
    pub(super) fn get(&self, index: usize) -> Option<&MethodStatistics> {
        self.0.get(index).map(|counters| &**counters)
    }
}

/// What `read` reads of one candidate's counters: of `known` ones if these candidates are what routing left, else looked up.
pub(super) fn read<T>(
    known: Option<&Counters>,
    call: &Call<'_>,
    index: usize,
    endpoint: &Arc<Endpoint>,
    read: impl FnOnce(&MethodStatistics) -> T,
) -> T {
    match known.and_then(|known| known.get(index)) {
        Some(counters) => read(counters),
        None => read(&counted(call, endpoint)),
    }
}

fn counted(call: &Call<'_>, endpoint: &Arc<Endpoint>) -> Arc<MethodStatistics> {
    endpoint.statistics().method(&call.method)
}
