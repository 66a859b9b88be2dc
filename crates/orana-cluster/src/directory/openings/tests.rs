//! Attempts under way: who goes first, who is given up, and whose outcome counts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use orana_core::BoxFuture;
use tokio::time::{Instant, sleep};

use super::*;
use crate::directory::{Directory, DirectoryOptions};
use crate::endpoint::tests::Silent;

/// How long it takes to find that nobody answers at an address.
const NOBODY: Duration = Duration::from_secs(3);
const SOON: Duration = Duration::from_millis(20);

/// Reaches `up…` at once, `slow…` after five seconds, and finds after three that nobody answers at others.
#[derive(Default)]
struct Net {
    attempts: AtomicUsize,
    under_way: Arc<AtomicUsize>,
    /// Nobody answers anywhere as long as this is set.
    cut: AtomicBool,
    faulty: AtomicBool,
}

struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Wire(Arc<Net>);

impl Connector for Wire {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            self.0.attempts.fetch_add(1, Ordering::Relaxed);
            self.0.under_way.fetch_add(1, Ordering::Relaxed);
            let _under_way = UnderWay(Arc::clone(&self.0.under_way));
            assert!(!self.0.faulty.load(Ordering::Relaxed), "a fault of the protocol");
            let host = url.host().unwrap();
            if self.0.cut.load(Ordering::Relaxed) || !(host.starts_with("up") || host.starts_with("slow")) {
                sleep(NOBODY).await;
                return Err(RpcError::new(RpcErrorCode::Network, "nobody answers"));
            }
            if host.starts_with("slow") {
                sleep(Duration::from_secs(5)).await;
            }
            Ok(Silent::at(url) as Arc<dyn Invoker>)
        })
    }

    fn supports(&self, _: &str) -> bool {
        true
    }
}

fn directory(net: &Arc<Net>, opening_at_once: usize) -> Directory {
    let consumer = ServiceUrl::parse("consumer://me/i").unwrap();
    let options = DirectoryOptions {
        opening_at_once,
        ..DirectoryOptions::default()
    };
    Directory::new(consumer, "registry:1", Arc::new(Wire(Arc::clone(net))), options)
}

fn at(host: &str) -> ServiceUrl {
    ServiceUrl::parse(&format!("dubbo://{host}:1/i")).unwrap()
}

fn dead(count: usize) -> Vec<ServiceUrl> {
    (0..count).map(|number| at(&format!("dead{number}"))).collect()
}

fn is_up(directory: &Directory, host: &str) -> bool {
    let list = directory.list();
    list.is_ok_and(|list| {
        list.endpoints()
            .iter()
            .any(|endpoint| endpoint.url().host() == Some(host))
    })
}

#[tokio::test(start_paused = true)]
async fn addresses_that_are_listed_no_more_do_not_hold_up_those_that_are() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, 2);
    directory.notify(dead(100).into());
    sleep(SOON).await;
    assert_eq!(net.under_way.load(Ordering::Relaxed), 2);
    directory.notify([at("up")].into());
    sleep(SOON).await;
    assert!(is_up(&directory, "up"));
    assert_eq!(
        net.under_way.load(Ordering::Relaxed),
        0,
        "given up with their addresses"
    );
    sleep(10 * NOBODY).await;
    assert_eq!(
        net.attempts.load(Ordering::Relaxed),
        3,
        "nor are those tried that waited"
    );
}

#[tokio::test(start_paused = true)]
async fn addresses_that_stay_unreachable_leave_room_for_new_ones() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, 4);
    let mut listed = dead(50);
    directory.notify(listed.clone().into());
    sleep(Duration::from_secs(300)).await;
    for number in 0..10 {
        let new = format!("up{number}");
        listed.push(at(&new));
        directory.notify(listed.clone().into());
        sleep(SOON).await;
        assert!(is_up(&directory, &new), "{new}");
        assert_eq!(net.under_way.load(Ordering::Relaxed), 2);
        sleep(Duration::from_millis(1_234)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn many_that_were_unreachable_together_are_all_found_when_they_are_back() {
    let net = Arc::new(Net::default());
    net.cut.store(true, Ordering::Relaxed);
    let directory = directory(&net, 4);
    directory.notify((0..50).map(|number| at(&format!("up{number}"))).collect());
    sleep(Duration::from_secs(300)).await;
    net.cut.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(directory.list().unwrap().endpoints().len(), 50);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_of_an_earlier_listing_does_not_speak_for_a_later_one() {
    let net = Arc::new(Net::default());
    net.cut.store(true, Ordering::Relaxed);
    let directory = directory(&net, 4);
    directory.notify([at("slow")].into());
    sleep(SOON).await;
    directory.notify([at("dead")].into());
    sleep(SOON).await;
    net.cut.store(false, Ordering::Relaxed);
    let again = Instant::now();
    directory.notify([at("slow")].into());
    sleep(NOBODY).await;
    tokio::time::timeout(Duration::from_secs(1), directory.settled())
        .await
        .expect_err("the attempt that counts is under way");
    sleep(Duration::from_millis(5_100).saturating_sub(again.elapsed())).await;
    assert!(is_up(&directory, "slow"));
    assert_eq!(net.attempts.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_panics_is_a_failure_that_is_tried_again() {
    let net = Arc::new(Net::default());
    net.faulty.store(true, Ordering::Relaxed);
    let directory = directory(&net, 4);
    directory.notify([at("up")].into());
    directory.settled().await;
    assert!(!is_up(&directory, "up"));
    net.faulty.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(2)).await;
    assert!(is_up(&directory, "up"));
}
