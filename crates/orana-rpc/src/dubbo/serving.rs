//! One call being performed: the program's code, within its context, behind a wall that a panic does not get through.
//!
//! Knows nothing of the connection; what comes of it is put elsewhere.

use std::any::Any;
use std::fmt;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use orana_core::{Attachments, BoxFuture, Reply, RpcError, RpcErrorCode};

use super::request::Call;
use crate::context::Context;
use crate::exception;
use crate::exporter::Export;
use crate::generic::{self, Generic};

/// What a call came to: the result, and what goes beside it.
pub(super) type Served = (Result<Reply, RpcError>, Attachments);

/// A call that is being performed.
///
/// A panic of the program's code becomes the answer to this call. (Not in a program that is built with `panic = "abort"`:
/// there it ends the program.)
pub(super) struct Serving {
    call: BoxFuture<'static, Result<Reply, RpcError>>,
    context: Context,
    generic: Option<Generic>,
}

impl Serving {
    /// Begins the call, which came from `caller`. Nothing runs until it is polled.
    pub(super) fn new(call: Call, caller: SocketAddr) -> Serving {
        let context = Context::new(call.invocation, Some(caller));
        Serving {
            call: Box::pin(perform(call.export, context.clone())),
            context,
            generic: call.generic,
        }
    }
}

impl Serving {
    /// Performs a call that is likely to run long without a pause: up to its first pause on a thread on which nothing else
    /// waits. On one of the runtime's own it would hold up whatever that thread looks after, which may be all sockets.
    pub(super) async fn apart(mut self) -> Served {
        let begun = tokio::task::spawn_blocking(move || {
            // Nobody need be woken by this: if it pauses it is polled again at once, and says whom to wake.
            let polled = Pin::new(&mut self).poll(&mut TaskContext::from_waker(Waker::noop()));
            (polled, self)
        });
        match begun.await {
            Ok((Poll::Ready(served), _)) => served,
            Ok((Poll::Pending, serving)) => serving.await,
            Err(error) => {
                let refused = RpcError::new(RpcErrorCode::Unknown, "the provider is about to end").because(error);
                (Err(refused), Attachments::new())
            }
        }
    }
}

async fn perform(export: Arc<Export>, context: Context) -> Result<Reply, RpcError> {
    let call = export.invoker.invoke(context.invocation());
    context.clone().scope(call).await
}

impl Future for Serving {
    type Output = Served;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Served> {
        let this = &mut *self;
        let polled = catch_unwind(AssertUnwindSafe(|| this.call.as_mut().poll(cx)));
        let result = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(panic) => {
                let words = words(&*panic);
                tracing::error!(call = %this.context.invocation().method(), words, "a service panicked");
                Err(RpcError::thrown(
                    "java.lang.RuntimeException",
                    format!("the service panicked: {words}"),
                ))
            }
        };
        let result = match (result, this.generic) {
            (Ok(reply), Some(kind)) => generic::wrap(reply, kind),
            (Err(error), Some(_)) => Err(exception::generic(error)),
            (result, None) => result,
        };
        Poll::Ready((result, this.context.take_answer()))
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("something that is no text")
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}
