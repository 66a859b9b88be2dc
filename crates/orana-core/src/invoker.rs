//! What can be called, and what can be put before it.
//!
//! ```text
//!   caller ─▶ filter ─▶ filter ─▶ invoker ─▶ (wire, cluster, or the program's own code)
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::error::RpcError;
use crate::invocation::Invocation;
use crate::reply::Reply;
use crate::url::ServiceUrl;

/// A future behind a pointer, so that a trait with asynchronous methods can be a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Everything callable: a remote provider, the program's own implementation, a cluster of providers, a filtered one
/// (`org.apache.dubbo.rpc.Invoker`).
pub trait Invoker: Send + Sync + 'static {
    /// Where and what it is.
    fn url(&self) -> &ServiceUrl;

    /// Performs one call. Dropping the future gives the call up; what it held is let go.
    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>>;

    /// Whether a call has a chance now. A connection that is down, or whose far side announced its end, says no; nobody is
    /// forbidden to try nevertheless.
    fn is_available(&self) -> bool {
        true
    }
}

/// Something that happens around a call (`org.apache.dubbo.rpc.Filter`): it may change the call, refuse it, or look at its
/// result.
pub trait Filter: Send + Sync + 'static {
    /// Performs the call by means of `next`, or does not.
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>>;
}

/// Makes an [`Invoker`] of an address: the one thing that who chooses among providers must know of those who perform calls.
pub trait Connector: Send + Sync + 'static {
    /// Opens what is needed to call the provider that `url` describes; the parameters of the URL settle how. When it returns the
    /// provider was reached, except with `lazy=true`, where the first call does that.
    ///
    /// An invoker whose connection is lost reconnects by itself for as long as somebody holds it, and says so by
    /// [`Invoker::is_available`]. Dropping the last handle of it closes what nobody else uses.
    fn connect<'a>(&'a self, url: &'a ServiceUrl) -> BoxFuture<'a, Result<Arc<dyn Invoker>, RpcError>>;

    /// The same without waiting, if everything that is needed is open already because somebody else uses it: a provider whose URL has
    /// changed while its address has not. `None` if there is something to wait for.
    fn connected(&self, _url: &ServiceUrl) -> Option<Arc<dyn Invoker>> {
        None
    }

    /// Whether it can call providers of that protocol.
    fn supports(&self, protocol: &str) -> bool;
}

/// An invoker with one filter before it.
struct Filtered {
    filter: Arc<dyn Filter>,
    next: Arc<dyn Invoker>,
}

/// Puts `filters` before `invoker`; the first of them sees a call first and its result last.
pub fn filtered(filters: &[Arc<dyn Filter>], invoker: Arc<dyn Invoker>) -> Arc<dyn Invoker> {
    filters.iter().rev().fold(invoker, |next, filter| {
        Arc::new(Filtered {
            filter: Arc::clone(filter),
            next,
        })
    })
}

impl Invoker for Filtered {
    fn url(&self) -> &ServiceUrl {
        self.next.url()
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        self.filter.invoke(&*self.next, invocation)
    }

    fn is_available(&self) -> bool {
        self.next.is_available()
    }
}
