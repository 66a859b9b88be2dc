//! What becomes of calls when connections come and go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orana_core::{CallOptions, Connector, RpcErrorCode};
use orana_rpc::dubbo::{ClientOptions, DubboConnector, DubboServer, ServerOptions};

use super::shop::{self, Shop, TEXT, call};

#[tokio::test]
async fn a_call_that_takes_too_long_ends_in_time_and_its_late_answer_harms_nobody() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=100").await;
    let start = Instant::now();
    let error = invoker.invoke(&call("pause", "J", &[&300_i64])).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Timeout);
    assert_eq!(error.message(), "no answer within 100ms");
    assert!(start.elapsed() >= Duration::from_millis(100));
    // The answer comes while other calls wait.
    shop::pause(&*invoker, 400).await.unwrap();
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    assert_eq!(served.server.connections(), 1, "it is still the same connection");
}

#[tokio::test]
async fn a_call_has_the_time_that_it_says_and_no_more_than_the_whole_has() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=100&pause.timeout=5000").await;
    invoker.invoke(&call("pause", "J", &[&200_i64])).await.unwrap();
    let short = CallOptions {
        timeout: Some(Duration::from_millis(50)),
        ..CallOptions::default()
    };
    let invocation = shop::with_options(call("pause", "J", &[&200_i64]), short);
    assert_eq!(
        invoker.invoke(&invocation).await.unwrap_err().code(),
        RpcErrorCode::Timeout
    );
    let whole = |deadline| CallOptions {
        deadline: Some(deadline),
        ..CallOptions::default()
    };
    let soon = whole(Instant::now() + Duration::from_millis(50));
    let invocation = shop::with_options(call("pause", "J", &[&200_i64]), soon);
    assert_eq!(
        invoker.invoke(&invocation).await.unwrap_err().code(),
        RpcErrorCode::Timeout
    );
    let over = whole(Instant::now() - Duration::from_millis(1));
    let invocation = shop::with_options(call("pause", "J", &[&0_i64]), over);
    assert_eq!(
        invoker.invoke(&invocation).await.unwrap_err().code(),
        RpcErrorCode::TimeoutTerminate
    );
}

#[tokio::test]
async fn calls_under_way_fail_at_once_when_the_connection_breaks_and_later_ones_succeed() {
    let served = shop::serve().await;
    let port = served.port();
    let invoker = served.invoker("").await;
    let waiting = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        async move { shop::pause(&*invoker, 60_000).await }
    });
    shop::until("the call is being performed", || served.server.calls() == 1).await;
    let start = Instant::now();
    drop(served);
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    assert!(error.retryable());
    assert!(start.elapsed() < Duration::from_secs(5));
    shop::until("the loss is seen", || !invoker.is_available()).await;
    let error = shop::echo(&*invoker, "x").await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    assert_eq!(error.address(), Some(&*format!("127.0.0.1:{port}")));

    let server = DubboServer::bind(("127.0.0.1", port), ServerOptions::default())
        .await
        .unwrap();
    let _exported = server.serve(shop::url(port, ""), Arc::new(Shop::new())).unwrap();
    shop::until("it is connected again", || invoker.is_available()).await;
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_named_with_address_and_service() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let error = shop::connect(port, "").await.err().unwrap();
    assert_eq!(error.code(), RpcErrorCode::Network);
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("`org.example.Shop` at 127.0.0.1:{port}: not connected: ")),
        "{text}"
    );
}

#[tokio::test]
async fn a_lazy_invoker_connects_at_its_first_call() {
    let served = shop::serve().await;
    let invoker = served.invoker("lazy=true").await;
    assert!(invoker.is_available());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(served.server.connections(), 0);
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    assert_eq!(served.server.connections(), 1);
}

#[tokio::test]
async fn a_lazy_invoker_whose_provider_is_not_there_says_so_at_the_call() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let invoker = shop::connect(port, "lazy=true").await.unwrap();
    let error = shop::echo(&*invoker, "x").await.unwrap_err();
    assert!(error.message().starts_with("not connected: "), "{error}");
    assert!(!invoker.is_available());
}

#[tokio::test]
async fn services_of_an_address_share_connections_unless_one_has_its_own() {
    let served = shop::serve().await;
    let connector = DubboConnector::new(ClientOptions::default());
    let connect = async |parameters: &str| connector.connect(&shop::url(served.port(), parameters)).await.unwrap();
    let (first, second) = (connect("timeout=1").await, connect("timeout=2").await);
    shop::until("one is open", || served.server.connections() == 1).await;
    let own = connect("connections=3").await;
    shop::until("three more are open", || served.server.connections() == 4).await;
    let shared = connect("shareconnections=2").await;
    shop::until("two more are open", || served.server.connections() == 6).await;
    for invoker in [&own, &shared] {
        for _ in 0..6 {
            assert_eq!(shop::echo(&**invoker, "x").await.unwrap(), "x");
        }
    }
    drop(first);
    drop((own, shared));
    shop::until("only the shared one is left", || served.server.connections() == 1).await;
    drop(second);
    shop::until("none is left", || served.server.connections() == 0).await;
}

#[tokio::test]
async fn a_provider_that_wants_no_calls_is_not_available_until_it_does() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    served.server.announce(true);
    shop::until("the announcement is heard", || !invoker.is_available()).await;
    assert_eq!(
        shop::echo(&*invoker, "x").await.unwrap(),
        "x",
        "nobody is forbidden to try"
    );
    let late = served.invoker("").await;
    shop::until("who comes later hears it, too", || !late.is_available()).await;
    served.server.announce(false);
    shop::until("both hear the end of it", || {
        invoker.is_available() && late.is_available()
    })
    .await;
}

#[tokio::test]
async fn one_of_several_connections_is_enough_to_be_available() {
    let served = shop::serve().await;
    let invoker = served.invoker("connections=2").await;
    for _ in 0..10 {
        assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    }
    assert!(invoker.is_available());
}

#[tokio::test]
async fn wrong_parameters_of_a_url_are_said_when_connecting() {
    for (parameters, words) in [
        ("heartbeat=abc", "`heartbeat`"),
        ("heartbeat=1000&heartbeat.timeout=1500", "twice the heartbeat"),
        ("payload=many", "`payload`"),
    ] {
        let error = shop::connect(1, parameters).await.err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn calls_that_want_no_answer_leave_although_the_invoker_is_dropped_at_once() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let one_way = CallOptions {
        one_way: true,
        ..CallOptions::default()
    };
    // More than the sockets hold.
    let note = shop::with_options(call("note", TEXT, &[&"x".repeat(1 << 20)]), one_way);
    for _ in 0..16 {
        invoker.invoke(&note).await.unwrap();
    }
    assert_eq!(served.notes.load(Ordering::Relaxed), 0, "nobody has read yet");
    drop(invoker);
    shop::until("all have arrived", || served.notes.load(Ordering::Relaxed) == 16).await;
    shop::until("the connection is closed", || served.server.connections() == 0).await;
}

#[tokio::test]
async fn a_provider_that_accepts_and_closes_is_tried_less_and_less() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let _invoker = shop::connect(port, "").await.unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let accepting = async {
        loop {
            drop(listener.accept().await.unwrap());
            accepted.fetch_add(1, Ordering::Relaxed);
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(3), accepting).await;
    // Pauses of 0.1, 0.2, 0.4, 0.8 and 1.6 seconds at least; all of the first length would be 20 times or more.
    let accepted = accepted.load(Ordering::Relaxed);
    assert!((2..=6).contains(&accepted), "connected {accepted} times in 3 s");
}
