//! Chooses the endpoint of one attempt: the newest list, through the rules, less what was tried, through the load balance, around what is down
//! (`AbstractClusterInvoker.select`), and makes the attempt.

use std::sync::{Arc, Weak};
use std::time::Instant;

use orana_core::{Invocation, Reply, RpcError, RpcErrorCode, ServiceUrl};

use crate::call::Call;
use crate::candidates::Candidates;
use crate::choice::Choice;
use crate::clock::EpochMillis;
use crate::directory::List;
use crate::endpoint::Endpoint;
use crate::filter::Outcome;
use crate::load_balance::{asking, hear};
use crate::plan::Plan;

/// What a strategy picks with.
#[derive(Clone, Copy)]
pub struct Picker<'a> {
    choice: &'a Arc<Choice>,
    /// Only providers of this group.
    group: Option<&'a str>,
}

/// A way to pick later, for strategies that go on in the background; it does not keep the reference alive.
#[derive(Clone)]
pub struct LaterPicker(Weak<Choice>);

/// What a [`LaterPicker`] picks with while the reference is there.
pub struct HeldPicker(Arc<Choice>);

/// One pick: the endpoint, and how many there were to pick from.
#[derive(Clone, Debug)]
pub struct Pick {
    /// Whom to call.
    pub endpoint: Arc<Endpoint>,
    /// How many rules leave for this call.
    pub out_of: usize,
}

