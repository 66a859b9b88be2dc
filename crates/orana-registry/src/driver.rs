//! The one task that owns a registry's work: takes the steps that the desired state asks for, reads the streams, and ends with the last handle. Decides nothing that is worth a test of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use crate::backend::{Link, Watching};
use crate::complaints::{Outage, repeats};
use crate::convergence::{Operation, Outcome, Step, Verdict};
use crate::error::{RegistryError, RegistryErrorKind};
use crate::saver;
use crate::shared::Shared;
use crate::snapshot::{Skipped, Snapshot};
use crate::topic::{Progress, Topic};

/// How long the end waits for what must be withdrawn, and for the back-end to say goodbye.
const FAREWELL: Duration = Duration::from_secs(3);
/// A stream that ends sooner was of no use.
const USEFUL: Duration = Duration::from_secs(1);

/// What a task has to say when it ends.
enum Ended {
    /// A step, with its outcome.
    Step(Result<(), RegistryError>),
    /// The stream of a watch, which was told as done when it began.
    Stream { lasted: bool },
}

/// Runs until the registry is closed.
pub(crate) async fn drive(shared: Arc<Shared>) {
    let mut link = shared.link.clone();
    link.mark_changed();
    let mut link_lives = true;
    let mut outage = Outage::default();
    // A program may do much between making a registry and letting tasks run: only from now on could it have connected.
    shared.state.lock().down_since = Some(Instant::now());
    let mut tasks = JoinSet::new();
    let mut steps = HashMap::new();
    let saver = tokio::spawn(saver::keep_saved(Arc::clone(&shared)));
    while !shared.state.lock().closing {
        let wake = take_steps(&shared, &mut tasks, &mut steps);
        tokio::select! {
            changed = link.changed(), if link_lives => match changed {
                Ok(()) => {
                    let now = link.borrow_and_update().clone();
                    link_is(&shared, &mut outage, &now);
                }
                Err(_) => {
                    link_lives = false;
                    let reason = Arc::from("the back-end has ended");
                    link_is(&shared, &mut outage, &Link::Down { reason });
                }
            },
            Some(ended) = tasks.join_next_with_id() => settle(&shared, &mut steps, ended),
            () = shared.nudge.notified() => {}
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
        }
    }
    let _ = timeout(FAREWELL, pay_debts(&shared, &mut tasks, &mut steps)).await;
    tasks.shutdown().await;
    saver.abort();
    let _ = saver.await;
    saver::save_rest(&shared).await;
    if timeout(FAREWELL, shared.backend.close()).await.is_err() {
        tracing::warn!(address = &*shared.address, "the registry did not take leave in time");
    }
    shared.state.lock().clear();
    shared.ended.send_replace(true);
}

/// Begins all that is to be done now; when to look again.
fn take_steps(
    shared: &Arc<Shared>,
    tasks: &mut JoinSet<Ended>,
    steps: &mut HashMap<tokio::task::Id, Step>,
) -> Option<Instant> {
    let mut state = shared.state.lock();
    let now = Instant::now();
    while let Some(step) = state.convergence.next(now) {
        let handle = match step.operation {
            Operation::Publish | Operation::Withdraw => {
                let Some(registered) = state.registrations.get(&step.key) else {
                    continue;
                };
                let (shared, url) = (Arc::clone(shared), registered.url.clone());
                tasks.spawn(async move {
                    let request = match step.operation {
                        Operation::Withdraw => shared.backend.withdraw(&url),
                        _ => shared.backend.publish(&url),
                    };
                    Ended::Step(in_time(&shared, request).await)
                })
            }
            Operation::Watch => {
                let Some(watched) = state.topics.get_mut(&step.key) else {
                    continue;
                };
                let handle = tasks.spawn(watch(Arc::clone(shared), Arc::clone(&watched.topic), step));
                if let Some(before) = watched.reader.replace(handle.clone()) {
                    before.abort();
                }
                handle
            }
        };
        steps.insert(handle.id(), step);
    }
    // What was removed on the way is forgotten here as well.
    let wake = state.convergence.wake();
    let gone: Vec<_> = state.convergence.take_removed();
    gone.into_iter().for_each(|key| state.forget(key));
    wake
}

