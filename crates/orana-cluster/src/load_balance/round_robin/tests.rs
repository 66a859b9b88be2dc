//! The order of rounds, beside the walk as Dubbo has it.

use std::time::Instant;

use orana_core::Invocation;

use super::*;
use crate::clock::EpochMillis;
use crate::endpoint::tests::endpoint;
use crate::endpoint_list::EndpointList;
use crate::testing::{Lab, call_with};

const NOW: EpochMillis = EpochMillis(5_000_000);

fn calls(count: usize) -> Vec<Invocation> {
    vec![call_with("say", &[]); count]
}

/// What Java does, for comparison: numbers by place, every one of which is looked at with each pick.
fn naive(weights: &[i64], picks: usize) -> Vec<usize> {
    let mut numbers = vec![0; weights.len()];
    let pick = |_| {
        let mut best: Option<usize> = None;
        for place in 0..weights.len() {
            numbers[place] += weights[place];
            if weights[place] > 0 && best.is_none_or(|best| numbers[place] > numbers[best]) {
                best = Some(place);
            }
        }
        let best = best.unwrap_or(0);
        numbers[best] -= weights.iter().sum::<i64>();
        best
    };
    (0..picks).map(pick).collect()
}

fn weighted(weights: &[i64]) -> Lab {
    let url = |(port, weight)| format!("dubbo://h:{port}/i?weight={weight}");
    let urls: Vec<String> = (1..).zip(weights).map(url).collect();
    Lab::of(&urls.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn weights_five_one_one_give_a_a_b_a_c_a_a() {
    let lab = weighted(&[5, 1, 1]);
    let places = lab.places(&RoundRobin::default(), &calls(14), NOW);
    assert_eq!(places, [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
}

#[test]
fn the_order_is_that_of_looking_at_everybody_whatever_the_weights() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let weights: Vec<i64> = (0..rng.usize(2..9)).map(|_| rng.i64(0..6)).collect();
        let places = weighted(&weights).places(&RoundRobin::default(), &calls(60), NOW);
        assert_eq!(places, naive(&weights, 60), "{weights:?}");
    }
}

#[test]
fn a_single_candidate_moves_nobody_on() {
    let lab = weighted(&[1, 1]);
    let balance = RoundRobin::default();
    let invocation = call_with("say", &[]);
    let call = Call::new(&invocation, &lab.consumer, NOW, 0);
    let mut one = Candidates::all(&lab.list);
    one.retain(|endpoint| endpoint.url().port() == Some(1));
    for _ in 0..5 {
        balance.select(&call, &one);
    }
    assert_eq!(lab.places(&balance, &calls(2), NOW), [0, 1]);
}

#[test]
fn each_method_has_its_own_round() {
    let lab = weighted(&[1, 1]);
    let calls = ["say", "hear", "say", "hear"].map(|method| call_with(method, &[]));
    assert_eq!(lab.places(&RoundRobin::default(), &calls, NOW), [0, 0, 1, 1]);
}

#[test]
fn a_round_goes_on_when_somebody_comes_or_goes() {
    let endpoints: Vec<_> = (1..=4).map(|port| endpoint(&format!("dubbo://h:{port}/i"))).collect();
    let lab = |places: &[usize]| Lab {
        list: EndpointList::new(places.iter().map(|place| Arc::clone(&endpoints[*place])).collect(), 4),
        ..weighted(&[1])
    };
    let balance = RoundRobin::default();
    assert_eq!(lab(&[0, 1, 2]).places(&balance, &calls(4), NOW), [0, 1, 2, 0]);
    // Whoever was picked last still comes last.
    assert_eq!(lab(&[0, 1, 2]).places(&balance, &calls(2), NOW), [1, 2]);
    assert_eq!(lab(&[0, 1, 2]).places(&balance, &calls(1), NOW), [0]);
    assert_eq!(lab(&[0, 1, 2, 3]).places(&balance, &calls(4), NOW)[..2], [1, 2]);
    // After a change of the set everybody still gets the same over the next rounds.
    let mut counts = [0; 4];
    for place in lab(&[1, 2, 3]).places(&balance, &calls(300), NOW) {
        counts[place] += 1;
    }
    assert!(counts[..3].iter().all(|count| (98..=102).contains(count)), "{counts:?}");
}

#[test]
fn two_sets_of_one_method_share_the_round() {
    let lab = weighted(&[1, 1, 1, 1]);
    let balance = RoundRobin::default();
    let invocation = call_with("say", &[]);
    let plans = [0, 1].map(|_| lab.plan(&Call::new(&invocation, &lab.consumer, NOW, 0)));
    let pick = |which: usize| {
        let call = Call::new(&invocation, &lab.consumer, NOW, 0);
        let candidates = Candidates::of_branch(&lab.list, plans[which].branch(0).unwrap());
        lab.place_of(balance.select(&call, &candidates).unwrap())
    };
    let places: Vec<usize> = [0, 0, 0, 1, 1, 1, 0, 1].into_iter().map(pick).collect();
    assert_eq!(places, [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn another_weight_begins_at_zero() {
    let statistics = Arc::default();
    let with = |weight: u32| {
        let base = weighted(&[1, 1]);
        let url = orana_core::ServiceUrl::parse(&format!("dubbo://h:1/i?weight={weight}")).unwrap();
        let invoker = Arc::clone(base.list.endpoints()[0].invoker());
        let changed = Arc::new(Endpoint::of(url.clone(), url, invoker, Arc::clone(&statistics)));
        Lab {
            list: EndpointList::new(vec![changed, Arc::clone(&base.list.endpoints()[1])], 2),
            ..base
        }
    };
    let balance = RoundRobin::default();
    assert_eq!(with(1).places(&balance, &calls(1), NOW), [0]);
    assert_eq!(with(3).places(&balance, &calls(4), NOW), [0, 0, 1, 0]);
}

#[test]
fn numbers_stay_small_over_many_picks() {
    let lab = weighted(&[7, 2, 1]);
    let places = lab.places(&RoundRobin::default(), &calls((1 << 12) + 50), NOW);
    let naive = naive(&[7, 2, 1], (1 << 12) + 50);
    assert_eq!(places[places.len() - 60..], naive[naive.len() - 60..]);
}

#[test]
fn ten_thousand_candidates_are_not_walked_through() {
    let lab = Lab::sized(10_000);
    let balance = RoundRobin::default();
    lab.places(&balance, &calls(2), NOW);
    let began = Instant::now();
    let places = {
        let invocation = call_with("say", &[]);
        let plan = lab.plan(&Call::new(&invocation, &lab.consumer, NOW, 0));
        let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
        let call = Call::new(&invocation, &lab.consumer, NOW, 0);
        let picks = 20_000;
        (0..picks)
            .filter(|_| balance.select(&call, &candidates).is_some())
            .count()
    };
    assert_eq!(places, 20_000);
    // 200 million steps if each looked at everybody.
    assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
}
