//! The ring beside Java's own and beside a naive one, and what happens to it when lists change.

use std::collections::BTreeMap;
use std::time::Instant;

use orana_core::Invocation;

use super::*;
use crate::clock::EpochMillis;
use crate::endpoint::tests::endpoint;
use crate::endpoint_list::EndpointList;
use crate::testing::{Lab, address, call_with};

const NOW: EpochMillis = EpochMillis(1);

fn calls(keys: impl Iterator<Item = String>) -> Vec<Invocation> {
    keys.map(|key| call_with("say", &[&key])).collect()
}

fn keys(count: usize) -> Vec<Invocation> {
    calls((0..count).map(|number| format!("key-{number}")))
}

/// The definition, word for word: a sorted map in which later points take the place of earlier ones.
fn naive(addresses: &[String], nodes: u32, key: &str) -> usize {
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let mut circle = BTreeMap::new();
    for (place, address) in addresses.iter().enumerate() {
        for index in 0..nodes / 4 {
            let digest = Md5::digest(format!("{address}{index}"));
            for part in digest.chunks(4) {
                circle.insert(number(part), place);
            }
        }
    }
    let key = number(&Md5::digest(key)[..4]);
    *circle.range(key..).next().or(circle.iter().next()).unwrap().1
}

fn twelve(parameters: &str) -> Lab {
    let urls: Vec<String> = (1..=12)
        .map(|host| format!("dubbo://10.0.0.{host}:20880/i{parameters}"))
        .collect();
    Lab::of(&urls.iter().map(String::as_str).collect::<Vec<_>>())
}

fn digits(places: &[usize]) -> String {
    places.iter().map(|place| format!("{place:x}")).collect()
}

/// Computed by another program from the definition, with another implementation of MD5.
#[test]
fn keys_fall_where_another_implementation_puts_them() {
    let hundred =
        "2713a0591275978309b5bb001802b52b5093080818a635883962498a25a5683446513b93700388370337897623722a4abb71";
    let lab = twelve("");
    assert_eq!(
        digits(&lab.places(&ConsistentHash::default(), &keys(100), NOW)),
        hundred
    );
    // In a longer list the circle is the shared one; the answer does not depend on that.
    let few = lab.places(&ConsistentHash::default(), &keys(100), NOW);
    let shared = Circle::empty(160).changed_to(lab.list.endpoints());
    for (call, place) in keys(100).iter().zip(few) {
        let call = Call::new(call, &lab.consumer, NOW, 0);
        assert_eq!(shared.first_from(key(&call, &[0]), |_| true), Some(place));
    }
    let texts = calls(["", "null", "ünïcode"].map(str::to_owned).into_iter().skip(1));
    assert_eq!(lab.places(&ConsistentHash::default(), &texts, NOW), [1, 9]);
    let empty = [call_with("say", &[])];
    assert_eq!(
        lab.places(&ConsistentHash::default(), &empty, NOW),
        [9],
        "no argument is an empty key"
    );
}

/// The places that `ConsistentHashLoadBalance` of Dubbo 3.3.6 chose, two hexadecimal digits for each of 1,000 keys, as the program `Ring`
/// beside the Java peers (`interop/java/governance`) prints them for 12 and for 100 providers.
#[test]
fn keys_fall_where_java_puts_them() {
    for (count, golden) in [(12, include_str!("java-12.txt")), (100, include_str!("java-100.txt"))] {
        let lab = Lab::of_addresses((0..count).map(|place| format!("10.0.{}.{}:20880", place / 50, place % 50 + 1)));
        let keys = calls((0..1_000).map(|key| format!("order-{key}")));
        let places = lab.places(&ConsistentHash::default(), &keys, NOW);
        let digits: String = places.iter().map(|place| format!("{place:02x}")).collect();
        assert_eq!(
            digits,
            golden.split_whitespace().collect::<String>(),
            "{count} providers"
        );
    }
}

#[test]
fn the_key_is_the_chosen_arguments_one_behind_the_other() {
    let lab = twelve("?hash.arguments=0,2,9,x");
    let three: Vec<Invocation> = (0..20)
        .map(|number| call_with("say", &["a", "-", &format!("b{number}")]))
        .collect();
    let places = lab.places(&ConsistentHash::default(), &three, NOW);
    assert_eq!(digits(&places), "0a88809355532a601189");
}

#[test]
fn the_number_of_points_can_be_set_for_a_method() {
    let lab = twelve("?hash.nodes=8&hear.hash.nodes=400");
    let addresses: Vec<String> = (1..=12).map(|host| format!("10.0.0.{host}:20880")).collect();
    for (method, nodes) in [("say", 8), ("hear", 400)] {
        let calls: Vec<Invocation> = (0..50)
            .map(|number| call_with(method, &[&number.to_string()]))
            .collect();
        let expected: Vec<usize> = (0..50)
            .map(|number: u32| naive(&addresses, nodes, &number.to_string()))
            .collect();
        assert_eq!(lab.places(&ConsistentHash::default(), &calls, NOW), expected);
    }
}

#[test]
fn the_same_key_finds_the_same_provider_whatever_the_order_of_the_list_is() {
    let mut rng = fastrand::Rng::with_seed(5);
    let balance = ConsistentHash::default();
    let mut addresses: Vec<String> = (0..100).map(address).collect();
    let at = |addresses: &[String], balance: &ConsistentHash| -> Vec<String> {
        let lab = Lab::of_addresses(addresses.iter().cloned());
        let places = lab.places(balance, &keys(200), NOW);
        places.into_iter().map(|place| addresses[place].clone()).collect()
    };
    let first = at(&addresses, &balance);
    for _ in 0..5 {
        rng.shuffle(&mut addresses);
        assert_eq!(at(&addresses, &balance), first);
    }
    let naive: Vec<&String> = (0..20)
        .map(|number| &addresses[naive(&addresses, 160, &format!("key-{number}"))])
        .collect();
    assert_eq!(naive, first.iter().take(20).collect::<Vec<_>>());
}

