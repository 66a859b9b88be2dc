//! The one task that owns a centre's work: takes the steps that the desired state asks for, reads the streams, and ends with
//! the last handle. However many keys are watched, what is under way are futures of one set.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable};
use futures_util::stream::{FuturesUnordered, StreamExt};
use orana_core::BoxFuture;
use tokio::time::{Instant, sleep_until, timeout};

use super::shared::{Shared, Topic};
use super::{ConfigWatching, Content};
use crate::backend::Link;
use crate::complaints::{Outage, repeats};
use crate::convergence::{Outcome, Step, Verdict};
use crate::error::{RegistryError, RegistryErrorKind};
use crate::topic::Progress;

/// How long the end waits for the back-end to say goodbye.
const FAREWELL: Duration = Duration::from_secs(3);
/// A stream that ends sooner was of no use.
const USEFUL: Duration = Duration::from_secs(1);

type Work = FuturesUnordered<BoxFuture<'static, Option<Done>>>;

/// Something that was under way and is done.
struct Done {
    step: Step,
    topic: Arc<Topic>,
    what: What,
}

enum What {
    /// A watch began, or could not.
    Begun(Result<ConfigWatching, RegistryError>),
    /// Its stream said something; `None` is its end.
    Said(Reading, Option<Result<Content, RegistryError>>),
}

/// A stream that is read.
struct Reading {
    watching: ConfigWatching,
    since: Instant,
}

/// Runs until the centre is closed.
pub(super) async fn drive(shared: Arc<Shared>) {
    let mut link = shared.link.clone();
    link.mark_changed();
    let mut link_lives = true;
    let mut outage = Outage::default();
    // A program may do much between making a centre and letting tasks run: only from now on could it have connected.
    shared.state.lock().down_since = Some(Instant::now());
    let mut work = Work::new();
    while !shared.state.lock().closing {
        let wake = take_steps(&shared, &work);
        tokio::select! {
            changed = link.changed(), if link_lives => {
                link_lives = changed.is_ok();
                let now = if link_lives {
                    link.borrow_and_update().clone()
                } else {
                    Link::Down { reason: "the back-end has ended".into() }
                };
                link_is(&shared, &mut outage, &now);
            }
            Some(done) = work.next() => if let Some(done) = done {
                settle(&shared, &work, done);
            },
            () = shared.nudge.notified() => {}
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
        }
    }
    drop(work);
    if timeout(FAREWELL, shared.backend.close()).await.is_err() {
        tracing::warn!(
            address = &*shared.address,
            "the configuration centre did not take leave in time"
        );
    }
    shared.state.lock().clear();
    shared.ended.send_replace(true);
}

/// Begins all that is to be done now; when to look again.
fn take_steps(shared: &Arc<Shared>, work: &Work) -> Option<Instant> {
    let mut state = shared.state.lock();
    while let Some(step) = state.convergence.next(Instant::now()) {
        let Some(watched) = state.topics.get_mut(&step.key) else {
            continue;
        };
        watched.session = None;
        let topic = Arc::clone(&watched.topic);
        let begin = {
            let (shared, topic) = (Arc::clone(shared), Arc::clone(&topic));
            async move {
                let watch = shared.backend.watch(&topic.key);
                What::Begun(shared.contact().in_time(shared.settings.timeout, watch).await)
            }
        };
        if let Some(before) = watched.under_way.replace(push(work, step, topic, begin)) {
            before.abort();
        }
    }
    state.convergence.take_removed();
    state.convergence.wake()
}

fn push(work: &Work, step: Step, topic: Arc<Topic>, what: impl Future<Output = What> + Send + 'static) -> AbortHandle {
    let (stop, stopped) = AbortHandle::new_pair();
    let what = Abortable::new(what, stopped);
    work.push(Box::pin(async move {
        what.await.ok().map(|what| Done { step, topic, what })
    }));
    stop
}

