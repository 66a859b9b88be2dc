//! Puts an explanation together, of what a directory knows and what routers and load balances say. Changes nothing.

use std::sync::Arc;
use std::time::Instant;

use ahash::{HashMap, HashMapExt, HashSet};
use orana_core::ServiceUrl;

use super::decided::Sources;
use super::offered::{Offered, offered};
use super::probability::probabilities;
use super::{Asking, Candidate, Decided, Explanation, Stage};
use crate::call::Call;
use crate::candidates::Candidates;
use crate::choice::Choice;
use crate::cluster::{failback, failover, retry};
use crate::directory::{DirectoryState, Known, List};
use crate::endpoint::Endpoint;
use crate::load_balance;
use crate::merge::merged;

/// How long an attempt may take if nobody says it, in milliseconds.
const DEFAULT_TIMEOUT: u64 = 1_000;

/// Sets of candidates, each with its share of the calls.
type Sets<'l> = Vec<(f64, Candidates<'l>)>;

/// Why a call would go where it would go.
pub(crate) fn explain(choice: &Choice, asking: &Asking<'_>) -> Explanation {
    let directory = &choice.directory;
    let known = directory.known();
    let list = &known.list;
    let call = Call::new(asking.invocation, list.consumer(), asking.now, 0);
    let told = known.told.as_deref().unwrap_or_default();
    let mut offer = offered(told, directory.consumer(), &known.governance, directory.connector());
    let mut notes = Vec::new();
    if directory.state() == DirectoryState::Listed {
        let reached = reachable(&mut offer, list, asking.connects);
        offer.stages.push(reached);
        offer.stages.push(serving(list, &call));
    }
    // The plan of this moment; what calls keep of theirs is left alone.
    let (routed, plan) = list.explained(&call);
    let sets: Sets<'_> = match &asking.invocation.options.target {
        Some(target) => vec![(1.0, only(list, target, &mut offer.stages))],
        None => {
            offer.stages.extend(routed);
            let branches = plan.branches().iter();
            let sets = branches
                .map(|branch| (branch.share(), Candidates::of_branch(list, branch)))
                .collect();
            of_groups(choice, asking, &call, sets, &mut offer.stages, &mut notes)
        }
    };
    let first = sets.iter().find_map(|(_, set)| set.get(0));
    let candidates = candidates(choice, &call, list, &sets);
    let nobody = first.is_none().then(|| match directory.list() {
        Err(error) => error.message().to_owned(),
        Ok(_) => {
            let why = list.why_nobody(&call, known.governance.configurator.is_some());
            format!("no provider available: {why} (registry {})", directory.origin())
        }
    });
    if let Some(mock) = list.consumer().method_parameter(&call.method, "mock") {
        notes.push(format!(
            "the consumer has a mock, which may answer instead of anybody: `{mock}`"
        ));
    }
    let values = values(choice, asking, &known, &call, first);
    let who = list.consumer();
    Explanation {
        call: format!("{}.{}", asking.invocation.service(), call.method),
        consumer: format!(
            "{} at {}",
            who.parameter("application").unwrap_or("an application"),
            who.host().unwrap_or("an unknown host")
        ),
        registry: directory.origin().to_owned(),
        registered: offer.registered,
        stages: offer.stages,
        candidates,
        loadbalance: values.0,
        cluster: asking.cluster.clone(),
        retries: values.1,
        timeout: values.2,
        notes,
        nobody,
    }
}

/// Who of those that are offered is connected.
fn reachable(offer: &mut Offered, list: &List, connects: bool) -> Stage {
    if offer.listed.is_empty() && list.listed() > 0 {
        offer.stages.push(Stage {
            name: "kept".to_owned(),
            rule: "a list of which nobody can be used is not taken; the one before it stays".to_owned(),
            before: 0,
            after: list.listed(),
            removed: Vec::new(),
        });
    }
    let up: HashSet<&ServiceUrl> = list.endpoints().iter().map(|endpoint| endpoint.url()).collect();
    let removed = offer.listed.iter().filter(|url| !up.contains(url));
    let mut removed: Vec<Arc<str>> = removed.map(|url| url.address().into()).collect();
    removed.sort();
    Stage {
        name: "reachable".to_owned(),
        rule: match connects {
            true => "a connection could be opened",
            false => "nobody was connected to: every provider counts as reachable",
        }
        .to_owned(),
        before: list.listed(),
        after: list.endpoints().len(),
        removed,
    }
}

fn serving(list: &List, call: &Call<'_>) -> Stage {
    let (all, serving) = (Candidates::all(list), list.candidates(call.invocation));
    Stage {
        name: "method".to_owned(),
        rule: format!("`{}` is among the methods", call.method),
        before: all.len(),
        after: serving.len(),
        removed: all.without(&serving),
    }
}

/// The one that the call asks for.
fn only<'l>(list: &'l List, target: &str, stages: &mut Vec<Stage>) -> Candidates<'l> {
    let all = Candidates::all(list);
    let mut left = all.clone();
    left.retain(|endpoint| **endpoint.address() == *target);
    stages.push(Stage {
        name: "target".to_owned(),
        rule: format!("the call asks for `{target}`; no router is asked"),
        before: all.len(),
        after: left.len(),
        removed: all.without(&left),
    });
    left
}

