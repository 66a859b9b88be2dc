//! What the tests of this crate share: endpoints without sockets, calls, and a count of who is picked how often.

pub(crate) mod allocations;
pub(crate) mod simulation;

use std::borrow::Cow;
use std::sync::Arc;

use orana_core::{Encoded, Invocation, Method, ServiceKey, ServiceUrl};

use crate::call::Call;
use crate::candidates::Candidates;
use crate::clock::EpochMillis;
use crate::endpoint::Endpoint;
use crate::endpoint::tests::endpoint;
use crate::endpoint_list::EndpointList;
use crate::load_balance::LoadBalance;
use crate::plan::Plan;
use crate::router::{Report, Routers};

/// Picks of [`Lab::counts`].
pub(crate) const PICKS: usize = 100_000;

/// A list and a consumer.
pub(crate) struct Lab {
    pub(crate) list: EndpointList,
    pub(crate) consumer: ServiceUrl,
}

/// A call of `method` whose arguments are these texts.
pub(crate) fn call_with(method: &str, arguments: &[&str]) -> Invocation {
    let text: fn(&[u8], usize) -> Option<Cow<'_, str>> = |bytes, index| {
        let text = std::str::from_utf8(bytes).ok()?;
        text.split('\n')
            .nth(index)
            .filter(|_| !text.is_empty())
            .map(Cow::Borrowed)
    };
    let method = Method::new(ServiceKey::new("i", None, None), method, "");
    let bytes = arguments.join("\n");
    Invocation::new(Arc::new(method), Encoded::new(bytes.into(), arguments.len(), text))
}

impl Lab {
    /// A list of these URLs, for the consumer `consumer://10.0.0.1/i?application=me`.
    pub(crate) fn of(urls: &[&str]) -> Lab {
        Lab {
            list: EndpointList::new(urls.iter().map(|url| endpoint(url)).collect(), urls.len()),
            consumer: ServiceUrl::parse("consumer://10.0.0.1/i?application=me").unwrap(),
        }
    }

    /// A list of `count` providers that differ in their address only.
    pub(crate) fn sized(count: usize) -> Lab {
        Lab::of_addresses((0..count).map(address))
    }

    /// A list of providers at these addresses.
    pub(crate) fn of_addresses(addresses: impl Iterator<Item = String>) -> Lab {
        let urls: Vec<String> = addresses.map(|address| format!("dubbo://{address}/i")).collect();
        Lab::of(&urls.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whom the balance picks for these calls one after the other, as places in the list.
    pub(crate) fn places(&self, balance: &dyn LoadBalance, calls: &[Invocation], now: EpochMillis) -> Vec<usize> {
        let mut chance = fastrand::Rng::with_seed(9);
        let mut plans: Vec<(&str, Plan)> = Vec::new();
        for call in calls {
            if !plans.iter().any(|(method, _)| *method == call.method_name()) {
                plans.push((call.method_name(), self.plan(&Call::new(call, &self.consumer, now, 0))));
            }
        }
        let place = |invocation: &Invocation| {
            let call = Call::new(invocation, &self.consumer, now, chance.u64(..));
            let plan = plans.iter().find(|(method, _)| *method == invocation.method_name());
            let branch = plan.and_then(|(_, plan)| plan.branch(0)).unwrap();
            self.place_of(
                balance
                    .select(&call, &Candidates::of_branch(&self.list, branch))
                    .unwrap(),
            )
        };
        calls.iter().map(place).collect()
    }

    /// Where an endpoint stands in the list.
    pub(crate) fn place_of(&self, endpoint: &Arc<Endpoint>) -> usize {
        let endpoints = self.list.endpoints();
        endpoints.iter().position(|one| Arc::ptr_eq(one, endpoint)).unwrap()
    }

    /// How often each endpoint is picked for a call of `say()`, as routing without rules leaves them.
    pub(crate) fn counts(&self, balance: &dyn LoadBalance, now: EpochMillis) -> Vec<usize> {
        let invocation = call_with("say", &[]);
        let mut chance = fastrand::Rng::with_seed(7);
        let mut counts = vec![0; self.list.endpoints().len()];
        let plan = self.plan(&Call::new(&invocation, &self.consumer, now, 0));
        let branch = plan.branch(0).unwrap();
        for _ in 0..PICKS {
            let call = Call::new(&invocation, &self.consumer, now, chance.u64(..));
            let picked = balance
                .select(&call, &Candidates::of_branch(&self.list, branch))
                .unwrap();
            counts[self.place_of(picked)] += 1;
        }
        counts
    }

    /// The plan without rules.
    pub(crate) fn plan(&self, call: &Call<'_>) -> Plan {
        Routers::default().plan(&self.list, call, &mut Report::silent()).0
    }
}

/// The address of one of many.
pub(crate) fn address(number: usize) -> String {
    format!("10.{}.{}.{}:20880", number >> 16, (number >> 8) & 255, number & 255)
}

/// Pearson's statistic of `counts` against `expected` shares; for two degrees of freedom below 13.8 with probability 0.999.
pub(crate) fn chi_square(counts: &[usize], expected: &[f64]) -> f64 {
    let total: f64 = expected.iter().sum();
    let picks: usize = counts.iter().sum();
    let of = |(count, share): (&usize, &f64)| {
        let expected = share / total * picks as f64;
        (*count as f64 - expected).powi(2) / expected
    };
    counts
        .iter()
        .zip(expected)
        .filter(|(_, share)| **share > 0.0)
        .map(of)
        .sum()
}
