//! Decides what a new list means: whom to connect to, whom to keep, whom to let go, whom to try again and when.
//!
//! Pure: told what happened and what time it is, says what is to be done. Opens nothing.

use std::sync::Arc;
use std::time::Duration;

use ahash::{HashMap, HashMapExt, HashSet, HashSetExt};
use orana_core::{Connector, Invoker, RpcError, ServiceUrl};
use tokio::time::Instant;

use super::passed_over::Skipped;
use super::{DirectoryOptions, DirectoryState};
use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;
use crate::merge::merged;

/// What is known about everybody on the list.
pub(super) struct Roster {
    consumer: ServiceUrl,
    connector: Arc<dyn Connector>,
    options: DirectoryOptions,
    state: DirectoryState,
    /// Merged URLs in the order of the registry, each once.
    listed: Vec<ServiceUrl>,
    known: HashMap<ServiceUrl, Known>,
    /// Of the list before: they are called until somebody of the new one is up, or nobody of it can be.
    leaving: Vec<Arc<Endpoint>>,
}

/// One that is listed.
enum Known {
    Opening { failures: u32 },
    Up(Arc<Endpoint>),
    Aside { failures: u32, again_at: Instant },
}

impl Roster {
    pub(super) fn new(consumer: ServiceUrl, connector: Arc<dyn Connector>, options: DirectoryOptions) -> Roster {
        Roster {
            consumer,
            connector,
            options,
            state: DirectoryState::Waiting,
            listed: Vec::new(),
            known: HashMap::new(),
            leaving: Vec::new(),
        }
    }

    /// Takes a new list; says whom to connect to, and what was passed over.
    pub(super) fn accept(&mut self, providers: &[ServiceUrl]) -> (Vec<ServiceUrl>, Skipped) {
        let mut skipped = Skipped::default();
        if providers.iter().all(|url| url.protocol() == Some("empty")) {
            *self = Roster {
                state: DirectoryState::Forbidden,
                ..Roster::new(self.consumer.clone(), Arc::clone(&self.connector), self.options.clone())
            };
            return (Vec::new(), skipped);
        }
        let mut seen = HashSet::new();
        let mut listed = Vec::with_capacity(providers.len());
        for provider in providers {
            if let Some(why) = self.unusable(provider) {
                skipped.add(provider, why);
                continue;
            }
            let url = merged(provider, &self.consumer);
            if seen.insert(url.clone()) {
                listed.push(url);
            }
        }
        if listed.is_empty() {
            // Better the old ones than none, because of a list that says nothing useful.
            return (Vec::new(), skipped);
        }
        self.state = DirectoryState::Listed;
        let mut known = HashMap::with_capacity(listed.len());
        let mut open = Vec::new();
        for url in &listed {
            let before = self.known.remove(url).unwrap_or_else(|| {
                open.push(url.clone());
                Known::Opening { failures: 0 }
            });
            known.insert(url.clone(), before);
        }
        let gone = std::mem::replace(&mut self.known, known);
        self.leaving.extend(gone.into_values().filter_map(|known| match known {
            Known::Up(endpoint) => Some(endpoint),
            Known::Opening { .. } | Known::Aside { .. } => None,
        }));
        self.listed = listed;
        self.let_go();
        (open, skipped)
    }

    /// Whether somebody is to connect to `url`, or does already.
    pub(super) fn is_opening(&self, url: &ServiceUrl) -> bool {
        matches!(self.known.get(url), Some(Known::Opening { .. }))
    }