#[test]
fn a_circle_that_was_changed_often_is_the_one_that_is_made_at_once() {
    let mut rng = fastrand::Rng::with_seed(8);
    let mut addresses: Vec<String> = (0..60).map(address).collect();
    let mut circle = Circle::empty(16);
    for round in 60..260 {
        match rng.u32(0..5) {
            0 => rng.shuffle(&mut addresses),
            1 if addresses.len() > 5 => addresses.truncate(rng.usize(1..addresses.len())),
            2 => addresses.extend((0..rng.usize(0..40)).map(|more| address(round * 100 + more))),
            // The same address twice, as with two groups.
            3 => addresses.push(addresses[rng.usize(..addresses.len())].clone()),
            _ => drop(addresses.remove(rng.usize(..addresses.len()))),
        }
        if addresses.is_empty() {
            addresses.push(address(round));
        }
        let lab = Lab::of_addresses(addresses.iter().cloned());
        circle = circle.changed_to(lab.list.endpoints());
        assert!(circle.is_of(lab.list.endpoints()));
        let fresh = entries(&Candidates::all(&lab.list), 16);
        let shut = rng.usize(..addresses.len());
        for _ in 0..100 {
            let key = rng.u32(..);
            for may in [|_: usize, _: usize| true, |place, shut| place != shut] {
                let may = |place| may(place, shut);
                assert_eq!(
                    circle.first_from(key, may),
                    first_among(&fresh, key, may),
                    "{} in round {round}",
                    addresses.len()
                );
            }
        }
    }
}

#[test]
fn of_a_provider_that_was_tried_calls_go_where_they_would_without_it() {
    for count in [12, 60] {
        let addresses: Vec<String> = (0..count).map(address).collect();
        let lab = Lab::of_addresses(addresses.iter().cloned());
        let balance = ConsistentHash::default();
        for invocation in keys(50) {
            let call = Call::new(&invocation, &lab.consumer, NOW, 0);
            let plan = lab.plan(&call);
            let mut candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
            let tried = Arc::clone(balance.select(&call, &candidates).unwrap());
            candidates.retain(|endpoint| !Arc::ptr_eq(endpoint, &tried));
            let other = balance.select(&call, &candidates).unwrap();
            let without: Vec<String> = addresses
                .iter()
                .filter(|one| **one != **tried.address())
                .cloned()
                .collect();
            let expected = naive(&without, 160, &invocation.argument_text(0).unwrap());
            assert_eq!(**other.address(), *without[expected]);
        }
    }
}

#[test]
fn of_two_groups_at_one_address_each_is_found() {
    for count in [2, 40] {
        let url = |number: usize| format!("dubbo://{}/i?group={}", address(number / 2), ["a", "b"][number % 2]);
        let endpoints = (0..count).map(|number| endpoint(&url(number))).collect();
        let lab = Lab {
            list: EndpointList::new(endpoints, count),
            ..twelve("")
        };
        let balance = ConsistentHash::default();
        for invocation in keys(50) {
            let call = Call::new(&invocation, &lab.consumer, NOW, 0);
            let plan = lab.plan(&call);
            let found = ["a", "b"].map(|group| {
                let mut candidates = Candidates::of_branch(&lab.list, plan.branch(0).unwrap());
                candidates.retain(|endpoint| endpoint.group() == group);
                Arc::clone(balance.select(&call, &candidates).unwrap().address())
            });
            assert_eq!(found[0], found[1]);
        }
    }
}

#[test]
fn weights_do_not_count() {
    let plain = twelve("").places(&ConsistentHash::default(), &keys(50), NOW);
    let weighted = twelve("?weight=0").places(&ConsistentHash::default(), &keys(50), NOW);
    assert_eq!(plain, weighted);
}

#[test]
fn methods_share_one_circle_and_odd_settings_do_not_fill_the_memory() {
    let lab = Lab::sized(100);
    let balance = ConsistentHash::default();
    let methods: Vec<Invocation> = (0..20).map(|number| call_with(&format!("m{number}"), &["x"])).collect();
    lab.places(&balance, &methods, NOW);
    assert_eq!(balance.circles.lock().len(), 1);
    let odd: Vec<String> = (0..20)
        .map(|number| format!("m{number}.hash.nodes={}", 100 + number * 4))
        .collect();
    let urls: Vec<String> = (0..100)
        .map(|number| format!("dubbo://{}/i?{}", address(number), odd.join("&")))
        .collect();
    let lab = Lab::of(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    lab.places(&balance, &methods, NOW);
    assert_eq!(balance.circles.lock().len(), MOST_CIRCLES);
    assert_eq!(balance.bounded(u32::MAX, 10), MOST_NODES);
    assert_eq!(balance.bounded(u32::MAX, 100_000), 128);
    assert_eq!(balance.bounded(0, 0), 4);
}

#[test]
fn one_change_among_many_makes_few_buckets_anew() {
    let count = 2_000;
    let addresses: Vec<String> = (0..count).map(address).collect();
    let lab = Lab::of_addresses(addresses.iter().cloned());
    let circle = Circle::empty(32).changed_to(lab.list.endpoints());
    let mut changed = addresses;
    changed[count / 2] = address(count + 1);
    let lab = Lab::of_addresses(changed.into_iter());
    let began = Instant::now();
    let next = circle.changed_to(lab.list.endpoints());
    let took = began.elapsed();
    assert!(circle.shared_with(&next) * 4 > 3 * 256, "{}", circle.shared_with(&next));
    assert!(took.as_millis() < 500, "{took:?}");
}
