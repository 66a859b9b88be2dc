//! Decides what a new list means: whom to connect to, whom to keep, whom to let go, whom to try again and when.
//!
//! Pure: told what happened and what time it is, says what is to be done. Opens nothing.

use std::sync::{Arc, Weak};
use std::time::Duration;

use ahash::{HashMap, HashMapExt, HashSet, RandomState};
use indexmap::IndexMap;
use orana_core::{Connector, Invoker, RpcError, ServiceUrl, filtered};
use tokio::time::Instant;

use super::passed_over::Skipped;
use super::{DirectoryOptions, DirectoryState};
use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;
use crate::filter;
use crate::governance::Governance;
use crate::merge::merged;
use crate::statistics::Statistics;

/// What is known about everybody on the list.
pub(super) struct Roster {
    consumer: ServiceUrl,
    connector: Arc<dyn Connector>,
    options: DirectoryOptions,
    state: DirectoryState,
    governance: Governance,
    /// What the registry told last, for when rules change.
    told: Option<Arc<[ServiceUrl]>>,
    /// How many that were.
    registered: usize,
    /// Merged URLs in the order of the registry, each with what it was registered as.
    listed: IndexMap<ServiceUrl, ServiceUrl, RandomState>,
    known: HashMap<ServiceUrl, Known>,
    /// Of the list before: they are called until somebody of the new one is up, or nobody of it can be.
    leaving: Vec<Arc<Endpoint>>,
    statistics: Counted,
}