/// Tells the desired state how the link is.
fn link_is(shared: &Shared, outage: &mut Outage, link: &Link) {
    let address = &*shared.address;
    let news = outage.is_news(link);
    match link {
        Link::Up { epoch } => tracing::info!(address, epoch, "the registry is connected"),
        Link::Connecting => tracing::debug!(address, "connecting to the registry"),
        Link::Down { .. } | Link::Refused { .. } if news => {
            tracing::warn!(
                address,
                ?link,
                "the registry is not connected; it is tried again until it is"
            );
        }
        Link::Down { .. } | Link::Refused { .. } => {
            tracing::debug!(address, ?link, "the registry is still not connected");
        }
    }
    let mut state = shared.state.lock();
    let now = Instant::now();
    match link.epoch() {
        Some(epoch) => {
            state.down_since = None;
            let same_session = state.session.replace(epoch) == Some(epoch);
            let topics = state.topics.values();
            topics.for_each(|watched| watched.topic.link_back(same_session, now));
        }
        None => {
            state.down_since.get_or_insert(now);
            state.topics.values().for_each(|watched| watched.topic.link_lost());
        }
    }
    state.convergence.link(link.epoch(), now);
}

/// Tells the desired state how a task ended.
fn settle(
    shared: &Shared,
    steps: &mut HashMap<tokio::task::Id, Step>,
    ended: Result<(tokio::task::Id, Ended), JoinError>,
) {
    let (id, ended) = match ended {
        Ok(ended) => ended,
        // Whoever aborted it has told so already; a panic of a back-end is a failure like any other.
        Err(error) if error.is_panic() => {
            let what = "the back-end panicked; this is a fault of the program";
            (
                error.id(),
                Ended::Step(Err(shared.error(RegistryErrorKind::Failed, what))),
            )
        }
        Err(error) => {
            steps.remove(&error.id());
            return;
        }
    };
    let Some(step) = steps.remove(&id) else { return };
    match ended {
        Ended::Step(outcome) => finish(shared, step, outcome),
        Ended::Stream { lasted } => {
            let mut state = shared.state.lock();
            state.convergence.ended(step, lasted, Instant::now(), fastrand::f64());
            if let Some(watched) = state.topics.get(&step.key) {
                watched.topic.progress.send_replace(Progress::Pending);
            }
        }
    }
}

/// Tells the desired state, and whoever waits, how a step ended.
fn finish(shared: &Shared, step: Step, outcome: Result<(), RegistryError>) {
    let told = match &outcome {
        Ok(()) => Outcome::Done,
        Err(error) if error.retryable() || error.kind() == RegistryErrorKind::Refused => Outcome::Failed,
        Err(_) => Outcome::Impossible,
    };
    let (verdict, service, error, repeated) = {
        let mut state = shared.state.lock();
        let verdict = state.convergence.finished(step, told, Instant::now(), fastrand::f64());
        let progress = match (verdict, &outcome) {
            (Verdict::Stale, _) => return,
            (Verdict::Removed, _) => {
                state.forget(step.key);
                return;
            }
            (Verdict::Settled, Ok(())) => Progress::Settled,
            (_, Ok(())) => Progress::Pending,
            (_, Err(error)) => Progress::Failed {
                error: error.clone(),
                again: verdict != Verdict::GivenUp,
            },
        };
        let (service, told) = if let Some(registered) = state.registrations.get(&step.key) {
            (&registered.url, &registered.progress)
        } else if let Some(watched) = state.topics.get(&step.key) {
            (&watched.topic.subscriber, &watched.topic.progress)
        } else {
            return;
        };
        let repeated = repeats(&told.borrow(), &progress);
        told.send_replace(progress);
        match outcome {
            Ok(()) => return,
            Err(error) => (verdict, service.clone(), error, repeated),
        }
    };
    let what = match (step.operation, verdict) {
        (Operation::Publish, Verdict::GivenUp) => "registering failed and is given up until the next session",
        (Operation::Publish, _) => "registering failed and will be tried again",
        (Operation::Withdraw, Verdict::GivenUp) => "unregistering failed and is given up until the next session",
        (Operation::Withdraw, _) => "unregistering failed and will be tried again",
        (Operation::Watch, Verdict::GivenUp) => "subscribing failed and is given up until the next session",
        (Operation::Watch, _) => "subscribing failed and will be tried again",
    };
    if repeated {
        tracing::debug!(%service, %error, "{what}");
    } else {
        shared.complain(what, &service, &error);
    }
}

