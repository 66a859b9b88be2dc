//! Values of Java as JSON and back, the way generic calls of the kind `gson` want it.

use std::sync::Arc;

use orana_wire::hessian::Value;
use serde_json::{Map, Number, Value as Json};

use crate::generic::constant;

/// The value that a text of JSON is for a parameter of that Java type.
pub(crate) fn to_value(text: &str, declared: &str) -> Result<Value, String> {
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

/// A value as a text of JSON: objects by their fields, constants by their names, dates in milliseconds since 1970. What
/// JSON has no word for, and what leads back into itself, is null.
pub(crate) fn of_value(value: &Value) -> String {
    json(value).to_string()
}

fn json(value: &Value) -> Json {
    match value {
        Value::Null | Value::Back(_) => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Long(number) | Value::Date(number) => Json::from(*number),
        Value::Double(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Text(text) => Json::from(&**text),
        Value::Binary(bytes) => bytes
            .iter()
            .map(|byte| Json::from(i8::from_ne_bytes([*byte])))
            .collect(),
        Value::Node(_) => match (value.as_list(), value.as_map(), value.as_object()) {
            (Some(list), ..) => list.items.iter().map(json).collect(),
            (_, Some(map), _) => {
                let name = |key: &Value| match key.as_text() {
                    Some(text) => text.to_owned(),
                    None => of_value(key),
                };
                let entries = map.entries.iter().map(|(key, value)| (name(key), json(value)));
                Json::Object(entries.collect::<Map<_, _>>())
            }
            (.., Some(object)) => match (constant(object), &object.values[..]) {
                (Some(name), _) => Json::from(&*name),
                // Numbers of Java that are objects hold their text.
                (None, [Value::Text(text)]) if object.class.name.starts_with("java.math.") => {
                    serde_json::from_str(text).unwrap_or_else(|_| Json::from(&**text))
                }
                (None, values) => {
                    let fields = object.class.fields.iter().zip(values);
                    Json::Object(fields.map(|(name, value)| (name.to_string(), json(value))).collect())
                }
            },
            _ => Json::Null,
        },
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
        assert_eq!(of_value(&to_value(text, "java.lang.Object").unwrap()), text);
    }
}