/// Statistics of providers by protocol-independent identity, for as long as some endpoint holds them.
#[derive(Default)]
struct Counted(HashMap<Box<str>, Weak<Statistics>>);

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
            governance: Governance::default(),
            told: None,
            registered: 0,
            listed: IndexMap::default(),
            known: HashMap::new(),
            leaving: Vec::new(),
            statistics: Counted::default(),
        }
    }

    /// Takes new rules; whether URLs may come out otherwise by them, so that [`Roster::accept`] must look at the list again.
    pub(super) fn govern(&mut self, governance: Governance) -> bool {
        let same = self.governance.configures_as(&governance);
        self.governance = governance;
        !same
    }

    /// The list that was accepted last.
    pub(super) fn told(&self) -> Option<&Arc<[ServiceUrl]>> {
        self.told.as_ref()
    }

    /// Takes a list; says whom to connect to, and what was passed over.
    pub(super) fn accept(&mut self, providers: &Arc<[ServiceUrl]>) -> (Vec<ServiceUrl>, Skipped) {
        let mut skipped = Skipped::default();
        self.told = Some(Arc::clone(providers));
        if providers.iter().all(|url| url.protocol() == Some("empty")) {
            self.state = DirectoryState::Forbidden;
            self.registered = 0;
            self.listed.clear();
            self.known.clear();
            self.leaving.clear();
            return (Vec::new(), skipped);
        }
        let mut listed = IndexMap::with_capacity_and_hasher(providers.len(), RandomState::new());
        for provider in providers.iter() {
            let url = match self.unusable(provider) {
                Some(why) => Err(why),
                None => {
                    let url = without_mock(self.governance.configured(merged(provider, &self.consumer)));
                    match is_disabled(&url) {
                        true => Err("it is disabled"),
                        false => Ok(url),
                    }
                }
            };
            match url {
                Err(why) => skipped.add(provider, why),
                Ok(url) => {
                    listed.entry(url).or_insert_with(|| provider.clone());
                }
            }
        }
        if listed.is_empty() {
            // Better the old ones than none, because of a list that says nothing useful.
            return (Vec::new(), skipped);
        }
        self.state = DirectoryState::Listed;
        self.registered = providers.len();
        let mut known = HashMap::with_capacity(listed.len());
        let mut open = Vec::new();
        for (url, original) in &listed {
            let now = if let Some(before) = self.known.remove(url) {
                before.registered_as(original)
            } else if let Some(invoker) = self.connector.connected(url) {
                // Its connection is there already: a rule changed the URL and not the address.
                Known::Up(self.endpoint(original, url, invoker))
            } else {
                open.push(url.clone());
                Known::Opening { failures: 0 }
            };
            known.insert(url.clone(), now);
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
        // Not listed any more, or up by another way: dropping the invoker closes it.
        let Some(Known::Opening { failures }) = self.known.get(url) else {
            return false;
        };
        let failures = *failures;
        match outcome {
            Ok(invoker) => {
                let original = self.listed.get(url).unwrap_or(url).clone();
                let endpoint = self.endpoint(&original, url, invoker);
                self.known.insert(url.clone(), Known::Up(endpoint));
            }
            Err(error) => {
                let pause = pause(&self.options, failures, chance);
                if failures == 0 {
                    tracing::warn!(%error, "a listed provider cannot be reached; it is set aside and tried again");
                }
                let aside = Known::Aside {
                    failures: failures.saturating_add(1),
                    again_at: now + pause,
                };
                self.known.insert(url.clone(), aside);
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
        let up = self.listed.keys().filter_map(|url| match self.known.get(url) {
            Some(Known::Up(endpoint)) => Some(Arc::clone(endpoint)),
            _ => None,
        });
        EndpointList::new(up.chain(self.leaving.iter().cloned()).collect(), self.listed.len()).out_of(self.registered)
    }

    /// The consumer's own URL, with configurators laid over it.
    pub(super) fn consumer(&self) -> ServiceUrl {
        self.governance.configured(self.consumer.clone())
    }

    pub(super) fn governance(&self) -> &Governance {
        &self.governance
    }

    fn endpoint(&mut self, original: &ServiceUrl, url: &ServiceUrl, invoker: Arc<dyn Invoker>) -> Arc<Endpoint> {
        let statistics = self.statistics.of(url);
        let filters = filter::chain(filter::Side::ConsumerAttempt, url, &self.options.filters, &[]);
        let filters = filters.unwrap_or_else(|error| {
            // The reference itself was refused if its own list is wrong; a rule or a provider may name anything at any time.
            tracing::warn!(%error, provider = %url.address(), "the filters that a url asks for cannot be made; the provider is called without them");
            Vec::new()
        });
        let invoker = filtered(&filters, invoker);
        Arc::new(Endpoint::of(original.clone(), url.clone(), invoker, statistics))
    }

    /// Lets go of those of the list before: of one whose address is still listed when it was connected to anew or cannot be, of the others
    /// when there is somebody else to call or nobody can be.
    fn let_go(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let enough = self.anybody_up() || self.everybody_tried();
        let awaited: HashSet<String> = self
            .known
            .iter()
            .filter(|(_, known)| matches!(known, Known::Opening { failures: 0 }))
            .map(|(url, _)| url.address())
            .collect();
        self.leaving
            .retain(|endpoint| !enough || awaited.contains(&**endpoint.address()));
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
        None
    }
}

impl Known {
    /// The same, of a provider that registered as `original`.
    fn registered_as(self, original: &ServiceUrl) -> Known {
        match self {
            Known::Up(endpoint) if endpoint.original() != original => Known::Up(Arc::new(Endpoint::of(
                original.clone(),
                endpoint.url().clone(),
                Arc::clone(endpoint.invoker()),
                Arc::clone(endpoint.statistics()),
            ))),
            other => other,
        }
    }
}

/// A mock is the consumer's own matter: neither a provider nor a rule about one can impose it.
fn without_mock(url: ServiceUrl) -> ServiceUrl {
    match url.parameter("mock") {
        Some(_) => url.edit().remove("mock").build(),
        None => url,
    }
}

/// Whether a merged URL says that it is not to be called; a rule may say so, too.
fn is_disabled(url: &ServiceUrl) -> bool {
    match url.parameter("disabled") {
        Some(disabled) => disabled == "true",
        None => url.parameter("enabled") == Some("false"),
    }
}

impl Counted {
    /// What was counted about the provider of `url`, whatever its parameters are.
    fn of(&mut self, url: &ServiceUrl) -> Arc<Statistics> {
        let identity = format!("{}/{}", url.address(), url.path().unwrap_or_default());
        if let Some(known) = self.0.get(&*identity).and_then(Weak::upgrade) {
            return known;
        }
        let new = Arc::new(Statistics::default());
        if self.0.len() >= self.0.capacity() {
            // Before it grows, what nobody holds any more goes.
            self.0.retain(|_, statistics| statistics.strong_count() > 0);
        }
        self.0.insert(identity.into(), Arc::downgrade(&new));
        new
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
