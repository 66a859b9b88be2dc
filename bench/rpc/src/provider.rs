//! The provider of `org.example.peer.Echo`: both methods answer their argument.

use std::sync::Arc;

use anyhow::{Context, Result};
use orana_core::{BoxFuture, Encoded, Reply, RpcError, RpcErrorCode, ServiceUrl};
use orana_rpc::dubbo::{DubboServer, ServerOptions};
use orana_rpc::{MethodDefinition, Service, ServiceDefinition, decode_arguments, reply_of};

use crate::order::Order;

/// The interface of both sides.
pub(crate) const INTERFACE: &str = "org.example.peer.Echo";

struct Echo(ServiceDefinition);

impl Service for Echo {
    fn definition(&self) -> &ServiceDefinition {
        &self.0
    }

    fn call<'a>(&'a self, method: usize, arguments: &'a Encoded) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let mut arguments = decode_arguments(arguments, self.0.methods.get(method));
            match method {
                0 => reply_of(&arguments.next::<String>()?),
                1 => reply_of(&arguments.next::<Order>()?),
                _ => Err(RpcError::new(RpcErrorCode::MethodNotFound, "no such method")),
            }
        })
    }
}

/// Serves until the standard input ends.
pub(crate) async fn run(port: u16) -> Result<()> {
    let methods = vec![
        MethodDefinition::new("text", ["java.lang.String"], "java.lang.String"),
        MethodDefinition::new("order", ["org.example.peer.Order"], "org.example.peer.Order"),
    ];
    let echo = Arc::new(Echo(ServiceDefinition::new(INTERFACE, methods)));
    let server = DubboServer::bind(("127.0.0.1", port), ServerOptions::default()).await?;
    let port = server.local_addr().port();
    let url = ServiceUrl::parse(&format!("dubbo://127.0.0.1:{port}/{INTERFACE}"))?;
    let exported = server.serve(url, echo).context("the service is not exported")?;
    crate::say(&format!("READY {port}"));
    crate::input_ends().await;
    drop(exported);
    Ok(())
}
