//! Strategies over providers that do what they are told, with a clock that stands still.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use orana_core::{Connector, Invoker, ReplyShape, RpcErrorCode};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::*;
use crate::cluster_invoker::ClusterInvoker;
use crate::directory::Directory;
use crate::load_balance::Balances;
use crate::testing::call_with;

/// What a provider does with a call.
#[derive(Clone)]
enum Does {
    Answer,
    AnswerAfter(Duration),
    Fail(RpcErrorCode),
    Throw,
    AnswerNull,
}

/// Every provider by its port, and who was called in which order.
#[derive(Default)]
struct World {
    does: Mutex<HashMap<u16, Does>>,
    called: Mutex<Vec<u16>>,
    given_up: AtomicUsize,
}

struct Provider {
    url: ServiceUrl,
    world: Arc<World>,
}

struct Connections(Arc<World>);

/// Counts a call that is dropped before it ends.
struct Under<'a>(&'a AtomicUsize, bool);

impl Drop for Under<'_> {
    fn drop(&mut self) {
        if self.1 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Invoker for Provider {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async {
            let port = self.url.port().unwrap();
            self.world.called.lock().push(port);
            let mut under = Under(&self.world.given_up, true);
            let does = self.world.does.lock().get(&port).cloned();
            let answer = || Ok(Reply::new(ReplyShape::Value, port.to_string().into()));
            let outcome = match does.unwrap_or(Does::Answer) {
                Does::Answer => answer(),
                Does::AnswerAfter(time) => {
                    tokio::time::sleep(time).await;
                    answer()
                }
                Does::AnswerNull => Ok(Reply::null()),
                Does::Fail(code) => Err(RpcError::new(code, "as it was told")),
                Does::Throw => Err(RpcError::thrown("org.Sold", "out")),
            };
            under.1 = false;
            outcome
        })
    }
}

impl Connector for Connections {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        let provider = self.connected(url);
        Box::pin(async { Ok(provider.unwrap()) })
    }

    fn connected(&self, url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        Some(Arc::new(Provider {
            url: url.clone(),
            world: Arc::clone(&self.0),
        }))
    }

    fn supports(&self, _: &str) -> bool {
        true
    }
}

/// A reference with the parameters `query` to providers at these ports (with their own parameters), by that strategy.
async fn reference(query: &str, providers: &[&str], does: &[(u16, Does)]) -> (Arc<World>, ClusterInvoker) {
    let world = Arc::new(World::default());
    world.does.lock().extend(does.iter().cloned());
    let consumer = ServiceUrl::parse(&format!("consumer://me/i?{query}")).unwrap();
    let urls = providers
        .iter()
        .map(|provider| ServiceUrl::parse(&format!("dubbo://h:{provider}")).unwrap());
    let directory = Directory::of(
        consumer.clone(),
        urls.collect(),
        Arc::new(Connections(Arc::clone(&world))),
    );
    directory.settled().await;
    let parts = Parts {
        consumer: &consumer,
        mergers: Arc::new(Commas),
    };
    let cluster = named(consumer.parameter("cluster").unwrap_or(DEFAULT), &parts).unwrap();
    (
        world,
        ClusterInvoker::new(Arc::new(directory), Balances::new(), cluster),
    )
}

/// Joins texts with commas.
struct Commas;

impl Merge for Commas {
    fn merge(&self, _: &Invocation, replies: Vec<Reply>) -> Result<Reply, RpcError> {
        let texts: Vec<&[u8]> = replies.iter().map(|reply| &**reply.bytes()).collect();
        Ok(Reply::new(ReplyShape::Value, texts.join(&b","[..]).into()))
    }
}

impl Mergers for Commas {
    fn named(&self, name: Option<&str>) -> Option<Arc<dyn Merge>> {
        let known = name.is_none_or(|name| name == "commas");
        known.then(|| Arc::new(Commas) as _)
    }

    fn names(&self) -> Vec<String> {
        vec!["commas".to_owned()]
    }
}

async fn say(invoker: &ClusterInvoker) -> Result<String, RpcError> {
    let reply = invoker.invoke(&call_with("say", &[])).await?;
    Ok(String::from_utf8(reply.bytes().to_vec()).unwrap())
}

