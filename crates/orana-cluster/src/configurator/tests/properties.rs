//! What holds for any rules.

use orana_core::rule::{AddressMatch, OverrideMatch, ParameterMatch, TextMatch};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

fn text_match() -> impl Strategy<Value = TextMatch> {
    prop_oneof![
        "[abc]{0,2}".prop_map(|text| TextMatch::Exact(text.into())),
        "[abc]{0,2}".prop_map(|text| TextMatch::Prefix(text.into())),
        "[abc(*|+]{0,4}".prop_map(|text| TextMatch::Regex(text.into())),
        "[a*]".prop_map(|text| TextMatch::Wildcard(text.into())),
        Just(TextMatch::Empty),
        Just(TextMatch::NotEmpty),
    ]
}

fn address_match() -> impl Strategy<Value = AddressMatch> {
    let text = || "10\\.0\\.0\\.[0-9*/-]{0,5}|[*.0-9:/]{0,8}";
    prop_oneof![
        text().prop_map(|text| AddressMatch::Cidr(text.into())),
        text().prop_map(|text| AddressMatch::Wildcard(text.into())),
        text().prop_map(|text| AddressMatch::Exact(text.into())),
    ]
}

fn matching() -> impl Strategy<Value = OverrideMatch> {
    let parameter = ("[abc]", text_match()).prop_map(|(key, value)| ParameterMatch { key: key.into(), value });
    (
        option::of(address_match()),
        option::of(address_match()),
        vec(text_match(), 0..2),
        vec(text_match(), 0..2),
        vec(parameter, 0..2),
    )
        .prop_map(
            |(address, provider_address, services, applications, parameters)| OverrideMatch {
                address,
                provider_address,
                services,
                applications,
                parameters,
            },
        )
}

/// Overrides of which no condition looks at what another one sets: keys to look at are `a` to `c`, keys to set `x` to `z`.
fn one_override() -> impl Strategy<Value = Override> {
    let text = |pattern: &'static str| pattern.prop_map(|text| Arc::<str>::from(text.as_str()));
    let who = (
        prop_oneof![Just("0.0.0.0"), Just("10.0.0.1"), Just("10.0.0.9"), Just("h"), Just("")],
        option::of(prop_oneof![Just(20880u16), Just(20881), Just(0)]),
        any::<bool>(),
        option::of(prop_oneof![Just("consumer"), Just("provider"), Just("*"), Just("")]),
        option::of(prop_oneof![Just("web"), Just("shop"), Just("*")]),
        prop_oneof![Just("*"), Just("g/com.foo.Bar:1.0"), Just("com.foo.Bar"), Just("")],
        option::of(vec(
            text("10\\.0\\.0\\.1(:20880)?|0\\.0\\.0\\.0(:[*2])?|[0-9:.*]{0,5}"),
            0..3,
        )),
    );
    let what = (
        any::<bool>(),
        -2..3i32,
        prop::bool::weighted(0.9),
        vec((text("[abc]"), text("[abc*]{0,1}")), 0..2),
        option::weighted(0.2, matching()),
        vec((text("[xyz]|group|rule|~a|"), text("[0-9&]{0,2}")), 0..4),
    );
    (who, what).prop_map(|(who, what)| {
        let (host, port, versioned, side, application, service, provider_addresses) = who;
        let (absent, priority, enabled, conditions, matching, parameters) = what;
        Override {
            place: RulePlace::of("any"),
            text: "any".into(),
            mode: if absent { Mode::Absent } else { Mode::Override },
            enabled,
            priority,
            host: host.into(),
            port,
            versioned,
            side: side.map(Arc::from),
            application: application.map(Arc::from),
            service: service.into(),
            provider_addresses,
            conditions,
            matching,
            parameters,
        }
    })
}

fn any_url() -> impl Strategy<Value = ServiceUrl> {
    (
        "(10\\.0\\.0\\.[19]|h|)(:2088[01])?",
        "com\\.foo\\.Bar|i|",
        vec(("[abcxyz]", "[abc0-9]{0,2}"), 0..5),
        option::of(prop_oneof![Just("g"), Just("")]),
        option::of(Just("1.0")),
        option::of(prop_oneof![Just("web"), Just("shop")]),
    )
        .prop_map(|(address, path, parameters, group, version, application)| {
            let parameters = parameters.iter().map(|(key, value)| (key.as_str(), value.as_str()));
            let named = [("group", group), ("version", version), ("application", application)];
            let named = named.into_iter().filter_map(|(key, value)| Some((key, value?)));
            let url = ServiceUrl::parse(&format!("dubbo://{address}/{path}?pid=1")).unwrap();
            url.edit().extend(parameters).extend(named).build()
        })
}

fn any_place() -> impl Strategy<Value = Applying<'static>> {
    prop_oneof![Just(CONSUMER), Just(PROVIDER)]
}

proptest! {
    #[test]
    fn both_ways_of_applying_and_the_explanation_agree(
        layers in vec(vec(one_override(), 0..6), 0..3),
        url in any_url(),
        place in any_place(),
    ) {
        let layers: Vec<_> = layers.into_iter().map(rule).collect();
        let layers: Vec<_> = layers.iter().map(|rule| Layer::new([rule])).collect();
        let configurators = Configurators::new(&layers);
        let made = configurators.apply(&url, &place);
        prop_assert_eq!(&configurators.at(&place).apply(&url), &made);
        let mut told = url.edit();
        for change in configurators.effects(&url, &place).iter().flat_map(|effect| &effect.changes) {
            prop_assert_eq!(told.parameter(&change.key), change.before.as_deref());
            told = told.set(&change.key, &change.after);
        }
        prop_assert_eq!(told.build(), made);
    }

    #[test]
    fn applying_twice_is_applying_once(overrides in vec(one_override(), 0..8), url in any_url(), place in any_place()) {
        let configurators = one_layer(overrides);
        let once = configurators.apply(&url, &place);
        prop_assert_eq!(configurators.apply(&once, &place), once);
    }

    #[test]
    fn only_values_that_may_be_set_change(overrides in vec(one_override(), 0..8), url in any_url(), place in any_place()) {
        let made = one_layer(overrides).apply(&url, &place);
        let rest = |url: &ServiceUrl| url.edit().remove("x").remove("y").remove("z").build();
        prop_assert_eq!(rest(&made), rest(&url));
    }

    #[test]
    fn one_url_is_made_the_same_whatever_others_are_made_before(
        overrides in vec(one_override(), 0..8),
        urls in vec(any_url(), 0..6),
        place in any_place(),
    ) {
        let configurators = one_layer(overrides);
        let applicable = configurators.at(&place);
        let forwards: Vec<_> = urls.iter().map(|url| applicable.apply(url)).collect();
        let mut backwards: Vec<_> = urls.iter().rev().map(|url| applicable.apply(url)).collect();
        backwards.reverse();
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn rules_that_are_all_disabled_are_no_rules(overrides in vec(one_override(), 0..8), url in any_url(), place in any_place()) {
        let disabled = overrides.into_iter().map(|rule| Override { enabled: false, ..rule });
        prop_assert_eq!(one_layer(disabled.collect()).apply(&url, &place), url);
    }
}