/// What is left of each set where several groups are asked for: the first group that has somebody, or each group by itself if results are merged.
fn of_groups<'l>(
    choice: &Choice,
    asking: &Asking<'_>,
    call: &Call<'_>,
    sets: Sets<'l>,
    stages: &mut Vec<Stage>,
    notes: &mut Vec<String>,
) -> Sets<'l> {
    if !choice.directory.asks_several_groups() {
        return sets;
    }
    let merges = |set: &Candidates<'_>| {
        let merger = set
            .get(0)
            .and_then(|first| first.url().method_parameter(&call.method, "merger"));
        asking.cluster.value == "mergeable" && merger.is_some_and(|merger| !merger.is_empty())
    };
    let mut left = Vec::new();
    for (share, set) in sets {
        let mut groups: Vec<&str> = Vec::new();
        for endpoint in set.iter() {
            if !groups.contains(&endpoint.group()) {
                groups.push(endpoint.group());
            }
        }
        if merges(&set) {
            notes.push(format!(
                "{} groups are called and their results merged; probabilities are those within a group",
                groups.len()
            ));
            for group in groups {
                let mut of_group = set.clone();
                of_group.retain(|endpoint| endpoint.group() == group);
                left.push((share, of_group));
            }
            continue;
        }
        let chosen = set.iter().find(|endpoint| endpoint.is_available()).or(set.get(0));
        let mut narrow = set.clone();
        if let Some(group) = chosen.map(|endpoint| endpoint.group()) {
            narrow.retain(|endpoint| endpoint.group() == group);
            stages.push(Stage {
                name: "group".to_owned(),
                rule: format!("`{group}` is the first group that has somebody"),
                before: set.len(),
                after: narrow.len(),
                removed: set.without(&narrow),
            });
        }
        left.push((share, narrow));
    }
    left
}

/// Who is left, with weights and probabilities, in the order of the list.
fn candidates(choice: &Choice, call: &Call<'_>, list: &List, sets: &Sets<'_>) -> Vec<Candidate> {
    let instant = Instant::now();
    let mut probable: HashMap<*const Endpoint, Option<f64>> = HashMap::new();
    for (share, set) in sets {
        let of_set = probabilities(choice, call, set, instant);
        for (place, endpoint) in set.iter().enumerate() {
            let own = of_set
                .as_ref()
                .and_then(|shares| shares.get(place))
                .map(|own| own * share);
            let sum = probable.entry(Arc::as_ptr(endpoint)).or_insert(Some(0.0));
            *sum = sum.zip(own).map(|(sum, own)| sum + own);
        }
    }
    let candidate = |endpoint: &Arc<Endpoint>| {
        let probability = *probable.get(&Arc::as_ptr(endpoint))?;
        let note = if !endpoint.is_available() {
            Some("its connection is down")
        } else if !endpoint.admits(&call.method, instant) {
            Some("left out for a while: a circuit breaker is open, or it did worse than the others")
        } else {
            None
        };
        Some(Candidate {
            address: Arc::clone(endpoint.address()),
            weight: endpoint.weight(&call.method, call.now),
            full_weight: endpoint.configured_weight(&call.method),
            probability,
            note,
        })
    };
    list.endpoints().iter().filter_map(candidate).collect()
}

/// Load balance, retries and time-out, as the first candidate's URL says, or the consumer's if there is none.
fn values(
    choice: &Choice,
    asking: &Asking<'_>,
    known: &Known,
    call: &Call<'_>,
    first: Option<&Arc<Endpoint>>,
) -> (Decided<String>, Decided<u64>, Decided<u64>) {
    let own = choice.directory.consumer();
    let before = first.map_or_else(|| own.clone(), |first| merged(first.original(), own));
    let configurator = known.governance.configurator.as_ref();
    let effects = configurator.map_or_else(Vec::new, |configurator| configurator.effects(&before));
    let sources = Sources {
        url: first.map_or(call.consumer, |first| first.url()),
        effects: &effects,
        said: asking.said,
        provider: first.map(|first| first.original()),
    };
    let balance = match sources.find(&call.method, "loadbalance") {
        Some((name, origin)) if choice.balances.is_known(name) => Decided::new(name.to_owned(), origin),
        Some((name, origin)) => Decided::new(
            load_balance::DEFAULT.to_owned(),
            format!("default: there is no load balance `{name}` ({origin})"),
        ),
        None => Decided::default_of(load_balance::DEFAULT.to_owned()),
    };
    let default = match &*asking.cluster.value {
        "failback" => failback::DEFAULT_RETRIES,
        _ => failover::DEFAULT_RETRIES,
    };
    let retries = Decided {
        value: u64::from(retry::retries(sources.url, &call.method, default)),
        origin: origin_or_default(sources.find(&call.method, "retries")),
    };
    let said = sources.find(&call.method, "timeout");
    let number = said.as_ref().and_then(|(text, _)| text.trim().parse().ok());
    let timeout = match (asking.invocation.options.timeout, number) {
        (Some(timeout), _) => Decided::new(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX), "this call"),
        (None, Some(millis)) => Decided::new(millis, origin_or_default(said)),
        (None, None) => Decided::default_of(DEFAULT_TIMEOUT),
    };
    (balance, retries, timeout)
}

fn origin_or_default(found: Option<(&str, String)>) -> String {
    found.map_or_else(|| "default".to_owned(), |(_, origin)| origin)
}
