//! A directory, a load balance and a strategy as one thing to call: the heart of a reference.

use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, ServiceUrl};

use crate::cluster::Cluster;
use crate::directory::Directory;
use crate::load_balance::LoadBalance;
use crate::picker::Picker;

/// Calls some provider of a directory (`AbstractClusterInvoker`).
pub struct ClusterInvoker {
    directory: Arc<Directory>,
    balance: Box<dyn LoadBalance>,
    cluster: Box<dyn Cluster>,
}

impl ClusterInvoker {
    /// Calls providers of `directory`, chosen by `balance`, with `cluster` to settle what a failure means.
    pub fn new(directory: Arc<Directory>, balance: Box<dyn LoadBalance>, cluster: Box<dyn Cluster>) -> ClusterInvoker {
        ClusterInvoker {
            directory,
            balance,
            cluster,
        }
    }

    /// The directory it calls from.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The error that a call would be now, if nobody can be called.
    pub fn why_unavailable(&self) -> RpcError {
        match self.directory.list() {
            Ok(_) => self.directory.nobody(),
            Err(error) => error,
        }
    }
}

impl Invoker for ClusterInvoker {
    fn url(&self) -> &ServiceUrl {
        self.directory.consumer()
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        self.cluster
            .execute(invocation, Picker::new(&self.directory, &*self.balance))
    }

    fn is_available(&self) -> bool {
        self.directory
            .list()
            .is_ok_and(|list| list.endpoints().iter().any(|endpoint| endpoint.is_available()))
    }
}
