//! What a writer remembers of the classes that its stream has defined. The names are not kept: they stand in the
//! stream, and two definitions are the same if their bytes are.
//!
//! A class is recognised by where it came from first, and compared byte by byte only if that is not known.

use std::collections::HashMap;
use std::ops::Range;

use ahash::RandomState;
use bytes::BytesMut;
use smallvec::SmallVec;

/// So many definitions are searched one by one; a stream of more gets an index.
const SEARCHED_MAX: usize = 8;

/// Where a class comes from: the address of something that lives as long as the stream is written and says the
/// same class all that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Origin(usize);

/// The classes of one stream; each has the number that it was defined as.
#[derive(Debug, Default)]
pub(super) struct Classes {
    definitions: SmallVec<[Definition; 4]>,
    /// Of all definitions, once they are more than are searched.
    index: Option<Box<Index>>,
}

#[derive(Debug, Clone)]
struct Definition {
    origin: Option<Origin>,
    /// Where it stands in the stream.
    bytes: Range<usize>,
}

#[derive(Debug, Default)]
struct Index {
    origins: HashMap<Origin, usize, RandomState>,
    /// By the hash of the bytes. Of two that share a hash the later is kept; the other may be defined once more.
    contents: HashMap<u64, usize, RandomState>,
    hashes: RandomState,
}

impl Origin {
    /// That which lives long enough.
    pub(super) fn of<T>(one: &T) -> Self {
        Origin(std::ptr::from_ref(one).addr())
    }
}

impl Classes {
    /// The number of the class that came from there.
    #[inline]
    pub(super) fn from(&self, origin: Origin) -> Option<usize> {
        match &self.index {
            None => self.definitions.iter().rposition(|known| known.origin == Some(origin)),
            Some(index) => index.origins.get(&origin).copied(),
        }
    }

    /// The number of the class whose definition has just been written to the end of `out`, from `start` on. If the
    /// stream has that definition already, the new one is taken away again.
    pub(super) fn settle(&mut self, origin: Option<Origin>, out: &mut BytesMut, start: usize) -> usize {
        let written = out.get(start..).unwrap_or(&[]);
        let same = |known: &Definition| out.get(known.bytes.clone()) == Some(written);
        let hash = self.index.as_ref().map(|index| index.hashes.hash_one(written));
        let known = match (&self.index, hash) {
            (Some(index), Some(hash)) => {
                let known = index.contents.get(&hash).copied();
                known.filter(|number| self.definitions.get(*number).is_some_and(same))
            }
            _ => self.definitions.iter().rposition(same),
        };
        let number = match known {
            Some(number) => {
                out.truncate(start);
                number
            }
            None => {
                let bytes = start..out.len();
                self.definitions.push(Definition { origin, bytes });
                self.definitions.len() - 1
            }
        };
        match (&mut self.index, origin) {
            (Some(index), origin) => {
                index.contents.extend(hash.map(|hash| (hash, number)));
                index.origins.extend(origin.map(|origin| (origin, number)));
            }
            // The next one probably comes from where this one did.
            (None, Some(_)) => {
                if let Some(definition) = self.definitions.get_mut(number) {
                    definition.origin = origin;
                }
                self.index_if_many(out);
            }
            (None, None) => self.index_if_many(out),
        }
        number
    }

    fn index_if_many(&mut self, out: &[u8]) {
        if self.definitions.len() <= SEARCHED_MAX {
            return;
        }
        let mut index = Index::default();
        for (number, definition) in self.definitions.iter().enumerate() {
            let bytes = out.get(definition.bytes.clone()).unwrap_or(&[]);
            index.contents.insert(index.hashes.hash_one(bytes), number);
            index.origins.extend(definition.origin.map(|origin| (origin, number)));
        }
        self.index = Some(Box::new(index));
    }
}

// ---------------------------------------------------------------------------------------------------------------------

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(classes: &mut Classes, out: &mut BytesMut, origin: Option<Origin>, bytes: &[u8]) -> usize {
        let start = out.len();
        out.extend_from_slice(bytes);
        classes.settle(origin, out, start)
    }

    #[test]
    fn a_definition_keeps_its_number_however_many_follow() {
        let (mut classes, mut out) = (Classes::default(), BytesMut::new());
        let origins = [0u8; 100];
        for round in 0..3 {
            for (number, origin) in origins.iter().enumerate() {
                let bytes = format!("class {number}");
                // From somewhere, from nowhere, and from somewhere else.
                let origin = [Some(Origin::of(origin)), None, Some(Origin::of(&round))][round];
                assert_eq!(settle(&mut classes, &mut out, origin, bytes.as_bytes()), number);
            }
        }
        assert_eq!(out.len(), 10 * 7 + 90 * 8, "each is written once");
        assert_eq!(classes.from(Origin::of(&origins[3])), Some(3));
        assert_eq!(classes.from(Origin::of(&origins[73])), Some(73));
        assert_eq!(classes.from(Origin::of(&classes)), None);
    }
}
