//! A directory as calls see it, over connections that can be cut and told to fail. Sockets are not needed for that.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use orana_core::{BoxFuture, Encoded, Invocation, Invoker, Method, Reply, ServiceKey};
use parking_lot::Mutex;

use super::*;
use crate::cluster::Failover;
use crate::cluster_invoker::ClusterInvoker;
use crate::endpoint::tests::Silent;
use crate::load_balance::Balances;

/// Connects to everything but what is cut off; knows who holds a connection.
#[derive(Default)]
struct Net {
    cut: Mutex<HashSet<String>>,
    failing: Mutex<HashSet<String>>,
    opened: Mutex<Vec<String>>,
    invokers: Mutex<Vec<std::sync::Weak<Flaky>>>,
}

/// Fails while its address is told to.
struct Flaky {
    silent: Arc<Silent>,
    net: Arc<Net>,
}

impl Invoker for Flaky {
    fn url(&self) -> &ServiceUrl {
        &self.silent.url
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async {
            if self.net.failing.lock().contains(&self.silent.url.address()) {
                return Err(RpcError::new(RpcErrorCode::Network, "connection reset"));
            }
            Ok(Reply::new(
                orana_core::ReplyShape::Value,
                self.silent.url.address().into(),
            ))
        })
    }

    fn is_available(&self) -> bool {
        self.silent.is_available()
    }
}

struct Connections(Arc<Net>);

impl Connector for Connections {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        Box::pin(async move {
            let address = url.address();
            tokio::time::sleep(Duration::from_millis(1)).await;
            if self.0.cut.lock().contains(&address) {
                return Err(RpcError::new(RpcErrorCode::Network, "connection refused").at(address));
            }
            self.0.opened.lock().push(address);
            let flaky = Arc::new(Flaky {
                silent: Silent::at(url),
                net: Arc::clone(&self.0),
            });
            self.0.invokers.lock().push(Arc::downgrade(&flaky));
            Ok(flaky as Arc<dyn Invoker>)
        })
    }

    fn supports(&self, protocol: &str) -> bool {
        protocol == "dubbo"
    }
}

impl Net {
    fn of(&self, address: &str) -> Option<Arc<Flaky>> {
        let invokers = self.invokers.lock();
        let mut alive = invokers.iter().filter_map(std::sync::Weak::upgrade);
        alive.find(|flaky| flaky.silent.url.address() == address)
    }
}

fn urls(texts: &[&str]) -> Arc<[ServiceUrl]> {
    texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect()
}

fn directory(net: &Arc<Net>, consumer: &str) -> Directory {
    let consumer = ServiceUrl::parse(consumer).unwrap();
    let connector = Arc::new(Connections(Arc::clone(net)));
    Directory::new(consumer, "registry:1", connector, DirectoryOptions::default())
}

fn ports(directory: &Directory) -> Vec<u16> {
    let list = directory.list().unwrap();
    list.endpoints()
        .iter()
        .map(|endpoint| endpoint.url().port().unwrap())
        .collect()
}

fn call() -> Invocation {
    let method = Method::new(ServiceKey::new("i", None, None), "say", "");
    Invocation::new(method.into(), Encoded::none())
}

/// Lets everything happen that can happen within a moment.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(20)).await;
}

#[tokio::test(start_paused = true)]
async fn unchanged_addresses_keep_their_connection_and_the_others_lose_theirs() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i"]));
    directory.settled().await;
    moment().await;
    assert_eq!(ports(&directory), [1, 2]);
    directory.notify(urls(&["dubbo://h:3/i", "dubbo://h:2/i", "dubbo://h:2/i"]));
    moment().await;
    assert_eq!(ports(&directory), [3, 2]);
    let mut opened = net.opened.lock().clone();
    opened.sort();
    assert_eq!(opened, ["h:1", "h:2", "h:3"]);
    assert!(net.of("h:1").is_none(), "its connection is let go");
}

