//! The connections that are being opened for one directory, and those that wait for their turn: who comes first, how many at a time,
//! and who is given up. Does not know why somebody is to be connected to, nor what a failure means for the list.

use std::collections::VecDeque;
use std::sync::Arc;

use ahash::{HashMap, HashMapExt};
use orana_core::{Connector, Invoker, RpcError, RpcErrorCode, ServiceUrl};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// Attempts under way and waiting, at most one for each listed URL.
pub(super) struct Openings {
    connector: Arc<dyn Connector>,
    at_once: usize,
    tasks: JoinSet<Outcome>,
    /// By the task that makes the attempt: what an attempt that is not here any more says is not heard, so that it cannot speak for a
    /// later one to the same URL.
    under_way: HashMap<Id, Attempt>,
    /// How many of those under way are not the first for their URL.
    again_under_way: usize,
    first: VecDeque<ServiceUrl>,
    again: VecDeque<ServiceUrl>,
}

/// One connection that is being opened.
struct Attempt {
    url: ServiceUrl,
    again: bool,
    task: AbortHandle,
}

/// What came of an attempt.
pub(super) type Outcome = Result<Arc<dyn Invoker>, RpcError>;

impl Openings {
    /// At most `at_once` attempts are under way.
    pub(super) fn new(connector: Arc<dyn Connector>, at_once: usize) -> Openings {
        Openings {
            connector,
            at_once: at_once.max(1),
            tasks: JoinSet::new(),
            under_way: HashMap::new(),
            again_under_way: 0,
            first: VecDeque::new(),
            again: VecDeque::new(),
        }
    }

    /// Connects to these for the first time.
    pub(super) fn open(&mut self, urls: Vec<ServiceUrl>) {
        self.first.extend(urls);
        self.begin();
    }

    /// Connects to these, which could not be reached before.
    pub(super) fn open_again(&mut self, urls: Vec<ServiceUrl>) {
        self.again.extend(urls);
        self.begin();
    }

    /// Gives up whatever is not wanted any more, whether it waits or is under way.
    pub(super) fn retain(&mut self, wanted: impl Fn(&ServiceUrl) -> bool) {
        self.first.retain(&wanted);
        self.again.retain(&wanted);
        let gone = self.under_way.iter().filter(|(_, attempt)| !wanted(&attempt.url));
        let gone: Vec<Id> = gone.map(|(id, _)| *id).collect();
        for id in gone {
            if let Some(attempt) = self.forget(id) {
                attempt.task.abort();
            }
        }
        self.begin();
    }

    /// The next attempt that ended; `None` when none is under way. Nothing is lost when this future is dropped.
    pub(super) async fn next(&mut self) -> Option<(ServiceUrl, Outcome)> {
        loop {
            let joined = self.tasks.join_next_with_id().await?;
            if let Some(ended) = self.ended(joined) {
                return Some(ended);
            }
        }
    }

    /// One that has ended already.
    pub(super) fn ready(&mut self) -> Option<(ServiceUrl, Outcome)> {
        loop {
            let joined = self.tasks.try_join_next_with_id()?;
            if let Some(ended) = self.ended(joined) {
                return Some(ended);
            }
        }
    }

    fn ended(&mut self, joined: Result<(Id, Outcome), JoinError>) -> Option<(ServiceUrl, Outcome)> {
        let (id, outcome) = match joined {
            Ok(ended) => ended,
            // One that was given up is not here any more; what is left is a fault of the protocol's code, and the URL must not
            // stay untried for ever because of it.
            Err(error) => {
                let what = format!("opening the connection ended unexpectedly: {error}");
                (error.id(), Err(RpcError::new(RpcErrorCode::Unknown, what)))
            }
        };
        let attempt = self.forget(id)?;
        self.begin();
        Some((attempt.url, outcome))
    }

    fn begin(&mut self) {
        while self.under_way.len() < self.at_once {
            let (url, again) = if let Some(url) = self.first.pop_front() {
                (url, false)
            } else if self.again_under_way < self.again_at_once()
                && let Some(url) = self.again.pop_front()
            {
                (url, true)
            } else {
                return;
            };
            let (connector, to) = (Arc::clone(&self.connector), url.clone());
            let task = self.tasks.spawn(async move { connector.connect(&to).await });
            self.again_under_way += usize::from(again);
            self.under_way.insert(task.id(), Attempt { url, again, task });
        }
    }

    /// Addresses that stay unreachable take a timeout each, without end; half of the places is always left to new ones.
    fn again_at_once(&self) -> usize {
        self.at_once.div_ceil(2)
    }

    fn forget(&mut self, id: Id) -> Option<Attempt> {
        let attempt = self.under_way.remove(&id)?;
        self.again_under_way -= usize::from(attempt.again);
        Some(attempt)
    }
}

#[cfg(test)]
mod tests;
