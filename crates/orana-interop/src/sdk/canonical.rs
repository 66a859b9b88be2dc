//! The canonical text of a value, by which peers of all languages tell each other what arrived. The grammar is that of
//! `Corpus.java`; of `java.time` only what the corpus describes is told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use orana::Value;
use orana::hessian::java::{Array, BigDecimal, BigInteger, Date, JavaType, LocalDate};
use orana::hessian::{Class, FromHessian, List, Map, Node, Object, from_value};

use super::beans::{Base, Colour, Item, Special};

/// What is longer, in UTF-16 units or bytes, is told by its length and a check sum.
const SHORT: usize = 64;

/// A value that can be told.
pub trait Canonical {
    /// Appends its text.
    fn tell(&self, text: &mut Text);
}

/// A text that grows, and the objects in it.
#[derive(Debug, Default)]
pub struct Text {
    text: String,
    met: Vec<(Node, usize)>,
    objects: usize,
}

/// The text of one value.
pub fn of<T: Canonical + ?Sized>(value: &T) -> String {
    let mut text = Text::default();
    value.tell(&mut text);
    text.text
}

/// The texts of several values, parted by one space.
pub fn all(values: &[&dyn Canonical]) -> String {
    let texts: Vec<String> = values.iter().map(|value| of(*value)).collect();
    texts.join(" ")
}

impl Text {
    /// Appends what is canonical already.
    pub fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends an object: its fields, in any order.
    pub fn object(&mut self, class: &str, fields: &mut [(&str, &dyn Canonical)]) {
        self.objects += 1;
        fields.sort_by_key(|(name, _)| *name);
        self.put(class);
        self.series("{", "}", fields.iter(), |text, (name, value)| {
            text.put(name);
            text.put("=");
            value.tell(text);
        });
    }

    fn series<T>(
        &mut self,
        start: &str,
        end: &str,
        items: impl Iterator<Item = T>,
        mut tell: impl FnMut(&mut Text, T),
    ) {
        self.put(start);
        for (number, item) in items.enumerate() {
            if number > 0 {
                self.put(", ");
            }
            tell(self, item);
        }
        self.put(end);
    }

    fn list<T: Canonical>(&mut self, items: &[T]) {
        self.series("[", "]", items.iter(), |text, item| item.tell(text));
    }

    fn set<'a, T: Canonical + 'a>(&mut self, items: impl Iterator<Item = &'a T>) {
        let mut texts: Vec<String> = items.map(|item| of(item)).collect();
        texts.sort();
        self.series("set{", "}", texts.iter(), |text, item| text.put(item));
    }

    fn map<'a, K: Canonical + 'a, V: Canonical + 'a>(&mut self, entries: impl Iterator<Item = (&'a K, &'a V)>) {
        let mut sorted: Vec<(String, &V)> = entries.map(|(key, value)| (of(key), value)).collect();
        sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.series("map{", "}", sorted.iter(), |text, (key, value)| {
            text.put(key);
            text.put("=");
            value.tell(text);
        });
    }
}

fn check_sum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

// ---------------------------------------------------------------------------------------------------------------------

macro_rules! plain {
    ($($kind:ty => $format:literal;)*) => {
        $(impl Canonical for $kind {
            fn tell(&self, text: &mut Text) {
                let _ = write!(text.text, $format, self);
            }
        })*
    };
}

plain! {
    bool => "{}";
    i8 => "{}";
    i16 => "{}";
    i32 => "{}";
    i64 => "{}L";
    BigDecimal => "decimal:{}";
    BigInteger => "integer:{}";
}

impl Canonical for f32 {
    fn tell(&self, text: &mut Text) {
        let bits = if self.is_nan() { 0x7fc0_0000 } else { self.to_bits() };
        let _ = write!(text.text, "f{bits:08x}");
    }
}

impl Canonical for f64 {
    fn tell(&self, text: &mut Text) {
        let bits = if self.is_nan() { 0x7ff8 << 48 } else { self.to_bits() };
        let _ = write!(text.text, "d{bits:016x}");
    }
}

impl Canonical for char {
    fn tell(&self, text: &mut Text) {
        let _ = write!(text.text, "c{:04x}", u32::from(*self));
    }
}

impl Canonical for str {
    fn tell(&self, text: &mut Text) {
        let units: Vec<u16> = self.encode_utf16().collect();
        if units.len() > SHORT {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            let _ = write!(text.text, "text[{}]{}", units.len(), check_sum(&bytes));
            return;
        }
        text.put("\"");
        for unit in units {
            match char::from_u32(u32::from(unit)).filter(|unit| (' '..='~').contains(unit)) {
                Some(plain) if plain != '"' && plain != '\\' => text.text.push(plain),
                _ => {
                    let _ = write!(text.text, "\\u{unit:04x}");
                }
            }
        }
        text.put("\"");
    }
}

impl Canonical for String {
    fn tell(&self, text: &mut Text) {
        self.as_str().tell(text);
    }
}

impl Canonical for [u8] {
    fn tell(&self, text: &mut Text) {
        let _ = write!(text.text, "bytes[{}]", self.len());
        if self.len() > SHORT {
            return text.put(&check_sum(self));
        }
        for byte in self {
            let _ = write!(text.text, "{byte:02x}");
        }
    }
}

impl Canonical for Vec<u8> {
    fn tell(&self, text: &mut Text) {
        self.as_slice().tell(text);
    }
}

impl Canonical for Date {
    fn tell(&self, text: &mut Text) {
        let _ = write!(text.text, "date:{}", self.0);
    }
}