#[tokio::test(start_paused = true)]
async fn a_changed_parameter_makes_a_new_endpoint() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&["dubbo://h:1/i?weight=1"]));
    moment().await;
    directory.notify(urls(&["dubbo://h:1/i?weight=2"]));
    moment().await;
    let list = directory.list().unwrap();
    assert_eq!(list.endpoints().len(), 1);
    assert_eq!(list.endpoints()[0].weight("any", crate::EpochMillis(0)), 2);
}

#[tokio::test(start_paused = true)]
async fn one_bad_url_does_not_spoil_the_list() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&[
        "what://h:1/i",
        "dubbo://h/i",
        "dubbo://h:3/i?disabled=true",
        "dubbo://h:4/i",
    ]));
    moment().await;
    assert_eq!(ports(&directory), [4]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_useless_as_a_whole_leaves_the_old_one() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i?protocol=dubbo");
    directory.notify(urls(&["dubbo://h:1/i"]));
    moment().await;
    directory.notify(urls(&["tri://h:2/i"]));
    moment().await;
    assert_eq!(ports(&directory), [1]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_forbids_until_there_is_another_one() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    assert_eq!(directory.state(), DirectoryState::Waiting);
    directory.notify(urls(&["dubbo://h:1/i"]));
    moment().await;
    for nobody in [urls(&[]), urls(&["empty://h/i"])] {
        directory.notify(nobody);
        moment().await;
        let error = directory.list().err().unwrap();
        assert_eq!(error.code(), RpcErrorCode::Forbidden);
        assert!(error.message().contains("registry:1"), "{error}");
        assert!(net.of("h:1").is_none());
        directory.notify(urls(&["dubbo://h:1/i"]));
        moment().await;
        assert_eq!(ports(&directory), [1]);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_cannot_be_reached_is_tried_again_without_end() {
    let net = Arc::new(Net::default());
    net.cut.lock().insert("h:1".to_owned());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i"]));
    directory.settled().await;
    moment().await;
    assert_eq!(ports(&directory), [2]);
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(ports(&directory), [2]);
    net.cut.lock().clear();
    tokio::time::sleep(Duration::from_secs(15)).await;
    assert_eq!(ports(&directory), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn the_old_ones_serve_until_one_of_the_new_is_up() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&["dubbo://h:1/i"]));
    moment().await;
    directory.notify(urls(&["dubbo://h:2/i"]));
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    assert_eq!(ports(&directory), [1]);
    moment().await;
    assert_eq!(ports(&directory), [2]);
}

#[tokio::test(start_paused = true)]
async fn nobody_reachable_is_another_error_than_nobody_registered() {
    let net = Arc::new(Net::default());
    net.cut.lock().insert("h:1".to_owned());
    let directory = Arc::new(directory(&net, "consumer://me/i"));
    directory.notify(urls(&["dubbo://h:1/i"]));
    directory.settled().await;
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    let error = invoker.invoke(&call()).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::NoInvokerAfterFilter);
    assert!(error.message().contains("1 registered"), "{error}");
    assert_eq!(error.call(), Some("i.say"));
    assert!(!invoker.is_available());
}

#[tokio::test(start_paused = true)]
async fn after_destroy_the_list_is_an_error() {
    let net = Arc::new(Net::default());
    let directory = directory(&net, "consumer://me/i");
    directory.notify(urls(&["dubbo://h:1/i"]));
    moment().await;
    directory.destroy();
    let error = directory.list().err().unwrap();
    assert_eq!(error.code(), RpcErrorCode::Unknown);
    moment().await;
    assert!(net.of("h:1").is_none());
}

/// Destroys the directory at a moment when its task is at work and will publish next.
#[derive(Default)]
struct Destroyer(Mutex<Option<Arc<Directory>>>);

impl Connector for Destroyer {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        Box::pin(async move { Ok(Silent::at(url) as Arc<dyn Invoker>) })
    }

    fn supports(&self, _: &str) -> bool {
        if let Some(directory) = self.0.lock().take() {
            directory.destroy();
        }
        true
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_published_while_it_is_destroyed_does_not_bring_it_back() {
    let consumer = ServiceUrl::parse("consumer://me/i").unwrap();
    let destroyer = Arc::new(Destroyer::default());
    let connector = Arc::clone(&destroyer) as Arc<dyn Connector>;
    let directory = Arc::new(Directory::new(
        consumer,
        "registry:1",
        connector,
        DirectoryOptions::default(),
    ));
    *destroyer.0.lock() = Some(Arc::clone(&directory));
    directory.notify(urls(&["dubbo://h:1/i"]));
    moment().await;
    assert!(destroyer.0.lock().is_none(), "it was destroyed within the task");
    assert_eq!(directory.state(), DirectoryState::Destroyed);
    directory.notify(urls(&["dubbo://h:2/i"]));
    moment().await;
    assert_eq!(directory.list().err().unwrap().code(), RpcErrorCode::Unknown);
}

#[tokio::test(start_paused = true)]
async fn failover_tries_another_provider_and_tells_all_it_tried() {
    let net = Arc::new(Net::default());
    let directory = Arc::new(directory(&net, "consumer://me/i"));
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i", "dubbo://h:3/i"]));
    moment().await;
    net.failing.lock().extend(["h:1".to_owned(), "h:2".to_owned()]);
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    for _ in 0..50 {
        let reply = invoker.invoke(&call()).await.unwrap();
        assert_eq!(reply.bytes(), "h:3");
    }
    net.failing.lock().insert("h:3".to_owned());
    let error = invoker.invoke(&call()).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::Network);
    for address in ["h:1", "h:2", "h:3"] {
        assert!(error.message().contains(address), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn retries_zero_means_one_attempt() {
    let net = Arc::new(Net::default());
    let directory = Arc::new(directory(&net, "consumer://me/i?say.retries=0&retries=5"));
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i"]));
    moment().await;
    net.failing.lock().insert("h:1".to_owned());
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    let mut failed = 0;
    for _ in 0..50 {
        failed += usize::from(invoker.invoke(&call()).await.is_err());
    }
    assert!((10..40).contains(&failed), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn one_that_is_down_is_passed_over() {
    let net = Arc::new(Net::default());
    let directory = Arc::new(directory(&net, "consumer://me/i?retries=0"));
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i"]));
    moment().await;
    net.of("h:1").unwrap().silent.available.store(false, Ordering::Relaxed);
    net.failing.lock().insert("h:1".to_owned());
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    for _ in 0..50 {
        invoker.invoke(&call()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_can_name_its_provider() {
    let net = Arc::new(Net::default());
    let directory = Arc::new(directory(&net, "consumer://me/i"));
    directory.notify(urls(&["dubbo://h:1/i", "dubbo://h:2/i"]));
    moment().await;
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    let mut call = call();
    call.options.target = Some("h:2".into());
    for _ in 0..20 {
        assert_eq!(invoker.invoke(&call).await.unwrap().bytes(), "h:2");
    }
    call.options.target = Some("h:9".into());
    let error = invoker.invoke(&call).await.unwrap_err();
    assert_eq!(error.code(), RpcErrorCode::NoInvokerAfterFilter);
}

#[tokio::test(start_paused = true)]
async fn of_several_groups_one_that_works_is_called() {
    let net = Arc::new(Net::default());
    let directory = Arc::new(directory(&net, "consumer://me/i?group=*"));
    directory.notify(urls(&[
        "dubbo://h:1/i?group=a",
        "dubbo://h:2/i?group=b",
        "dubbo://h:3/i?group=b",
    ]));
    moment().await;
    let invoker = ClusterInvoker::new(
        Arc::clone(&directory),
        Balances::new(),
        Box::new(Failover::of(directory.consumer())),
    );
    for _ in 0..20 {
        assert_eq!(invoker.invoke(&call()).await.unwrap().bytes(), "h:1");
    }
    net.of("h:1").unwrap().silent.available.store(false, Ordering::Relaxed);
    for _ in 0..20 {
        assert_ne!(invoker.invoke(&call()).await.unwrap().bytes(), "h:1");
    }
}
