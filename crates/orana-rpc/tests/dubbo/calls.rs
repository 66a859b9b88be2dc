//! Calls that go well, and calls that end in what the service made of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use orana_core::{CallOptions, Invocation, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::dubbo::{DubboServer, ServerOptions};
use orana_rpc::{attachments_of, encode_arguments, value_of};
use orana_wire::hessian::java::Throwable;
use orana_wire::hessian::{Value, from_bytes};

use super::shop::{self, INTERFACE, Shop, TEXT, call};

#[tokio::test]
async fn a_call_is_answered() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    assert_eq!(shop::echo(&*invoker, "hi").await.unwrap(), "hi");
    let long = "ü😀".repeat(100_000);
    assert_eq!(shop::echo(&*invoker, &long).await.unwrap(), long);
    let answer = invoker.invoke(&call("pause", "J", &[&0_i64])).await.unwrap();
    value_of::<()>(&answer).unwrap();
}

#[tokio::test]
async fn overloads_are_found_by_types_and_without_exact_types_by_the_arguments() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let answer = async |descriptor, argument: &dyn shop::Argument| {
        let answer = invoker.invoke(&call("echo", descriptor, &[argument])).await;
        value_of::<String>(&answer.unwrap()).unwrap()
    };
    assert_eq!(answer(TEXT, &"x").await, "x");
    assert_eq!(answer("I", &7).await, "int 7");
    assert_eq!(answer("Ljava/lang/Integer;", &7).await, "int 7");
    assert_eq!(answer("Ljava/lang/Object;", &"x").await, "x");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_one_connection_do_not_wait_for_each_other() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let start = Instant::now();
    let calls: Vec<_> = (0..300)
        .map(|number| {
            let invoker = Arc::clone(&invoker);
            tokio::spawn(async move {
                if number % 3 == 0 {
                    return shop::pause(&*invoker, 200).await;
                }
                let text = format!("number {number}");
                assert_eq!(shop::echo(&*invoker, &text).await?, text);
                Ok(())
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(served.paused.load(Ordering::Relaxed), 100);
    assert_eq!(served.server.connections(), 1);
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "one hundred pauses at once, not in turn"
    );
}

#[tokio::test]
async fn an_exception_arrives_with_its_class_its_message_and_all_that_java_wants() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let thrown = call(
        "throw",
        "Ljava/lang/String;Ljava/lang/String;",
        &[&"org.shop.SoldOut", &"none left"],
    );
    let error = invoker.invoke(&thrown).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Business);
    let exception = error.exception().unwrap();
    assert_eq!(
        (&*exception.class, exception.message.as_deref()),
        ("org.shop.SoldOut", Some("none left"))
    );
    let object: Value = from_bytes(exception.object.as_ref().unwrap()).unwrap();
    let mut fields: Vec<&str> = object
        .as_object()
        .unwrap()
        .class
        .fields
        .iter()
        .map(|field| &**field)
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["cause", "detailMessage", "stackTrace", "suppressedExceptions"]);
}

#[tokio::test]
async fn an_error_that_is_no_exception_arrives_as_dubbos_own_with_its_code() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let error = invoker.invoke(&call("fail", "", &[])).await.unwrap_err();
    let exception = error.exception().unwrap();
    assert_eq!(&*exception.class, "org.apache.dubbo.rpc.RpcException");
    let object: Throwable = from_bytes(exception.object.as_ref().unwrap()).unwrap();
    assert_eq!(object.get("code").unwrap().as_integer(), Some(12));
    assert!(object.message.unwrap().contains("not like this"));
    assert!(!error.retryable());
}

