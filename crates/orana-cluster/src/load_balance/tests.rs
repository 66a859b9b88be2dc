//! What holds for every load balance, and how those behave that look at how providers do.

use std::collections::HashSet;
use std::time::Duration;

use super::*;
use crate::clock::EpochMillis;
use crate::testing::allocations::allocations;
use crate::testing::simulation::{answers, fails, simulated};
use crate::testing::{Lab, call_with, chi_square};

const NOW: EpochMillis = EpochMillis(10_000_000);

fn all() -> impl Iterator<Item = (&'static str, Arc<dyn LoadBalance>)> {
    LOAD_BALANCES.iter().map(|(name, make)| (*name, make()))
}

/// Those of which an idle consumer's calls are shared by weight.
fn by_weight_when_idle() -> impl Iterator<Item = (&'static str, Arc<dyn LoadBalance>)> {
    all().filter(|(name, _)| !matches!(*name, "consistenthash" | "adaptive"))
}

/// Each weight of a few providers, one that warms up among them; and what that weight is now.
fn weighted() -> (Lab, Vec<f64>) {
    let young = format!("dubbo://h:4/i?timestamp={}", NOW.0 - 60_000);
    let urls = [
        "dubbo://h:1/i?weight=5",
        "dubbo://h:2/i?weight=20&say.weight=7",
        "dubbo://h:3/i?weight=0",
        &young,
    ];
    (Lab::of(&urls), vec![5.0, 7.0, 0.0, 10.0])
}

#[test]
fn idle_providers_are_picked_by_weight_also_while_one_warms_up() {
    for (name, balance) in by_weight_when_idle() {
        let (lab, weights) = weighted();
        let counts = lab.counts(&*balance, NOW);
        assert_eq!(counts[2], 0, "{name}: weight 0 beside others");
        assert!(chi_square(&counts, &weights) < 16.3, "{name}: {counts:?}");
        let settled = Lab::of(&[
            "dubbo://h:1/i?weight=3",
            "dubbo://h:2/i?weight=1",
            "dubbo://h:3/i?weight=0",
        ]);
        let counts = settled.counts(&*balance, NOW);
        assert!(chi_square(&counts, &[3.0, 1.0, 0.0]) < 10.9, "{name}: {counts:?}");
        assert_eq!(counts[2], 0, "{name}: weight 0 beside others");
    }
}

#[test]
fn adaptive_takes_one_of_an_even_pair_by_weight_when_all_are_idle() {
    let lab = Lab::of(&["dubbo://h:1/i?weight=30", "dubbo://h:2/i?weight=10"]);
    let counts = lab.counts(&Adaptive, NOW);
    assert!(chi_square(&counts, &[3.0, 1.0]) < 10.9, "{counts:?}");
}

#[test]
fn shares_are_what_picks_come_to() {
    for (name, balance) in all().filter(|(name, _)| *name != "consistenthash") {
        let (lab, _) = weighted();
        let invocation = call_with("say", &[]);
        let call = Call::new(&invocation, &lab.consumer, NOW, 0);
        // One has something to do, one has failed just now.
        let busy = lab.list.endpoints()[0].statistics().method("say");
        let failing = lab.list.endpoints()[1].statistics().method("say");
        if name != "roundrobin" {
            std::mem::forget(busy.begin(NOW));
            failing.begin(NOW).ended(false, Duration::ZERO, NOW);
        }
        let plan = lab.plan(&call);
        let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
        let shares = balance.shares(&call, &candidates).unwrap();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}: {shares:?}");
        let counts = lab.counts(&*balance, NOW);
        for (share, count) in shares.iter().zip(&counts) {
            assert!(*share > 0.0 || *count == 0, "{name}: {shares:?} {counts:?}");
        }
        let possible = shares.iter().filter(|share| **share > 0.0).count();
        assert!(
            possible == 1 || chi_square(&counts, &shares) < 16.3,
            "{name}: {shares:?} {counts:?}"
        );
    }
}

