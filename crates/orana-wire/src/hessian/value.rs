//! A value of any kind, for those who do not know its type: generic calls, tools, attachments.
//!
//! Lists, maps and objects are *nodes* behind a counted pointer. Where the wire says "the value that came as number
//! n", the same node is held twice, so sharing survives; identity is the pointer's, as in Java. A reference to a
//! container that is still being read, which is what makes a cycle, is a [`Back`]: a weak pointer, so that cycles are
//! neither leaked nor endless for a reader who does not look for them. A `Back` lives as long as the value it was read
//! with. Every other pointer leads to a node that was complete before its holder, so pointers that count cannot form
//! a ring. (An arena would need no such distinction, but each value would have to be carried about with its arena.)

use std::sync::Arc;

use super::node::{Back, Node};

/// Any value. Strings and buffers are shared, so cloning is cheap.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Java's `null`.
    #[default]
    Null,
    /// `boolean`.
    Bool(bool),
    /// `byte`, `short` or `int`.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `float` or `double`.
    Double(f64),
    /// `java.util.Date`: milliseconds since 1970.
    Date(i64),
    /// `String`, `char` or `char[]`.
    Text(Arc<str>),
    /// `byte[]`.
    Binary(Arc<[u8]>),
    /// A list, a map or an object.
    Node(Node),
    /// A list, map or object that holds this value somewhere within.
    Back(Back),
}

/// A list, an array or a set.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// The Java type, for instance `java.util.HashSet` or `[int`; none for an `ArrayList`.
    pub kind: Option<Arc<str>>,
    /// In order.
    pub items: Vec<Value>,
}

/// A map; keys may be anything.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// The Java type, for instance `java.util.TreeMap`; none for a `HashMap`.
    pub kind: Option<Arc<str>>,
    /// In the order of the wire.
    pub entries: Vec<(Value, Value)>,
}

/// A class by its name and the names of its fields, as the sender has them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Class {
    /// For instance `org.example.Order$Item`.
    pub name: Arc<str>,
    /// In the order in which instances hold their values.
    pub fields: Vec<Arc<str>>,
}

/// An instance of a class.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is an instance of.
    pub class: Arc<Class>,
    /// One for each field of the class.
    pub values: Vec<Value>,
}

// ---------------------------------------------------------------------------------------------------------------------

impl Value {
    /// An untyped list.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Node::from(List {
            kind: None,
            items: items.into_iter().collect(),
        })
        .into()
    }

    /// A list of a Java type, for instance `java.util.LinkedList` or `[string`.
    pub fn typed_list(kind: impl Into<Arc<str>>, items: impl IntoIterator<Item = Value>) -> Value {
        Node::from(List {
            kind: Some(kind.into()),
            items: items.into_iter().collect(),
        })
        .into()
    }

    /// An untyped map.
    pub fn map<K: Into<Value>, V: Into<Value>>(entries: impl IntoIterator<Item = (K, V)>) -> Value {
        Node::from(Map {
            kind: None,
            entries: entries
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        })
        .into()
    }

    /// An instance of a class that is described here.
    pub fn object<'f>(class: impl Into<Arc<str>>, fields: impl IntoIterator<Item = (&'f str, Value)>) -> Value {
        let (fields, values) = fields.into_iter().map(|(field, value)| (field.into(), value)).unzip();
        let class = Arc::new(Class {
            name: class.into(),
            fields,
        });
        Node::from(Object { class, values }).into()
    }

    /// A constant of a Java enum, which is an object with its name in it.
    pub fn enumerated(class: impl Into<Arc<str>>, constant: impl Into<Arc<str>>) -> Value {
        Value::object(class, [("name", Value::Text(constant.into()))])
    }

    /// The node itself, also of a reference back; none if that is gone.
    pub fn node(&self) -> Option<Node> {
        match self {
            Value::Node(node) => Some(node.clone()),
            Value::Back(back) => back.node(),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::Node(node) => node.as_list(),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Node(node) => node.as_map(),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Node(node) => node.as_object(),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is an `int` or a `long`.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(i64::from(*number)),
            Value::Long(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of an object's field or of a map's entry with this text as key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.as_object() {
            Some(object) => object.get(name),
            None => self.as_map()?.get(name),
        }
    }
}

impl Class {
    /// Java's compact form of two classes says that they have no fields, and then writes one.
    pub(super) fn unannounced_field(class: &str) -> Option<&'static str> {
        match class {
            "java.time.LocalDate" => Some("epochDay"),
            "java.time.LocalTime" => Some("nanoOfDay"),
            _ => None,
        }
    }
}

impl Map {
    /// The value of the last entry with this text as key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let entry = self.entries.iter().rfind(|(known, _)| known.as_text() == Some(key));
        entry.map(|(_, value)| value)
    }
}

impl Object {
    /// A field's value.
    pub fn get(&self, field: &str) -> Option<&Value> {
        let at = self.class.fields.iter().position(|known| **known == *field)?;
        self.values.get(at)
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Conversions that cannot be mistaken for another.
macro_rules! from {
    ($($source:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$source> for Value {
            fn from($value: $source) -> Self {
                $made
            }
        })*
    };
}

from! {
    bool => |value| Value::Bool(value);
    i8 => |value| Value::Int(value.into());
    i16 => |value| Value::Int(value.into());
    i32 => |value| Value::Int(value);
    i64 => |value| Value::Long(value);
    f64 => |value| Value::Double(value);
    &str => |value| Value::Text(value.into());
    String => |value| Value::Text(value.into());
    Arc<str> => |value| Value::Text(value);
    &[u8] => |value| Value::Binary(value.into());
    Vec<u8> => |value| Value::Binary(value.into());
    Node => |value| Value::Node(value);
    Back => |value| Value::Back(value);
    List => |value| Value::Node(value.into());
    Map => |value| Value::Node(value.into());
    Object => |value| Value::Node(value.into());
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}
