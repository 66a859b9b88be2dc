//! The providers of one service as a consumer knows them: fed with lists, read by calls (`RegistryDirectory`, `StaticDirectory`).
//!
//! ```text
//!   notify ─▶ task: Roster decides ─▶ Connector opens ─▶ Roster ─▶ publishes a list ─▶ list()
//! ```
//!
//! A call reads the published list with one atomic load and never waits for a change. One task owns the rest; it ends with the
//! directory.

mod held;
mod known;
mod members;
mod openings;
mod pace;
mod passed_over;
mod places;
mod published;
mod roster;
mod task;
mod usable;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use orana_core::{Connector, RpcError, RpcErrorCode, ServiceUrl};
use tokio::sync::watch;
use tokio::task::AbortHandle;

pub(crate) use self::known::Known;
use self::published::{Published, Version};
pub(crate) use self::usable::{as_called, is_disabled, unusable};
use crate::call::Call;
use crate::endpoint_list::EndpointList;
use crate::filter;
use crate::governance::Governance;
use crate::plan::Plan;
use crate::router::{Report, Stage};

/// What can be settled about a directory.
#[derive(Clone, Debug)]
pub struct DirectoryOptions {
    /// How many connections are opened at the same time.
    pub opening_at_once: usize,
    /// How long after a first failure to reach a provider it is tried again; doubled with each further failure.
    pub retry_after: Duration,
    /// The longest such pause.
    pub retry_at_most: Duration,
    /// What the filters around each provider are made with.
    pub filters: filter::Parts,
}

/// What a directory has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryState {
    /// Nothing yet: who provides is unknown.
    Waiting,
    /// A list.
    Listed,
    /// That nobody provides the service.
    Forbidden,
    /// That it is not needed any more.
    Destroyed,
}

/// The providers of one service.
pub struct Directory {
    consumer: ServiceUrl,
    /// Where lists come from, in error messages.
    origin: Box<str>,
    several_groups: bool,
    connector: Arc<dyn Connector>,
    published: Arc<Published>,
    updates: watch::Sender<Update>,
    progress: watch::Receiver<Progress>,
    task: AbortHandle,
}

/// The newest of what was told.
#[derive(Clone, Debug, Default)]
struct Update {
    /// The list of the registry, if it told one.
    providers: Option<Arc<[ServiceUrl]>>,
    /// What is laid over it.
    governance: Governance,
}

/// How far the newest list has been worked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// Whether there was a list, and somebody in it is up or everybody was tried.
    settled: bool,
}

/// A list that stays as it is while it is looked at.
pub struct List(arc_swap::Guard<Arc<Version>>);

impl Default for DirectoryOptions {
    fn default() -> DirectoryOptions {
        DirectoryOptions {
            opening_at_once: 64,
            retry_after: Duration::from_secs(1),
            retry_at_most: Duration::from_secs(10),
            filters: filter::Parts::default(),
        }
    }
}

impl Directory {
    /// A directory for what `consumer` asks for, with lists from `origin` (a registry's address, for messages), whose providers are called
    /// through `connector`. Must be called within a tokio runtime.
    pub fn new(
        consumer: ServiceUrl,
        origin: &str,
        connector: Arc<dyn Connector>,
        options: DirectoryOptions,
    ) -> Directory {
        let published = Arc::new(Published::new(&consumer));
        let (updates, told) = watch::channel(Update::default());
        let (reached, progress) = watch::channel(Progress::default());
        let task = tokio::spawn(task::run(
            roster::Roster::new(consumer.clone(), Arc::clone(&connector), options.clone()),
            openings::Openings::new(Arc::clone(&connector), options.opening_at_once),
            told,
            Arc::clone(&published),
            reached,
        ));
        Directory {
            several_groups: consumer
                .parameter("group")
                .is_some_and(|group| group == "*" || group.contains(',')),
            origin: origin.into(),
            consumer,
            connector,
            published,
            updates,
            progress,
            task: task.abort_handle(),
        }
    }

    /// A directory of exactly these providers.
    pub fn of(consumer: ServiceUrl, providers: Arc<[ServiceUrl]>, connector: Arc<dyn Connector>) -> Directory {
        let directory = Directory::new(consumer, "a fixed list", connector, DirectoryOptions::default());
        directory.notify(providers);
        directory
    }

    /// The consumer's own URL.
    pub fn consumer(&self) -> &ServiceUrl {
        &self.consumer
    }

    /// The same with configurators laid over it: where its own settings are found.
    pub fn configured_consumer(&self) -> ServiceUrl {
        self.published.load().consumer.clone()
    }

    /// Takes the complete list of providers. An empty one says that nobody provides the service any more; a list that cannot be used at
    /// all leaves the one before. Only the newest list counts if several come quickly.
    pub fn notify(&self, providers: Arc<[ServiceUrl]>) {
        self.updates.send_modify(|update| update.providers = Some(providers));
    }

