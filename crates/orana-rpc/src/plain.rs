//! Objects of Java as plain values and back, the way callers without types put them: a map that has its class under `class`, the
//! name of a constant.
//!
//! Knows nothing of calls.

use std::collections::HashMap;
use std::sync::Arc;

use orana_wire::hessian::{Class, Content, List, Map, Node, Object, Value};

/// The name of a map's entry that is the class of what it stands for.
const CLASS: &str = "class";

/// The values with their maps that name a class as objects of it. They are data still: whoever takes the argument decides what it
/// can be.
pub(crate) fn realise(values: &[Value]) -> Vec<Value> {
    let mut made = HashMap::new();
    values.iter().map(|value| realise_once(value, &mut made)).collect()
}

/// `made` has the nodes by those that they stand for: what is shared is made once and stays shared, and cycles stay closed.
fn realise_once(value: &Value, made: &mut HashMap<usize, Node>) -> Value {
    let Some(node) = value.node() else {
        return value.clone();
    };
    if let Some(known) = made.get(&node.address()) {
        return match value {
            Value::Back(_) => known.back().into(),
            _ => known.clone().into(),
        };
    }
    let new = Node::unfilled();
    made.insert(node.address(), new.clone());
    let content = match node.content() {
        Some(Content::List(list)) => Content::List(List {
            kind: list.kind.clone(),
            items: list.items.iter().map(|item| realise_once(item, made)).collect(),
        }),
        Some(Content::Map(map)) => {
            let entries = map.entries.iter().map(|(key, value)| (key, realise_once(value, made)));
            match class_of(map) {
                Some(name) => {
                    let fields = entries.filter_map(|(key, value)| Some((Arc::from(key.as_text()?), value)));
                    let (fields, values) = fields.filter(|(name, _): &(Arc<str>, _)| **name != *CLASS).unzip();
                    let class = Arc::new(Class { name, fields });
                    Content::Object(Object { class, values })
                }
                None => Content::Map(Map {
                    kind: map.kind.clone(),
                    entries: entries.map(|(key, value)| (key.clone(), value)).collect(),
                }),
            }
        }
        Some(Content::Object(object)) => Content::Object(Object {
            class: Arc::clone(&object.class),
            values: object.values.iter().map(|value| realise_once(value, made)).collect(),
        }),
        None => return Value::Null,
    };
    new.fill(content);
    new.into()
}

/// What a map stands for; a map of Java that says so is one.
fn class_of(map: &Map) -> Option<Arc<str>> {
    let class = map.get(CLASS)?.as_text()?;
    Some(Arc::from(class)).filter(|_| !class.starts_with("java."))
}

/// How Java calls a list in the result of a generic call: arrays of what every Java has stay what they are, others are arrays of
/// anything; a list is one of any kind, and so is a set.
fn generalised_kind(kind: &Option<Arc<str>>) -> Option<Arc<str>> {
    let kind = kind.as_ref()?;
    if !kind.starts_with('[') {
        return kind.ends_with("Set").then(|| Arc::from("java.util.HashSet"));
    }
    let item = kind.trim_start_matches('[');
    match !item.contains('.') || item.starts_with("java.") {
        true => Some(Arc::clone(kind)),
        false => Some(Arc::from("[object")),
    }
}

/// The value with its objects as maps. What leads back into itself is cut there.
pub(crate) fn generalise(value: &Value) -> Value {
    generalise_once(value, &mut HashMap::new())
}

/// The same; what is shared is made once, and `made` has it.
fn generalise_once(value: &Value, made: &mut HashMap<usize, Value>) -> Value {
    let node = match value {
        Value::Node(node) => node,
        Value::Back(_) => return Value::Null,
        plain => return plain.clone(),
    };
    if let Some(known) = made.get(&node.address()) {
        return known.clone();
    }
    let new = match node.content() {
        Some(Content::List(list)) => Value::from(List {
            kind: generalised_kind(&list.kind),
            items: list.items.iter().map(|item| generalise_once(item, made)).collect(),
        }),
        Some(Content::Map(map)) => {
            let entries = map.entries.iter();
            let entries = entries.map(|(key, value)| (generalise_once(key, made), generalise_once(value, made)));
            Value::from(Map {
                kind: map.kind.clone(),
                entries: entries.collect(),
            })
        }
        // Numbers and times of Java stay what they are.
        Some(Content::Object(object)) if object.class.name.starts_with("java.") => value.clone(),
        Some(Content::Object(object)) => match constant(object) {
            Some(name) => Value::Text(name),
            None => {
                let class = (Value::from(CLASS), Value::Text(Arc::clone(&object.class.name)));
                let fields = object.class.fields.iter().zip(&object.values);
                let fields = fields.map(|(name, value)| (Value::Text(Arc::clone(name)), generalise_once(value, made)));
                Value::map(fields.chain([class]))
            }
        },
        None => Value::Null,
    };
    made.insert(node.address(), new.clone());
    new
}

/// The name of a constant of an enum. On the wire it is an object with one field `name`; so is any class with only such a
/// field, and what tells them apart is that constants are written in capitals.
pub(crate) fn constant(object: &Object) -> Option<Arc<str>> {
    let [field] = &object.class.fields[..] else {
        return None;
    };
    let Some(Value::Text(name)) = object.values.first() else {
        return None;
    };
    let capital = |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    let is =
        &**field == "name" && name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(capital);
    is.then(|| Arc::clone(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_what_every_java_has_stay_what_they_are() {
        for (kind, expected) in [
            ("[int", Some("[int")),
            ("[[int", Some("[[int")),
            ("[string", Some("[string")),
            ("[org.example.Order", Some("[object")),
            ("java.util.LinkedHashSet", Some("java.util.HashSet")),
            ("java.util.LinkedList", None),
        ] {
            let list = generalise(&Value::typed_list(kind, []));
            assert_eq!(list.as_list().unwrap().kind.as_deref(), expected, "{kind}");
        }
    }
}