#[test]
fn all_weights_zero_leave_somebody_to_pick() {
    for (name, balance) in all() {
        let lab = Lab::of(&["dubbo://h:1/i?weight=0", "dubbo://h:2/i?weight=0"]);
        let counts = lab.counts(&*balance, NOW);
        match name {
            "roundrobin" | "consistenthash" => assert!(counts.contains(&0), "{name}: {counts:?}"),
            _ => assert!(chi_square(&counts, &[1.0, 1.0]) < 10.9, "{name}: {counts:?}"),
        }
    }
}

#[test]
fn nothing_is_picked_but_candidates() {
    let lab = Lab::of_addresses((0..40).map(crate::testing::address));
    let mut rng = fastrand::Rng::with_seed(3);
    for (name, balance) in all() {
        for round in 0..400 {
            let argument = rng.u32(..).to_string();
            let invocation = call_with(if round % 3 == 0 { "say" } else { "hear" }, &[&argument]);
            let call = Call::new(&invocation, &lab.consumer, NOW, rng.u64(..));
            let plan = lab.plan(&call);
            let mut candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
            let kept: HashSet<u16> = (0..rng.u16(0..40)).map(|_| rng.u16(0..40)).collect();
            let place = |endpoint: &Arc<Endpoint>| lab.place_of(endpoint) as u16;
            candidates.retain(|endpoint| kept.contains(&place(endpoint)));
            match balance.select(&call, &candidates) {
                Some(picked) => assert!(kept.contains(&place(picked)), "{name}"),
                None => assert!(kept.is_empty(), "{name}"),
            }
        }
    }
}

#[test]
fn picks_from_what_routing_left_allocate_nothing() {
    for count in [3, 200] {
        for (name, balance) in all() {
            let lab = Lab::sized(count);
            let invocation = call_with("say", &["x"]);
            let plan = lab.plan(&Call::new(&invocation, &lab.consumer, NOW, 0));
            let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
            let pick = |chance| {
                let call = Call::new(&invocation, &lab.consumer, NOW, chance);
                assert!(balance.select(&call, &candidates).is_some());
            };
            (0..3).for_each(pick);
            assert_eq!(allocations(|| (0..1_000).for_each(pick)), 0, "{name} of {count}");
        }
    }
}

#[test]
fn eight_threads_pick_and_calls_are_shared_as_by_one() {
    const EACH: usize = 5_000;
    for (name, balance) in all().filter(|(name, _)| *name != "consistenthash") {
        let lab = Lab::of(&["dubbo://h:1/i", "dubbo://h:2/i", "dubbo://h:3/i"]);
        let invocation = call_with("say", &[]);
        let plan = lab.plan(&Call::new(&invocation, &lab.consumer, NOW, 0));
        let plan = &plan;
        let counts = std::thread::scope(|scope| {
            let thread = |seed| {
                let (lab, balance, invocation) = (&lab, &balance, &invocation);
                scope.spawn(move || {
                    let mut counts = vec![0_usize; 3];
                    let mut chance = fastrand::Rng::with_seed(seed);
                    let candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
                    for _ in 0..EACH {
                        let call = Call::new(invocation, &lab.consumer, NOW, chance.u64(..));
                        let picked = balance.select(&call, &candidates).unwrap();
                        picked
                            .statistics()
                            .method("say")
                            .begin(NOW)
                            .ended(true, Duration::from_millis(1), NOW);
                        counts[lab.place_of(picked)] += 1;
                    }
                    counts
                })
            };
            let threads: Vec<_> = (0..8).map(thread).collect();
            let of_threads = threads.into_iter().map(|thread| thread.join().unwrap());
            of_threads.reduce(|sum, counts| sum.iter().zip(&counts).map(|(one, other)| one + other).collect())
        });
        let counts = counts.unwrap();
        assert_eq!(counts.iter().sum::<usize>(), 8 * EACH, "{name}");
        // A thread that has to wait in the middle of a call keeps that provider busy, and the others rightly avoid it meanwhile.
        let least = if name == "roundrobin" { 8 * EACH / 3 } else { EACH / 10 };
        assert!(counts.iter().all(|count| *count >= least), "{name}: {counts:?}");
    }
    let lab = Lab::sized(3);
    for endpoint in lab.list.endpoints() {
        assert_eq!(endpoint.statistics().method("say").active(), 0);
    }
}