#[tokio::test]
async fn a_panic_ends_its_own_call_and_nothing_else() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let others = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        async move { shop::pause(&*invoker, 100).await }
    });
    let error = invoker.invoke(&call("panic", "", &[])).await.unwrap_err();
    assert_eq!(
        error.message(),
        "java.lang.RuntimeException: the service panicked: over budget"
    );
    others.await.unwrap().unwrap();
    assert_eq!(shop::echo(&*invoker, "hi").await.unwrap(), "hi");
    assert_eq!(served.server.connections(), 1);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named_and_the_method_is_not_reached() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let error = invoker.invoke(&call("note", "I", &[&vec![7]])).await.unwrap_err();
    let words = "refused with BAD_REQUEST: `org.example.Shop.note`";
    assert!(
        error.message().starts_with("refused with BAD_REQUEST: `note`"),
        "{words} {error}"
    );
    assert!(
        error
            .message()
            .contains("argument 1 of type `java.lang.String` does not fit"),
        "{error}"
    );
    assert_eq!(served.notes.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_statuses_of_java() {
    let served = shop::serve_with(ServerOptions::default(), "group=g&version=1.0").await;
    let refused = async |parameters: &str, method: &str| {
        let invoker = served.invoker(parameters).await;
        invoker.invoke(&call(method, TEXT, &[&"x"])).await.unwrap_err()
    };
    let error = refused("group=other&version=1.0", "echo").await;
    assert!(
        error
            .message()
            .starts_with("refused with SERVICE_ERROR: Not found exported service"),
        "{error}"
    );
    assert!(error.message().contains("g/org.example.Shop:1.0"), "{error}");
    let error = refused("group=g&version=1.0&interface=org.example.Shop", "sell").await;
    assert!(
        error
            .message()
            .starts_with("refused with BAD_REQUEST: Service not found"),
        "{error}"
    );
    assert_eq!(error.code(), RpcErrorCode::Network);
    let invoker = served.invoker("group=g&version=1.0").await;
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    drop(served.exported);
    let error = shop::echo(&*invoker, "x").await.unwrap_err();
    assert!(
        error
            .message()
            .starts_with("refused with BAD_REQUEST: Service not found"),
        "{error}"
    );
    assert_eq!(error.call(), Some("org.example.Shop.echo"));
    assert_eq!(
        error.address(),
        Some(&*format!("127.0.0.1:{}", served.server.local_addr().port()))
    );
}

#[tokio::test]
async fn one_port_has_many_services_and_no_version_is_version_zero() {
    let server = DubboServer::bind("127.0.0.1:0", ServerOptions::default())
        .await
        .unwrap();
    let port = server.local_addr().port();
    let export = |parameters: &str| server.serve(shop::url(port, parameters), Arc::new(Shop::new()));
    let plain = export("version=0.0.0").unwrap();
    let grouped = export("group=g").unwrap();
    assert_eq!(plain.key().to_string(), INTERFACE);
    let error = export("").unwrap_err();
    assert!(error.to_string().contains("exported on this port already"), "{error}");
    for parameters in ["", "version=0.0.0", "group=g", "version=*"] {
        let invoker = shop::connect(port, parameters).await.unwrap();
        assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x", "{parameters}");
    }
    drop(grouped);
    assert_eq!(server.exporter().keys(), [plain.key().clone()]);
    let again = export("group=g").unwrap();
    assert_eq!(server.exporter().keys().len(), 2);
    drop(again);
}

#[tokio::test]
async fn attachments_travel_both_ways_and_the_context_knows_the_caller() {
    let served = shop::serve().await;
    let invoker = served.invoker("enable-timeout-countdown=true").await;
    let mut invocation = call("context", TEXT, &[&"color"]);
    invocation.attachments.set("color", "grün");
    invocation.attachments.set("remote.application", "web");
    let answer = invoker.invoke(&invocation).await.unwrap();
    assert_eq!(value_of::<String>(&answer).unwrap(), "127.0.0.1 web true");
    assert_eq!(attachments_of(&answer).get("seen"), Some("grün"));
    assert_eq!(attachments_of(&answer).get("dubbo"), Some("2.0.2"));
    // And nothing of it stays for the next.
    let answer = invoker.invoke(&call("context", TEXT, &[&"color"])).await.unwrap();
    assert_eq!(attachments_of(&answer).get("seen"), Some("nothing"));
    let invoker = served.invoker("").await;
    let answer = invoker.invoke(&call("context", TEXT, &[&"color"])).await.unwrap();
    assert_eq!(value_of::<String>(&answer).unwrap(), "127.0.0.1 - false");
}

#[tokio::test]
async fn the_context_shows_nothing_that_is_the_protocols_own() {
    let served = shop::serve_with(ServerOptions::default(), "token=s3cret").await;
    let invoker = served.invoker("token=s3cret&enable-timeout-countdown=true").await;
    for name in ["token", "path", "interface", "version", "timeout", "_TO"] {
        let answer = invoker.invoke(&call("context", TEXT, &[&name])).await.unwrap();
        assert_eq!(attachments_of(&answer).get("seen"), Some("nothing"), "{name}");
    }
}

#[tokio::test]
async fn a_call_without_an_answer_is_performed_and_does_not_wait() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let one_way = CallOptions {
        one_way: true,
        ..CallOptions::default()
    };
    let note = shop::with_options(call("note", TEXT, &[&"x"]), one_way);
    for _ in 0..3 {
        invoker.invoke(&note).await.unwrap();
    }
    let configured = served.invoker("note.return=false").await;
    configured.invoke(&call("note", TEXT, &[&"x"])).await.unwrap();
    // A failure is nobody's business.
    let wrong = call("echo", "J", &[&true]);
    let wrong = shop::with_options(wrong, note.options.clone());
    configured.invoke(&wrong).await.unwrap();
    shop::until("all notes are taken", || served.notes.load(Ordering::Relaxed) == 4).await;
    assert_eq!(shop::echo(&*configured, "x").await.unwrap(), "x");
}

