//! The numbers of one set of candidates whose weights do not change, kept so that the greatest is found without looking at all of them.
//!
//! Numbers of candidates with the same weight grow alike, so that their order changes only when one is picked. Each such class is a heap of
//! what the numbers were at pick 0; the greatest of all is the greatest of the tops.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ahash::HashMap;

use super::super::counters::Counters;

/// After so many picks numbers are written anew, so that they stay small.
const MOST_PICKS: i64 = 1 << 12;

/// The numbers of a set of candidates.
pub(super) struct Front {
    note: u64,
    counters: Counters,
    /// One for each weight above 0; none if there is none, and then it is the first candidate's turn always.
    classes: Vec<Class>,
    /// How often it was picked.
    picks: i64,
    /// The sum of the weights.
    total: i64,
}

/// Candidates with the same weight.
struct Class {
    weight: i64,
    /// Greatest first, of equal ones the first in the list.
    numbers: BinaryHeap<(i64, Reverse<usize>)>,
}

impl Class {
    /// The number at the top after so many picks, and whose it is.
    fn greatest(&self, picks: i64) -> Option<(i64, Reverse<usize>)> {
        let (number, index) = self.numbers.peek()?;
        Some((number + picks * self.weight, *index))
    }
}

impl Front {
    /// For the candidates of a note, whose weights have these running sums.
    pub(super) fn of(note: u64, counters: &Counters, sums: &[u64]) -> Front {
        let total = sums.last().copied().unwrap_or(0);
        let mut classes: HashMap<u32, Vec<(i64, Reverse<usize>)>> = HashMap::default();
        let mut before = 0;
        for (index, sum) in sums.iter().enumerate() {
            let weight = u32::try_from(sum - before).unwrap_or(u32::MAX);
            before = *sum;
            let number = counters
                .get(index)
                .map_or(0, |counters| counters.turn().current(weight));
            if weight > 0 {
                classes.entry(weight).or_default().push((number, Reverse(index)));
            }
        }
        let class = |(weight, numbers): (u32, Vec<_>)| Class {
            weight: i64::from(weight),
            numbers: numbers.into(),
        };
        Front {
            note,
            counters: counters.clone(),
            classes: classes.into_iter().map(class).collect(),
            picks: 0,
            total: i64::try_from(total).unwrap_or(i64::MAX),
        }
    }

    /// For whose candidates it is.
    pub(super) fn note(&self) -> u64 {
        self.note
    }

    /// Picks: the index of the one with the greatest number.
    pub(super) fn next(&mut self) -> usize {
        self.picks += 1;
        let picks = self.picks;
        let tops = self
            .classes
            .iter_mut()
            .filter_map(|class| Some((class.greatest(picks)?, class)));
        let Some(((_, Reverse(index)), class)) = tops.max_by_key(|(greatest, _)| *greatest) else {
            return 0;
        };
        if let Some(mut top) = class.numbers.peek_mut() {
            top.0 -= self.total;
        }
        if self.picks >= MOST_PICKS {
            self.shrink();
        }
        index
    }

    /// Gives the numbers back to the providers.
    pub(super) fn let_go(self) {
        for class in self.classes {
            for (number, Reverse(index)) in class.numbers {
                if let Some(counters) = self.counters.get(index) {
                    counters.turn().put(number + self.picks * class.weight);
                }
            }
        }
    }

    /// Makes the present moment pick 0.
    fn shrink(&mut self) {
        for class in &mut self.classes {
            let grown = self.picks * class.weight;
            let numbers = std::mem::take(&mut class.numbers).into_iter();
            class.numbers = numbers.map(|(number, index)| (number + grown, index)).collect();
        }
        self.picks = 0;
    }
}
