//! Whether the persistent watches tell of everything, and which places are to be counted now to find out.
//!
//! Servers since 3.8.4 and 3.9.2 do not tell a persistent watch of a node that its owner does not let us read, although it
//! is in the list. Providers with credentials and consumers without, in the same directories, are enough for that. Knows
//! neither connection nor clock: it is asked once a beat.

use std::collections::HashSet;

use super::layout::Place;

/// In how many beats every place is counted once.
const ROUND: usize = 60;

/// The state of the audit of one session.
#[derive(Default)]
pub(super) struct Audit {
    /// Places in which something happened that no persistent watch told of.
    opaque: HashSet<Place>,
    /// Places whose last count did not add up; it may only have been early.
    suspect: HashSet<Place>,
    /// Those still to be counted in this round.
    left: Vec<Place>,
}

impl Audit {
    /// The places to be counted in this beat, of all that are watched: their share, and the suspects.
    pub(super) fn due<'p>(&mut self, places: impl ExactSizeIterator<Item = &'p Place>) -> Vec<Place> {
        let share = places.len().div_ceil(ROUND);
        if self.left.is_empty() {
            let audited = places.filter(|place| **place != Place::Root && !self.opaque.contains(*place));
            self.left = audited.cloned().collect();
        }
        let mut due = self.left.split_off(self.left.len().saturating_sub(share));
        due.extend(
            self.suspect
                .iter()
                .filter(|place| !due.contains(place))
                .cloned()
                .collect::<Vec<_>>(),
        );
        due
    }

    /// A place was counted, and the count is as known or not. `true` when it was wrong twice, and cannot be trusted to a
    /// persistent watch from now on: changes may be on their way still, but those of the last beat are not.
    pub(super) fn is_over(&mut self, place: &Place, as_known: bool) -> bool {
        if as_known {
            self.suspect.remove(place);
            return false;
        }
        if self.suspect.insert(place.clone()) {
            return false;
        }
        self.suspect.remove(place);
        self.opaque.insert(place.clone())
    }

    /// Whether a persistent watch is known not to do for a place.
    pub(super) fn is_opaque(&self, place: &Place) -> bool {
        self.opaque.contains(place)
    }

    /// A place is not watched any more.
    pub(super) fn forget(&mut self, place: &Place) {
        self.opaque.remove(place);
        self.suspect.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use orana_core::Category;

    use super::*;

    fn places(count: usize) -> Vec<Place> {
        let place = |nth: usize| Place::Category(format!("i{nth}").into(), Category::Providers);
        std::iter::once(Place::Root).chain((1..count).map(place)).collect()
    }

    #[test]
    fn every_place_is_counted_once_a_round_and_the_root_never() {
        let places = places(200);
        let mut audit = Audit::default();
        let mut counted = HashSet::new();
        for _ in 0..ROUND {
            for place in audit.due(places.iter()) {
                counted.insert(place);
            }
        }
        assert_eq!(counted.len(), 199);
        assert!(!counted.contains(&Place::Root));
    }

    #[test]
    fn a_place_is_given_up_when_it_is_wrong_twice_in_a_row_and_not_before() {
        let places = places(2);
        let place = &places[1];
        let mut audit = Audit::default();
        assert!(!audit.is_over(place, false));
        assert!(audit.due(places.iter()).contains(place));
        assert!(!audit.is_over(place, true));
        assert!(!audit.is_over(place, false));
        assert!(!audit.is_opaque(place));
        assert!(audit.is_over(place, false));
        assert!(audit.is_opaque(place));
        audit.left.clear();
        assert_eq!(audit.due(places.iter()), []);
    }
}
