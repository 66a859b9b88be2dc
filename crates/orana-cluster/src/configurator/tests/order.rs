//! Which of several rules wins.

use super::*;

fn winner(texts: &[&str]) -> Option<String> {
    x(&of_texts(texts), MERGED, &CONSUMER)
}

#[test]
fn a_rule_for_one_host_wins_over_one_for_everybody() {
    let (one, all) = (
        "override://10.0.0.9/bar?x=one",
        "override://0.0.0.0/bar?priority=9&x=all",
    );
    assert_eq!(winner(&[one, all]).as_deref(), Some("one"));
    assert_eq!(winner(&[all, one]).as_deref(), Some("one"));
    let provider = "override://10.0.0.1:20880/bar?x=provider";
    assert_eq!(winner(&[provider, all]).as_deref(), Some("provider"));
}

#[test]
fn hosts_are_ordered_as_texts() {
    // `10.0.0.9`, the consumer, after `10.0.0.1`, the provider; `100.…` would stand before both.
    let texts = [
        "override://10.0.0.9/bar?x=consumer",
        "override://10.0.0.1:20880/bar?x=provider",
    ];
    assert_eq!(winner(&texts).as_deref(), Some("consumer"));
}

#[test]
fn the_higher_priority_wins_on_the_same_host() {
    let (low, high) = (
        "override://0.0.0.0/bar?x=low",
        "override://0.0.0.0/bar?priority=1&x=high",
    );
    assert_eq!(winner(&[low, high]).as_deref(), Some("high"));
    assert_eq!(winner(&[high, low]).as_deref(), Some("high"));
    let least = "override://0.0.0.0/bar?priority=-1&x=least";
    assert_eq!(winner(&[low, least]).as_deref(), Some("low"));
}

#[test]
fn of_equals_the_later_one_wins() {
    let (one, two) = ("override://0.0.0.0/bar?x=one", "override://0.0.0.0/bar?x=two");
    assert_eq!(winner(&[one, two]).as_deref(), Some("two"));
    assert_eq!(winner(&[two, one]).as_deref(), Some("one"));
}

#[test]
fn of_absents_the_first_wins() {
    let (one, two) = ("absent://0.0.0.0/bar?x=one", "absent://0.0.0.0/bar?priority=1&x=two");
    assert_eq!(winner(&[two, one]).as_deref(), Some("one"));
    let all = "override://0.0.0.0/bar?priority=2&x=all";
    assert_eq!(winner(&[all, two, one]).as_deref(), Some("all"));
}

#[test]
fn later_layers_win_whatever_host_and_priority_say() {
    let of = |texts: &[&str]| rule(texts.iter().map(|text| read(text)).collect());
    let urls = of(&["override://10.0.0.9/bar?priority=9&x=url&y=url&z=url"]);
    let application = of(&["override://10.0.0.9/*?configVersion=v2.7&side=consumer&x=application&y=application"]);
    let service = of(&["override://0.0.0.0/bar?configVersion=v2.7&side=consumer&x=service"]);
    let made = Configurators::new(&[Layer::new([&urls]), Layer::new([&application]), Layer::new([&service])])
        .apply(&url(MERGED), &CONSUMER);
    let value = |key| made.parameter(key);
    assert_eq!(
        (value("x"), value("y"), value("z")),
        (Some("service"), Some("application"), Some("url"))
    );
}

#[test]
fn rules_of_one_layer_are_put_in_order_together() {
    let of = |text: &str| rule(vec![read(text)]);
    let (one, all) = (of("override://10.0.0.9/bar?x=one"), of("override://0.0.0.0/bar?x=all"));
    let together = Configurators::new(&[Layer::new([&one, &all])]);
    assert_eq!(x(&together, MERGED, &CONSUMER).as_deref(), Some("one"));
}

#[test]
fn an_override_that_sets_nothing_clears_nothing() {
    // Dubbo 2.6 forgets everything before it; 2.7 and 3 pass over it.
    let (one, bare) = (
        "override://0.0.0.0/bar?x=1",
        "override://10.0.0.9/bar?category=configurators&enabled=true",
    );
    assert_eq!(winner(&[one, bare]).as_deref(), Some("1"));
}