/// A request of the back-end, for as long as the settings allow.
pub(crate) async fn in_time<T>(
    shared: &Shared,
    request: impl Future<Output = Result<T, RegistryError>>,
) -> Result<T, RegistryError> {
    shared.contact().in_time(shared.settings.timeout, request).await
}

/// Watches for one topic until its stream ends.
async fn watch(shared: Arc<Shared>, topic: Arc<Topic>, step: Step) -> Ended {
    let mut watching = match in_time(&shared, shared.backend.watch(&topic.query)).await {
        Ok(watching) => watching,
        Err(error) => return Ended::Step(Err(error)),
    };
    let began = Instant::now();
    let mut skipped = Skipped::default();
    let mut changed = take(&shared, &topic, &mut watching, None, step, &mut skipped);
    changed |= topic.complete(step.epoch, began);
    if changed {
        tell(&shared, &topic).await;
    }
    finish(&shared, step, Ok(()));
    // There is room for one more step.
    shared.nudge.notify_one();
    if let Some(cache) = &shared.cache {
        cache.forget();
    }
    // Within the window after one notification nothing is read: what comes meanwhile is joined in the stream.
    let mut open_at = began + shared.settings.merge_window;
    loop {
        let deadline = topic.deadline();
        let open = Instant::now() >= open_at;
        let changed = tokio::select! {
            snapshot = watching.next(), if open => match snapshot {
                Some(snapshot) => take(&shared, &topic, &mut watching, Some(snapshot), step, &mut skipped),
                None => return Ended::Stream { lasted: began.elapsed() >= USEFUL },
            },
            () = sleep_until(open_at), if !open => false,
            () = sleep_until(deadline.unwrap_or(began)), if deadline.is_some() => topic.expire(Instant::now()),
        };
        if changed {
            tell(&shared, &topic).await;
            open_at = Instant::now() + shared.settings.merge_window;
        }
    }
}

/// Takes a snapshot and all that are there already. `true` when there is something to tell.
fn take(
    shared: &Shared,
    topic: &Topic,
    watching: &mut Watching,
    first: Option<Snapshot>,
    step: Step,
    skipped: &mut Skipped,
) -> bool {
    let now = Instant::now();
    let mut changed = false;
    let mut next = first.or_else(|| watching.try_next());
    while let Some(snapshot) = next {
        if snapshot.skipped.count > 0 && snapshot.skipped != *skipped {
            *skipped = snapshot.skipped.clone();
            let first = skipped.first.as_deref().unwrap_or_default();
            let what = format!(
                "{} entries of the registry are no urls, the first is {first}",
                skipped.count
            );
            let error = shared.error(RegistryErrorKind::Invalid, what);
            shared.complain("entries were skipped", &snapshot.interface, &error);
        }
        changed |= topic.take(snapshot, step.epoch, now, &shared.pool);
        next = watching.try_next();
    }
    changed
}

/// Saves and tells, in the order that was asked for.
async fn tell(shared: &Shared, topic: &Topic) {
    if let Some(cache) = shared.cache.as_ref().filter(|_| !topic.query.any_interface()) {
        let count = cache.change();
        if cache.synchronous {
            cache.tried(count).await;
        }
    }
    topic.tell();
}

/// Finishes what must not be left behind: withdrawals of what would outlive the session.
async fn pay_debts(shared: &Arc<Shared>, tasks: &mut JoinSet<Ended>, steps: &mut HashMap<tokio::task::Id, Step>) {
    shared.state.lock().convergence.keep_debts();
    loop {
        take_steps(shared, tasks, steps);
        if !shared.state.lock().convergence.owes_withdrawals() {
            return;
        }
        match tasks.join_next_with_id().await {
            Some(ended) => settle(shared, steps, ended),
            None => return,
        }
    }
}