const NETWORK: Does = Does::Fail(RpcErrorCode::Network);

#[tokio::test(start_paused = true)]
async fn failover_tries_another_one_after_a_network_error_and_none_after_an_exception() {
    let (world, invoker) = reference("", &["1/i", "2/i"], &[(1, NETWORK)]).await;
    for _ in 0..20 {
        assert_eq!(say(&invoker).await.unwrap(), "2");
    }
    assert!(world.called.lock().contains(&1));

    let (world, invoker) = reference("", &["1/i", "2/i"], &[(1, Does::Throw), (2, Does::Throw)]).await;
    assert_eq!(
        say(&invoker).await.unwrap_err().exception().unwrap().class.as_ref(),
        "org.Sold"
    );
    assert_eq!(world.called.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn failover_makes_as_many_attempts_as_are_configured_wherever_that_stands() {
    for (consumer, provider, attempts) in [
        ("", "", 3),
        ("retries=0", "", 1),
        ("retries=4", "", 5),
        ("", "retries=0", 1),
        ("say.retries=1&retries=9", "", 2),
        ("retries=9", "say.retries=1&methods=say", 2),
        ("retries=-1", "", 1),
    ] {
        let provider = format!("1/i?{provider}");
        let (world, invoker) = reference(consumer, &[&provider], &[(1, NETWORK)]).await;
        say(&invoker).await.unwrap_err();
        assert_eq!(world.called.lock().len(), attempts, "{consumer} {provider}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_whole_call_ends_its_retries() {
    let (world, invoker) = reference("total.timeout=0&retries=50", &["1/i"], &[(1, NETWORK)]).await;
    say(&invoker).await.unwrap_err();
    assert_eq!(world.called.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_keeps_an_outage_from_being_multiplied() {
    let (world, invoker) = reference(
        "retry.budget=10&retries=2",
        &["1/i", "2/i"],
        &[(1, NETWORK), (2, NETWORK)],
    )
    .await;
    for _ in 0..100 {
        say(&invoker).await.unwrap_err();
    }
    let calls = world.called.lock().len();
    assert!((110..=125).contains(&calls), "{calls}");
    assert!(say(&invoker).await.unwrap_err().message().contains("budget"));
}

#[tokio::test(start_paused = true)]
async fn failfast_makes_one_attempt() {
    let (world, invoker) = reference("cluster=failfast", &["1/i", "2/i"], &[(1, NETWORK), (2, NETWORK)]).await;
    let error = say(&invoker).await.unwrap_err();
    assert_eq!((error.code(), world.called.lock().len()), (RpcErrorCode::Network, 1));
}

#[tokio::test(start_paused = true)]
async fn failsafe_gives_null_for_a_failure_but_not_for_an_exception_and_not_for_nobody() {
    let (_, invoker) = reference("cluster=failsafe", &["1/i"], &[(1, NETWORK)]).await;
    assert!(invoker.invoke(&call_with("say", &[])).await.unwrap().is_null());
    let (_, invoker) = reference("cluster=failsafe", &["1/i"], &[(1, Does::Throw)]).await;
    assert!(say(&invoker).await.unwrap_err().exception().is_some());
    let (_, invoker) = reference("cluster=failsafe", &["1/i"], &[]).await;
    invoker.directory().notify(Arc::new([]));
    invoker.directory().settled().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(say(&invoker).await.unwrap_err().code(), RpcErrorCode::Forbidden);
}

#[tokio::test(start_paused = true)]
async fn failback_tries_again_every_five_seconds_until_it_works() {
    let (world, invoker) = reference("cluster=failback", &["1/i"], &[(1, NETWORK)]).await;
    assert!(invoker.invoke(&call_with("say", &[])).await.unwrap().is_null());
    let calls = || world.called.lock().len();
    assert_eq!(calls(), 1);
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    assert_eq!(calls(), 2);
    world.does.lock().insert(1, Does::Answer);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(calls(), 3);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn failback_gives_up_after_its_retries_and_keeps_no_more_calls_than_it_may() {
    let (world, invoker) = reference("cluster=failback&retries=2&failbacktasks=5", &["1/i"], &[(1, NETWORK)]).await;
    for _ in 0..20 {
        invoker.invoke(&call_with("say", &[])).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(120)).await;
    let calls = world.called.lock().len();
    assert!(
        (30..=32).contains(&calls),
        "20 and 2 for each of the 5 that waited: {calls}"
    );
}

#[tokio::test(start_paused = true)]
async fn failback_without_retries_only_hides_the_failure() {
    let (world, invoker) = reference("cluster=failback&retries=0", &["1/i"], &[(1, NETWORK)]).await;
    invoker.invoke(&call_with("say", &[])).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.called.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_failback_still_has_to_do_ends_with_the_reference() {
    let (world, invoker) = reference("cluster=failback", &["1/i"], &[(1, NETWORK)]).await;
    invoker.invoke(&call_with("say", &[])).await.unwrap();
    drop(invoker);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.called.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn forking_takes_the_first_answer_and_gives_the_others_up() {
    let slow = Does::AnswerAfter(Duration::from_millis(500));
    let quick = Does::AnswerAfter(Duration::from_millis(5));
    let does = [(1, slow), (2, NETWORK), (3, quick)];
    let (world, invoker) = reference("cluster=forking&forks=3", &["1/i", "2/i", "3/i"], &does).await;
    let began = Instant::now();
    assert_eq!(say(&invoker).await.unwrap(), "3");
    assert_eq!(began.elapsed(), Duration::from_millis(5));
    let mut called = world.called.lock().clone();
    called.sort_unstable();
    assert_eq!(called, [1, 2, 3]);
    assert_eq!(world.given_up.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn forking_asks_two_unless_told_and_all_for_zero() {
    for (query, forks) in [
        ("", 2),
        ("&forks=0", 3),
        ("&forks=-1", 3),
        ("&forks=50", 3),
        ("&say.forks=1", 1),
    ] {
        let all = [(1, NETWORK), (2, NETWORK), (3, NETWORK)];
        let (world, invoker) = reference(&format!("cluster=forking{query}"), &["1/i", "2/i", "3/i"], &all).await;
        let error = say(&invoker).await.unwrap_err();
        assert_eq!(error.code(), RpcErrorCode::Network);
        assert_eq!(world.called.lock().len(), forks, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn forking_ends_when_its_time_is_over() {
    let slow = Does::AnswerAfter(Duration::from_secs(500));
    let does = [(1, slow.clone()), (2, slow)];
    let (_, invoker) = reference("cluster=forking&timeout=300", &["1/i", "2/i"], &does).await;
    assert_eq!(say(&invoker).await.unwrap_err().code(), RpcErrorCode::Timeout);
}

#[tokio::test(start_paused = true)]
async fn broadcast_calls_everybody_and_fails_if_anybody_does() {
    let (world, invoker) = reference("cluster=broadcast", &["1/i", "2/i", "3/i"], &[]).await;
    assert_eq!(say(&invoker).await.unwrap(), "3");
    assert_eq!(*world.called.lock(), [1, 2, 3]);
    let (world, invoker) = reference("cluster=broadcast", &["1/i", "2/i", "3/i"], &[(1, NETWORK)]).await;
    assert_eq!(say(&invoker).await.unwrap_err().code(), RpcErrorCode::Network);
    assert_eq!(*world.called.lock(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn broadcast_stops_at_its_share_of_failures() {
    let four = ["1/i", "2/i", "3/i", "4/i"];
    let failing = [(1, NETWORK), (2, NETWORK), (3, NETWORK), (4, NETWORK)];
    for (percent, called) in [("50", 2), ("25", 1), ("100", 4), ("0", 4), ("101", 4), ("-1", 4)] {
        let query = format!("cluster=broadcast&broadcast.fail.percent={percent}");
        let (world, invoker) = reference(&query, &four, &failing).await;
        say(&invoker).await.unwrap_err();
        assert_eq!(world.called.lock().len(), called, "{percent}");
    }
}

#[tokio::test(start_paused = true)]
async fn available_takes_the_first() {
    let (_, invoker) = reference("cluster=available", &["1/i", "2/i"], &[]).await;
    assert_eq!(say(&invoker).await.unwrap(), "1");
}

#[tokio::test(start_paused = true)]
async fn mergeable_joins_what_the_groups_answer_in_their_order() {
    let groups = ["1/i?group=a", "2/i?group=b", "3/i?group=b", "4/i?group=c"];
    let query = "cluster=mergeable&group=*&merger=true";
    let does = [(3, Does::AnswerNull), (2, Does::AnswerNull)];
    let (_, invoker) = reference(query, &groups, &does).await;
    assert_eq!(say(&invoker).await.unwrap(), "1,4");
    let (_, invoker) = reference(query, &groups[..1], &[]).await;
    assert_eq!(say(&invoker).await.unwrap(), "1");
    let (_, invoker) = reference(
        "cluster=mergeable&group=*&say.merger=commas",
        &groups,
        &[(4, Does::Throw)],
    )
    .await;
    assert!(matches!(&*say(&invoker).await.unwrap(), "1,2" | "1,3"));
    let (_, invoker) = reference(query, &groups, &[(4, NETWORK)]).await;
    assert_eq!(say(&invoker).await.unwrap_err().code(), RpcErrorCode::Network);
    let (_, invoker) = reference("cluster=mergeable&group=*&merger=unheard", &groups, &[]).await;
    assert!(say(&invoker).await.unwrap_err().message().contains("known are: commas"));
}

#[tokio::test(start_paused = true)]
async fn mergeable_without_a_merger_calls_one_group() {
    let (world, invoker) = reference("cluster=mergeable&group=*", &["1/i?group=a", "2/i?group=b"], &[]).await;
    assert_eq!(say(&invoker).await.unwrap(), "1");
    assert_eq!(world.called.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_strategy_is_none() {
    let consumer = ServiceUrl::parse("consumer://h/i").unwrap();
    let parts = Parts {
        consumer: &consumer,
        mergers: Arc::new(NoMergers),
    };
    assert!(named("failure", &parts).is_none());
}

struct Fixed(ServiceUrl, bool);

impl Invoker for Fixed {
    fn url(&self) -> &ServiceUrl {
        &self.0
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async { Ok(Reply::new(ReplyShape::Value, self.0.address().into())) })
    }

    fn is_available(&self) -> bool {
        self.1
    }
}

async fn through(registries: &[(&str, bool)], attachments: &[(&str, &str)]) -> Result<String, RpcErrorCode> {
    let registered = |(url, up): &(&str, bool)| {
        let url = ServiceUrl::parse(url).unwrap();
        Registered {
            invoker: Arc::new(Fixed(url.clone(), *up)),
            registry: url,
        }
    };
    let consumer = ServiceUrl::parse("consumer://me/i").unwrap();
    let zones = ZoneAware::new(consumer, registries.iter().map(registered).collect());
    let mut invocation = call_with("say", &[]);
    for (name, text) in attachments {
        invocation.attachments.set(*name, *text);
    }
    let reply = zones.invoke(&invocation).await.map_err(|error| error.code())?;
    Ok(String::from_utf8(reply.bytes().to_vec()).unwrap())
}

#[tokio::test]
async fn of_several_registries_the_preferred_one_then_the_zones_own_then_any_is_called_through() {
    let plain = ("zookeeper://a:1?zone=east&weight=0", true);
    let west = ("zookeeper://b:2?zone=west", true);
    let preferred = ("zookeeper://c:3?preferred=true", true);
    let in_zone = [("registry_zone", "west")];
    assert_eq!(through(&[plain, west, preferred], &in_zone).await.unwrap(), "c:3");
    assert_eq!(
        through(&[plain, west, (preferred.0, false)], &in_zone).await.unwrap(),
        "b:2"
    );
    assert_eq!(through(&[plain, (west.0, false)], &in_zone).await.unwrap(), "a:1");
    let forced = [("registry_zone", "west"), ("registry_zone_force", "true")];
    assert_eq!(
        through(&[plain, (west.0, false)], &forced).await,
        Err(RpcErrorCode::NoInvokerAfterFilter)
    );
    for _ in 0..50 {
        assert_eq!(
            through(&[plain, west], &[]).await.unwrap(),
            "b:2",
            "the other one has weight 0"
        );
    }
    assert_eq!(through(&[(plain.0, false), (west.0, false)], &[]).await.unwrap(), "a:1");
}

struct Texts;

impl MockAnswers for Texts {
    fn answer<'a>(&'a self, _: &'a Invocation, action: &'a Action) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            match action {
                Action::Return(_) => Ok(Reply::new(ReplyShape::Value, format!("{action:?}").into())),
                Action::Throw(Some(class)) => Err(RpcError::thrown(&**class, "mocked")),
                _ => Err(RpcError::new(RpcErrorCode::Unknown, "no such implementation")),
            }
        })
    }
}

async fn mocked(mock: &str, does: Does) -> (usize, Result<String, RpcError>) {
    let (world, invoker) = reference("retries=0", &["1/i"], &[(1, does)]).await;
    let consumer = ServiceUrl::parse("consumer://me/i")
        .unwrap()
        .edit()
        .set("mock", mock)
        .build();
    let mocked = Mocked::new(Arc::new(invoker), move || consumer.clone(), Arc::new(Texts));
    let outcome = mocked.invoke(&call_with("say", &[])).await;
    let text = |reply: Reply| String::from_utf8(reply.bytes().to_vec()).unwrap();
    let calls = world.called.lock().len();
    (calls, outcome.map(text))
}

#[tokio::test(start_paused = true)]
async fn a_forced_mock_makes_no_call_and_the_other_only_helps_out() {
    let (calls, answer) = mocked("force:return null", Does::Answer).await;
    assert_eq!((calls, answer.unwrap().contains("Null")), (0, true));
    let (calls, answer) = mocked("fail:return null", Does::Answer).await;
    assert_eq!((calls, &*answer.unwrap()), (1, "1"));
    let (calls, answer) = mocked("fail:return null", NETWORK).await;
    assert_eq!((calls, answer.unwrap().contains("Null")), (1, true));
    let (_, answer) = mocked("return null", Does::Throw).await;
    assert!(
        answer.unwrap_err().exception().is_some(),
        "an exception of the service is no failure"
    );
    let (_, answer) = mocked("throw com.x.Y", NETWORK).await;
    assert_eq!(answer.unwrap_err().exception().unwrap().class.as_ref(), "com.x.Y");
    let (_, answer) = mocked("true", NETWORK).await;
    let error = answer.unwrap_err();
    assert!(
        error.message().contains("no such implementation") && error.message().contains("as it was told"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_provider_whose_breaker_is_open_is_passed_over_and_alone_it_refuses() {
    let query = "retries=0&circuitbreaker=true&circuitbreaker.minimum=4&circuitbreaker.calls=10";
    let (world, invoker) = reference(query, &["1/i", "2/i"], &[(1, NETWORK)]).await;
    let mut failed = 0;
    for _ in 0..200 {
        failed += usize::from(say(&invoker).await.is_err());
    }
    assert!((4..=10).contains(&failed), "{failed}");
    assert_eq!(world.called.lock().iter().filter(|port| **port == 1).count(), failed);

    let (world, invoker) = reference(query, &["1/i"], &[(1, NETWORK)]).await;
    for _ in 0..50 {
        say(&invoker).await.unwrap_err();
    }
    let error = say(&invoker).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::LimitExceeded);
    assert!(error.message().contains("circuit breaker of say is open"), "{error}");
    assert!(world.called.lock().len() <= 10);
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_among_others_is_left_out_but_never_more_than_a_share() {
    let all = ["1/i", "2/i", "3/i", "4/i"];
    let query = "retries=0&outlier=true&outlier.consecutive=3";
    let (world, invoker) = reference(query, &all, &[(1, NETWORK)]).await;
    for _ in 0..200 {
        let _ = say(&invoker).await;
    }
    assert_eq!(world.called.lock().iter().filter(|port| **port == 1).count(), 3);

    let failing = [(1, NETWORK), (2, NETWORK), (3, NETWORK), (4, NETWORK)];
    let (world, invoker) = reference(query, &all, &failing).await;
    for _ in 0..200 {
        let _ = say(&invoker).await;
    }
    let mut called: Vec<u16> = world.called.lock().iter().rev().take(50).copied().collect();
    called.sort_unstable();
    called.dedup();
    assert_eq!(called.len(), 2, "half of them stay in");
}
