//! What becomes of consumers that ask for much and do not read it.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use orana_rpc::dubbo::ServerOptions;

use super::shop;
use super::wire::{Wire, request, request_large};

const MEGABYTE: i32 = 1 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_one_read_wait_until_their_answers_are_read() {
    const CALLS: i64 = 150;
    let served = shop::serve().await;
    let mut wire = Wire::connect(served.port()).await;
    let mut requests = BytesMut::new();
    for id in 0..CALLS {
        requests.extend_from_slice(&request(id, "megabyte", ""));
    }
    wire.send(&requests).await;
    let performed = || served.megabytes.load(Ordering::Relaxed);
    shop::until("some are performed", || performed() > 4).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    // 8 MiB wait here and a few in the sockets.
    assert!(performed() < 50, "{} answers were made", performed());
    let mut answered = HashSet::new();
    for _ in 0..CALLS {
        let (header, _) = wire.frame().await.expect("an answer");
        assert!((0..CALLS).contains(&header.id) && answered.insert(header.id));
    }
    wire.send(&request(CALLS, "echo", "x")).await;
    assert_eq!(wire.frame().await.unwrap().0.id, CALLS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_begins_to_read_again_is_served_at_once() {
    let served = shop::serve().await;
    for _ in 0..4 {
        let mut wire = Wire::connect(served.port()).await;
        wire.send(
            &[
                &request_large(1, 7 * MEGABYTE, 0)[..],
                &request_large(2, 7 * MEGABYTE, 0),
            ]
            .concat(),
        )
        .await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        for _ in 1..=2 {
            assert!(wire.frame().await.is_some());
        }
        let start = Instant::now();
        wire.send(&request(3, "echo", "x")).await;
        assert_eq!(wire.frame().await.unwrap().0.id, 3);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn answers_of_calls_that_paused_have_a_limit_at_which_the_connection_is_closed() {
    let mut options = ServerOptions::default();
    options.queued = 16 << 20;
    let served = shop::serve_with(options, "").await;
    let mut wire = Wire::connect(served.port()).await;
    for id in 0..20 {
        wire.send(&request_large(id, 4 * MEGABYTE, 200)).await;
    }
    shop::until("it is cut off", || served.server.connections() == 0).await;
    let mut frames = 0;
    while wire.frame().await.is_some() {
        frames += 1;
    }
    assert!(frames < 20, "the rest was thrown away");
}

#[tokio::test]
async fn a_consumer_that_reads_nothing_of_what_waits_for_it_counts_as_silent() {
    let mut options = ServerOptions::default();
    options.idle = Duration::from_millis(500);
    let served = shop::serve_with(options, "").await;
    let mut wire = Wire::connect(served.port()).await;
    for id in 0..3 {
        wire.send(&request_large(id, 7 * MEGABYTE, 0)).await;
    }
    shop::until("it is connected", || served.server.connections() == 1).await;
    let start = Instant::now();
    shop::until("it is closed", || served.server.connections() == 0).await;
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
