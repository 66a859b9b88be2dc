//! What filters may ask about the call that is being served, and put beside its answer: the surroundings that `orana-rpc` keeps.

use std::net::SocketAddr;
use std::sync::Arc;

use orana_cluster::filter::CallContext;
use orana_core::Encoded;
use orana_rpc::{Context, decode_arguments, json_text};
use orana_wire::hessian::Value;

/// So many bytes of arguments are worth a line of an access log.
const ARGUMENTS: usize = 8 * 1024;

/// The call that the current task serves.
pub(super) struct Serving;

impl CallContext for Serving {
    fn caller(&self) -> Option<SocketAddr> {
        Context::current()?.caller()
    }

    fn answer_with(&self, name: &'static str, text: Arc<str>) {
        if let Some(context) = Context::current() {
            context.answer_with(name, text);
        }
    }

    fn put_arguments(&self, arguments: &Encoded, out: &mut String) {
        put_json(arguments, ARGUMENTS, out);
    }
}

/// Appends the arguments as a list of JSON: of those that have room in `limit` bytes each its value, of the others a word on why not.
fn put_json(arguments: &Encoded, limit: usize, out: &mut String) {
    let mut values = decode_arguments(arguments, None);
    let mut room = limit;
    out.push('[');
    for index in 0..arguments.count() {
        if index > 0 {
            out.push(',');
        }
        let Ok(value) = values.next::<Value>() else {
            out.push_str("\"unreadable\"");
            break;
        };
        match json_text(&value, room) {
            Some(text) => {
                room = room.saturating_sub(text.len());
                out.push_str(&text);
            }
            None => {
                out.push_str("\"too long\"");
                break;
            }
        }
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use orana_core::{Invocation, Method, ServiceKey};
    use orana_rpc::encode_arguments;

    use super::*;

    fn arguments() -> Encoded {
        encode_arguments(|out| {
            out.push("a \"b\"")?;
            out.push(&7)?;
            let order = Value::object(
                "org.Order",
                [("id", Value::Long(3)), ("names", Value::list([Value::from("x")]))],
            );
            out.push(&order)?;
            out.push(&Value::Null)
        })
        .unwrap()
    }

    #[test]
    fn arguments_are_a_list_of_json_that_is_bounded() {
        let text = |limit| {
            let mut text = String::new();
            put_json(&arguments(), limit, &mut text);
            text
        };
        assert_eq!(text(1000), r#"["a \"b\"",7,{"id":3,"names":["x"]},null]"#);
        assert_eq!(text(12), r#"["a \"b\"",7,"too long"]"#);
    }

    #[tokio::test]
    async fn within_a_call_its_caller_is_known_and_what_is_put_beside_its_answer_is_there() {
        assert_eq!(Serving.caller(), None);
        Serving.answer_with("load", "1".into());
        let method = Method::new(ServiceKey::parse("demo.Hi"), "say", "");
        let caller: SocketAddr = "10.0.0.7:4711".parse().unwrap();
        let context = Context::new(Invocation::new(Arc::new(method), Encoded::none()), Some(caller));
        let asked = async {
            Serving.answer_with("load", "2".into());
            Serving.caller()
        };
        assert_eq!(context.clone().scope(asked).await, Some(caller));
        assert_eq!(context.take_answer().get("load"), Some("2"));
    }
}
