//! A client and providers that do not behave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use orana_core::{Connector, Invoker, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::dubbo::{ClientOptions, DubboConnector};
use orana_wire::dubbo::event::{put_heartbeat, put_heartbeat_answer, put_read_only};
use orana_wire::dubbo::{Direction, Header, Status};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::shop;
use super::wire::{self, Wire};

/// A provider by hand, and who calls it.
struct Provider {
    listener: TcpListener,
    port: u16,
}

impl Provider {
    async fn new() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        Provider { listener, port }
    }

    async fn invoker(&self, parameters: &str) -> (Arc<dyn Invoker>, Wire) {
        let (invoker, accepted) = tokio::join!(shop::connect(self.port, parameters), self.listener.accept());
        (invoker.unwrap(), Wire::new(accepted.unwrap().0))
    }
}

fn echo(invoker: &Arc<dyn Invoker>) -> JoinHandle<Result<String, RpcError>> {
    let invoker = Arc::clone(invoker);
    tokio::spawn(async move { shop::echo(&*invoker, "x").await })
}

/// Reads a heartbeat and answers it.
async fn answer_heartbeat(wire: &mut Wire) {
    let (heartbeat, body) = wire.frame().await.unwrap();
    assert!(heartbeat.event, "a call: {heartbeat:?}");
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&heartbeat, &body, &mut answer);
    wire.send(&answer).await;
}

#[tokio::test]
async fn an_answer_that_is_no_frame_fails_the_call_at_once_and_closes() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=60000").await;
    let waiting = echo(&invoker);
    wire.frame().await.unwrap();
    wire.send(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    assert_eq!(
        error.message(),
        "the provider does not speak dubbo: not a dubbo frame: it begins with 0x48"
    );
    assert!(wire.frame().await.is_none());
    // It is connected again, and a word is wanted before calls.
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    let (heartbeat, _) = wire.frame().await.unwrap();
    assert!(heartbeat.event && !invoker.is_available());
}

#[tokio::test]
async fn an_answer_to_nobody_is_dropped_and_the_right_one_is_taken() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=10000").await;
    let waiting = echo(&invoker);
    let (header, _) = wire.frame().await.unwrap();
    for id in [header.id + 1, header.id ^ (1 << 40), -1, 0] {
        wire.send(&wire::value(id, "wrong")).await;
    }
    wire.send(&wire::value(header.id, "right")).await;
    wire.send(&wire::value(header.id, "again")).await;
    assert_eq!(waiting.await.unwrap().unwrap(), "right");
    let waiting = echo(&invoker);
    let (header, _) = wire.frame().await.unwrap();
    wire.send(&wire::value(header.id, "next")).await;
    assert_eq!(waiting.await.unwrap().unwrap(), "next");
}

#[tokio::test]
async fn half_an_answer_and_the_end_fail_the_call_at_once() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=60000").await;
    let waiting = echo(&invoker);
    let (header, _) = wire.frame().await.unwrap();
    let answer = wire::value(header.id, "half");
    wire.send(&answer[..answer.len() - 1]).await;
    drop(wire);
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
}