impl Canonical for LocalDate {
    fn tell(&self, text: &mut Text) {
        let sign = if self.year < 0 { "-" } else { "" };
        let year = self.year.unsigned_abs();
        let _ = write!(text.text, "LocalDate:{sign}{year:04}-{:02}-{:02}", self.month, self.day);
    }
}

impl<T: Canonical> Canonical for Option<T> {
    fn tell(&self, text: &mut Text) {
        match self {
            Some(value) => value.tell(text),
            None => text.put("null"),
        }
    }
}

impl<T: Canonical + ?Sized> Canonical for &T {
    fn tell(&self, text: &mut Text) {
        (**self).tell(text);
    }
}

impl<T: Canonical> Canonical for Box<T> {
    fn tell(&self, text: &mut Text) {
        (**self).tell(text);
    }
}

impl<T: Canonical> Canonical for Vec<T> {
    fn tell(&self, text: &mut Text) {
        text.list(self);
    }
}

impl<T: Canonical + JavaType> Canonical for Array<T> {
    fn tell(&self, text: &mut Text) {
        let item = T::java_type();
        text.put(item.rsplit('.').next().unwrap_or(&item));
        text.list(self);
    }
}

impl<T: Canonical> Canonical for BTreeSet<T> {
    fn tell(&self, text: &mut Text) {
        text.set(self.iter());
    }
}

impl<K: Canonical, V: Canonical> Canonical for BTreeMap<K, V> {
    fn tell(&self, text: &mut Text) {
        text.map(self.iter());
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl Canonical for Value {
    fn tell(&self, text: &mut Text) {
        match self {
            Value::Null => text.put("null"),
            Value::Bool(value) => value.tell(text),
            Value::Int(value) => value.tell(text),
            Value::Long(value) => value.tell(text),
            Value::Double(value) => value.tell(text),
            Value::Date(value) => Date(*value).tell(text),
            Value::Text(value) => value.tell(text),
            Value::Binary(value) => value.tell(text),
            Value::Node(_) | Value::Back(_) => match self.node() {
                Some(node) => node.tell(text),
                None => text.put("(gone)"),
            },
        }
    }
}

impl Canonical for Node {
    fn tell(&self, text: &mut Text) {
        if let Some(list) = self.as_list() {
            return list.tell(text);
        }
        if let Some(Map { entries, .. }) = self.as_map() {
            return text.map(entries.iter().map(|(key, value)| (key, value)));
        }
        let Some(object) = self.as_object() else {
            return text.put("(unfilled)");
        };
        let met = text.met.iter().find(|(known, _)| known.is(self));
        if let Some((_, number)) = met {
            let number = *number;
            let _ = write!(text.text, "#{number}");
            return;
        }
        let value = Value::from(self.clone());
        match &*object.class.name {
            "java.math.BigDecimal" => tell_as::<BigDecimal>(&value, text),
            "java.math.BigInteger" => tell_as::<BigInteger>(&value, text),
            "org.example.peer.Colour" => tell_as::<Colour>(&value, text),
            name if name.ends_with(".LocalDateHandle") => tell_as::<LocalDate>(&value, text),
            name => {
                text.met.push((self.clone(), text.objects));
                match name {
                    "org.example.peer.Item" => tell_as::<Item>(&value, text),
                    "org.example.peer.Special" => tell_as::<Special>(&value, text),
                    "org.example.peer.Base" => tell_as::<Base>(&value, text),
                    _ => object.tell(text),
                }
            }
        }
    }
}

impl Canonical for List {
    fn tell(&self, text: &mut Text) {
        match self.kind.as_deref() {
            Some(kind) if kind.starts_with('[') => {
                let element = kind.split_at(1).1;
                let dimensions = element.chars().take_while(|letter| *letter == '[').count();
                let simple = match element.trim_start_matches('[') {
                    "string" => "String",
                    "object" => "Object",
                    name => name.rsplit('.').next().unwrap_or(name),
                };
                text.put(simple);
                text.put(&"[]".repeat(dimensions));
                text.list(&self.items);
            }
            Some(kind) if kind.ends_with("Set") => text.set(self.items.iter()),
            _ => text.list(&self.items),
        }
    }
}

impl Canonical for Object {
    fn tell(&self, text: &mut Text) {
        let Class { name, fields } = &*self.class;
        let simple = name.rsplit('.').next().unwrap_or(name);
        let fields = fields.iter().zip(&self.values);
        let mut fields: Vec<(&str, &dyn Canonical)> =
            fields.map(|(name, value)| (&**name, value as &dyn Canonical)).collect();
        text.object(simple, &mut fields);
    }
}

/// Tells what a program that knows the class sees of the value.
fn tell_as<T: FromHessian + Canonical>(value: &Value, text: &mut Text) {
    match from_value::<T>(value) {
        Ok(known) => known.tell(text),
        Err(error) => text.put(&format!("(unreadable: {error})")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn values_are_told_as_the_contract_says() {
        assert_eq!(of("a\"\u{e9}"), "\"a\\u0022\\u00e9\"");
        assert_eq!(of(&"x".repeat(32769)), "text[32769]c1c5cb89");
        assert_eq!(
            all(&[&1, &2i64, &1.5f64, &'A', &1f32]),
            "1 2L d3ff8000000000000 c0041 f3f800000"
        );
        let matrix = Value::typed_list("[[int", [Value::typed_list("[int", [Value::Int(1)])]);
        assert_eq!(of(&matrix), "int[][int[1]]");
        assert_eq!(
            of(&Value::typed_list("java.util.HashSet", [Value::Int(2), Value::Int(1)])),
            "set{1, 2}"
        );
        assert_eq!(
            of(&samples::own_neighbour()),
            "Node{name=\"self\", next=#0, others=[#0], self=#0}"
        );
    }
}
