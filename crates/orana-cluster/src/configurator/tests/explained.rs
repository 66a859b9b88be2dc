//! What is told about each override.

use orana_core::rule::{AddressMatch, OverrideMatch, ParameterMatch, TextMatch};

use super::*;

/// Why an override does not apply.
fn why(text: &str, url_text: &str, place: &Applying<'_>) -> String {
    let effects = of_texts(&[text]).effects(&url(url_text), place);
    let [effect] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert!(!effect.applied() && effect.changes.is_empty());
    assert_eq!((&*effect.text, &effect.place), (text, &RulePlace::of(text)));
    effect.why_not.clone().unwrap()
}

#[test]
fn the_first_reason_is_told_in_words() {
    for (text, reason) in [
        ("override://0.0.0.0/bar?enabled=false&x=1", "it is not enabled"),
        ("override://0.0.0.0/bar?side=consumer", "it sets nothing"),
        (
            "override://0.0.0.0/bar?rule=1&type=js",
            "it sets nothing but what no rule may set: rule, type",
        ),
        ("override:///bar?x=1", "it names no host"),
        (
            "override://0.0.0.0/bar?configVersion=v2.7&x=1",
            "it names no side, and a rule of Dubbo 2.7 or later without one is for nobody",
        ),
        (
            "override://0.0.0.0/bar?side=provider&x=1",
            "its side is provider, this is a consumer",
        ),
        (
            "override://10.0.0.8/bar?x=1",
            "its address is 10.0.0.8, this consumer is at 10.0.0.9",
        ),
        (
            "override://10.0.0.2:20880/bar?x=1",
            "its address is 10.0.0.2, the provider is at 10.0.0.1",
        ),
        (
            "override://10.0.0.1:20881/bar?x=1",
            "its port is 20881, that of the url 20880",
        ),
        (
            "override://0.0.0.0/bar?providerAddresses=10.0.0.2:1&x=1",
            "10.0.0.1:20880 is not among its providers",
        ),
        (
            "override://0.0.0.0/bar?application=a&x=1",
            "its application is a, this one is web",
        ),
        (
            "override://0.0.0.0/com.foo.Bar?x=1",
            "its service key com.foo.Bar is not g/com.foo.Bar:1.0",
        ),
        (
            "override://0.0.0.0/bar?~region=west&x=1",
            "it wants `region` to be west, it is east",
        ),
        (
            "override://0.0.0.0/bar?~zone=a&x=1",
            "it wants `zone` to be a, it is none",
        ),
    ] {
        assert_eq!(why(text, MERGED, &CONSUMER), reason, "{text}");
    }
    assert_eq!(
        why("override://10.0.0.1/bar?x=1", OWN, &PROVIDER),
        "its address 10.0.0.1 without a port means a consumer, this is a provider"
    );
    assert_eq!(
        why("override://0.0.0.0/bar?x=1", "dubbo:///i", &PROVIDER),
        "the url names no host"
    );
}

#[test]
fn the_part_of_a_match_that_does_not_hold_is_told() {
    let why = |matching: OverrideMatch| {
        let mut rule = read("override://0.0.0.0/bar?configVersion=v3.0&side=consumer&x=1");
        rule.matching = Some(matching);
        let effects = one_layer(vec![rule]).effects(&url(MERGED), &CONSUMER);
        effects[0].why_not.clone().unwrap()
    };
    let none = OverrideMatch::default;
    let exact = |text: &str| TextMatch::Exact(text.into());
    let region = |value| OverrideMatch {
        parameters: vec![ParameterMatch {
            key: "region".into(),
            value,
        }],
        ..none()
    };
    assert_eq!(
        why(OverrideMatch {
            address: Some(AddressMatch::Cidr("10.1.0.0/16".into())),
            ..none()
        }),
        "its match wants the address 10.1.0.0/16, it is 10.0.0.9"
    );
    assert_eq!(
        why(OverrideMatch {
            provider_address: Some(AddressMatch::Exact("10.0.0.2:1".into())),
            ..none()
        }),
        "its match wants the provider 10.0.0.2:1, it is 10.0.0.1:20880"
    );
    assert_eq!(
        why(OverrideMatch {
            services: vec![exact("a")],
            ..none()
        }),
        "its match is not for the service g/com.foo.Bar:1.0"
    );
    assert_eq!(
        why(OverrideMatch {
            applications: vec![exact("a")],
            ..none()
        }),
        "its match is not for the application web"
    );
    assert_eq!(
        why(region(exact("west"))),
        "its match asks for another `region` than east"
    );
    let unreadable = why(region(TextMatch::Regex("(".into())));
    assert!(
        unreadable.starts_with("its match cannot be read: regular expression `(`: "),
        "{unreadable}"
    );
}

#[test]
fn what_changed_is_told_override_by_override_in_order() {
    let effects = of_texts(&[
        "override://10.0.0.9/bar?retries=0&timeout=2000",
        "override://0.0.0.0/bar?timeout=1000",
        "absent://0.0.0.0/bar?priority=1&timeout=7",
        "override://0.0.0.0/other?timeout=3",
    ])
    .effects(&url(MERGED), &CONSUMER);
    let told: Vec<_> = effects
        .iter()
        .map(|effect| {
            let changes = effect.changes.iter();
            let changes = changes.map(|change| (&*change.key, change.before.as_deref(), &*change.after));
            (effect.applied(), changes.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        told,
        [
            (true, vec![("timeout", Some("500"), "1000")]),
            (false, vec![]),
            (true, vec![]),
            (true, vec![("retries", None, "0"), ("timeout", Some("1000"), "2000")]),
        ]
    );
}
