//! Values of Java as JSON and back, the way generic calls of the kind `gson` want it.

use std::io::{self, Write};
use std::sync::Arc;

use orana_wire::hessian::{Object, Value};
use serde_json::{Number, Value as Json};

use crate::plain::constant;

/// The value that a text of JSON is for a parameter or result of that Java type.
///
/// # Errors
/// It is no JSON: what is wrong and where.
pub fn to_value(text: &str, declared: &str) -> Result<Value, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("an argument is no JSON: {error}"))?;
    Ok(value(&json, declared))
}

fn value(json: &Json, declared: &str) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => numeric(number, declared),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) if declared == "byte[]" => {
            // Java's bytes have a sign.
            let byte = |item: &Json| item.as_i64().map(|byte| byte.to_le_bytes()[0]);
            Value::Binary(items.iter().filter_map(byte).collect::<Arc<[u8]>>())
        }
        Json::Array(items) => {
            let element = declared.strip_suffix("[]").unwrap_or("java.lang.Object");
            Value::list(items.iter().map(|item| value(item, element)))
        }
        Json::Object(fields) => Value::map(
            fields
                .iter()
                .map(|(name, field)| (name.as_str(), value(field, "java.lang.Object"))),
        ),
    }
}

fn numeric(number: &Number, declared: &str) -> Value {
    let double = || Value::Double(number.as_f64().unwrap_or(f64::NAN));
    match (declared, number.as_i64()) {
        ("double" | "float" | "java.lang.Double" | "java.lang.Float", _) | (_, None) => double(),
        ("long" | "java.lang.Long", Some(whole)) => Value::Long(whole),
        (_, Some(whole)) => i32::try_from(whole).map_or(Value::Long(whole), Value::Int),
    }
}

/// A value as a text of JSON for a person: objects by their fields, constants by their names. None if it has more than `limit` bytes so.
pub fn to_text(value: &Value, limit: usize) -> Option<String> {
    of_value(value, limit).ok()
}

/// A result that is longer as JSON than an answer may be. What a value holds many times is written many times, so a small value
/// can be a long text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result has more than {0} bytes as JSON, where what it holds more than once is written as often")]
pub(crate) struct TooLong(usize);

/// A value as a text of JSON of at most `limit` bytes: objects by their fields, constants by their names, dates in milliseconds
/// since 1970. What JSON has no word for, and what leads back into itself, is null.
pub(crate) fn of_value(value: &Value, limit: usize) -> Result<String, TooLong> {
    let mut text = Text {
        written: Vec::new(),
        room: limit,
    };
    text.value(value).map_err(|_| TooLong(limit))?;
    String::from_utf8(text.written).map_err(|_| TooLong(limit))
}

/// JSON while it is written.
struct Text {
    written: Vec<u8>,
    /// How many bytes more there may be.
    room: usize,
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Text {
    fn value(&mut self, value: &Value) -> io::Result<()> {
        match value {
            Value::Null | Value::Back(_) => self.write_all(b"null"),
            Value::Bool(flag) => write!(self, "{flag}"),
            Value::Int(number) => write!(self, "{number}"),
            Value::Long(number) | Value::Date(number) => write!(self, "{number}"),
            Value::Double(number) => match Number::from_f64(*number) {
                Some(number) => write!(self, "{number}"),
                None => self.write_all(b"null"),
            },
            Value::Text(text) => self.text(text),
            Value::Binary(bytes) => self.items(bytes.iter(), |out, byte| write!(out, "{}", i8::from_ne_bytes([*byte]))),
            Value::Node(_) => match (value.as_list(), value.as_map(), value.as_object()) {
                (Some(list), ..) => self.items(list.items.iter(), Text::value),
                (_, Some(map), _) => self.fields(map.entries.iter().map(|(key, value)| (key, value)), Text::name),
                (.., Some(object)) => self.object(object),
                _ => self.write_all(b"null"),
            },
        }
    }

    fn object(&mut self, object: &Object) -> io::Result<()> {
        match (constant(object), &object.values[..]) {
            (Some(name), _) => self.text(&name),
            // Numbers of Java that are objects hold their text, with as many digits as they have.
            (None, [Value::Text(text)]) if object.class.name.starts_with("java.math.") => {
                match serde_json::from_str::<Number>(text) {
                    Ok(_) => self.write_all(text.trim().as_bytes()),
                    Err(_) => self.text(text),
                }
            }
            (None, values) => self.fields(object.class.fields.iter().zip(values), |out, name| out.text(name)),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        Ok(serde_json::to_writer(self, text)?)
    }

    /// The name of an entry: a key that is no text is the text of its JSON.
    fn name(&mut self, key: &Value) -> io::Result<()> {
        match key.as_text() {
            Some(text) => self.text(text),
            None => {
                let text = of_value(key, self.room).map_err(io::Error::other)?;
                self.text(&text)
            }
        }
    }

    fn items<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        put: impl Fn(&mut Text, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_all(b"[")?;
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.write_all(b",")?;
            }
            put(self, item)?;
        }
        self.write_all(b"]")
    }

