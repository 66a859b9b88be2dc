//! The end of the chain: the program's own implementation as an [`Invoker`], before which filters can be put.
//!
//! Knows nothing of the wire; what it is given has been decoded as far as the arguments.

use std::sync::Arc;

use orana_core::{BoxFuture, Invocation, Invoker, Reply, RpcError, RpcErrorCode, ServiceUrl};

use crate::arguments::ArgumentError;
use crate::service::Service;

/// A service of this program (`org.apache.dubbo.rpc.proxy.AbstractProxyInvoker`).
pub struct LocalInvoker {
    url: ServiceUrl,
    service: Arc<dyn Service>,
}

impl LocalInvoker {
    /// `service`, exported as `url` says.
    pub fn new(url: ServiceUrl, service: Arc<dyn Service>) -> LocalInvoker {
        LocalInvoker { url, service }
    }

    /// The service.
    pub fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    /// The method that a call is for: by descriptor, else the only one of that name with so many parameters.
    fn method(&self, invocation: &Invocation) -> Option<usize> {
        let methods = &self.service.definition().methods;
        let wanted = invocation.method();
        let exact = methods
            .iter()
            .position(|method| *method.name == *wanted.name && *method.descriptor == *wanted.descriptor);
        exact.or_else(|| {
            let mut alike = methods.iter().enumerate().filter(|(_, method)| {
                *method.name == *wanted.name && method.parameters.len() == invocation.arguments().count()
            });
            match (alike.next(), alike.next()) {
                (Some((index, _)), None) => Some(index),
                _ => None,
            }
        })
    }
}

impl Invoker for LocalInvoker {
    fn url(&self) -> &ServiceUrl {
        &self.url
    }

    fn invoke<'a>(&'a self, invocation: &'a Invocation) -> BoxFuture<'a, Result<Reply, RpcError>> {
        match self.method(invocation) {
            Some(method) => Box::pin(async move {
                let result = self.service.call(method, invocation.arguments()).await;
                result.map_err(|error| thrown(error).calling(invocation))
            }),
            None => Box::pin(async move {
                let message = format!("no such method with parameters `{}`", invocation.method().descriptor);
                Err(RpcError::new(RpcErrorCode::MethodNotFound, message).calling(invocation))
            }),
        }
    }
}

/// What the caller is to see of an error of the service's own code: an exception. Only arguments that could not be read are
/// no exception: the code was not reached.
fn thrown(error: RpcError) -> RpcError {
    let unread = std::error::Error::source(&error).is_some_and(|source| source.is::<ArgumentError>());
    if unread || error.exception().is_some() {
        return error;
    }
    crate::exception::of_rpc_error(&error)
}
