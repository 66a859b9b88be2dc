//! How results of several groups become one: by the kind of value, or by a function of the program (`MergerFactory`).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use indexmap::IndexMap;
use orana_cluster::cluster::{Merge, Mergers};
use orana_core::{Invocation, Reply, RpcError, RpcErrorCode};
use orana_rpc::{reply_of, value_of};
use orana_wire::hessian::Value;

type Function = Arc<dyn Fn(Vec<Value>) -> Result<Value, RpcError> + Send + Sync>;

/// Names of Dubbo's own mergers; each joins values of its kind, and here the values themselves say which that is.
const KINDS: [&str; 12] = [
    "array", "boolean", "byte", "char", "double", "float", "int", "list", "long", "map", "set", "short",
];

/// Those of Dubbo and the program's own.
#[derive(Clone, Default)]
pub(crate) struct ValueMergers {
    own: BTreeMap<String, Function>,
}

/// One of them.
enum Merger {
    ByKind,
    Own(Function),
}

impl ValueMergers {
    /// One more.
    pub(crate) fn with<F>(mut self, name: &str, merge: F) -> ValueMergers
    where
        F: Fn(Vec<Value>) -> Result<Value, RpcError> + Send + Sync + 'static,
    {
        self.own.insert(name.to_owned(), Arc::new(merge));
        self
    }
}

impl Mergers for ValueMergers {
    fn named(&self, name: Option<&str>) -> Option<Arc<dyn Merge>> {
        match name {
            None => Some(Arc::new(Merger::ByKind)),
            Some(name) => match self.own.get(name) {
                Some(own) => Some(Arc::new(Merger::Own(Arc::clone(own)))),
                // `.name` is a method of what is returned; a value of the wire has none.
                None => KINDS.contains(&name).then(|| Arc::new(Merger::ByKind) as _),
            },
        }
    }

    fn names(&self) -> Vec<String> {
        let own = self.own.keys().cloned();
        own.chain(KINDS.map(str::to_owned)).collect()
    }
}

impl Merge for Merger {
    fn merge(&self, invocation: &Invocation, replies: Vec<Reply>) -> Result<Reply, RpcError> {
        let values = replies.iter().map(value_of::<Value>).collect::<Result<Vec<_>, _>>();
        let values = values.map_err(|error| error.calling(invocation))?;
        let merged = match self {
            Merger::Own(merge) => merge(values).map_err(|error| error.calling(invocation))?,
            Merger::ByKind => by_kind(&values).ok_or_else(|| {
                let message = "the results of several groups are no lists, sets, arrays or maps of one kind and cannot be joined; \
                               name a merger of the program";
                RpcError::new(RpcErrorCode::Unknown, message).calling(invocation)
            })?,
        };
        reply_of(&merged)
    }
}

/// All entries of all of them, in order; of equal ones in a set the first stays, of equal keys in a map the place of the first and the value of the
/// last. `None` if they are not of one kind.
fn by_kind(values: &[Value]) -> Option<Value> {
    let first = values.first()?;
    if let Some(bytes) = values.iter().map(binary).collect::<Option<Vec<_>>>() {
        return Some(Value::Binary(bytes.concat().into()));
    }
    if let Some(lists) = values.iter().map(Value::as_list).collect::<Option<Vec<_>>>() {
        let kind = first.as_list()?.kind.clone();
        let is_set = kind.as_deref().is_some_and(|kind| kind.ends_with("Set"));
        let mut seen = HashSet::new();
        let all = lists.iter().flat_map(|list| &list.items);
        let items: Vec<Value> = all
            .filter(|item| !is_set || seen.insert(written(item)))
            .cloned()
            .collect();
        return Some(match kind {
            Some(kind) => Value::typed_list(kind, items),
            None => Value::list(items),
        });
    }
    let maps = values.iter().map(Value::as_map).collect::<Option<Vec<_>>>()?;
    let mut entries: IndexMap<Bytes, (Value, Value)> = IndexMap::new();
    for (key, value) in maps.iter().flat_map(|map| &map.entries) {
        let entry = entries
            .entry(written(key))
            .or_insert_with(|| (key.clone(), Value::Null));
        entry.1 = value.clone();
    }
    Some(Value::map(entries.into_values()))
}

fn binary(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Binary(bytes) => Some(bytes),
        _ => None,
    }
}

/// A value by its bytes, which are equal for equal values.
fn written(value: &Value) -> Bytes {
    // What was read can be written.
    reply_of(value).map(|reply| reply.bytes().clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_follow_each_other_sets_keep_each_once_and_later_maps_win() {
        let list = |items: &[i32]| Value::list(items.iter().map(|item| Value::Int(*item)));
        assert_eq!(by_kind(&[list(&[1, 2]), list(&[2])]), Some(list(&[1, 2, 2])));
        let set = |items: &[i32]| Value::typed_list("java.util.HashSet", items.iter().map(|item| Value::Int(*item)));
        assert_eq!(by_kind(&[set(&[1, 2]), set(&[2, 3])]), Some(set(&[1, 2, 3])));
        let map = |entries: &[(&str, i32)]| Value::map(entries.iter().map(|(key, value)| (*key, Value::Int(*value))));
        assert_eq!(
            by_kind(&[map(&[("a", 1), ("b", 2)]), map(&[("b", 3)])]),
            Some(map(&[("a", 1), ("b", 3)]))
        );
        let bytes = |bytes: &[u8]| Value::Binary(bytes.into());
        assert_eq!(by_kind(&[bytes(b"ab"), bytes(b"c")]), Some(bytes(b"abc")));
        assert_eq!(by_kind(&[list(&[1]), map(&[("a", 1)])]), None);
        assert_eq!(by_kind(&[Value::Int(1), Value::Int(2)]), None);
    }
}
