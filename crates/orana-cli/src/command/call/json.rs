//! Values of Hessian as JSON, and JSON as values, the way a generic call takes and gives them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orana::Value;
use orana::hessian::Content;
use serde_json::{Map, Number, Value as Json};

use crate::command::stat::utc;

/// Larger results are not printed: a value can hold another many times, and that many times over. Each value counts for
/// [`EACH`] bytes and its text.
const MOST: usize = 64 << 20;

/// What a value takes as a part of a document, about.
const EACH: usize = 64;

/// A document as an argument: objects are maps, in which `class` names the Java class; whole numbers are `Integer` or `Long`.
pub(super) fn to_value(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => number_value(number)?,
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Array(items) => Value::list(items.iter().map(to_value).collect::<Result<Vec<_>, _>>()?),
        Json::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| Ok((Value::Text(key.as_str().into()), to_value(value)?)))
                .collect::<Result<Vec<_>, String>>()?;
            Value::map(entries)
        }
    })
}

fn number_value(number: &Number) -> Result<Value, String> {
    if let Some(whole) = number.as_i64() {
        return Ok(i32::try_from(whole).map_or(Value::Long(whole), Value::Int));
    }
    if number.is_u64() {
        return Err(format!(
            "{number} is no long; write it as text if the method takes a java.math.BigInteger"
        ));
    }
    number
        .as_f64()
        .map(Value::Double)
        .ok_or_else(|| format!("{number} is no double"))
}

/// A result as a document. Maps whose keys are not all text become lists of pairs, bytes become Base64, dates the text of their time,
/// a value within itself the text `(cycle)`.
pub(super) fn to_json(value: &Value) -> Result<Json, String> {
    let mut left = MOST;
    json(value, &mut left)
}

fn json(value: &Value, left: &mut usize) -> Result<Json, String> {
    let text = match value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::Node(node) => match node.content() {
            Some(Content::Object(object)) => object.class.fields.iter().map(|name| EACH + name.len()).sum(),
            Some(Content::Map(map)) => {
                let names = map.entries.iter().filter_map(|(key, _)| key.as_text());
                names.map(|name| EACH + name.len()).sum()
            }
            _ => 0,
        },
        _ => 0,
    };
    *left = left
        .checked_sub(EACH + text)
        .ok_or_else(|| format!("the result is too large to be printed: more than {} MiB", MOST >> 20))?;
    let mut many = |values: &[Value]| {
        values
            .iter()
            .map(|value| json(value, left))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Long(number) => Json::from(*number),
        Value::Double(number) => Number::from_f64(*number).map_or_else(|| Json::from(number.to_string()), Json::Number),
        Value::Date(millis) => Json::from(utc(*millis)),
        Value::Text(text) => Json::from(&**text),
        Value::Binary(bytes) => Json::from(STANDARD.encode(bytes)),
        Value::Back(_) => Json::from("(cycle)"),
        Value::Node(node) => match node.content() {
            Some(Content::List(list)) => Json::Array(many(&list.items)?),
            Some(Content::Map(map)) if map.entries.iter().all(|(key, _)| key.as_text().is_some()) => {
                let mut object = Map::new();
                for (key, value) in &map.entries {
                    object.insert(key.as_text().unwrap_or_default().to_owned(), json(value, left)?);
                }
                Json::Object(object)
            }
            Some(Content::Map(map)) => {
                let pairs = map.entries.iter().map(|(key, value)| {
                    let pair = vec![json(key, left)?, json(value, left)?];
                    Ok::<_, String>(Json::Array(pair))
                });
                Json::Array(pairs.collect::<Result<Vec<_>, _>>()?)
            }
            Some(Content::Object(object)) => {
                let mut fields = Map::new();
                fields.insert("class".to_owned(), Json::from(&*object.class.name));
                for (name, value) in object.class.fields.iter().zip(&object.values) {
                    fields.insert(name.to_string(), json(value, left)?);
                }
                Json::Object(fields)
            }
            None => Json::from("(cycle)"),
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_comes_back_as_it_went() {
        let document =
            json!({"class": "org.Order", "id": 7, "big": 5_000_000_000_i64, "price": 1.5, "tags": ["a", null, true]});
        let value = to_value(&document).unwrap();
        assert!(matches!(value.get("id"), Some(Value::Int(7))));
        assert!(matches!(value.get("big"), Some(Value::Long(5_000_000_000))));
        assert_eq!(to_json(&value).unwrap(), document);
    }

    #[test]
    fn a_number_beyond_long_is_refused() {
        assert!(to_value(&json!(u64::MAX)).unwrap_err().contains("BigInteger"));
    }

    #[test]
    fn what_json_has_no_form_for_is_still_readable() {
        let value = Value::map([(Value::Int(1), Value::from("one"))]);
        assert_eq!(to_json(&value).unwrap(), json!([[1, "one"]]));
        assert_eq!(to_json(&Value::Double(f64::NAN)).unwrap(), json!("NaN"));
        assert_eq!(to_json(&Value::Date(0)).unwrap(), json!("1970-01-01 00:00:00.000 UTC"));
        assert_eq!(to_json(&Value::Binary(vec![255].into())).unwrap(), json!("/w=="));
        let object = Value::object("org.Order", [("id", Value::Int(1))]);
        assert_eq!(to_json(&object).unwrap(), json!({"class": "org.Order", "id": 1}));
    }

    #[test]
    fn a_value_that_holds_itself_many_times_over_does_not_fill_the_memory() {
        let mut value = Value::list([Value::Null]);
        for _ in 0..40 {
            value = Value::list([value.clone(), value]);
        }
        assert!(to_json(&value).unwrap_err().contains("more than"));
    }
}
