//! For whom a rule is by provider, application, service and parameters.

use orana_core::rule::{AddressMatch, OverrideMatch, ParameterMatch, TextMatch};

use super::*;

#[test]
fn provider_addresses_are_compared_as_they_are_written() {
    let applies = |list: &str| applies(&format!("override://0.0.0.0/bar?providerAddresses={list}&x=1"));
    for list in [
        "10.0.0.1:20880",
        "10.0.0.1",
        "0.0.0.0",
        "0.0.0.0:*",
        "0.0.0.0:20880",
        "10.0.0.7,10.0.0.1",
    ] {
        assert_eq!(applies(list), (true, true), "{list}");
    }
    for list in ["10.0.0.1:2088", "10.0.0.1:*", "10.0.0.0/8", "0.0.0.0:1", "10.0.0.7"] {
        assert_eq!(applies(list), (false, false), "{list}");
    }
}

#[test]
fn the_application_is_the_one_that_reads_the_rule() {
    assert_eq!(applies("override://0.0.0.0/bar?application=web&x=1"), (true, false));
    assert_eq!(applies("override://0.0.0.0/bar?application=shop&x=1"), (false, true));
    assert_eq!(applies("override://0.0.0.0/bar?application=*&x=1"), (true, true));
    assert_eq!(
        applies("override://0.0.0.0/*?configVersion=v2.7&side=provider&application=shop&x=1"),
        (false, true)
    );
}

#[test]
fn the_user_of_a_url_is_no_application() {
    let of_user = "dubbo://web@10.0.0.1:20880/com.foo.Bar?group=g&version=1.0";
    let configurators = of_texts(&["override://0.0.0.0/bar?application=web&x=1"]);
    assert_eq!(x(&configurators, of_user, &CONSUMER), None);
}

#[test]
fn a_service_key_must_match_with_group_and_version() {
    for (service, holds) in [
        ("g/com.foo.Bar:1.0", true),
        ("*", true),
        ("com.foo.Bar", false),
        ("g/com.foo.Bar", false),
        ("com.foo.Bar:1.0", false),
        ("com.foo.Bar:1.0:g", false),
        ("g/com.foo.Bar:1.1", false),
        ("g/com.foo.Baz:1.0", false),
        // A star is one only by itself.
        ("*:1.0", false),
        ("g/*:1.0", false),
        ("g/com.foo.Bar:*", false),
    ] {
        let mut rule = read("override://0.0.0.0/bar?x=1");
        rule.service = service.into();
        let applied = x(&one_layer(vec![rule]), MERGED, &CONSUMER).is_some();
        assert_eq!(applied, holds, "{service}");
    }
}

#[test]
fn no_group_is_another_service_than_some_group_in_both_directions() {
    let configurators = of_texts(&["override://0.0.0.0/com.foo.Bar?x=1"]);
    assert!(x(&configurators, "dubbo://h:1/com.foo.Bar", &CONSUMER).is_some());
    assert!(x(&configurators, "dubbo://h:1/com.foo.Bar?group=&version=", &CONSUMER).is_some());
    assert!(x(&configurators, "dubbo://h:1/com.foo.Bar?version=0.0.0", &CONSUMER).is_none());
    assert!(
        x(
            &configurators,
            "dubbo://h:1/ctx/com.foo.Bar?interface=com.foo.Bar",
            &CONSUMER
        )
        .is_some()
    );
}

#[test]
fn a_tilde_key_must_have_its_value_and_is_not_set() {
    assert_eq!(applies("override://0.0.0.0/bar?~region=east&x=1"), (true, true));
    assert_eq!(applies("override://0.0.0.0/bar?~region=west&x=1"), (false, false));
    assert_eq!(applies("override://0.0.0.0/bar?~region=*&x=1"), (true, true));
    assert_eq!(applies("override://0.0.0.0/bar?~nothing=a&x=1"), (false, false));
    assert_eq!(applies("override://0.0.0.0/bar?~nothing=*&x=1"), (true, true));
    let made = of_texts(&["override://0.0.0.0/bar?~region=east&x=1"]).apply(&url(MERGED), &CONSUMER);
    assert!(made.parameters().all(|(key, _)| !key.starts_with('~')));
}

#[test]
fn a_tilde_key_sees_what_was_laid_over_before() {
    let texts = [
        "override://0.0.0.0/bar?region=west",
        "override://0.0.0.0/bar?priority=1&~region=west&x=1",
    ];
    assert_eq!(x(&of_texts(&texts), MERGED, &CONSUMER).as_deref(), Some("1"));
}

/// Whether an override with this `match` applies on a consumer and on a provider.
fn admits(matching: OverrideMatch) -> (bool, bool) {
    let rule = |side: &str| {
        let mut rule = read("override://0.0.0.0/bar?configVersion=v3.0&x=1");
        rule.side = Some(side.into());
        rule.matching = Some(matching.clone());
        one_layer(vec![rule])
    };
    (
        x(&rule("consumer"), MERGED, &CONSUMER).is_some(),
        x(&rule("provider"), OWN, &PROVIDER).is_some(),
    )
}