#[test]
fn a_slow_provider_gets_less() {
    for name in ["leastactive", "shortestresponse", "p2c", "adaptive"] {
        let balance = Balances::new().named(name);
        let counts = simulated(
            &Lab::sized(4),
            &[answers(10), answers(10), answers(10), answers(200)],
            &*balance,
            60,
        );
        let total: usize = counts.iter().sum();
        assert!(counts[3] * 16 < total, "{name}: {counts:?}");
        assert!(counts[3] > 0, "{name}: it is not forgotten: {counts:?}");
        for quick in &counts[..3] {
            assert!(quick * 5 > total, "{name}: {counts:?}");
        }
    }
}

#[test]
fn a_provider_that_fails_fast_does_not_attract_calls() {
    for name in ["leastactive", "shortestresponse", "p2c", "adaptive"] {
        for failure in [fails(0), fails(1), fails(30)] {
            let balance = Balances::new().named(name);
            let counts = simulated(
                &Lab::sized(4),
                &[answers(20), answers(20), failure, answers(20)],
                &*balance,
                60,
            );
            let total: usize = counts.iter().sum();
            assert!(counts[2] * 50 < total, "{name} {failure:?}: {counts:?}");
            assert!(counts[2] > 3, "{name}: it gets chances: {counts:?}");
        }
    }
}

#[test]
fn providers_that_all_fail_are_all_called() {
    for name in ["leastactive", "shortestresponse", "p2c", "adaptive"] {
        let balance = Balances::new().named(name);
        let counts = simulated(&Lab::sized(3), &[fails(5); 3], &*balance, 10);
        assert!(counts.iter().all(|count| *count > 1_000), "{name}: {counts:?}");
    }
}

#[test]
fn of_several_that_are_least_one_is_picked_by_weight() {
    for balance in [&LeastActive as &dyn LoadBalance, &ShortestResponse::default()] {
        let lab = Lab::of(&[
            "dubbo://h:1/i?weight=10",
            "dubbo://h:2/i?weight=90",
            "dubbo://h:3/i?weight=30",
        ]);
        let busy = lab.list.endpoints()[1].statistics().method("say");
        let _begun = busy.begin(NOW);
        let counts = lab.counts(balance, NOW);
        assert_eq!(counts[1], 0);
        assert!(chi_square(&counts, &[1.0, 0.0, 3.0]) < 10.9, "{counts:?}");
    }
}

#[test]
fn shortest_response_weighs_the_average_with_those_who_wait() {
    let lab = Lab::sized(2);
    let [quick, slow] = [0, 1].map(|place| lab.list.endpoints()[place].statistics().method("say"));
    quick.begin(NOW).ended(true, Duration::from_millis(10), NOW);
    slow.begin(NOW).ended(true, Duration::from_millis(25), NOW);
    let calls = [call_with("say", &[])];
    let pick = || lab.places(&ShortestResponse::default(), &calls, NOW);
    assert_eq!(pick(), [0]);
    let waiting = [quick.begin(NOW), quick.begin(NOW)];
    assert_eq!(pick(), [1], "3 × 10 ms against 25 ms");
    drop(waiting);
    assert_eq!(pick(), [0]);
}

#[test]
fn a_machine_that_says_it_is_busy_is_spared_by_adaptive() {
    let lab = Lab::sized(2);
    for (place, said) in [(0, 95.0), (1, 20.0)] {
        let statistics = lab.list.endpoints()[place].statistics();
        statistics.say_load(said);
        statistics
            .method("say")
            .begin(NOW)
            .ended(true, Duration::from_millis(9), NOW);
    }
    let counts = lab.counts(&Adaptive, NOW);
    assert_eq!(counts[0], 0);
    let later = EpochMillis(NOW.0 + 2_001);
    assert!(
        lab.counts(&Adaptive, later)[0] > 0,
        "after twice the time-out it gets a chance"
    );
}

#[test]
fn names_of_dubbo_go_are_understood() {
    let balances = Balances::new();
    assert!(ALIASES.iter().all(|(alias, _)| balances.is_known(alias)));
    let (go, java) = (balances.named("consistenthashing"), balances.named("consistenthash"));
    assert!(Arc::ptr_eq(&go, &java));
    assert!(!balances.is_known("consistent"));
}
