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
use std::time::{Duration, Instant};

use orana_core::{Attachments, BoxFuture, Reply, RpcError, RpcErrorCode};

use super::request::Call;
use crate::context::Context;
use crate::exception;
use crate::exporter::Export;
use crate::generic::{self, Generic};
use crate::pace::{Pace, Place};

/// A call that ran so long without a pause should not have been begun on a connection's task.
pub(super) const LONG: Duration = Duration::from_micros(200);

/// What a call came to: the result, and what goes beside it.
pub(super) type Served = (Result<Reply, RpcError>, Attachments);

/// A call that is being performed.
///
/// A panic of the program's code becomes the answer to this call. (Not in a program that is built with `panic = "abort"`:
/// there it ends the program.)
pub(super) struct Serving {
    call: BoxFuture<'static, Result<Reply, RpcError>>,
    context: Context,
    export: Arc<Export>,
    method: usize,
    generic: Option<Generic>,
    /// The most bytes of an answer.
    limit: usize,
}

impl Serving {
    /// Begins the call, which came from `caller` and is answered with at most `limit` bytes. Nothing runs until it is polled.
    pub(super) fn new(call: Call, caller: SocketAddr, limit: usize) -> Serving {
        let context = Context::new(call.invocation, Some(caller));
        Serving {
            call: Box::pin(perform(Arc::clone(&call.export), context.clone())),
            context,
            export: call.export,
            method: call.method,
            generic: call.generic,
            limit,
        }
    }
}

impl Serving {
    /// Where it is to be begun. [`Serving::ran`] must be told of it afterwards.
    pub(super) fn place(&self) -> Place {
        self.export.pace(self.method).map_or(Place::Apart, Pace::place)
    }

    /// Notes how long it ran from its beginning, at `place`, to its first pause.
    pub(super) fn ran(&self, place: Place, time: Duration) {
        if let Some(pace) = self.export.pace(self.method) {
            pace.ran(place, time >= LONG);
        }
    }

    /// What comes of it if it has not been begun yet and nobody waits for it any more, as far as is known.
    pub(super) fn expired(&self, now: Instant) -> Option<Served> {
        let deadline = self.context.deadline().filter(|deadline| *deadline <= now)?;
        let late = now.saturating_duration_since(deadline);
        let message = format!("not performed: the time of the call was over {late:.0?} before its turn came");
        let error = RpcError::new(RpcErrorCode::TimeoutTerminate, message);
        Some((Err(error.calling(self.context.invocation())), Attachments::new()))
    }

    /// Performs a call that is likely to run long without a pause: up to its first pause on a thread on which nothing else
    /// waits. On one of the runtime's own it would hold up whatever that thread looks after, which may be all sockets.
    pub(super) async fn apart(mut self) -> Served {
        let begun = tokio::task::spawn_blocking(move || {
            let now = Instant::now();
            if let Some(expired) = self.expired(now) {
                return (Poll::Ready(expired), self);
            }
            // Nobody need be woken by this: if it pauses it is polled again at once, and says whom to wake.
            let polled = Pin::new(&mut self).poll(&mut TaskContext::from_waker(Waker::noop()));
            self.ran(Place::Apart, now.elapsed());
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
            (Ok(reply), Some(kind)) => generic::wrap(reply, kind, this.limit),
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
