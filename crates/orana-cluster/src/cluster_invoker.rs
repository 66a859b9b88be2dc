//! A directory, load balances and a strategy as one thing to call: the heart of a reference.

use std::sync::Arc;
use std::time::Instant;

use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, ServiceUrl};

use crate::choice::{Choice, Sticky};
use crate::cluster::Cluster;
use crate::directory::Directory;
use crate::explain::{self, Asking, Explanation};
use crate::health::Neighbours;
use crate::load_balance::Balances;
use crate::picker::Picker;

/// Calls some provider of a directory (`AbstractClusterInvoker`).
pub struct ClusterInvoker {
    choice: Arc<Choice>,
    cluster: Box<dyn Cluster>,
}

impl ClusterInvoker {
    /// Calls providers of `directory`, chosen by one of `balances`, with `cluster` to settle what a failure means.
    pub fn new(directory: Arc<Directory>, balances: Balances, cluster: Box<dyn Cluster>) -> ClusterInvoker {
        ClusterInvoker {
            choice: Arc::new(Choice {
                neighbours: Neighbours::of(directory.consumer(), Instant::now()),
                directory,
                balances,
                sticky: Sticky::default(),
            }),
            cluster,
        }
    }

    /// The directory it calls from.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.choice.directory
    }

    /// Why such a call would go where it would go at this moment. Nobody is called and nothing changes.
    pub fn explain(&self, asking: &Asking<'_>) -> Explanation {
        explain::assembly::explain(&self.choice, asking)
    }

    /// The error that a call would be now, if nobody can be called.
    pub fn why_unavailable(&self) -> RpcError {
        match self.choice.directory.list() {
            Ok(_) => self.choice.directory.nobody(),
            Err(error) => error,
        }
    }
}

impl Invoker for ClusterInvoker {
    fn url(&self) -> &ServiceUrl {
        self.choice.directory.consumer()
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        self.cluster.execute(invocation, Picker::new(&self.choice))
    }

    fn is_available(&self) -> bool {
        let list = self.choice.directory.list();
        list.is_ok_and(|list| list.endpoints().iter().any(|endpoint| endpoint.is_available()))
    }
}
