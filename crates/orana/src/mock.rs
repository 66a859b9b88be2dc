//! What `mock` answers, as values: texts of rules become values of the type that a method returns, and implementations of the program are called.

use std::collections::BTreeMap;
use std::sync::Arc;

use orana_cluster::cluster::{Action, MockAnswers, Returned};
use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::{LocalInvoker, Service, ServiceDefinition, json_value, reply_of};
use orana_wire::hessian::Value;

/// The message of an exception that a mock throws, as in Dubbo.
const MESSAGE: &str = "mocked exception for service degradation.";

/// Implementations by name, and what methods return.
#[derive(Clone, Default)]
pub(crate) struct ValueMocks {
    interface: Arc<str>,
    /// The Java type that each method returns.
    returns: Arc<BTreeMap<String, String>>,
    implementations: BTreeMap<String, Arc<dyn Service>>,
}

impl ValueMocks {
    /// One more implementation.
    pub(crate) fn with(mut self, name: &str, service: Arc<dyn Service>) -> ValueMocks {
        self.implementations.insert(name.to_owned(), service);
        self
    }

    /// The same for the methods of an interface.
    pub(crate) fn of(mut self, definition: &ServiceDefinition) -> ValueMocks {
        self.interface = Arc::from(&*definition.interface);
        let returns = |method: &orana_rpc::MethodDefinition| (method.name.to_string(), method.returns.to_string());
        self.returns = Arc::new(definition.methods.iter().map(returns).collect());
        self
    }

    fn value(&self, method: &str, returned: &Returned) -> Value {
        let declared = self.returns.get(method).map_or("java.lang.Object", String::as_str);
        match returned {
            Returned::Null => Value::Null,
            Returned::Empty if is_list(declared) => Value::list([]),
            Returned::Empty if is_text(declared) => Value::from(""),
            Returned::Empty => Value::map::<Value, Value>([]),
            // For a method that returns a text, anything that is no quoted text is the text itself.
            Returned::Text(text) if is_text(declared) && !text.starts_with('"') => Value::from(&**text),
            Returned::Text(text) => json_value(text, declared).unwrap_or_else(|_| Value::from(&**text)),
        }
    }

    async fn implementation(&self, invocation: &Invocation, name: Option<&str>) -> Result<Reply, RpcError> {
        let usual = format!("{}Mock", self.interface);
        let name = name.unwrap_or(&usual);
        let Some(service) = self.implementations.get(name) else {
            let known: Vec<&str> = self.implementations.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            let message =
                format!("there is no mock `{name}` in this program; known: {known} (add one by `Refer::mock`)");
            return Err(RpcError::new(RpcErrorCode::Unknown, message));
        };
        let url = ServiceUrl::builder("mock", "127.0.0.1").path(&self.interface).build();
        LocalInvoker::new(url, Arc::clone(service)).invoke(invocation).await
    }
}

fn is_text(declared: &str) -> bool {
    matches!(declared, "java.lang.String" | "java.lang.CharSequence")
}

fn is_list(declared: &str) -> bool {
    let plain = declared.split('<').next().unwrap_or_default();
    plain.ends_with("[]")
        || matches!(
            plain,
            "java.util.List" | "java.util.Collection" | "java.util.Set" | "java.util.ArrayList"
        )
}

impl MockAnswers for ValueMocks {
    fn answer<'a>(&'a self, invocation: &'a Invocation, action: &'a Action) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            match action {
                Action::Return(returned) => reply_of(&self.value(&invocation.called_name(), returned)),
                Action::Throw(None) => Err(RpcError::new(RpcErrorCode::Unknown, MESSAGE)),
                Action::Throw(Some(class)) => Err(RpcError::thrown(&**class, MESSAGE)),
                Action::Implementation(name) => self.implementation(invocation, name.as_deref()).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use orana_rpc::MethodDefinition;

    use super::*;

    fn value(returns: &'static str, text: &str) -> Value {
        let method = MethodDefinition::new("say", std::iter::empty::<&'static str>(), returns);
        let mocks = ValueMocks::default().of(&ServiceDefinition::new("org.Shop", vec![method]));
        let returned = match text {
            "null" => Returned::Null,
            "empty" => Returned::Empty,
            text => Returned::Text(text.into()),
        };
        mocks.value("say", &returned)
    }

    #[test]
    fn a_text_becomes_what_the_method_returns() {
        assert_eq!(value("java.lang.String", "plain words"), Value::from("plain words"));
        assert_eq!(value("java.lang.String", "\"quoted\""), Value::from("quoted"));
        assert_eq!(value("java.lang.String", "5"), Value::from("5"));
        assert_eq!(value("int", "5"), Value::Int(5));
        assert_eq!(value("long", "5"), Value::Long(5));
        assert_eq!(value("double", "5"), Value::Double(5.0));
        assert_eq!(value("boolean", "true"), Value::Bool(true));
        assert_eq!(
            value("java.util.List", "[1,2]"),
            Value::list([Value::Int(1), Value::Int(2)])
        );
        assert_eq!(value("java.util.List", "empty"), Value::list([]));
        assert_eq!(value("long[]", "empty"), Value::list([]));
        assert_eq!(value("org.Order", "empty"), Value::map::<Value, Value>([]));
        assert_eq!(value("org.Order", "null"), Value::Null);
        assert_eq!(value("org.Order", "no { json"), Value::from("no { json"));
    }
}
