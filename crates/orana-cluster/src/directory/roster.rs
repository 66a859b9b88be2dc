//! Decides what a new list means: whom to connect to, whom to keep, whom to let go, whom to try again and when.
//!
//! Pure: told what happened and what time it is, says what is to be done. Opens nothing.

use std::sync::Arc;
use std::time::Duration;

use orana_core::{Connector, Invoker, RpcError, ServiceUrl, filtered};
use tokio::time::Instant;

use super::held::Held;
use super::members::{Known, Members};
use super::passed_over::Skipped;
use super::places::{Judged, Place, Places};
use super::usable::{as_called, is_disabled, unusable};
use super::{DirectoryOptions, DirectoryState};
use crate::endpoint::Endpoint;
use crate::endpoint_list::EndpointList;
use crate::filter;
use crate::governance::Governance;

/// What is known about everybody on the list.
pub(super) struct Roster {
    consumer: ServiceUrl,
    connector: Arc<dyn Connector>,
    options: DirectoryOptions,
    state: DirectoryState,
    governance: Governance,
    /// What the registry told last, for when rules change.
    told: Option<Arc<[ServiceUrl]>>,
    /// What became of each entry of the last list that could be used; nothing of it holds once other rules configure.
    places: Places,
    members: Members,
    /// Of the list before: they are called until somebody of the new one is up, or nobody of it can be.
    leaving: Vec<Arc<Endpoint>>,
    held: Held,
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
            places: Places::default(),
            members: Members::default(),
            leaving: Vec::new(),
            held: Held::default(),
        }
    }

    /// Takes new rules; whether URLs may come out otherwise by them, so that [`Roster::accept`] must look at the list again.
    pub(super) fn govern(&mut self, governance: Governance) -> bool {
        let same = self.governance.configures_as(&governance);
        self.governance = governance;
        if !same {
            self.places.doubt();
        }
        !same
    }

    /// The list that was accepted last.
    pub(super) fn told(&self) -> Option<&Arc<[ServiceUrl]>> {
        self.told.as_ref()
    }

    /// Takes a list; says whom to connect to, and what was passed over.
    ///
    /// Entries that are the same objects as in the list before cost next to nothing: what became of them holds.
    pub(super) fn accept(&mut self, providers: &Arc<[ServiceUrl]>) -> (Vec<ServiceUrl>, Skipped) {
        let mut skipped = Skipped::default();
        self.told = Some(Arc::clone(providers));
        if providers.iter().all(|url| url.protocol() == Some("empty")) {
            self.state = DirectoryState::Forbidden;
            self.places = Places::default();
            self.members = Members::default();
            self.leaving.clear();
            return (Vec::new(), skipped);
        }
        let judged = self.places.judged(providers, |provider| self.judge(provider));
        for (provider, judged) in providers.iter().zip(&judged) {
            if let Judged::PassedOver(why) = judged {
                skipped.add(provider, why);
            }
        }
        if judged.iter().all(|judged| matches!(judged, Judged::PassedOver(_))) {
            // Better the old ones than none, because of a list that says nothing useful.
            return (Vec::new(), skipped);
        }
        self.state = DirectoryState::Listed;
        let mut open = Vec::new();
        let places = providers.iter().zip(judged);
        let places = places
            .map(|(provider, judged)| self.place(provider, judged, &mut open))
            .collect();
        let before = self.places.replace(Arc::clone(providers), places);
        for member in self.members.end_of_list(before) {
            self.leaving.extend(member);
        }
        (open, skipped)
    }

    /// Whether somebody is to connect to `url`, or does already.
    pub(super) fn is_opening(&self, url: &ServiceUrl) -> bool {
        let member = self.members.find(url).and_then(|index| self.members.get(index));
        member.is_some_and(|member| matches!(member.known(), Known::Opening { .. }))
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
        let Some(index) = self.members.find(url) else {
            return false;
        };
        let Some((original, Known::Opening { failures })) = self
            .members
            .get(index)
            .map(|member| (member.original(), member.known()))
        else {
            return false;
        };
        let (original, failures) = (original.clone(), *failures);
        match outcome {
            Ok(invoker) => {
                let endpoint = self.endpoint(&original, url, invoker);
                self.members.set(index, Known::Up(endpoint));
                true
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
                self.members.set(index, aside);
                !self.leaving.is_empty()
            }
        }
    }

    /// Whom to try again now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<ServiceUrl> {
        self.members.due(now)
    }

    /// When somebody is to be tried again.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.members.next_due()
    }

    /// Whether there was a list, and somebody in it is up or everybody was tried.
    pub(super) fn is_settled(&self) -> bool {
        match self.state {
            // Of a list of which nobody can be used nothing more comes.
            DirectoryState::Waiting => self.told.is_some(),
            DirectoryState::Listed => self.members.anybody_up() || self.members.everybody_tried(),
            DirectoryState::Forbidden | DirectoryState::Destroyed => true,
        }
    }

    pub(super) fn state(&self) -> DirectoryState {
        self.state
    }

    /// Those that can be called, in the order of the registry, and of the list before those that still have to serve.
    pub(super) fn list(&mut self) -> EndpointList {
        self.let_go();
        let mut endpoints = Vec::with_capacity(self.members.len() + self.leaving.len());
        endpoints.extend(
            self.places
                .firsts()
                .filter_map(|index| self.members.up(index).map(Arc::clone)),
        );
        endpoints.extend(self.leaving.iter().cloned());
        EndpointList::new(endpoints, self.members.len()).out_of(self.places.len())
    }

    /// The consumer's own URL, with configurators laid over it.
    pub(super) fn consumer(&self) -> ServiceUrl {
        self.governance.configured(self.consumer.clone())
    }

    pub(super) fn governance(&self) -> &Governance {
        &self.governance
    }

    /// What becomes of one entry by itself.
    fn judge(&self, provider: &ServiceUrl) -> Judged {
        if let Some(why) = unusable(provider, &self.consumer, &*self.connector) {
            return Judged::PassedOver(why);
        }
        let url = as_called(provider, &self.consumer, &self.governance);
        match is_disabled(&url) {
            true => Judged::PassedOver("it is disabled"),
            false => Judged::Usable(self.held.url(&url)),
        }
    }

    /// Puts one entry into its place of the list that is being taken; whoever is to be connected to comes to `open`.
    fn place(&mut self, provider: &ServiceUrl, judged: Judged, open: &mut Vec<ServiceUrl>) -> Place {
        let index = match judged {
            Judged::PassedOver(why) => return Place::PassedOver(why),
            Judged::Known(index) => index,
            Judged::Usable(url) => match self.members.find(&url) {
                Some(index) => index,
                None => {
                    let known = match self.connector.connected(&url) {
                        // Its connection is there already: a rule changed the URL and not the address.
                        Some(invoker) => Known::Up(self.endpoint(provider, &url, invoker)),
                        None => {
                            open.push(url.clone());
                            Known::Opening { failures: 0 }
                        }
                    };
                    self.members.add(url, provider.clone(), known)
                }
            },
        };
        match self.members.list(index, provider) {
            true => Place::First(index),
            false => Place::Again(index),
        }
    }

    fn endpoint(&mut self, original: &ServiceUrl, url: &ServiceUrl, invoker: Arc<dyn Invoker>) -> Arc<Endpoint> {
        let filters = filter::chain(filter::Side::ConsumerAttempt, url, &self.options.filters, &[]);
        let filters = filters.unwrap_or_else(|error| {
            // The reference itself was refused if its own list is wrong; a rule or a provider may name anything at any time.
            tracing::warn!(%error, provider = %url.address(), "the filters that a url asks for cannot be made; the provider is called without them");
            Vec::new()
        });
        let invoker = filtered(&filters, invoker);
        let endpoint = Endpoint::of(original.clone(), url.clone(), invoker, self.held.statistics(url));
        Arc::new(endpoint.sharing_methods(|methods| self.held.methods(methods)))
    }

    /// Lets go of those of the list before: of one whose address is still listed when it was connected to anew or cannot be, of the others
    /// when there is somebody else to call or nobody can be.
    fn let_go(&mut self) {
        if self.members.anybody_up() || self.members.everybody_tried() {
            self.leaving.retain(|endpoint| self.members.awaits(endpoint.address()));
        }
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

#[cfg(test)]
mod tests;
