//! What surrounds a call at the provider: who calls, until when, with what beside the arguments, and what goes back beside
//! the result (`org.apache.dubbo.rpc.RpcContext`, the parts for a provider).
//!
//! Reached from anywhere within the call, also by code that is given nothing but its arguments.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use orana_core::{Attachments, Invocation};
use parking_lot::Mutex;

use crate::reserved;

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
    /// Those of the invocation without the protocol's own, once somebody has asked.
    attachments: OnceLock<Attachments>,
    answer: Mutex<Attachments>,
}

impl Context {
    /// The surroundings of `invocation`, which came from `caller`.
    pub fn new(invocation: Invocation, caller: Option<SocketAddr>) -> Context {
        Context(Arc::new(Served {
            invocation,
            caller,
            attachments: OnceLock::new(),
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

    /// The call as it came in, also with the attachments that are the protocol's own.
    pub fn invocation(&self) -> &Invocation {
        &self.0.invocation
    }

    /// What the caller's program sent beside the arguments; what the protocol says there of the call (`path`, `token`, `timeout`
    /// and their like) is not among it.
    pub fn attachments(&self) -> &Attachments {
        let all = &self.0.invocation.attachments;
        self.0.attachments.get_or_init(|| reserved::of_the_program(all))
    }

    /// Those of [`Context::attachments`] that calls made meanwhile may take along: not what concerns this hop alone.
    pub fn travelling(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attachments()
            .iter()
            .filter(|(name, _)| !reserved::is_of_one_hop(name))
    }

    /// Where the call came from; none if from this process.
    pub fn caller(&self) -> Option<SocketAddr> {
        self.0.caller
    }

    /// The application that calls, if it says.
    pub fn application(&self) -> Option<&str> {
        self.0.invocation.attachments.get("remote.application")
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
