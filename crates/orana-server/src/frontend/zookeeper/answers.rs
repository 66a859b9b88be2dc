//! Encoded answers that many clients ask for: the children of a directory with many entries, large data. Each
//! is encoded once per version and shared by everybody who reads it.

use std::collections::HashMap;

use ahash::RandomState;
use bytes::Bytes;
use orana_state::query::Stamp;
use parking_lot::Mutex;

/// Bytes kept at most. Beyond it everything is forgotten: what is hot comes back at once.
const CAPACITY: usize = 32 << 20;

/// Which answer of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Shape {
    Children = 0,
    ChildrenWithStat = 1,
    Data = 2,
}

#[derive(Default)]
pub(super) struct Answers {
    table: Mutex<Table>,
}

/// A version and its encoding.
type Answer = (Stamp, Bytes);

#[derive(Default)]
struct Table {
    by_path: HashMap<Box<str>, [Option<Answer>; 3], RandomState>,
    bytes: usize,
}

impl Answers {
    /// The answer of this version, encoded now if nobody has asked for it yet.
    pub(super) fn get(&self, path: &str, shape: Shape, stamp: Stamp, encode: impl FnOnce() -> Bytes) -> Bytes {
        let slot = shape as usize;
        if let Some(answers) = self.table.lock().by_path.get(path)
            && let Some(Some((known, body))) = answers.get(slot)
            && *known == stamp
        {
            return body.clone();
        }
        let body = encode();
        let mut table = self.table.lock();
        if table.bytes + body.len() > CAPACITY {
            *table = Table::default();
        }
        let mut freed = 0;
        let answers = match table.by_path.get_mut(path) {
            Some(answers) => answers,
            None => table.by_path.entry(path.into()).or_default(),
        };
        if let Some(place) = answers.get_mut(slot) {
            freed = place
                .replace((stamp, body.clone()))
                .map_or(0, |(_, before)| before.len());
        }
        table.bytes = table.bytes + body.len() - freed;
        body
    }
}
