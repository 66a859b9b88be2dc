//! A provider that leaves takes no call with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orana_core::{Invoker, RpcErrorCode};
use orana_rpc::dubbo::Stopped;

use super::shop;

#[tokio::test]
async fn calls_under_way_are_finished_before_the_connection_closes() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let waiting = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        async move { shop::pause(&*invoker, 500).await }
    });
    shop::until("the call is being performed", || served.server.calls() == 1).await;
    let start = Instant::now();
    let stopped = served.server.stop(Duration::from_secs(20)).await;
    assert_eq!(stopped, Stopped { unfinished: 0 });
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "it does not wait for nothing"
    );
    waiting.await.unwrap().unwrap();
    shop::until("the connection is closed", || !invoker.is_available()).await;
}

#[tokio::test]
async fn what_is_not_done_in_time_is_given_up_and_counted() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    let waiting = tokio::spawn({
        let invoker = Arc::clone(&invoker);
        async move { shop::pause(&*invoker, 60_000).await }
    });
    shop::until("the call is being performed", || served.server.calls() == 1).await;
    let start = Instant::now();
    let stopped = served.server.stop(Duration::from_millis(300)).await;
    assert_eq!(stopped, Stopped { unfinished: 1 });
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(waiting.await.unwrap().unwrap_err().code(), RpcErrorCode::Network);
    assert_eq!(served.paused.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_server_without_consumers_stops_at_once() {
    let served = shop::serve().await;
    let start = Instant::now();
    served.server.stop(Duration::from_secs(10)).await;
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_while_providers_are_replaced_under_load() {
    let over = Arc::new(AtomicBool::new(false));
    let (done, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let first = shop::serve().await;
    let second = shop::serve().await;
    let invokers = [first.invoker("").await, second.invoker("").await];
    let callers: Vec<_> = (0..8)
        .map(|number| {
            let (over, done, failed) = (Arc::clone(&over), Arc::clone(&done), Arc::clone(&failed));
            let invokers = invokers.clone();
            tokio::spawn(async move {
                let mut turn = number;
                while !over.load(Ordering::Relaxed) {
                    turn += 1;
                    // What a directory does: those that are available, in turn.
                    let available: Vec<&Arc<dyn Invoker>> =
                        invokers.iter().filter(|invoker| invoker.is_available()).collect();
                    let invoker = available[turn % available.len()];
                    let result = match turn % 2 {
                        0 => shop::echo(&**invoker, "x").await.map(drop),
                        _ => shop::pause(&**invoker, 5).await,
                    };
                    match result {
                        Ok(()) => done.fetch_add(1, Ordering::Relaxed),
                        Err(error) => {
                            println!("{error}");
                            failed.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let start = Instant::now();
    let stopped = first.server.stop(Duration::from_secs(20)).await;
    assert_eq!(stopped.unfinished, 0);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "it does not wait for nothing"
    );
    let before = done.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(300)).await;
    over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(failed.load(Ordering::Relaxed), 0);
    assert!(done.load(Ordering::Relaxed) > before, "the other provider goes on");
}