/// Tells the desired state how the link is.
fn link_is(shared: &Shared, outage: &mut Outage, link: &Link) {
    let address = &*shared.address;
    let news = outage.is_news(link);
    match link {
        Link::Up { epoch } => tracing::info!(address, epoch, "the configuration centre is connected"),
        Link::Connecting => tracing::debug!(address, "connecting to the configuration centre"),
        Link::Down { .. } | Link::Refused { .. } if news => {
            tracing::warn!(
                address,
                ?link,
                "the configuration centre is not connected; what is known stays, and it is tried again until it is"
            );
        }
        Link::Down { .. } | Link::Refused { .. } => {
            tracing::debug!(address, ?link, "the configuration centre is still not connected");
        }
    }
    let mut state = shared.state.lock();
    let now = Instant::now();
    let epoch = link.epoch();
    for watched in state.topics.values() {
        if epoch.is_none() {
            watched.topic.quietly(|value| value.doubt(now));
        } else if watched.session == epoch {
            watched.topic.quietly(|value| value.trust());
        }
    }
    match epoch {
        Some(_) => state.down_since = None,
        None => {
            state.down_since.get_or_insert(now);
        }
    }
    state.convergence.link(epoch, now);
}

/// Tells the desired state, and whoever waits, what came of something.
fn settle(shared: &Arc<Shared>, work: &Work, Done { step, topic, what }: Done) {
    match what {
        What::Begun(Ok(mut watching)) => {
            if let Some(first) = watching.try_next() {
                take(shared, &topic, first);
            }
            finish(shared, step, Ok(()));
            let since = Instant::now();
            read(shared, work, step, topic, Reading { watching, since });
        }
        What::Begun(Err(error)) => finish(shared, step, Err(error)),
        What::Said(reading, Some(word)) => {
            take(shared, &topic, word);
            read(shared, work, step, topic, reading);
        }
        What::Said(reading, None) => {
            let now = Instant::now();
            topic.quietly(|value| value.doubt(now));
            topic.progress.send_replace(Progress::Pending);
            let mut state = shared.state.lock();
            if let Some(watched) = state.topics.get_mut(&step.key) {
                watched.session = None;
            }
            let lasted = reading.since.elapsed() >= USEFUL;
            state.convergence.ended(step, lasted, now, fastrand::f64());
        }
    }
}

/// Waits for the next word of a stream.
fn read(shared: &Shared, work: &Work, step: Step, topic: Arc<Topic>, mut reading: Reading) {
    let mut state = shared.state.lock();
    let Some(watched) = state.topics.get_mut(&step.key) else {
        return;
    };
    watched.session = Some(step.epoch);
    watched.under_way = Some(push(work, step, topic, async move {
        let word = reading.watching.next().await;
        What::Said(reading, word)
    }));
}

/// Tells subscribers a word, if it is news.
fn take(shared: &Shared, topic: &Topic, word: Result<Content, RegistryError>) {
    let before = topic.value.borrow().problem.clone();
    let limit = shared.settings.limit;
    topic.value.send_if_modified(|value| value.take(word, limit));
    let now = topic.value.borrow().problem.clone();
    if let Some(problem) = now.filter(|now| before.as_ref() != Some(now)) {
        shared.complain(
            "a text of the configuration centre cannot be used",
            &topic.key,
            &problem,
        );
    }
}

/// Tells the desired state, and whoever waits, whether a watch began.
fn finish(shared: &Shared, step: Step, outcome: Result<(), RegistryError>) {
    let told = match &outcome {
        Ok(()) => Outcome::Done,
        Err(error) if error.retryable() || error.kind() == RegistryErrorKind::Refused => Outcome::Failed,
        Err(_) => Outcome::Impossible,
    };
    let complaint = {
        let mut state = shared.state.lock();
        let verdict = state.convergence.finished(step, told, Instant::now(), fastrand::f64());
        let Some(watched) = state.topics.get(&step.key).filter(|_| verdict != Verdict::Stale) else {
            return;
        };
        let progress = match (verdict, &outcome) {
            (Verdict::Settled, Ok(())) => Progress::Settled,
            (_, Ok(())) => Progress::Pending,
            (_, Err(error)) => Progress::Failed {
                error: error.clone(),
                again: verdict != Verdict::GivenUp,
            },
        };
        let topic = Arc::clone(&watched.topic);
        let repeated = repeats(&topic.progress.borrow(), &progress);
        topic.progress.send_replace(progress);
        outcome.err().filter(|_| !repeated).map(|error| (topic, verdict, error))
    };
    if let Some((topic, verdict, error)) = complaint {
        let what = match verdict {
            Verdict::GivenUp => "subscribing to a text failed and is given up until the next session",
            _ => "subscribing to a text failed and will be tried again",
        };
        shared.complain(what, &topic.key, &error);
    }
}

impl Topic {
    /// Changes what is known of it without telling anybody.
    fn quietly(&self, change: impl FnOnce(&mut super::ConfigValue)) {
        self.value.send_if_modified(|value| {
            change(value);
            false
        });
    }
}
