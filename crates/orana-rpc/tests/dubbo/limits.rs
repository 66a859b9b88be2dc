//! Nothing is without bounds, and what is over one is refused in words.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use orana_core::{CallOptions, RpcErrorCode};
use orana_rpc::dubbo::{ClientOptions, ServerOptions};
use orana_wire::dubbo::Status;

use super::shop::{self, TEXT, call};
use super::wire::{Wire, request_with_budget};

#[tokio::test]
async fn a_request_over_the_limit_does_not_leave() {
    let served = shop::serve().await;
    let invoker = served.invoker("payload=1000").await;
    let error = shop::echo(&*invoker, &"x".repeat(1000)).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Serialization);
    assert!(error.message().starts_with("Data length too large: 1"), "{error}");
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
}

#[tokio::test]
async fn a_request_over_the_providers_limit_is_refused_and_the_next_is_served() {
    let mut options = ServerOptions::default();
    options.payload = 1000;
    let served = shop::serve_with(options, "").await;
    let invoker = served.invoker("").await;
    let error = shop::echo(&*invoker, &"x".repeat(100_000)).await.unwrap_err();
    assert!(
        error
            .message()
            .starts_with("refused with BAD_REQUEST: Data length too large: 10"),
        "{error}"
    );
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    assert_eq!(served.server.connections(), 1);
}

#[tokio::test]
async fn a_result_over_the_limit_is_refused_on_either_side_and_the_next_arrives() {
    let mut options = ServerOptions::default();
    options.payload = 10_000;
    let served = shop::serve_with(options, "").await;
    let large = call("large", "I", &[&20_000]);
    let invoker = served.invoker("").await;
    let error = invoker.invoke(&large).await.unwrap_err();
    assert!(
        error
            .message()
            .starts_with("refused with SERIALIZATION_ERROR: Data length too large"),
        "{error}"
    );
    let narrow = served.invoker("payload=1000").await;
    let error = narrow.invoke(&call("large", "I", &[&5000])).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Serialization);
    assert!(error.message().starts_with("Data length too large: 50"), "{error}");
    for invoker in [invoker, narrow] {
        assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    }
}

#[tokio::test]
async fn more_calls_than_may_be_performed_at_once_are_refused() {
    let mut options = ServerOptions::default();
    options.calls = 2;
    let served = shop::serve_with(options, "").await;
    let invoker = served.invoker("").await;
    let pauses: Vec<_> = (0..2)
        .map(|_| {
            let invoker = Arc::clone(&invoker);
            tokio::spawn(async move { shop::pause(&*invoker, 300).await })
        })
        .collect();
    shop::until("both are being performed", || served.server.calls() == 2).await;
    let error = shop::pause(&*invoker, 1).await.unwrap_err();
    assert!(
        error
            .message()
            .starts_with("refused with SERVER_THREADPOOL_EXHAUSTED: 2 calls"),
        "{error}"
    );
    assert!(error.retryable());
    for pause in pauses {
        pause.await.unwrap().unwrap();
    }
    shop::pause(&*invoker, 1).await.unwrap();
}

#[tokio::test]
async fn so_many_calls_wait_on_a_connection_and_given_up_ones_make_room() {
    let served = shop::serve().await;
    let mut options = ClientOptions::default();
    options.outstanding = 2;
    let invoker = shop::connect_with(options, served.port(), "").await.unwrap();
    let pauses: Vec<_> = (0..2)
        .map(|_| {
            let invoker = Arc::clone(&invoker);
            tokio::spawn(async move { shop::pause(&*invoker, 60_000).await })
        })
        .collect();
    shop::until("both wait", || served.server.calls() == 2).await;
    let error = shop::echo(&*invoker, "x").await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
    assert!(error.message().contains("2 calls wait"), "{error}");
    pauses[0].abort();
    shop::until_async("one was given up", async || shop::echo(&*invoker, "x").await.is_ok()).await;
}

#[tokio::test]
async fn a_provider_that_does_not_read_fills_no_memory() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut options = ClientOptions::default();
    options.queued = 1 << 20;
    let port = listener.local_addr().unwrap().port();
    let invoker = shop::connect_with(options, port, "").await.unwrap();
    let _socket = listener.accept().await.unwrap();
    let one_way = CallOptions {
        one_way: true,
        ..CallOptions::default()
    };
    let text = "x".repeat(100_000);
    let note = shop::with_options(call("note", TEXT, &[&text]), one_way);
    let mut sent = 0;
    let error = loop {
        match invoker.invoke(&note).await {
            Ok(_) => sent += 1,
            Err(error) => break error,
        }
        assert!(sent < 1000, "the limit is far below 100 MB");
        tokio::task::yield_now().await;
    };
    assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
    assert!(error.message().contains("does not read"), "{error}");
}

#[tokio::test]
async fn more_connections_than_may_be_are_closed_as_they_come() {
    let mut options = ServerOptions::default();
    options.connections = 1;
    let served = shop::serve_with(options, "").await;
    let first = served.invoker("").await;
    assert_eq!(shop::echo(&*first, "x").await.unwrap(), "x");
    // It is connected, and closed at once.
    let second = served.invoker("").await;
    let error = shop::echo(&*second, "x").await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    drop(first);
    shop::until_async("there is room again", async || shop::echo(&*second, "x").await.is_ok()).await;
}

#[tokio::test]
async fn a_method_that_blocks_is_found_out_and_holds_up_nobody_then() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=10000").await;
    // Its first two calls are how one knows.
    for _ in 0..2 {
        invoker.invoke(&call("block", "J", &[&20_i64])).await.unwrap();
    }
    let blocked = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        let block = call("block", "J", &[&1500_i64]);
        async move { invoker.invoke(&block).await }
    });
    shop::until("it blocks", || served.server.calls() == 1).await;
    let start = Instant::now();
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    assert!(start.elapsed() < Duration::from_millis(1000), "{:?}", start.elapsed());
    assert!(!blocked.is_finished());
    blocked.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_method_that_says_that_it_blocks_holds_up_nobody_from_its_first_call_on() {
    let served = shop::serve().await;
    let invoker = served.invoker("timeout=10000").await;
    let blocked = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        let block = call("block_declared", "J", &[&1500_i64]);
        async move { invoker.invoke(&block).await }
    });
    shop::until("it blocks", || served.server.calls() == 1).await;
    assert_eq!(shop::echo(&*invoker, "x").await.unwrap(), "x");
    assert!(!blocked.is_finished());
    blocked.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_whose_time_is_over_before_its_turn_comes_is_not_performed() {
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    // Nobody knows yet that the first one blocks.
    let requests = [
        request_with_budget(1, "block", "J", |out| out.long(300), 10_000),
        request_with_budget(2, "note", TEXT, |out| out.text("late"), 50),
        request_with_budget(3, "note", TEXT, |out| out.text("in time"), 10_000),
    ];
    wire.send(&requests.concat()).await;
    let mut answers = [
        wire.answer().await.unwrap(),
        wire.answer().await.unwrap(),
        wire.answer().await.unwrap(),
    ];
    answers.sort_by_key(|(id, ..)| *id);
    let statuses = answers.clone().map(|(_, status, _)| status);
    assert_eq!(statuses, [Status::OK, Status::SERVER_TIMEOUT, Status::OK]);
    assert!(
        answers[1].2.contains("not performed: the time of the call was over"),
        "{answers:?}"
    );
    assert_eq!(served.notes.load(Ordering::Relaxed), 1);
}
