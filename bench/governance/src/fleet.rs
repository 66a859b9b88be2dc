//! A consumer and its providers: the URLs of `Fleet.java`, a directory over them, and connections that are there at once.

use std::sync::Arc;

use anyhow::{Result, ensure};
use orana_cluster::load_balance::Balances;
use orana_cluster::{Cluster, ClusterInvoker, Directory, DirectoryOptions, Governance};
use orana_core::{
    BoxFuture, Connector, Encoded, Invocation, Invoker, Method, Reply, RpcError, ServiceKey, ServiceUrl, UrlPool,
};

pub(crate) const SERVICE: &str = "org.example.orders.OrderService";

/// The application of the providers.
pub(crate) const APPLICATION: &str = "order-service";

/// The host of the consumer.
pub(crate) const CONSUMER: &str = "10.20.0.31";

/// Calls that go round: as many as the processor does not learn by heart.
const CALLS: usize = 64;

/// Whether providers say when they started, so that their weight depends on the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    Plain,
    Stamped,
}

impl Weights {
    pub(crate) const ALL: [Weights; 2] = [Weights::Plain, Weights::Stamped];

    /// As the program of the Java side calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Weights::Plain => "plain",
            Weights::Stamped => "stamped",
        }
    }
}

/// The consumer's URL; `balance` is the load balance that it asks for.
pub(crate) fn consumer(balance: &str) -> Result<ServiceUrl> {
    Ok(ServiceUrl::parse(&format!(
        "consumer://{CONSUMER}/{SERVICE}?application=shop&interface={SERVICE}&loadbalance={balance}&methods=find,list&register.ip={CONSUMER}\
         &side=consumer&timeout=1000"
    ))?)
}

/// Providers as a registry hands them over: what they have in common is there once.
pub(crate) fn providers(count: usize, weights: Weights, pool: &UrlPool) -> Result<Vec<ServiceUrl>> {
    (0..count).map(|number| provider(number, weights, "", pool)).collect()
}

/// One of them; `more` are further parameters.
pub(crate) fn provider(number: usize, weights: Weights, more: &str, pool: &UrlPool) -> Result<ServiceUrl> {
    let host = format!("10.{}.{}.{}", number / 62_500 + 1, number / 250 % 250, number % 250 + 1);
    let env = if number.is_multiple_of(2) { "prod" } else { "stage" };
    let stamp = match weights {
        Weights::Plain => "",
        Weights::Stamped => "&timestamp=1700000000000",
    };
    Ok(pool.parse(&format!(
        "dubbo://{host}:20880/{SERVICE}?anyhost=false&application={APPLICATION}&deprecated=false&dubbo=2.0.2&dynamic=true&env={env}\
         &generic=false&interface={SERVICE}&methods=find,list&pid=7&region=r{}&release=3.3.6&side=provider&zone=z{}{stamp}{more}",
        number % 10,
        number % 4
    ))?)
}

/// Calls of `find` with one text, of which every other one is `vip`.
pub(crate) fn calls() -> Vec<Invocation> {
    let method = Arc::new(Method::new(
        ServiceKey::new(SERVICE, None, None),
        "find",
        "Ljava/lang/String;",
    ));
    let call = |number: usize| {
        let text = if number.is_multiple_of(2) {
            "vip".to_owned()
        } else {
            format!("guest-{number}")
        };
        let arguments = Encoded::new(text.into(), 1, |bytes, index| {
            let text = std::str::from_utf8(bytes).ok()?;
            (index == 0).then_some(text.into())
        });
        Invocation::new(Arc::clone(&method), arguments)
    };
    (0..CALLS).map(call).collect()
}

/// A directory of these providers under these rules, once it is there.
pub(crate) async fn directory(
    consumer: ServiceUrl,
    providers: Vec<ServiceUrl>,
    governance: Governance,
) -> Result<Arc<Directory>> {
    let count = providers.len();
    let directory = Directory::new(consumer, "bench", Arc::new(AtOnce), DirectoryOptions::default());
    directory.govern(governance);
    directory.notify(providers.into());
    directory.settled().await;
    let there = directory.list()?.endpoints().len();
    ensure!(there == count, "{there} of {count} providers are in the list");
    Ok(Arc::new(directory))
}

/// Calls of `directory` by this strategy.
pub(crate) fn invoker(directory: Arc<Directory>, cluster: Box<dyn Cluster>) -> ClusterInvoker {
    ClusterInvoker::new(directory, Balances::new(), cluster)
}

/// Everybody is connected to already.
struct AtOnce;

/// Answers at once.
struct Answering(ServiceUrl);

impl Connector for AtOnce {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        Box::pin(async move { Ok(Arc::new(Answering(url.clone())) as Arc<dyn Invoker>) })
    }

    fn connected(&self, url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        Some(Arc::new(Answering(url.clone())))
    }

    fn supports(&self, _: &str) -> bool {
        true
    }
}

impl Invoker for Answering {
    fn url(&self) -> &ServiceUrl {
        &self.0
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async { Ok(Reply::null()) })
    }
}
