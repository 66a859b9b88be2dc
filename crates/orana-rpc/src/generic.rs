//! Calls by those who have no types: `$invoke` carries the method's name, the names of its parameter types and the
//! arguments as plain values (or as texts of JSON).
//!
//! Both sides are here: what a caller without types sends, and how a service with types is called by one. Objects are maps
//! with their class under `class`, constants of enums are their names.

use std::sync::Arc;

use orana_core::{Encoded, Invocation, Method, Reply, ReplyShape, RpcError, RpcErrorCode, ServiceKey};
use orana_wire::hessian::{Decoder, Encoder, FromHessian, Value};

use crate::arguments::{ArgumentEncoder, encode_arguments};
use crate::json;
use crate::overload;
use crate::plain;
use crate::service::{MethodDefinition, ServiceDefinition};
use crate::values::{attachments_of, reply_of, value_of};

/// The parameters of `$invoke`.
pub(crate) const INVOKE: &str = "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;";

/// The parameter of `$echo`.
pub(crate) const ECHO: &str = "Ljava/lang/Object;";

/// How arguments and result of a generic call are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generic {
    /// Objects as maps.
    Maps,
    /// Arguments as maps, the result as it is.
    RawResult,
    /// Each a text of JSON.
    Json,
}

/// A call of `method` by somebody who knows the names of its parameter types, in Java's notation, and nothing more of
/// them. `arguments` are plain values; an object is a map that has its class under `class`.
///
/// The answer's value is of the same kind; read it by [`value_of`]`::<Value>`.
pub fn generic_invocation(
    service: &ServiceKey,
    method: &str,
    types: &[&str],
    arguments: &[Value],
) -> Result<Invocation, RpcError> {
    let encoded = encode_arguments(|push| {
        push.push(method)?;
        push.push(&Value::typed_list(
            "[string",
            types.iter().map(|name| Value::from(*name)),
        ))?;
        push.push(&Value::typed_list("[object", arguments.iter().cloned()))
    })?;
    let method = Method::new(service.clone(), "$invoke", INVOKE);
    let mut invocation = Invocation::new(Arc::new(method), encoded);
    invocation.attachments.set("generic", "true");
    Ok(invocation)
}

/// A call with values of any kind, of a method whose parameter types are known: `method` has their descriptor.
pub fn untyped_invocation(method: Arc<Method>, arguments: &[Value]) -> Result<Invocation, RpcError> {
    Ok(Invocation::new(method, untyped(arguments)?))
}

fn untyped(arguments: &[Value]) -> Result<Encoded, RpcError> {
    encode_arguments(|push: &mut ArgumentEncoder<'_, '_>| arguments.iter().try_for_each(|value| push.push(value)))
}

impl Generic {
    /// What the attachment `generic` asks for; Java takes none as `true`.
    pub(crate) fn of(said: Option<&str>) -> Result<Generic, String> {
        match said {
            None | Some("" | "true") => Ok(Generic::Maps),
            Some("raw.return") => Ok(Generic::RawResult),
            Some("gson") => Ok(Generic::Json),
            Some(other) => Err(format!(
                "generic calls of the kind `{other}` are not served here; use `true` or `gson`"
            )),
        }
    }
}

/// The method that a generic call is for, and its arguments as that method takes them. The error is for the caller.
pub(crate) fn unwrap(
    arguments: &Encoded,
    kind: Generic,
    definition: &ServiceDefinition,
) -> Result<(usize, Encoded), String> {
    let mut input = Decoder::new(arguments.bytes());
    let read = |error| format!("the arguments of a generic call cannot be read: {error}");
    let name = String::from_hessian(&mut input).map_err(read)?;
    let types = Option::<Vec<String>>::from_hessian(&mut input).map_err(read)?;
    let values = Option::<Vec<Value>>::from_hessian(&mut input)
        .map_err(read)?
        .unwrap_or_default();
    if let Some(types) = &types
        && types.len() != values.len()
    {
        return Err(format!(
            "{name} has {} parameter types and {} arguments",
            types.len(),
            values.len()
        ));
    }
    let values: Vec<Value> = match kind {
        Generic::Maps | Generic::RawResult => plain::realise(&values),
        Generic::Json => {
            // Which overload is meant must be known before the texts can be read.
            let (_, method) = find(definition, &name, types.as_deref(), values.len(), None)?;
            let declared = method.parameters.iter();
            let texts = values
                .iter()
                .zip(declared)
                .map(|(text, declared)| match text.as_text() {
                    Some(text) => json::to_value(text, declared),
                    None => Err(format!("an argument of {name} is no text of JSON")),
                });
            texts.collect::<Result<_, _>>()?
        }
    };
    let encoded = untyped(&values).map_err(|error| error.to_string())?;
    let (number, _) = find(definition, &name, types.as_deref(), values.len(), Some(&encoded))?;
    Ok((number, encoded))
}

