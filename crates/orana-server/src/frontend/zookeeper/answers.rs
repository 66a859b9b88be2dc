//! Encoded answers that many clients ask for: the children of a directory with many entries, large data. Each
//! is encoded once per version and shared by everybody who reads it.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use bytes::{Bytes, BytesMut};
use orana_state::query::Stamp;
use parking_lot::Mutex;

use super::unread::{Shared, Unread};

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

pub(super) struct Answers {
    table: Mutex<Table>,
    /// Counts what is not kept here any more and not yet read.
    unread: Arc<Unread>,
}

/// A version and its encoding.
struct Answer {
    stamp: Stamp,
    shared: Arc<Shared>,
    body: Bytes,
}

#[derive(Default)]
struct Table {
    by_path: HashMap<Box<str>, [Option<Answer>; 3], RandomState>,
    bytes: usize,
}

impl Answers {
    pub(super) fn new(unread: Arc<Unread>) -> Answers {
        let table = Mutex::default();
        Answers { table, unread }
    }

    /// The answer of this version, encoded now if nobody has asked for it yet.
    pub(super) fn get(&self, path: &str, shape: Shape, stamp: Stamp, encode: impl FnOnce(&mut BytesMut)) -> Bytes {
        let slot = shape as usize;
        if let Some(answers) = self.table.lock().by_path.get(path)
            && let Some(Some(known)) = answers.get(slot)
            && known.stamp == stamp
        {
            return known.body.clone();
        }
        let mut bytes = BytesMut::new();
        encode(&mut bytes);
        let shared = Shared::new(bytes, self.unread.clone());
        let body = shared.lend();
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
            let fresh = Answer {
                stamp,
                shared,
                body: body.clone(),
            };
            freed = place.replace(fresh).map_or(0, |before| before.body.len());
        }
        table.bytes = table.bytes + body.len() - freed;
        body
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.shared.retire();
    }
}
