//! What a writer has written before, and as which number: few are searched, many are hashed.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use ahash::RandomState;
use smallvec::SmallVec;

/// So many are searched one by one.
const SEARCHED_MAX: usize = 8;

/// Things and their numbers in a stream.
#[derive(Debug)]
pub(super) enum Numbers<K> {
    /// Most streams have few.
    Few(SmallVec<[(K, i32); SEARCHED_MAX]>),
    /// All of them, once they are more.
    Many(HashMap<K, i32, RandomState>),
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers::Few(SmallVec::new())
    }
}

impl<K: Hash + Eq> Numbers<K> {
    /// The number of one.
    #[inline]
    pub(super) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<i32>
    where
        K: Borrow<Q>,
    {
        match self {
            Numbers::Few(few) => few
                .iter()
                .rfind(|(known, _)| known.borrow() == key)
                .map(|(_, number)| *number),
            Numbers::Many(many) => many.get(key).copied(),
        }
    }

    /// Gives one that has no number a number.
    #[inline]
    pub(super) fn insert(&mut self, key: K, number: i32) {
        match self {
            Numbers::Few(few) if few.len() < SEARCHED_MAX => few.push((key, number)),
            Numbers::Few(few) => {
                let few = few.drain(..);
                *self = Numbers::Many(few.chain([(key, number)]).collect());
            }
            Numbers::Many(many) => {
                many.insert(key, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_however_many_there_are() {
        let mut numbers = Numbers::<Box<str>>::default();
        for number in 0..100 {
            assert_eq!(numbers.get(number.to_string().as_str()), None);
            numbers.insert(number.to_string().into(), number);
            assert!((0..=number).all(|known| numbers.get(known.to_string().as_str()) == Some(known)));
        }
    }
}
