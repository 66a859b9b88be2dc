//! `failback`: one attempt, and further ones in the background (`FailbackClusterInvoker`), for notices that must arrive some time.

use std::sync::Arc;
use std::time::Duration;

use orana_core::{BoxFuture, Invocation, Reply, RpcError, ServiceUrl};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::Cluster;
use super::retry::MOST_RETRIES;
use crate::endpoint::Endpoint;
use crate::picker::{LaterPicker, Picker};

/// How often it is tried in the background, and how many calls wait for that, unless configuration says otherwise.
pub(crate) const DEFAULT_RETRIES: u32 = 3;
const DEFAULT_TASKS: usize = 100;

/// More waiting calls than this are not kept, whatever configuration says.
const MOST_TASKS: usize = 10_000;

/// How long after a failure it is tried again.
const PAUSE: Duration = Duration::from_secs(5);

/// One attempt; a failure gives null, and the call is tried up to `retries` times more, every 5 seconds, by the list and the rules of that
/// moment and at another provider than the last if there is one. At most `failbacktasks` calls wait; one more is dropped and that is logged.
/// Without anybody to call it is an error, as in 3.x.
pub struct Failback {
    retries: u32,
    tasks: usize,
    background: Mutex<Option<Background>>,
}

/// The task that tries again, and its queue; both go with the strategy.
struct Background {
    queue: mpsc::Sender<Failed>,
    task: AbortHandle,
}

/// A call that waits.
struct Failed {
    invocation: Invocation,
    picker: LaterPicker,
    last: Arc<Endpoint>,
    /// How many further attempts there may be.
    left: u32,
    at: Instant,
}

impl Failback {
    /// As a consumer's URL says: `retries`, `failbacktasks`.
    pub fn of(consumer: &ServiceUrl) -> Failback {
        let retries = consumer.number("retries").unwrap_or(i64::from(DEFAULT_RETRIES));
        let tasks = consumer.number("failbacktasks").filter(|tasks| *tasks > 0);
        Failback {
            retries: u32::try_from(retries).map_or(DEFAULT_RETRIES, |retries| retries.min(MOST_RETRIES)),
            tasks: tasks.unwrap_or(DEFAULT_TASKS).min(MOST_TASKS),
            background: Mutex::default(),
        }
    }

    fn again_later(&self, failed: Failed) {
        let mut background = self.background.lock();
        let background = background.get_or_insert_with(|| {
            let (queue, waiting) = mpsc::channel(self.tasks);
            Background {
                queue,
                task: tokio::spawn(try_again(waiting)).abort_handle(),
            }
        });
        if let Err(refused) = background.queue.try_send(failed) {
            let failed = refused.into_inner();
            let call = failed.invocation.method();
            tracing::warn!(%call, waiting = self.tasks, "too many failed calls wait to be tried again; this one is dropped (failback)");
        }
    }
}

/// Tries each call when its time has come. All wait equally long, so that the queue is in the order of their times; a call that fails again
/// goes behind all others.
async fn try_again(mut waiting: mpsc::Receiver<Failed>) {
    let mut again: std::collections::VecDeque<Failed> = std::collections::VecDeque::new();
    loop {
        // What failed again came before what is still in the queue, if its time comes first.
        let next = match again.pop_front() {
            Some(failed) => failed,
            None => match waiting.recv().await {
                Some(failed) => failed,
                None => return,
            },
        };
        sleep_until(next.at).await;
        if let Some(failed) = attempt(next).await {
            again.push_back(failed);
        }
        // Those whose time came meanwhile stand behind it.
        while again.len() < MOST_TASKS
            && let Ok(failed) = waiting.try_recv()
        {
            again.push_back(failed);
        }
        again.make_contiguous().sort_by_key(|failed| failed.at);
    }
}

/// One attempt in the background; gives the call back if there may be another.
async fn attempt(mut failed: Failed) -> Option<Failed> {
    let held = failed.picker.hold()?;
    let picker = held.picker();
    let error = match picker.pick(&failed.invocation, std::slice::from_ref(&failed.last)) {
        Ok(pick) => {
            failed.last = pick.endpoint;
            match picker.attempt(&failed.last, &failed.invocation).await {
                Ok(_) => return None,
                Err(error) => error,
            }
        }
        Err(error) => error,
    };
    failed.left = failed.left.saturating_sub(1);
    let more = failed.left > 0 && error.exception().is_none();
    tracing::warn!(%error, more, "a call failed again in the background (failback)");
    failed.at = Instant::now() + PAUSE;
    more.then_some(failed)
}

impl Cluster for Failback {
    fn execute<'a>(&'a self, invocation: &'a Invocation, picker: Picker<'a>) -> BoxFuture<'a, Result<Reply, RpcError>> {
        Box::pin(async move {
            let endpoint = picker.pick(invocation, &[])?.endpoint;
            match picker.attempt(&endpoint, invocation).await {
                Ok(reply) => Ok(reply),
                Err(error) if error.exception().is_some() => Err(error),
                Err(error) => {
                    tracing::warn!(%error, "a call failed; its caller is given null, and it is tried again later (failback)");
                    if self.retries > 0 {
                        let mut invocation = invocation.clone();
                        // Nobody waits for it any more, so that the time of its caller does not count.
                        invocation.options.deadline = None;
                        self.again_later(Failed {
                            invocation,
                            picker: picker.later(),
                            last: Arc::clone(&endpoint),
                            left: self.retries,
                            at: Instant::now() + PAUSE,
                        });
                    }
                    Ok(Reply::null().by(endpoint.address()))
                }
            }
        })
    }
}

impl Drop for Failback {
    fn drop(&mut self) {
        if let Some(background) = self.background.get_mut() {
            background.task.abort();
        }
    }
}
