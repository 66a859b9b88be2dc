//! What became of each entry of the registry's list, so that the next list is not worked through from the beginning: registries hand over the
//! same objects for whatever has not changed.
//!
//! ```text
//!   list before  a b c d e          list now  a c d e f
//!   its places   0 1 2 3 4                    0 2 3 4 ?      found again by where they are, one step further each time; `?` is judged
//! ```

use std::sync::Arc;

use ahash::{HashMap, HashMapExt};
use orana_core::ServiceUrl;

/// The list that was taken last and what became of its entries.
#[derive(Default)]
pub(super) struct Places {
    entries: Arc<[ServiceUrl]>,
    /// One for each entry.
    places: Vec<Place>,
    doubtful: bool,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This member, which stands in this place of the list.
    First(u32),
    /// This member, which the list has already.
    Again(u32),
    /// Nothing, for this reason.
    PassedOver(&'static str),
}

/// What an entry of a new list is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// One that was in the list before: this member.
    Known(u32),
    /// A provider with this merged URL.
    Usable(ServiceUrl),
    /// Nothing, for this reason.
    PassedOver(&'static str),
}

/// When an entry is not the next of the list before, so many behind that are looked at.
const AHEAD: usize = 16;

/// When so many entries were found nowhere near, all are put in order to be found by what they say.
const LOST: usize = 16;

impl Places {
    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The members in the order of the list.
    pub(super) fn firsts(&self) -> impl Iterator<Item = u32> {
        self.places.iter().filter_map(|place| match place {
            Place::First(index) => Some(*index),
            Place::Again(_) | Place::PassedOver(_) => None,
        })
    }

    /// From now on nothing is known of what would become of the entries.
    pub(super) fn doubt(&mut self) {
        self.doubtful = true;
    }

    /// Takes the places of another list; gives the members of the one before.
    pub(super) fn replace(
        &mut self,
        entries: Arc<[ServiceUrl]>,
        places: Vec<Place>,
    ) -> impl Iterator<Item = u32> + use<> {
        let before = std::mem::replace(
            self,
            Places {
                entries,
                places,
                doubtful: false,
            },
        );
        before.places.into_iter().filter_map(|place| match place {
            Place::First(index) => Some(index),
            Place::Again(_) | Place::PassedOver(_) => None,
        })
    }

    /// What each of `entries` is: as before for those of the list before, by `judge` for the others.
    pub(super) fn judged(&self, entries: &[ServiceUrl], judge: impl Fn(&ServiceUrl) -> Judged) -> Vec<Judged> {
        if self.doubtful || self.entries.is_empty() {
            return entries.iter().map(judge).collect();
        }
        let mut next = 0;
        let mut lost = 0;
        let mut by_what_they_say: Option<HashMap<&ServiceUrl, usize>> = None;
        let judged = |entry: &ServiceUrl| {
            let near = self.near(next, entry).or_else(|| {
                lost += 1;
                if lost <= LOST {
                    return None;
                }
                by_what_they_say
                    .get_or_insert_with(|| self.sorted())
                    .get(entry)
                    .copied()
            });
            match near.and_then(|found| self.places.get(found).map(|place| (found, *place))) {
                Some((found, place)) => {
                    next = found + 1;
                    match place {
                        Place::First(index) | Place::Again(index) => Judged::Known(index),
                        Place::PassedOver(why) => Judged::PassedOver(why),
                    }
                }
                None => judge(entry),
            }
        };
        entries.iter().map(judged).collect()
    }

    /// Where this very object stands, if from `next` on or soon behind.
    fn near(&self, next: usize, entry: &ServiceUrl) -> Option<usize> {
        let near = self.entries.iter().enumerate().skip(next).take(AHEAD);
        near.into_iter()
            .find_map(|(place, known)| known.ptr_eq(entry).then_some(place))
    }

    fn sorted(&self) -> HashMap<&ServiceUrl, usize> {
        let mut sorted = HashMap::with_capacity(self.entries.len());
        for (place, entry) in self.entries.iter().enumerate() {
            sorted.entry(entry).or_insert(place);
        }
        sorted
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn urls(ports: impl IntoIterator<Item = usize>) -> Vec<ServiceUrl> {
        let url = |port| ServiceUrl::parse(&format!("dubbo://h:{port}/i")).unwrap();
        ports.into_iter().map(url).collect()
    }

    /// How many of `entries` have to be judged after a list of `before`.
    fn judged(before: &[ServiceUrl], entries: &[ServiceUrl]) -> usize {
        let mut places = Places::default();
        let all = (0..).take(before.len()).map(Place::First).collect();
        let _ = places.replace(before.into(), all);
        let count = Cell::new(0);
        let judged = places.judged(entries, |entry| {
            count.set(count.get() + 1);
            Judged::Usable(entry.clone())
        });
        for (entry, judged) in entries.iter().zip(judged) {
            let expected = before.iter().position(|known| known.ptr_eq(entry));
            if let Judged::Known(index) = judged {
                assert_eq!(before.get(index as usize), Some(entry));
            } else {
                assert!(expected.is_none() || count.get() > 0);
            }
        }
        count.get()
    }

    #[test]
    fn entries_that_stay_are_not_judged_again() {
        let before = urls(1..1_000);
        assert_eq!(judged(&before, &before), 0);
        let mut one_changed = before.clone();
        one_changed.remove(500);
        one_changed.extend(urls([5_000]));
        assert_eq!(judged(&before, &one_changed), 1);
    }

    #[test]
    fn entries_in_any_order_and_of_another_making_are_found_but_for_a_few() {
        let before = urls(1..1_000);
        let backwards: Vec<_> = before.iter().rev().cloned().collect();
        assert!(judged(&before, &backwards) <= LOST);
        assert!(judged(&before, &urls(1..1_000)) <= LOST);
    }
}