    /// Takes what came of connecting to `url`; says whether that changes the list.
    pub(super) fn opened(
        &mut self,
        url: &ServiceUrl,
        outcome: Result<Arc<dyn Invoker>, RpcError>,
        now: Instant,
        chance: u64,
    ) -> bool {
        let Some(known) = self.known.get_mut(url) else {
            // Not listed any more; dropping the invoker closes it.
            return false;
        };
        let Known::Opening { failures } = *known else {
            return false;
        };
        match outcome {
            Ok(invoker) => *known = Known::Up(Arc::new(Endpoint::new(url.clone(), invoker))),
            Err(error) => {
                let pause = pause(&self.options, failures, chance);
                if failures == 0 {
                    tracing::warn!(%error, "a listed provider cannot be reached; it is set aside and tried again");
                }
                *known = Known::Aside {
                    failures: failures.saturating_add(1),
                    again_at: now + pause,
                };
            }
        }
        self.let_go();
        true
    }

    /// Whom to try again now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<ServiceUrl> {
        let mut due = Vec::new();
        for (url, known) in &mut self.known {
            if let Known::Aside { failures, again_at } = *known
                && again_at <= now
            {
                *known = Known::Opening { failures };
                due.push(url.clone());
            }
        }
        due
    }

    /// When somebody is to be tried again.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let again = self.known.values().filter_map(|known| match known {
            Known::Aside { again_at, .. } => Some(*again_at),
            Known::Opening { .. } | Known::Up(_) => None,
        });
        again.min()
    }

    /// Whether there was a list, and somebody in it is up or everybody was tried.
    pub(super) fn is_settled(&self) -> bool {
        match self.state {
            DirectoryState::Waiting => false,
            DirectoryState::Listed => self.anybody_up() || self.everybody_tried(),
            DirectoryState::Forbidden | DirectoryState::Destroyed => true,
        }
    }

    pub(super) fn state(&self) -> DirectoryState {
        self.state
    }

    /// Those that can be called, in the order of the registry.
    pub(super) fn list(&self) -> EndpointList {
        let up = self.listed.iter().filter_map(|url| match self.known.get(url) {
            Some(Known::Up(endpoint)) => Some(Arc::clone(endpoint)),
            _ => None,
        });
        EndpointList::new(up.chain(self.leaving.iter().cloned()).collect(), self.listed.len())
    }

    fn let_go(&mut self) {
        if !self.leaving.is_empty() && (self.anybody_up() || self.everybody_tried()) {
            self.leaving.clear();
        }
    }

    fn anybody_up(&self) -> bool {
        self.known.values().any(|known| matches!(known, Known::Up(_)))
    }

    /// At least once.
    fn everybody_tried(&self) -> bool {
        !self
            .known
            .values()
            .any(|known| matches!(known, Known::Opening { failures: 0 }))
    }

    /// Why a URL is no provider for this consumer.
    fn unusable(&self, url: &ServiceUrl) -> Option<&'static str> {
        let Some(protocol) = url.protocol() else {
            return Some("it names no protocol");
        };
        if protocol == "empty" {
            return Some("it stands for an empty list and stands beside others");
        }
        if url.host().is_none() || url.port().is_none() {
            return Some("it names no host and port");
        }
        let wanted = self.consumer.parameter("protocol").filter(|wanted| !wanted.is_empty());
        if let Some(wanted) = wanted
            && !wanted.split(',').any(|one| one.trim() == protocol)
        {
            return Some("the consumer asks for other protocols");
        }
        if !self.connector.supports(protocol) {
            return Some("its protocol is not supported");
        }
        let says = |key| url.parameter(key);
        let disabled = match says("disabled") {
            Some(disabled) => disabled == "true",
            None => says("enabled") == Some("false"),
        };
        disabled.then_some("it is disabled")
    }
}

/// The pause after `failures` earlier ones: doubled each time up to a limit, and up to a quarter longer by chance, so that many consumers do
/// not come at once.
fn pause(options: &DirectoryOptions, failures: u32, chance: u64) -> Duration {
    let pause = options
        .retry_after
        .saturating_mul(1 << failures.min(16))
        .min(options.retry_at_most);
    pause + pause.mul_f64((chance >> 32) as f64 / f64::from(u32::MAX) / 4.0)
}