    /// Takes the rules that are laid over lists from now on, in place of those before. Providers whose URL stays the same keep their
    /// connection; so do, where connections are shared, those whose address does.
    pub fn govern(&self, governance: Governance) {
        self.updates.send_modify(|update| update.governance = governance);
    }

    /// The endpoints now. [`RpcErrorCode::Forbidden`] if there is known to be nobody or nothing is known yet; an error too once it is
    /// destroyed.
    pub fn list(&self) -> Result<List, RpcError> {
        let version = self.published.load();
        match version.state {
            DirectoryState::Listed => Ok(List(version)),
            DirectoryState::Waiting | DirectoryState::Forbidden | DirectoryState::Destroyed => {
                Err(self.refusal(version.state))
            }
        }
    }

    /// What it has been told.
    pub fn state(&self) -> DirectoryState {
        self.published.load().state
    }

    /// Returns once there was a list and somebody in it is up, or everybody in it was tried, or it says that there is nobody.
    pub async fn settled(&self) {
        let mut progress = self.progress.clone();
        // The sender goes only with the directory, and then there is nothing to wait for.
        let _ = progress.wait_for(|progress| progress.settled).await;
    }

    /// Lets go of all connections; what is under way on them may end. From now on [`Directory::list`] is an error.
    pub fn destroy(&self) {
        self.task.abort();
        self.published.destroy();
    }

    /// Where its lists come from.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether its consumer asks for more than one group.
    pub(crate) fn asks_several_groups(&self) -> bool {
        self.several_groups
    }

    /// Why a call finds nobody in a list that is there.
    pub(crate) fn nobody(&self) -> RpcError {
        let version = self.published.load();
        let listed = version.list.listed();
        RpcError::new(
            RpcErrorCode::NoInvokerAfterFilter,
            format!(
                "no provider available: {listed} registered at {}, none of them can be reached; they are tried again in the background; check that \
                 they run and that their addresses are right",
                self.origin
            ),
        )
    }

    fn refusal(&self, state: DirectoryState) -> RpcError {
        let told = self.updates.borrow().providers.as_ref().map_or(0, |told| told.len());
        let (code, message) = match state {
            DirectoryState::Destroyed => (
                RpcErrorCode::Unknown,
                "the reference was closed and cannot be called any more".to_owned(),
            ),
            DirectoryState::Waiting if told > 0 => (
                RpcErrorCode::NoInvokerAfterFilter,
                format!(
                    "no provider available: {told} registered, 0 can be used: rules disable them, or they speak other protocols (registry {})",
                    self.origin
                ),
            ),
            DirectoryState::Waiting => (
                RpcErrorCode::Forbidden,
                format!(
                    "no provider known: {} has not said yet who provides it; check that it can be reached",
                    self.origin
                ),
            ),
            DirectoryState::Listed | DirectoryState::Forbidden => (
                RpcErrorCode::Forbidden,
                format!(
                    "no provider available: nobody is registered for it at {}; check that a provider runs with the same interface, group and \
                     version",
                    self.origin
                ),
            ),
        };
        RpcError::new(code, message)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl List {
    /// The consumer's own URL, with configurators laid over it.
    pub fn consumer(&self) -> &ServiceUrl {
        &self.0.consumer
    }

    /// Where `call` may go.
    pub(crate) fn plan(&self, call: &Call<'_>) -> Arc<Plan> {
        self.0.routing.plan(&self.0.list, call)
    }

    /// What routers do with `call`, step by step, and where it may go after that.
    pub(crate) fn explained(&self, call: &Call<'_>) -> (Vec<Stage>, Plan) {
        let mut report = Report::recording();
        let (plan, _) = self.0.routing.routers().plan(&self.0.list, call, &mut report);
        (report.into_stages(), plan)
    }

    /// In short, why nobody is left for `call`: how many there were after each step that took somebody away, and after configurators if there
    /// are any.
    pub(crate) fn why_nobody(&self, call: &Call<'_>, configured: bool) -> String {
        let list = &self.0.list;
        let mut told = vec![format!("{} registered", list.registered())];
        if list.listed() != list.registered() || configured {
            told.push(format!("{} after configurators", list.listed()));
        }
        if list.endpoints().len() != list.listed() {
            told.push(format!("{} can be reached", list.endpoints().len()));
        }
        let serving = list.candidates(call.invocation).len();
        if serving != list.endpoints().len() {
            told.push(format!("{serving} serve {}", call.method));
        }
        let (stages, _) = self.explained(call);
        let took = stages.iter().filter(|stage| stage.after != stage.before);
        told.extend(took.map(|stage| format!("{} after {}", stage.after, stage.rule)));
        told.join(", ")
    }
}

impl Deref for List {
    type Target = EndpointList;

    fn deref(&self) -> &EndpointList {
        &self.0.list
    }
}

#[cfg(test)]
mod tests;
