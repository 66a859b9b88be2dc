//! Those of one list that a call may still go to.

use std::borrow::Cow;
use std::sync::Arc;

use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;

/// A part of an [`EndpointList`]; it only ever shrinks.
#[derive(Clone, Debug)]
pub struct Candidates<'l> {
    list: &'l EndpointList,
    /// Places in the list, ascending; `None` for all of them.
    indices: Option<Cow<'l, [u32]>>,
}

impl<'l> Candidates<'l> {
    /// All of a list.
    pub(crate) fn all(list: &'l EndpointList) -> Candidates<'l> {
        Candidates { list, indices: None }
    }

    /// The ones at these places.
    pub(crate) fn some(list: &'l EndpointList, indices: &'l [u32]) -> Candidates<'l> {
        Candidates {
            list,
            indices: Some(Cow::Borrowed(indices)),
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

    /// Leaves only those for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Arc<Endpoint>) -> bool) {
        let endpoints = self.list.endpoints();
        match &mut self.indices {
            Some(indices) => indices
                .to_mut()
                .retain(|index| endpoints.get(*index as usize).is_some_and(&mut keep)),
            None => {
                let kept = (0..).zip(endpoints).filter(|(_, endpoint)| keep(endpoint));
                self.indices = Some(kept.map(|(index, _)| index).collect());
            }
        }
    }

    /// The first that is up, else the first.
    pub(crate) fn first_usable(&self) -> Option<&'l Arc<Endpoint>> {
        self.iter()
            .find(|endpoint| endpoint.is_available())
            .or_else(|| self.get(0))
    }

    /// The list, if these are all of it.
    pub(crate) fn whole_list(&self) -> Option<&'l EndpointList> {
        self.indices.is_none().then_some(self.list)
    }
}