fn find<'d>(
    definition: &'d ServiceDefinition,
    name: &str,
    types: Option<&[String]>,
    count: usize,
    arguments: Option<&Encoded>,
) -> Result<(usize, &'d MethodDefinition), String> {
    let unknown = || {
        let types = types.map_or_else(
            || format!("{count} arguments"),
            |types| format!("({})", types.join(", ")),
        );
        format!("Service not found: {}, no method {name} {types}", definition.interface)
    };
    let exact = types.and_then(|types| {
        let same = |method: &MethodDefinition| {
            *method.name == *name
                && method.parameters.len() == types.len()
                && method.parameters.iter().zip(types).all(|(known, said)| *known == *said)
        };
        definition.methods.iter().position(same)
    });
    let number = exact.or_else(|| {
        let mut alike = definition
            .methods
            .iter()
            .enumerate()
            .filter(|(_, method)| *method.name == *name && method.parameters.len() == count);
        match (alike.next(), alike.next(), arguments) {
            (Some((number, _)), None, _) => Some(number),
            (Some(_), Some(_), Some(arguments)) => overload::by_arguments(definition, name, arguments),
            _ => None,
        }
    });
    let number = number.ok_or_else(unknown)?;
    definition
        .methods
        .get(number)
        .map(|method| (number, method))
        .ok_or_else(unknown)
}