impl<'a> Picker<'a> {
    pub(crate) fn new(choice: &'a Arc<Choice>) -> Picker<'a> {
        Picker { choice, group: None }
    }

    /// The same for later, when this call is over.
    pub fn later(&self) -> LaterPicker {
        LaterPicker(Arc::downgrade(self.choice))
    }

    /// The same, for providers of one group only.
    pub fn within(self, group: &'a str) -> Picker<'a> {
        Picker {
            group: Some(group),
            ..self
        }
    }

    /// The consumer's own URL, with configurators laid over it: where a strategy finds its settings.
    pub fn consumer(&self) -> Result<ServiceUrl, RpcError> {
        Ok(self.choice.directory.list()?.consumer().clone())
    }

    /// An endpoint for `invocation` that is not among `tried`, if there is another one.
    ///
    /// One that is down is passed over for one that is up; if all are down the balance's choice is given nevertheless, since a call
    /// is the surest way to find out. Nobody at all is an error: [`RpcErrorCode::Forbidden`] if the registry lists nobody,
    /// [`RpcErrorCode::NoInvokerAfterFilter`] if nobody of the list can be called or rules leave nobody.
    pub fn pick(&self, invocation: &Invocation, tried: &[Arc<Endpoint>]) -> Result<Pick, RpcError> {
        let list = self.list(invocation)?;
        if let Some(target) = &invocation.options.target {
            return pinned(&list, invocation, target);
        }
        let call = Call::new(invocation, list.consumer(), EpochMillis::now(), fastrand::u64(..));
        let plan = list.plan(&call);
        let Some(branch) = plan.branch(fastrand::u64(..)) else {
            return Err(self.nobody(&list, &call, &plan));
        };
        let mut candidates = Candidates::of_branch(&list, branch);
        self.narrow(&mut candidates);
        let Some(first) = candidates.get(0) else {
            return Err(self.nobody(&list, &call, &plan));
        };
        let out_of = candidates.len();
        if out_of == 1 {
            return Ok(Pick {
                endpoint: Arc::clone(first),
                out_of,
            });
        }
        let chosen = self.choose(&call, &plan, candidates, first, tried);
        Ok(Pick {
            endpoint: chosen,
            out_of,
        })
    }

    /// Everybody whom rules leave for `invocation`, for strategies that call several; the same errors as [`Picker::pick`].
    pub fn everybody(&self, invocation: &Invocation) -> Result<Vec<Arc<Endpoint>>, RpcError> {
        let list = self.list(invocation)?;
        if let Some(target) = &invocation.options.target {
            return pinned(&list, invocation, target).map(|pick| vec![pick.endpoint]);
        }
        let call = Call::new(invocation, list.consumer(), EpochMillis::now(), fastrand::u64(..));
        let plan = list.plan(&call);
        let left = plan.branch(call.chance).map(|branch| {
            let mut candidates = Candidates::of_branch(&list, branch);
            if let Some(group) = self.group {
                candidates.retain(|endpoint| endpoint.group() == group);
            }
            candidates.iter().map(Arc::clone).collect::<Vec<_>>()
        });
        match left {
            Some(left) if !left.is_empty() => Ok(left),
            _ => Err(self.nobody(&list, &call, &plan)),
        }
    }

    /// The groups of those whom rules leave for `invocation`, each once, in the order of the list.
    pub fn groups(&self, invocation: &Invocation) -> Result<Vec<String>, RpcError> {
        let mut groups: Vec<String> = Vec::new();
        for endpoint in self.everybody(invocation)? {
            if !groups.iter().any(|known| *known == endpoint.group()) {
                groups.push(endpoint.group().to_owned());
            }
        }
        Ok(groups)
    }

    /// Makes one attempt at `endpoint`: the call is counted there, and an error says which call it was and who was called. An open circuit
    /// breaker refuses it.
    pub async fn attempt(&self, endpoint: &Arc<Endpoint>, invocation: &Invocation) -> Result<Reply, RpcError> {
        let method = invocation.called_name();
        let began = Instant::now();
        let told = |error: RpcError| error.calling(invocation).at(endpoint.address());
        let breaker = endpoint.health().begin(&method, began).map_err(told)?;
        let statistics = endpoint.statistics().method(&method);
        let begun = statistics.begin(EpochMillis::now());
        let asking = asking(endpoint, invocation);
        let outcome = endpoint.invoker().invoke(asking.as_ref().unwrap_or(invocation)).await;
        if asking.is_some()
            && let Ok(reply) = &outcome
        {
            hear(endpoint.statistics(), reply);
        }
        let now = Instant::now();
        let answered = match &outcome {
            Ok(_) => true,
            Err(error) => error.code() == RpcErrorCode::Business,
        };
        begun.ended(answered, now.saturating_duration_since(began), EpochMillis::now());
        let kind = Outcome::of(&outcome);
        if let Some(breaker) = breaker {
            breaker.end(kind, now);
        }
        self.choice.neighbours.ended(endpoint, kind, now, || {
            let list = self.choice.directory.list();
            list.map_or_else(|_| Vec::new(), |list| list.endpoints().to_vec())
        });
        match outcome {
            Ok(reply) => Ok(reply.by(endpoint.address())),
            Err(error) => Err(told(error)),
        }
    }

    fn list(&self, invocation: &Invocation) -> Result<List, RpcError> {
        self.choice.directory.list().map_err(|error| error.calling(invocation))
    }

    /// Leaves one group: the one that is asked for, else that of the first who can be called.
    fn narrow(&self, candidates: &mut Candidates<'_>) {
        if let Some(group) = self.group {
            candidates.retain(|endpoint| endpoint.group() == group);
        } else if self.choice.directory.asks_several_groups() {
            let first = candidates
                .iter()
                .find(|endpoint| endpoint.is_available())
                .or(candidates.get(0));
            if let Some(group) = first.map(|endpoint| endpoint.group().to_owned()) {
                candidates.retain(|endpoint| endpoint.group() == group);
            }
        }
    }

    fn choose(
        &self,
        call: &Call<'_>,
        plan: &Plan,
        mut candidates: Candidates<'_>,
        first: &Arc<Endpoint>,
        tried: &[Arc<Endpoint>],
    ) -> Arc<Endpoint> {
        let now = Instant::now();
        let good = |endpoint: &Arc<Endpoint>| endpoint.admits(&call.method, now) && !was_tried(tried, endpoint);
        let url = first.url();
        let sticky = url.method_flag_or(&call.method, "sticky", false);
        if sticky && let Some(kept) = self.choice.sticky.of(&candidates).filter(|kept| good(kept)) {
            return kept;
        }
        let balance = plan.balance(|| self.choice.balance(call, url));
        let picked = balance.select(call, &candidates).unwrap_or(first);
        let chosen = match good(picked) {
            true => Arc::clone(picked),
            false => {
                let again = call.with_chance(fastrand::u64(..));
                let mut fresh = candidates.clone();
                fresh.retain(good);
                let other = balance.select(&again, &fresh).or_else(|| {
                    candidates.retain(|endpoint| endpoint.is_available());
                    balance.select(&again, &candidates)
                });
                Arc::clone(other.unwrap_or(picked))
            }
        };
        if sticky {
            self.choice.sticky.keep(&chosen);
        }
        chosen
    }

    /// Why nobody is left.
    fn nobody(&self, list: &List, call: &Call<'_>, plan: &Plan) -> RpcError {
        let why = plan.nobody.get_or_init(|| {
            let configured = self.choice.directory.known().governance.configurator.is_some();
            list.why_nobody(call, configured).into()
        });
        let origin = self.choice.directory.origin();
        let message = format!("no provider available: {why} (registry {origin})");
        RpcError::new(RpcErrorCode::NoInvokerAfterFilter, message).calling(call.invocation)
    }
}

impl LaterPicker {
    /// Picks with the rules and the list of that moment; `None` once the reference is gone.
    pub fn hold(&self) -> Option<HeldPicker> {
        self.0.upgrade().map(HeldPicker)
    }
}

impl HeldPicker {
    /// What a strategy picks with.
    pub fn picker(&self) -> Picker<'_> {
        Picker::new(&self.0)
    }
}

/// The one provider that the caller named.
fn pinned(list: &List, invocation: &Invocation, target: &str) -> Result<Pick, RpcError> {
    let endpoint = list.endpoints().iter().find(|endpoint| **endpoint.address() == *target);
    match endpoint {
        Some(endpoint) => Ok(Pick {
            endpoint: Arc::clone(endpoint),
            out_of: 1,
        }),
        None => Err(RpcError::new(
            RpcErrorCode::NoInvokerAfterFilter,
            format!(
                "the call asks for the provider {target}, which is not among the {} that can be called now",
                list.endpoints().len()
            ),
        )
        .calling(invocation)),
    }
}

fn was_tried(tried: &[Arc<Endpoint>], endpoint: &Arc<Endpoint>) -> bool {
    tried
        .iter()
        .any(|one| Arc::ptr_eq(one, endpoint) || one.address() == endpoint.address())
}