#[tokio::test]
async fn a_length_of_two_gigabytes_fails_the_call_at_once() {
    for length in [[0x7f, 0xff, 0xff, 0xff], [0x80, 0, 0, 0]] {
        let provider = Provider::new().await;
        let (invoker, mut wire) = provider.invoker("timeout=60000").await;
        let waiting = echo(&invoker);
        let (header, _) = wire.frame().await.unwrap();
        let mut answer = wire::value(header.id, "x");
        answer[12..16].copy_from_slice(&length);
        wire.send(&answer).await;
        let error = waiting.await.unwrap().unwrap_err();
        assert!(
            error.message().starts_with("the provider does not speak dubbo: body"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_answer_in_a_serialization_that_nobody_asked_for_is_an_error_of_its_call() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=10000").await;
    let waiting = echo(&invoker);
    let (header, _) = wire.frame().await.unwrap();
    let mut answer = wire::value(header.id, "x");
    answer[2] = 21;
    wire.send(&answer).await;
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Serialization);
    // A refusal in fastjson2 is read, as Java 3.2 sends it.
    let waiting = echo(&invoker);
    let (header, _) = wire.frame().await.unwrap();
    let mut refusal = BytesMut::from(&[0xda, 0xbb, 23, 70][..]);
    refusal.extend_from_slice(&header.id.to_be_bytes());
    refusal.extend_from_slice(&[0, 0, 0, 6, 0, 0, 0, 2, 0x4a, b'R']);
    wire.send(&refusal).await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(error.message().starts_with("refused with SERVICE_ERROR"), "{error}");
}

#[tokio::test]
async fn a_broken_body_is_an_error_of_its_call_only() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=10000").await;
    for (body, words) in [
        (&b"\x91\x02x"[..], "result is no `String`"),
        (b"", "the answer is broken"),
        (b"\x99", "unknown kind of result 9"),
        (b"x", "the answer is broken"),
    ] {
        let waiting = echo(&invoker);
        let (header, _) = wire.frame().await.unwrap();
        let mut answer = BytesMut::from(&[0xda, 0xbb, 2, 20][..]);
        answer.extend_from_slice(&header.id.to_be_bytes());
        answer.extend_from_slice(&u32::try_from(body.len()).unwrap().to_be_bytes());
        answer.extend_from_slice(body);
        wire.send(&answer).await;
        let error = waiting.await.unwrap().unwrap_err();
        assert_eq!(error.code(), RpcErrorCode::Serialization, "{error}");
        assert!(error.message().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_gets_answers() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=10000").await;
    let mut bytes = BytesMut::new();
    put_heartbeat(5, &mut bytes);
    bytes.extend_from_slice(&wire::request(6, "callback", "x"));
    wire.send(&bytes).await;
    let (header, _) = wire.frame().await.unwrap();
    assert!(header.event && header.id == 5);
    let (id, status, text) = wire.answer().await.unwrap();
    assert_eq!((id, status), (6, Status::BAD_REQUEST));
    assert_eq!(text, "this consumer takes no calls");
    assert!(invoker.is_available());
}

#[tokio::test]
async fn announcements_of_any_peer_are_understood() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("").await;
    let mut bytes = BytesMut::new();
    put_read_only(1, true, &mut bytes);
    wire.send(&bytes).await;
    shop::until("it is heard", || !invoker.is_available()).await;
    // `W` of a Java 3.2 provider, in fastjson2.
    let mut bytes = BytesMut::from(&[0xda, 0xbb, 0xb7, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 6][..]);
    bytes.extend_from_slice(&[0, 0, 0, 2, 0x4a, b'W']);
    wire.send(&bytes).await;
    shop::until("its end is heard", || invoker.is_available()).await;
}

#[tokio::test]
async fn a_quiet_connection_is_kept_by_heartbeats_and_lost_without_answers() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("heartbeat=100&heartbeat.timeout=400").await;
    for _ in 0..5 {
        let (header, body) = wire.frame().await.unwrap();
        assert!(header.event && header.direction == Direction::Request { two_way: true });
        let mut answer = BytesMut::new();
        put_heartbeat_answer(&header, &body, &mut answer);
        wire.send(&answer).await;
        assert!(invoker.is_available());
    }
    let silent = Instant::now();
    let waiting = echo(&invoker);
    // Heartbeats go on until the connection is given up.
    while wire.frame().await.is_some() {}
    assert!(silent.elapsed() >= Duration::from_millis(200), "{:?}", silent.elapsed());
    let error = waiting.await.unwrap().unwrap_err();
    assert!(!invoker.is_available());
    assert!(
        error.message().starts_with("nothing was heard from the provider"),
        "{error}"
    );
    // It is connected again, and a word is wanted before calls.
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    let (heartbeat, body) = wire.frame().await.unwrap();
    assert!(heartbeat.event && !invoker.is_available());
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&heartbeat, &body, &mut answer);
    wire.send(&answer).await;
    shop::until("it is available again", || invoker.is_available()).await;
}

/// The kernel of a process that stands still accepts connections for it.
#[tokio::test]
async fn a_provider_that_fell_silent_and_accepts_connections_is_not_available_before_it_says_a_word() {
    let provider = Provider::new().await;
    let (invoker, _first) = provider.invoker("timeout=50&heartbeat=100&heartbeat.timeout=200").await;
    echo(&invoker).await.unwrap().unwrap_err();
    for _ in 0..2 {
        let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
        while let Some((header, _)) = wire.frame().await {
            assert!(header.event, "no call goes there");
            assert!(!invoker.is_available());
        }
    }
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    let (heartbeat, body) = wire.frame().await.unwrap();
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&heartbeat, &body, &mut answer);
    wire.send(&answer).await;
    shop::until("it is available", || invoker.is_available()).await;
}

#[tokio::test]
async fn a_provider_that_fell_silent_is_asked_and_given_up_long_before_the_heartbeat() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=100").await;
    let error = echo(&invoker).await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Timeout);
    shop::until("it is under suspicion", || !invoker.is_available()).await;
    let (request, _) = wire.frame().await.unwrap();
    assert!(!request.event);
    let (heartbeat, body) = wire.frame().await.unwrap();
    assert!(heartbeat.event);
    // A word clears it.
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&heartbeat, &body, &mut answer);
    wire.send(&answer).await;
    shop::until("it is cleared", || invoker.is_available()).await;
    // Silence does not.
    let waiting = {
        let invoker = Arc::clone(&invoker);
        tokio::spawn(async move { shop::pause(&*invoker, 1).await })
    };
    echo(&invoker).await.unwrap().unwrap_err();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    assert_eq!(error.message(), "no heartbeat was answered, nor any call");
}