/// The result of a generic call, as its caller wants it. A text has at most `limit` bytes.
pub(crate) fn wrap(reply: Reply, kind: Generic, limit: usize) -> Result<Reply, RpcError> {
    if kind == Generic::RawResult || matches!(reply.shape(), ReplyShape::Null | ReplyShape::NullWithAttachments) {
        return Ok(reply);
    }
    let value: Value = value_of(&reply)?;
    let value = match kind {
        Generic::Json => {
            let text = json::of_value(&value, limit);
            Value::from(
                text.map_err(|error| RpcError::new(RpcErrorCode::Serialization, error.to_string()).because(error))?,
            )
        }
        _ => plain::generalise(&value),
    };
    let plain = reply_of(&value)?;
    let attachments = attachments_of(&reply);
    if attachments.is_empty() {
        return Ok(plain);
    }
    // What came with the result goes on with it.
    let bytes = crate::scratch::cut(|out| {
        out.extend_from_slice(plain.bytes());
        let mut out = Encoder::new(out);
        out.begin_map(None);
        for (name, text) in attachments.iter() {
            out.text(name);
            out.text(text);
        }
        out.end_map();
        Ok::<_, RpcError>(())
    })?;
    Ok(Reply::new(ReplyShape::ValueWithAttachments, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_arguments;

    fn shop() -> ServiceDefinition {
        let buy = |parameters: &[&'static str]| MethodDefinition::new("buy", parameters.iter().copied(), "void");
        let methods = vec![
            buy(&["java.lang.String", "int"]),
            buy(&["java.lang.String", "long"]),
            buy(&["org.example.Order"]),
        ];
        ServiceDefinition::new("org.example.Shop", methods)
    }

    fn arguments(method: &str, types: &[&str], values: &[Value]) -> Encoded {
        let invocation = generic_invocation(&ServiceKey::parse("org.example.Shop"), method, types, values).unwrap();
        invocation.arguments().clone()
    }

    #[test]
    fn a_generic_call_finds_the_overload_by_its_types() {
        let values = [Value::from("tea"), Value::Int(3)];
        let (method, encoded) = unwrap(
            &arguments("buy", &["java.lang.String", "long"], &values),
            Generic::Maps,
            &shop(),
        )
        .unwrap();
        assert_eq!(method, 1);
        let mut arguments = decode_arguments(&encoded, None);
        assert_eq!(arguments.next::<String>().unwrap(), "tea");
        assert_eq!(arguments.next::<i64>().unwrap(), 3);
    }

    #[test]
    fn a_generic_call_of_what_is_not_there_says_so() {
        let error = unwrap(&arguments("sell", &["int"], &[Value::Int(1)]), Generic::Maps, &shop()).unwrap_err();
        assert_eq!(error, "Service not found: org.example.Shop, no method sell (int)");
        let error = unwrap(&arguments("buy", &["int"], &[]), Generic::Maps, &shop()).unwrap_err();
        assert_eq!(error, "buy has 1 parameter types and 0 arguments");
        assert!(Generic::of(Some("nativejava")).unwrap_err().contains("`nativejava`"));
    }

    #[test]
    fn a_map_that_names_its_class_arrives_as_an_object_of_it_however_deep() {
        let order = |id: i32| Value::map([("class", "org.example.Order".into()), ("id", Value::Int(id))]);
        let values = [Value::list([order(1), Value::map([("next", order(2))])])];
        let (_, encoded) = unwrap(
            &arguments("buy", &["org.example.Order"], &values),
            Generic::Maps,
            &shop(),
        )
        .unwrap();
        let arrived: Value = decode_arguments(&encoded, None).next().unwrap();
        let object = |id: i32| Value::object("org.example.Order", [("id", Value::Int(id))]);
        assert_eq!(arrived, Value::list([object(1), Value::map([("next", object(2))])]));
    }

    #[test]
    fn what_is_shared_stays_shared_so_that_a_small_argument_cannot_become_a_huge_one() {
        let doubled = (0..100).fold(Value::list([]), |inner, _| Value::list([inner.clone(), inner]));
        let (_, encoded) = unwrap(
            &arguments("buy", &["org.example.Order"], std::slice::from_ref(&doubled)),
            Generic::Maps,
            &shop(),
        )
        .unwrap();
        assert!(encoded.bytes().len() < 1000);
        assert_eq!(decode_arguments(&encoded, None).next::<Value>().unwrap(), doubled);
        assert_eq!(plain::generalise(&doubled), doubled);
    }

    #[test]
    fn texts_of_json_become_what_the_parameters_are() {
        let values = [Value::from("\"tea\""), Value::from("3")];
        let types = ["java.lang.String", "long"];
        let (method, encoded) = unwrap(&arguments("buy", &types, &values), Generic::Json, &shop()).unwrap();
        assert_eq!(method, 1);
        let mut arguments = decode_arguments(&encoded, None);
        assert_eq!(arguments.next::<String>().unwrap(), "tea");
        assert!(matches!(arguments.next::<Value>().unwrap(), Value::Long(3)));
    }

    #[test]
    fn objects_become_maps_with_their_class_and_constants_their_names() {
        let order = Value::object(
            "org.example.Order",
            [
                ("item", Value::from("tea")),
                ("state", Value::enumerated("org.example.State", "SHIPPED")),
                (
                    "buyer",
                    Value::object("org.example.Buyer", [("name", Value::from("bob"))]),
                ),
            ],
        );
        let map = plain::generalise(&order);
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_text).unwrap().to_owned();
        assert_eq!(text(&map, "class"), "org.example.Order");
        assert_eq!(text(&map, "state"), "SHIPPED");
        assert_eq!(text(map.get("buyer").unwrap(), "name"), "bob");
        let json = wrap(reply_of(&order).unwrap(), Generic::Json, 1000).unwrap();
        let json: String = value_of(&json).unwrap();
        assert_eq!(json, r#"{"item":"tea","state":"SHIPPED","buyer":{"name":"bob"}}"#);
    }
}