#[tokio::test]
async fn a_token_that_is_wrong_is_refused() {
    let served = shop::serve_with(ServerOptions::default(), "token=secret").await;
    let right = served.invoker("token=secret").await;
    assert_eq!(shop::echo(&*right, "x").await.unwrap(), "x");
    for parameters in ["token=guess", ""] {
        let error = shop::echo(&*served.invoker(parameters).await, "x").await.unwrap_err();
        assert!(
            error
                .message()
                .starts_with("refused with SERVICE_ERROR: Invalid token!"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_path_may_be_another_than_the_interface() {
    let server = DubboServer::bind("127.0.0.1:0", ServerOptions::default())
        .await
        .unwrap();
    let port = server.local_addr().port();
    let url = ServiceUrl::parse(&format!(
        "dubbo://127.0.0.1:{port}/shop/{INTERFACE}?interface={INTERFACE}"
    ))
    .unwrap();
    let _exported = server.serve(url.clone(), Arc::new(Shop::new())).unwrap();
    let connector = orana_rpc::dubbo::DubboConnector::default();
    let invoker = orana_core::Connector::connect(&connector, &url).await.unwrap();
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
}

#[tokio::test]
async fn a_filter_that_refuses_is_no_exception_of_the_service() {
    struct Refuse;
    impl orana_core::Filter for Refuse {
        fn invoke<'a>(
            &'a self,
            _next: &'a dyn orana_core::Invoker,
            _invocation: &'a Invocation,
        ) -> orana_core::BoxFuture<'a, Result<orana_core::Reply, RpcError>> {
            Box::pin(async { Err(RpcError::new(RpcErrorCode::LimitExceeded, "too many")) })
        }
    }
    let server = DubboServer::bind("127.0.0.1:0", ServerOptions::default())
        .await
        .unwrap();
    let port = server.local_addr().port();
    let shop = Arc::new(Shop::new());
    let definition = orana_rpc::Service::definition(&*shop).clone();
    let local = Arc::new(orana_rpc::LocalInvoker::new(shop::url(port, ""), shop));
    let _exported = server
        .export(definition, orana_core::filtered(&[Arc::new(Refuse)], local))
        .unwrap();
    let error = shop::echo(&*shop::connect(port, "").await.unwrap(), "x")
        .await
        .unwrap_err();
    assert_eq!(error.message(), "refused with SERVICE_ERROR: too many [limit-exceeded]");
    assert!(error.retryable());
}

#[tokio::test]
async fn arguments_of_any_kind_pass_without_types() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let value = Value::list([Value::Int(1), Value::map([("a", Value::from("b"))]), Value::Null]);
    let method = shop::method("value", "Ljava/lang/Object;");
    let invocation = orana_rpc::untyped_invocation(method, &[value]).unwrap();
    let answer: Value = value_of(&invoker.invoke(&invocation).await.unwrap()).unwrap();
    assert_eq!(
        answer.as_list().unwrap().items[1].get("a").unwrap().as_text(),
        Some("b")
    );
    let none = encode_arguments(|arguments| arguments.push(&Value::Null)).unwrap();
    let invocation = Invocation::new(shop::method("value", "Ljava/lang/Object;"), none);
    let answer: Option<Value> = value_of(&invoker.invoke(&invocation).await.unwrap()).unwrap();
    assert!(answer.is_none());
}
