//! What tests of choice alone begin with: providers without sockets that do what they are told, under a directory and a strategy.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orana_cluster::cluster::{NoMergers, Parts, named};
use orana_cluster::load_balance::Balances;
use orana_cluster::{ClusterInvoker, Directory};
use orana_core::{
    BoxFuture, Connector, Encoded, Invocation, Invoker, Method, Reply, ReplyShape, RpcError, RpcErrorCode, ServiceKey,
    ServiceUrl,
};
use parking_lot::Mutex;

/// Every provider by its port.
#[derive(Default)]
pub(crate) struct Network {
    /// Who was called, one after the other.
    called: Mutex<Vec<u16>>,
    /// Whose connection is down.
    down: Mutex<HashMap<u16, Arc<AtomicBool>>>,
    /// Who breaks off.
    failing: Mutex<Vec<u16>>,
}

struct Connections(Arc<Network>);

struct Far {
    url: ServiceUrl,
    port: u16,
    down: Arc<AtomicBool>,
    network: Arc<Network>,
}

impl Network {
    /// Who was called since this was last asked.
    pub(crate) fn called(&self) -> Vec<u16> {
        std::mem::take(&mut *self.called.lock())
    }

    /// The connection to that provider breaks, or is there again.
    pub(crate) fn down(&self, port: u16, down: bool) {
        self.switch(port).store(down, Ordering::Relaxed);
    }

    /// Calls of these break off, and of nobody else.
    pub(crate) fn fail(&self, ports: &[u16]) {
        *self.failing.lock() = ports.to_vec();
    }

    fn switch(&self, port: u16) -> Arc<AtomicBool> {
        Arc::clone(self.down.lock().entry(port).or_default())
    }
}

impl Connector for Connections {
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>> {
        let port = url.port().unwrap();
        let far = Far {
            url: url.clone(),
            port,
            down: self.0.switch(port),
            network: Arc::clone(&self.0),
        };
        Box::pin(async { Ok(Arc::new(far) as Arc<dyn Invoker>) })
    }

    fn supports(&self, protocol: &str) -> bool {
        protocol == "dubbo"
    }
}

impl Invoker for Far {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, _: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async {
            self.network.called.lock().push(self.port);
            match self.network.failing.lock().contains(&self.port) {
                true => Err(RpcError::new(RpcErrorCode::Network, "connection reset")),
                false => Ok(Reply::new(ReplyShape::Value, self.port.to_string().into())),
            }
        })
    }

    fn is_available(&self) -> bool {
        !self.down.load(Ordering::Relaxed)
    }
}

pub(crate) fn urls(texts: &[&str]) -> Arc<[ServiceUrl]> {
    texts.iter().map(|text| ServiceUrl::parse(text).unwrap()).collect()
}

/// A reference with the parameters `query` to these providers.
pub(crate) async fn reference(query: &str, providers: &[&str]) -> (Arc<Network>, ClusterInvoker) {
    let network = Arc::new(Network::default());
    let consumer = ServiceUrl::parse(&format!("consumer://me/i?{query}")).unwrap();
    let connector = Arc::new(Connections(Arc::clone(&network)));
    let directory = Directory::of(consumer.clone(), urls(providers), connector);
    directory.settled().await;
    while directory.list().unwrap().endpoints().len() < providers.len() {
        tokio::task::yield_now().await;
    }
    let parts = Parts {
        consumer: &consumer,
        mergers: Arc::new(NoMergers),
    };
    let strategy = named(consumer.parameter("cluster").unwrap_or("failover"), &parts).unwrap();
    (
        network,
        ClusterInvoker::new(Arc::new(directory), Balances::new(), strategy),
    )
}

/// The port that answers a call of that method with that argument.
pub(crate) async fn ask(invoker: &ClusterInvoker, method: &str, argument: &str) -> Result<u16, RpcErrorCode> {
    let text: fn(&[u8], usize) -> Option<Cow<'_, str>> = |bytes, _| std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
    let method = Method::new(ServiceKey::new("i", None, None), method, "");
    let argument = Encoded::new(argument.to_owned().into(), 1, text);
    let reply = invoker.invoke(&Invocation::new(Arc::new(method), argument)).await;
    let reply = reply.map_err(|error| error.code())?;
    Ok(std::str::from_utf8(reply.bytes()).unwrap().parse().unwrap())
}