#[tokio::test]
async fn a_provider_that_accepts_and_closes_is_tried_again_and_again_with_pauses() {
    let provider = Provider::new().await;
    let (invoker, wire) = provider.invoker("").await;
    drop(wire);
    let start = Instant::now();
    for _ in 0..3 {
        drop(provider.listener.accept().await.unwrap());
    }
    assert!(start.elapsed() >= Duration::from_millis(100), "{:?}", start.elapsed());
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    answer_heartbeat(&mut wire).await;
    shop::until("it is available", || invoker.is_available()).await;
    let waiting = echo(&invoker);
    let (header, _): (Header, _) = wire.frame().await.unwrap();
    wire.send(&wire::value(header.id, "at last")).await;
    assert_eq!(waiting.await.unwrap().unwrap(), "at last");
}

/// As one whose threads are all stuck does.
#[tokio::test]
async fn a_provider_that_answers_heartbeats_and_no_calls_gets_one_call_at_a_time_with_pauses() {
    let provider = Provider::new().await;
    let mut options = ClientOptions::default();
    options.unanswered = 3;
    options.unanswered_for = Duration::from_millis(100);
    let connector = DubboConnector::new(options);
    let url = format!("dubbo://127.0.0.1:{}/{}?timeout=50", provider.port, shop::INTERFACE);
    let url = ServiceUrl::parse(&url).unwrap();
    let (invoker, accepted) = tokio::join!(connector.connect(&url), provider.listener.accept());
    let invoker = invoker.unwrap();
    let mut wire = Wire::new(accepted.unwrap().0);
    let mut calls = 0;
    while calls < 3 {
        shop::until("it is available", || invoker.is_available()).await;
        echo(&invoker).await.unwrap().unwrap_err();
        calls += 1;
        let (request, _) = wire.frame().await.unwrap();
        assert!(!request.event);
        if calls < 3 {
            answer_heartbeat(&mut wire).await;
        }
    }
    assert!(wire.frame().await.is_none(), "the connection is given up");
    assert!(!invoker.is_available());
    let error = echo(&invoker).await.unwrap().unwrap_err();
    assert_eq!(error.message(), "the provider speaks and answers no calls, 3 in a row");
    // One call shows that nothing has changed.
    let given_up = Instant::now();
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    assert!(
        given_up.elapsed() >= Duration::from_millis(900),
        "{:?}",
        given_up.elapsed()
    );
    assert!(!invoker.is_available());
    answer_heartbeat(&mut wire).await;
    shop::until("it is available", || invoker.is_available()).await;
    let waiting = echo(&invoker);
    let (request, _) = wire.frame().await.unwrap();
    assert!(!request.event && !invoker.is_available(), "one call and no other");
    waiting.await.unwrap().unwrap_err();
    answer_heartbeat(&mut wire).await;
    assert!(wire.frame().await.is_none(), "the connection is given up");
    // The next one shows that it has.
    let mut wire = Wire::new(provider.listener.accept().await.unwrap().0);
    answer_heartbeat(&mut wire).await;
    shop::until("it is available", || invoker.is_available()).await;
    let waiting = echo(&invoker);
    let (request, _) = wire.frame().await.unwrap();
    wire.send(&wire::value(request.id, "at last")).await;
    assert_eq!(waiting.await.unwrap().unwrap(), "at last");
    let waiting = echo(&invoker);
    let _ = wire.frame().await.unwrap();
    assert!(invoker.is_available(), "as any other again");
    drop(waiting);
}

#[tokio::test]
async fn a_provider_that_answers_calls_that_nobody_made_gets_none_after_the_first() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=50").await;
    let waiting = echo(&invoker);
    let (request, _) = wire.frame().await.unwrap();
    wire.send(&wire::value(request.id + 100, "x")).await;
    waiting.await.unwrap().unwrap_err();
    for connection in 0..2 {
        while let Some((header, _)) = wire.frame().await {
            assert!(header.event && !invoker.is_available(), "in connection {connection}");
            wire.send(&wire::value(header.id + 100, "x")).await;
        }
        wire = Wire::new(provider.listener.accept().await.unwrap().0);
    }
    assert!(!invoker.is_available());
}

#[tokio::test]
async fn half_an_answer_is_no_word_and_the_rest_of_it_is() {
    let provider = Provider::new().await;
    let (invoker, mut wire) = provider.invoker("timeout=5000&echo.timeout=50").await;
    echo(&invoker).await.unwrap().unwrap_err();
    wire.frame().await.unwrap();
    let (heartbeat, body) = wire.frame().await.unwrap();
    assert!(heartbeat.event);
    let mut answer = BytesMut::new();
    put_heartbeat_answer(&heartbeat, &body, &mut answer);
    let (first, rest) = answer.split_at(answer.len() - 1);
    wire.send(first).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!invoker.is_available());
    wire.send(rest).await;
    shop::until("it is available", || invoker.is_available()).await;
}
