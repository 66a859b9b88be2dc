//! What surrounds a call at the provider: who calls, until when, with what beside the arguments, and what goes back beside
//! the result (`org.apache.dubbo.rpc.RpcContext`, the parts for a provider).
//!
//! Reached from anywhere within the call, also by code that is given nothing but its arguments.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use orana_core::{Attachments, Invocation};
use parking_lot::Mutex;

tokio::task_local! {
    static CURRENT: Context;
}

/// A call that is being served. Cloning it costs no allocation.
#[derive(Clone, Debug)]
pub struct Context(Arc<Served>);

#[derive(Debug)]
struct Served {
    invocation: Invocation,
    caller: Option<SocketAddr>,
    answer: Mutex<Attachments>,
}

impl Context {
    /// The surroundings of `invocation`, which came from `caller`.
    pub fn new(invocation: Invocation, caller: Option<SocketAddr>) -> Context {
        Context(Arc::new(Served {
            invocation,
            caller,
            answer: Mutex::default(),
        }))
    }

    /// Those of the call that this task serves now; none outside of one, and none in tasks that it spawned.
    pub fn current() -> Option<Context> {
        CURRENT.try_with(Context::clone).ok()
    }

    /// Runs `future` within these surroundings.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    /// The call as it came in.
    pub fn invocation(&self) -> &Invocation {
        &self.0.invocation
    }

    /// What came beside the arguments.
    pub fn attachments(&self) -> &Attachments {
        &self.0.invocation.attachments
    }

    /// Where the call came from; none if from this process.
    pub fn caller(&self) -> Option<SocketAddr> {
        self.0.caller
    }

    /// The application that calls, if it says.
    pub fn application(&self) -> Option<&str> {
        self.attachments().get("remote.application")
    }

    /// When the caller will no longer wait, as far as it has said.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.invocation.options.deadline
    }

    /// Puts `text` under `name` beside the result.
    pub fn answer_with(&self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) {
        self.0.answer.lock().set(name, text);
    }

    /// What was put beside the result so far; it is taken out.
    pub fn take_answer(&self) -> Attachments {
        std::mem::take(&mut self.0.answer.lock())
    }
}