#[test]
fn the_address_of_a_match_is_that_of_the_reader() {
    let address = |address| {
        admits(OverrideMatch {
            address: Some(address),
            ..OverrideMatch::default()
        })
    };
    assert_eq!(address(AddressMatch::Cidr("10.0.0.8/30".into())), (true, false));
    assert_eq!(address(AddressMatch::Cidr("10.0.0.0/29".into())), (false, true));
    assert_eq!(address(AddressMatch::Cidr("10.0.0.1-5".into())), (false, true));
    assert_eq!(address(AddressMatch::Cidr("10.0.*.*".into())), (true, true));
    assert_eq!(address(AddressMatch::Wildcard("10.0.0.*".into())), (true, true));
    assert_eq!(address(AddressMatch::Wildcard("*.9".into())), (true, false));
    assert_eq!(address(AddressMatch::Wildcard("*".into())), (true, true));
    assert_eq!(address(AddressMatch::Wildcard("0.0.0.0".into())), (true, true));
    assert_eq!(address(AddressMatch::Exact("10.0.0.9".into())), (true, false));
    assert_eq!(address(AddressMatch::Exact("*".into())), (false, false));
    assert_eq!(address(AddressMatch::Exact("0.0.0.0".into())), (false, false));
    assert_eq!(address(AddressMatch::Cidr("nonsense".into())), (false, false));
}

#[test]
fn the_provider_address_of_a_match_is_host_and_port() {
    let address = |address| {
        admits(OverrideMatch {
            provider_address: Some(address),
            ..OverrideMatch::default()
        })
    };
    assert_eq!(address(AddressMatch::Exact("10.0.0.1:20880".into())), (true, true));
    assert_eq!(address(AddressMatch::Exact("10.0.0.1".into())), (false, false));
    assert_eq!(address(AddressMatch::Wildcard("10.0.0.1:*".into())), (true, true));
    assert_eq!(address(AddressMatch::Wildcard("*:20881".into())), (false, false));
    assert_eq!(address(AddressMatch::Cidr("10.0.0.1:20880".into())), (true, true));
    assert_eq!(address(AddressMatch::Cidr("10.0.0.1:20881".into())), (false, false));
    // Of a network Java makes nothing here.
    assert_eq!(address(AddressMatch::Cidr("10.0.0.0/30".into())), (true, true));
}

#[test]
fn services_and_applications_of_a_match_are_one_of_several() {
    let of = |services: &[TextMatch], applications: &[TextMatch]| {
        admits(OverrideMatch {
            services: services.to_vec(),
            applications: applications.to_vec(),
            ..OverrideMatch::default()
        })
    };
    let exact = |text: &str| TextMatch::Exact(text.into());
    assert_eq!(of(&[exact("a"), exact("g/com.foo.Bar:1.0")], &[]), (true, true));
    assert_eq!(of(&[exact("com.foo.Bar")], &[]), (false, false));
    assert_eq!(of(&[TextMatch::Regex("g/.*:1[.]0".into())], &[]), (true, true));
    assert_eq!(of(&[], &[exact("a"), TextMatch::Prefix("we".into())]), (true, false));
    assert_eq!(of(&[TextMatch::Wildcard("*".into())], &[exact("shop")]), (false, true));
}

#[test]
fn all_parameters_of_a_match_must_hold() {
    let of = |parameters: &[(&str, TextMatch)]| {
        let parameter = |(key, value): &(&str, TextMatch)| ParameterMatch {
            key: (*key).into(),
            value: value.clone(),
        };
        admits(OverrideMatch {
            parameters: parameters.iter().map(parameter).collect(),
            ..OverrideMatch::default()
        })
    };
    let east = ("region", TextMatch::Exact("east".into()));
    assert_eq!(of(std::slice::from_ref(&east)), (true, true));
    assert_eq!(
        of(&[east.clone(), ("timeout", TextMatch::Regex("[0-9]+".into()))]),
        (true, true)
    );
    assert_eq!(of(&[east.clone(), ("timeout", TextMatch::Empty)]), (false, false));
    assert_eq!(of(&[east.clone(), ("nothing", TextMatch::Empty)]), (true, true));
    assert_eq!(of(&[("nothing", TextMatch::NotEmpty)]), (false, false));
    assert_eq!(of(&[("side", TextMatch::Exact("consumer".into()))]), (true, false));
}

#[test]
fn a_match_counts_beside_the_older_filters() {
    let with = |text: &str| {
        let mut rule = read(text);
        rule.matching = Some(OverrideMatch::default());
        x(&one_layer(vec![rule]), MERGED, &CONSUMER).is_some()
    };
    assert!(with("override://0.0.0.0/bar?configVersion=v3.0&side=consumer&x=1"));
    assert!(!with("override://0.0.0.0/bar?configVersion=v3.0&side=provider&x=1"));
    assert!(!with("override://10.0.0.8/bar?configVersion=v3.0&side=consumer&x=1"));
    assert!(!with(
        "override://0.0.0.0/bar?configVersion=v3.0&side=consumer&application=a&x=1"
    ));
    assert!(!with(
        "override://0.0.0.0/bar?configVersion=v3.0&side=consumer&providerAddresses=10.0.0.2&x=1"
    ));
    // Only keys with a tilde have no say beside a match.
    assert!(with(
        "override://0.0.0.0/bar?configVersion=v3.0&side=consumer&~region=west&x=1"
    ));
}

#[test]
fn a_match_that_cannot_be_read_applies_to_nobody_and_is_told() {
    let mut rule = read("override://0.0.0.0/bar?configVersion=v3.0&side=consumer&x=1");
    rule.place = RulePlace::of("bar.configurators").at(4, 2);
    rule.matching = Some(OverrideMatch {
        parameters: vec![ParameterMatch {
            key: "region".into(),
            value: TextMatch::Regex("(?=e)east".into()),
        }],
        ..OverrideMatch::default()
    });
    let configurators = one_layer(vec![rule]);
    assert_eq!(x(&configurators, MERGED, &CONSUMER), None);
    let [problem] = configurators.problems() else {
        panic!("{:?}", configurators.problems());
    };
    let text = problem.to_string();
    assert!(
        text.starts_with("bar.configurators line 4, column 2: regular expression `(?=e)east`:"),
        "{text}"
    );
}
