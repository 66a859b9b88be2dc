//! Calls that are made while a call is served: what they take over of its time and of what its caller sent.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use orana::{Application, Client, Context, Error, ErrorCode, Forward, Provider};
use tokio::sync::mpsc;

/// What the provider at the end sees.
#[orana::service(interface = "org.example.Back")]
trait Back {
    /// What came beside the arguments, and under `left` the milliseconds that the caller still waits, if it said.
    async fn seen(&self) -> orana::Result<HashMap<String, String>>;
}

/// The provider in between.
#[orana::service(interface = "org.example.Front")]
trait Front {
    /// Pauses, and asks the one behind.
    async fn relay(&self, millis: u32) -> orana::Result<HashMap<String, String>>;
}

struct Last;

impl Back for Last {
    async fn seen(&self) -> orana::Result<HashMap<String, String>> {
        let context = Context::current().expect("a call is under way");
        let attachments = context.attachments().iter();
        let mut seen: HashMap<_, _> = attachments
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect();
        if let Some(deadline) = context.deadline() {
            let left = deadline.saturating_duration_since(Instant::now());
            seen.insert("left".to_owned(), left.as_millis().to_string());
        }
        Ok(seen)
    }
}

struct Between {
    back: BackClient,
    /// How the calls behind ended that failed.
    failed: mpsc::UnboundedSender<Error>,
}

impl Front for Between {
    async fn relay(&self, millis: u32) -> orana::Result<HashMap<String, String>> {
        tokio::time::sleep(Duration::from_millis(millis.into())).await;
        let seen = self.back.with(|calls| calls.attachment("mine", "front")).seen().await;
        if let Err(error) = &seen {
            let _ = self.failed.send(error.clone());
        }
        seen
    }
}

/// A chain of two providers, and a client of the first.
struct Chain {
    front: FrontClient,
    failed: mpsc::UnboundedReceiver<Error>,
    _providers: [Provider; 2],
}

/// The one between calls with these parameters.
async fn chain(name: &str, parameters: &[(&str, &str)]) -> Chain {
    let app = Application::new(name).registry(&format!("memory://{name}:1"));
    let listen = || app.provider().listen("127.0.0.1:0");
    let back = listen().export(BackService::new(Last)).start().await.unwrap();
    let mut refer = app.consumer().refer::<BackClient>();
    for (key, value) in parameters {
        refer = refer.parameter(key, value);
    }
    let (failed, told) = mpsc::unbounded_channel();
    let between = Between {
        back: refer.await.unwrap(),
        failed,
    };
    let front = listen().export(FrontService::new(between)).start().await.unwrap();
    Chain {
        front: app.consumer().refer::<FrontClient>().await.unwrap(),
        failed: told,
        _providers: [back, front],
    }
}

fn within(front: &FrontClient, time: Duration) -> FrontClient {
    front.with(|calls| calls.deadline(Instant::now() + time))
}

#[tokio::test]
async fn what_is_left_of_a_call_s_time_is_all_that_the_calls_behind_it_have() {
    let chain = chain("budget", &[]).await;
    let seen = chain.front.relay(1).await.unwrap();
    assert_eq!(seen.get("left"), None, "nobody said how much time there is");
    // Each attempt has its second, too.
    let seen = within(&chain.front, Duration::from_millis(800))
        .relay(200)
        .await
        .unwrap();
    let left: u64 = seen["left"].parse().unwrap();
    assert!(left <= 600, "{left}");
}

#[tokio::test]
async fn a_call_behind_one_whose_time_is_over_is_not_made() {
    let mut chain = chain("over", &[]).await;
    let error = within(&chain.front, Duration::from_millis(100))
        .relay(200)
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::Timeout, "{error}");
    let behind = chain.failed.recv().await.unwrap();
    assert_eq!(behind.code(), ErrorCode::TimeoutTerminate, "{behind}");
    assert_eq!(behind.address(), None, "nobody was called");
    let error = within(&chain.front, Duration::ZERO).relay(0).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TimeoutTerminate, "{error}");
}

#[tokio::test]
async fn a_consumer_may_turn_the_countdown_off() {
    let chain = chain("countless", &[("enable-timeout-countdown", "false")]).await;
    let seen = within(&chain.front, Duration::from_secs(5)).relay(1).await.unwrap();
    assert_eq!(seen.get("left"), None);
}

#[tokio::test]
async fn what_a_caller_sent_travels_on_and_its_tag_does_not() {
    let chain = chain("travelling", &[]).await;
    let front = chain.front.with(|calls| {
        let calls = calls.attachment("trace", "t1").attachment("mine", "consumer");
        calls.attachment("dubbo.tag", "gray")
    });
    let seen = front.relay(0).await.unwrap();
    assert_eq!(seen["trace"], "t1");
    assert_eq!(seen["mine"], "front", "what a call sets itself counts more");
    assert_eq!(seen.get("dubbo.tag"), None);
}

#[tokio::test]
async fn what_travels_on_can_be_settled_for_a_consumer() {
    for (value, expected) in [("false", vec!["mine"]), ("tenant", vec!["mine", "tenant"])] {
        let chain = chain(&format!("forward-{value}"), &[("forward-attachments", value)]).await;
        let front = chain
            .front
            .with(|calls| calls.attachment("trace", "t1").attachment("tenant", "x"));
        let mut seen: Vec<_> = front.relay(0).await.unwrap().into_keys().collect();
        seen.retain(|name| name != "remote.application");
        seen.sort();
        assert_eq!(seen, expected, "{value}");
    }
    // Outside of a call nothing is taken over, whatever is settled.
    let chain = chain("outside", &[]).await;
    let front = chain
        .front
        .with(|calls| calls.forward(Forward::Nothing).attachment("trace", "t1"));
    assert_eq!(front.relay(0).await.unwrap()["trace"], "t1");
}
