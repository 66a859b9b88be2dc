//! Those of one list that a call may still go to.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use crate::clock::EpochMillis;
use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;
use crate::plan::Branch;

/// A part of an [`EndpointList`]; it only ever shrinks.
#[derive(Clone, Debug)]
pub struct Candidates<'l> {
    list: &'l EndpointList,
    /// Places in the list, ascending; `None` for all of them.
    indices: Option<Cow<'l, [u32]>>,
    /// The part of the plan that these are exactly.
    branch: Option<&'l Branch>,
    /// The part of the plan that these came of.
    origin: Option<&'l Branch>,
}

impl<'l> Candidates<'l> {
    /// All of a list.
    pub fn all(list: &'l EndpointList) -> Candidates<'l> {
        Candidates {
            list,
            indices: None,
            branch: None,
            origin: None,
        }
    }

    /// The ones at these places.
    pub(crate) fn some(list: &'l EndpointList, indices: &'l [u32]) -> Candidates<'l> {
        Candidates {
            list,
            indices: Some(Cow::Borrowed(indices)),
            branch: None,
            origin: None,
        }
    }

    /// Those of a branch of a plan for that list.
    pub(crate) fn of_branch(list: &'l EndpointList, branch: &'l Branch) -> Candidates<'l> {
        Candidates {
            list,
            indices: branch.indices().map(Cow::Borrowed),
            branch: Some(branch),
            origin: Some(branch),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.indices {
            Some(indices) => indices.len(),
            None => self.list.endpoints().len(),
        }
    }

    /// Whether nobody is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The one at a place among the candidates.
    pub fn get(&self, index: usize) -> Option<&'l Arc<Endpoint>> {
        let index = match &self.indices {
            Some(indices) => *indices.get(index)? as usize,
            None => index,
        };
        self.list.endpoints().get(index)
    }

    /// The candidates in order.
    pub fn iter(&self) -> impl Iterator<Item = &'l Arc<Endpoint>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Leaves only those for which `keep` holds. If it holds for all, they stay the set that they were.
    pub fn retain(&mut self, mut keep: impl FnMut(&Arc<Endpoint>) -> bool) {
        let endpoints = self.list.endpoints();
        let before = self.len();
        match &mut self.indices {
            // Looked at before anything is copied: most of what is asked for holds for all.
            Some(indices) => {
                let hold = |index: &u32| endpoints.get(*index as usize).is_some_and(&mut keep);
                let kept: Vec<u32> = indices.iter().copied().filter(hold).collect();
                if kept.len() == before {
                    return;
                }
                *indices = Cow::Owned(kept);
            }
            None => {
                let kept = (0..).zip(endpoints).filter(|(_, endpoint)| keep(endpoint));
                let kept: Vec<u32> = kept.map(|(index, _)| index).collect();
                if kept.len() == before {
                    return;
                }
                self.indices = Some(Cow::Owned(kept));
            }
        }
        self.branch = None;
    }

    /// The addresses of those who are here and not in `after`, which came of these by taking away.
    pub fn without(&self, after: &Candidates<'_>) -> Vec<Arc<str>> {
        let mut left = after.iter().peekable();
        let mut gone = Vec::new();
        for endpoint in self.iter() {
            match left.peek() {
                Some(kept) if Arc::ptr_eq(kept, endpoint) => {
                    left.next();
                }
                _ => gone.push(Arc::clone(endpoint.address())),
            }
        }
        gone
    }

    /// What a load balance worked out for exactly these candidates and this method, made by `make` if nobody did yet. `None` if these are
    /// not what routing left but fewer: then there is no place to keep it.
    pub fn remembered<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&'l T> {
        self.branch?.memory().get_or_init(|| Box::new(make())).downcast_ref()
    }

    /// The running sums of the weights and whether they are all the same, if these are what routing left and all of them are warm at `now`.
    pub(crate) fn settled_weights(&self, now: EpochMillis) -> Option<(&'l [u64], bool)> {
        self.branch?.weights().settled(now)
    }

    /// What routing left, of which these are all or a part; `None` if they do not come of a plan.
    pub(crate) fn routed(&self) -> Option<Candidates<'l>> {
        Some(Candidates::of_branch(self.list, self.origin?))
    }

    /// The list of which these are a part.
    pub(crate) fn list(&self) -> &'l EndpointList {
        self.list
    }

    /// The one at that place of the list, if it is a candidate.
    pub(crate) fn at_place(&self, place: usize) -> Option<&'l Arc<Endpoint>> {
        if let Some(indices) = &self.indices {
            indices.binary_search(&u32::try_from(place).ok()?).ok()?;
        }
        self.list.endpoints().get(place)
    }

    /// The places in the list, if not all of it.
    pub(crate) fn indices(&self) -> Option<&[u32]> {
        self.indices.as_deref()
    }
}
