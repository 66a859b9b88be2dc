//! Calls by those who have no types.

use orana_core::{Invocation, RpcErrorCode, ServiceKey};
use orana_rpc::{encode_arguments, generic_invocation, value_of};
use orana_wire::hessian::Value;

use super::shop::{self, INTERFACE};

fn generic(method: &str, types: &[&str], arguments: &[Value]) -> Invocation {
    generic_invocation(&ServiceKey::parse(INTERFACE), method, types, arguments).unwrap()
}

#[tokio::test]
async fn a_method_is_called_by_the_names_of_its_types() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let answer = invoker
        .invoke(&generic("echo", &["java.lang.String"], &["hi".into()]))
        .await;
    assert_eq!(value_of::<String>(&answer.unwrap()).unwrap(), "hi");
    let answer = invoker.invoke(&generic("echo", &["int"], &[Value::Int(3)])).await;
    assert_eq!(value_of::<String>(&answer.unwrap()).unwrap(), "int 3");
}

#[tokio::test]
async fn objects_of_a_generic_result_are_maps_with_their_class() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let order = Value::object("org.example.Order", [("item", Value::from("tea"))]);
    let answer = invoker
        .invoke(&generic("value", &["java.lang.Object"], std::slice::from_ref(&order)))
        .await;
    let answer: Value = value_of(&answer.unwrap()).unwrap();
    assert!(answer.as_map().is_some(), "{answer:?}");
    assert_eq!(answer.get("class").unwrap().as_text(), Some("org.example.Order"));
    let mut raw = generic("value", &["java.lang.Object"], &[order]);
    raw.attachments.set("generic", "raw.return");
    let answer: Value = value_of(&invoker.invoke(&raw).await.unwrap()).unwrap();
    assert!(answer.as_object().is_some(), "{answer:?}");
}

#[tokio::test]
async fn texts_of_json_go_in_and_come_out() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let mut invocation = generic("value", &["java.lang.Object"], &[r#"{"item":"tea","count":3}"#.into()]);
    invocation.attachments.set("generic", "gson");
    let answer: String = value_of(&invoker.invoke(&invocation).await.unwrap()).unwrap();
    assert_eq!(answer, r#"{"count":3,"item":"tea"}"#);
}

#[tokio::test]
async fn a_small_result_that_would_be_endless_as_json_is_refused_like_one_that_is_too_large() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=60000").await;
    let mut invocation = generic("value", &["java.lang.Object"], &[r#""dense""#.into()]);
    invocation.attachments.set("generic", "gson");
    let error = invoker.invoke(&invocation).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Serialization);
    assert!(error.message().contains("8388608 bytes as JSON"), "{error}");
    // As a value it is small, and stays so.
    let plain = generic("value", &["java.lang.Object"], &["dense".into()]);
    let reply = invoker.invoke(&plain).await.unwrap();
    assert!(reply.bytes().len() < 1000);
}

#[tokio::test]
async fn other_kinds_and_other_shapes_of_generic_calls_are_refused() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let mut invocation = generic("echo", &["java.lang.String"], &["hi".into()]);
    invocation.attachments.set("generic", "nativejava");
    let error = invoker.invoke(&invocation).await.unwrap_err();
    assert!(error.message().contains("`nativejava` are not served here"), "{error}");
    let arguments = encode_arguments(|arguments| arguments.push("x")).unwrap();
    let wrong = Invocation::new(shop::method("$invoke", "Ljava/lang/String;"), arguments);
    let error = invoker.invoke(&wrong).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    assert!(error.message().contains("no method $invoke"), "{error}");
}

#[tokio::test]
async fn an_echo_brings_its_argument_back() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    for value in [Value::from("ok"), Value::Null, Value::list([Value::Int(1)])] {
        let arguments = encode_arguments(|arguments| arguments.push(&value)).unwrap();
        let echo = Invocation::new(shop::method("$echo", "Ljava/lang/Object;"), arguments);
        let answer: Option<Value> = value_of(&invoker.invoke(&echo).await.unwrap()).unwrap();
        assert_eq!(answer.unwrap_or_default(), value);
    }
}

#[tokio::test]
async fn a_generic_call_has_the_settings_of_the_method_that_is_meant() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=60000&pause.timeout=100").await;
    let error = invoker
        .invoke(&generic("pause", &["long"], &[Value::Long(5_000)]))
        .await
        .unwrap_err();
    assert_eq!(error.message(), "no answer within 100ms");
    let answer = invoker.invoke(&generic("echo", &["int"], &[Value::Int(3)])).await;
    assert_eq!(value_of::<String>(&answer.unwrap()).unwrap(), "int 3");
}