    fn fields<'v, N>(
        &mut self,
        fields: impl Iterator<Item = (N, &'v Value)>,
        name: impl Fn(&mut Text, N) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_all(b"{")?;
        for (index, (key, value)) in fields.enumerate() {
            if index > 0 {
                self.write_all(b",")?;
            }
            name(self, key)?;
            self.write_all(b":")?;
            self.value(value)?;
        }
        self.write_all(b"}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_what_the_parameter_is() {
        assert!(matches!(to_value("1", "long").unwrap(), Value::Long(1)));
        assert!(matches!(to_value("1", "int").unwrap(), Value::Int(1)));
        assert!(matches!(to_value("1", "double").unwrap(), Value::Double(1.0)));
        assert!(matches!(
            to_value("3000000000", "java.lang.Object").unwrap(),
            Value::Long(3_000_000_000)
        ));
        assert!(matches!(to_value("[1,-1]", "byte[]").unwrap(), Value::Binary(bytes) if *bytes == [1, 255]));
        assert!(to_value("{", "int").unwrap_err().starts_with("an argument is no JSON"));
    }

    #[test]
    fn whatever_came_as_json_leaves_as_the_same_json() {
        let text = r#"{"a":[1,2.5,"x",null,true],"b":{"c":"d"}}"#;
        let value = to_value(text, "java.lang.Object").unwrap();
        assert_eq!(of_value(&value, text.len()).unwrap(), text);
        assert_eq!(of_value(&value, text.len() - 1), Err(TooLong(text.len() - 1)));
    }

    #[test]
    fn a_value_that_holds_the_same_thing_very_often_is_refused_before_it_is_long() {
        // 2^100 leaves.
        let dense = (0..100).fold(Value::list([Value::Int(1)]), |inner, _| {
            Value::list([inner.clone(), inner])
        });
        assert_eq!(of_value(&dense, 1 << 20), Err(TooLong(1 << 20)));
        // A key within a key within a key takes of the same room.
        let keys = (0..100).fold(Value::Int(1), |inner, _| Value::map([(inner.clone(), inner)]));
        assert_eq!(of_value(&keys, 1 << 20), Err(TooLong(1 << 20)));
        let message = TooLong(9).to_string();
        assert!(
            message.starts_with("the result has more than 9 bytes as JSON"),
            "{message}"
        );
    }

    #[test]
    fn what_json_has_no_word_for_is_written_as_near_as_can_be() {
        let object = Value::object(
            "org.example.Order",
            [
                (
                    "price",
                    Value::object("java.math.BigDecimal", [("value", "12345678901234567890.10".into())]),
                ),
                ("odd", Value::object("java.math.BigDecimal", [("value", "much".into())])),
                ("bytes", Value::Binary(Arc::from([1, 255]))),
                ("nan", Value::Double(f64::NAN)),
                ("whole", Value::Double(2.0)),
                ("map", Value::map([(Value::Int(1), Value::from("\"x\n"))])),
                ("by", Value::map([(Value::list([Value::from("k")]), Value::Null)])),
            ],
        );
        let expected = r#"{"price":12345678901234567890.10,"odd":"much","bytes":[1,-1],"nan":null,"whole":2.0,"map":{"1":"\"x\n"},"by":{"[\"k\"]":null}}"#;
        assert_eq!(of_value(&object, 1000).unwrap(), expected);
    }
}
