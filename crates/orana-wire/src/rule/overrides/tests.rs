//! Documents of overrides as consoles and people write them.

use orana_core::rule::{AddressMatch, Mode, Override, ParameterMatch, TextMatch};

use super::*;

const KEY: &str = "com.foo.Bar::.configurators";

fn parsed(text: &str) -> Parsed<OverrideRule> {
    overrides(KEY, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rule(text: &str) -> OverrideRule {
    parsed(text).rule().unwrap_or_else(|| panic!("no rule: {text}")).clone()
}

/// The only override of a document of version 2.7 with this item.
fn one(item: &str) -> Override {
    let text = format!("configVersion: v2.7\nkey: com.foo.Bar\nconfigs:\n- {{{item}}}\n");
    let mut overrides = rule(&text).overrides;
    assert_eq!(overrides.len(), 1);
    overrides.remove(0)
}

fn refused(text: &str) -> String {
    match overrides(KEY, text) {
        Ok(parsed) => panic!("{parsed:?}"),
        Err(error) => error.to_string(),
    }
}

fn remarks(text: &str) -> Vec<String> {
    parsed(text).remarks.iter().map(ToString::to_string).collect()
}

fn parameters(one: &Override) -> Vec<(&str, &str)> {
    one.parameters.iter().map(|(key, value)| (&**key, &**value)).collect()
}

#[test]
fn documents_expand_to_the_urls_that_dubbo_makes_of_them() {
    let mut seen = 0;
    for case in include_str!("../golden/overrides.txt").split("====\n").skip(1) {
        let (document, wanted) = case.split_once("\n----\n").unwrap();
        let wanted: Vec<_> = wanted.lines().collect();
        seen += 1;
        let read = match overrides(KEY, document) {
            Err(_) => {
                assert_eq!(wanted, ["ERR"], "{document}");
                continue;
            }
            Ok(parsed) => parsed.rule().unwrap().clone(),
        };
        let urls = |texts: Vec<&str>| {
            let url = |text| ServiceUrl::parse(text).unwrap_or_else(|error| panic!("{error}: {text}\n{document}"));
            // Those of other hosts are left out here.
            let url = |text| url(text).edit().remove("providerAddresses").build();
            texts.into_iter().map(url).collect::<Vec<_>>()
        };
        let texts = read.overrides.iter().map(|one| &*one.text).collect();
        assert_eq!(urls(texts), urls(wanted), "{document}");
    }
    assert!(seen > 18);
}

#[test]
fn an_item_says_whom_it_is_for_and_what_changes() {
    let one = one(
        "side: provider, addresses: ['10.0.0.1:20880'], parameters: {weight: 0, say.timeout: 5}, applications: [shop]",
    );
    assert_eq!((&*one.host, one.port), ("10.0.0.1", Some(20880)));
    assert_eq!(
        (one.mode, one.enabled, one.versioned, one.priority),
        (Mode::Override, true, true, 0)
    );
    assert_eq!(
        (one.side.as_deref(), one.application.as_deref()),
        (Some("provider"), Some("shop"))
    );
    assert_eq!(&*one.service, "com.foo.Bar");
    assert_eq!(one.provider_addresses, Some(vec!["10.0.0.1:20880".into()]));
    assert_eq!(parameters(&one), [("say.timeout", "5"), ("weight", "0")]);
    assert_eq!((one.place.line, one.place.column), (4, 3));
}

#[test]
fn the_addresses_of_a_providers_item_are_its_provider_addresses() {
    let lists = |addresses: &str| {
        let text = format!("key: a\nconfigs: [{{side: provider, parameters: {{b: c}}, addresses: [{addresses}]}}]");
        let lists = rule(&text)
            .overrides
            .into_iter()
            .map(|one| one.provider_addresses.unwrap().join(" "));
        lists.collect::<Vec<_>>()
    };
    assert_eq!(lists(""), ["0.0.0.0"]);
    // A list of those that can be at the host of the override: others say nothing there.
    assert_eq!(
        lists("'10.0.0.1:1', '10.0.0.2:2', '10.0.0.1', '0.0.0.0:3'"),
        [
            "10.0.0.1:1 10.0.0.1 0.0.0.0:3",
            "10.0.0.2:2 0.0.0.0:3",
            "10.0.0.1:1 10.0.0.1 0.0.0.0:3",
            "10.0.0.1:1 10.0.0.2:2 10.0.0.1 0.0.0.0:3",
        ]
    );
}

#[test]
fn explicit_provider_addresses_are_taken_as_they_are() {
    let one = one("side: consumer, parameters: {a: b}, providerAddresses: ['10.0.0.9:20880', 10.0.0.8]");
    assert_eq!(
        one.provider_addresses,
        Some(vec!["10.0.0.9:20880".into(), "10.0.0.8".into()])
    );
}

#[test]
fn ten_thousand_addresses_of_providers_are_ten_thousand_overrides() {
    let addresses: Vec<_> = (0..limits::OVERRIDES)
        .map(|n| format!("'10.0.{}.{}:20880'", n / 256, n % 256))
        .collect();
    let text = format!(
        "key: a\nconfigs: [{{side: provider, parameters: {{weight: 1}}, addresses: [{}]}}]",
        addresses.join(",")
    );
    let rule = rule(&text);
    assert_eq!(rule.overrides.len(), limits::OVERRIDES);
    assert!(
        rule.overrides
            .iter()
            .all(|one| one.provider_addresses.as_ref().unwrap().len() == 1)
    );
}

#[test]
fn the_service_is_the_key_with_group_and_version() {
    let rule = rule("key: g/com.foo.Bar:1.0\nconfigs: [{side: consumer, parameters: {timeout: 1}}]");
    assert_eq!(&*rule.overrides[0].service, "g/com.foo.Bar:1.0");
    assert_eq!(rule.scope, Scope::Service);
}

#[test]
fn an_application_rule_is_for_any_service_unless_it_names_some() {
    let text = |services: &str| {
        format!("scope: application\nkey: shop\nconfigs: [{{side: consumer, {services} parameters: {{timeout: 1}}}}]")
    };
    let rule = rule(&text(""));
    assert_eq!(rule.scope, Scope::Application);
    assert_eq!(
        (&*rule.overrides[0].service, rule.overrides[0].application.as_deref()),
        ("*", Some("shop"))
    );
    let rule = super::tests::rule(&text("services: ['g/com.foo.A:1', com.foo.B],"));
    assert_eq!(
        rule.overrides.iter().map(|one| &*one.service).collect::<Vec<_>>(),
        ["g/com.foo.A:1", "com.foo.B"]
    );
}

#[test]
fn without_a_config_version_it_still_counts_as_having_one() {
    let rule = rule("key: com.foo.Bar\nconfigs: [{side: consumer, parameters: {timeout: 1}}]");
    assert!(rule.overrides[0].versioned);
}

#[test]
fn an_empty_config_version_is_judged_like_a_url_of_2_6() {
    let rule = rule("configVersion: ''\nkey: com.foo.Bar\nconfigs: [{parameters: {timeout: 1}}]");
    assert!(!rule.overrides[0].versioned);
}

#[test]
fn an_item_of_a_type_counts_by_its_own_enabled() {
    let enabled = |head: &str, item: &str| {
        let text =
            format!("{head}\nkey: com.foo.Bar\nconfigs: [{{side: consumer, parameters: {{timeout: 1}}, {item}}}]");
        rule(&text).overrides[0].enabled
    };
    assert!(enabled("enabled: false", "type: weight, enabled: true"));
    assert!(!enabled("enabled: true", "type: weight"));
    assert!(!enabled("enabled: true", "type: disabled, enabled: false"));
    assert!(!enabled("enabled: false", "type: general, enabled: true"));
    assert!(enabled("enabled: true", "enabled: false"));
    assert!(enabled("", "type:"));
}

#[test]
fn an_item_without_a_side_is_remarked() {
    let text = "key: com.foo.Bar\nconfigs:\n- parameters: {timeout: 1}\n";
    assert_eq!(
        remarks(text),
        [format!(
            "{KEY} line 3: without `side: consumer` or `side: provider` this changes nothing"
        )]
    );
}

#[test]
fn a_key_that_is_read_from_elsewhere_is_remarked() {
    let text = |key: &str| format!("key: '{key}'\nconfigs: [{{side: consumer, parameters: {{timeout: 1}}}}]\n");
    assert_eq!(remarks(&text("com.foo.Bar")), [""; 0]);
    assert_eq!(
        remarks(&text("g1/com.foo.Bar:1.0.0")),
        [format!(
            "{KEY} line 1: `key` is `g1/com.foo.Bar:1.0.0`, which is read from `com.foo.Bar:1.0.0:g1.configurators`; stored here it reaches nobody"
        )]
    );
    assert_eq!(remarks(&text("com.foo.Bar:1.0.0:g1")).len(), 1);
}

#[test]
fn conditions_on_parameters_have_a_tilde() {
    let one = one("side: consumer, parameters: {~env: gray, timeout: 1}");
    assert_eq!(one.conditions, [("env".into(), "gray".into())]);
    assert_eq!(parameters(&one), [("timeout", "1")]);
}

#[test]
fn keys_that_could_run_code_are_never_taken() {
    let text = "key: com.foo.Bar\nconfigs: [{side: consumer, parameters: {router: file, rule: x, type: js, runtime: 'true', accesslog.fixed.path: 'false', timeout: 1}}]\n";
    assert_eq!(parameters(&rule(text).overrides[0]), [("timeout", "1")]);
    assert!(remarks(text)[0].contains("are never taken from a rule"));
}

#[test]
fn a_match_of_version_3_0_is_read() {
    let text = "configVersion: v3.0\nkey: com.foo.Bar\nconfigs:\n- side: consumer\n  parameters: {timeout: 1}\n  match:\n    \
                address: {cird: 10.0.0.0/8}\n    providerAddress: {wildcard: '*'}\n    service: {oneof: [{exact: com.foo.Bar}, {prefix: com.}]}\n    \
                app: {oneof: [{regex: 'a.*'}]}\n    param:\n    - {key: env, value: {noempty: ''}}\n";
    let rule = rule(text);
    let matching = rule.overrides[0].matching.as_ref().unwrap();
    assert_eq!(matching.address, Some(AddressMatch::Cidr("10.0.0.0/8".into())));
    assert_eq!(matching.provider_address, Some(AddressMatch::Wildcard("*".into())));
    assert_eq!(
        matching.services,
        [TextMatch::Exact("com.foo.Bar".into()), TextMatch::Prefix("com.".into())]
    );
    assert_eq!(matching.applications, [TextMatch::Regex("a.*".into())]);
    let parameter = ParameterMatch {
        key: "env".into(),
        value: TextMatch::NotEmpty,
    };
    assert_eq!(matching.parameters, [parameter]);
    assert_eq!(remarks(text), [""; 0]);
}

#[test]
fn a_match_of_another_version_is_ignored_and_remarked() {
    let text =
        "configVersion: v2.7\nkey: com.foo.Bar\nconfigs: [{side: consumer, parameters: {a: b}, match: {app: 5}}]\n";
    assert_eq!(rule(text).overrides[0].matching, None);
    assert!(remarks(text)[0].contains("`match` counts with `configVersion: v3.0` only"));
}

#[test]
fn a_broken_match_refuses_the_document_rather_than_to_change_everybody() {
    let text = |matching: &str| {
        format!(
            "configVersion: v3.0\nkey: com.foo.Bar\nconfigs:\n- side: consumer\n  parameters: {{a: b}}\n  match: {matching}\n"
        )
    };
    for bad in [
        "gray",
        "{app: {oneof: []}}",
        "{app: {exact: a}}",
        "{address: {cidr: 10.0.0.0/8}}",
        "{address: 10.0.0.1}",
        "{param: {key: a}}",
        "{param: [{key: a}]}",
        "{param: [{value: {exact: a}}]}",
        "{param: [{key: a, value: {exact: [1]}}]}",
        "{param: [{key: a, value: {exact: }}]}",
        "{param: [{key: a, value: {equal: x}}]}",
    ] {
        let error = refused(&text(bad));
        assert!(error.contains(" line 6, column "), "{bad}: {error}");
    }
    let long = "x".repeat(limits::REGEX_BYTES + 1);
    assert!(
        refused(&text(&format!("{{app: {{oneof: [{{regex: {long}}}]}}}}"))).contains("the expression has 1025 bytes")
    );
}

#[test]
fn lists_that_are_none_are_refused_rather_than_read_as_everybody() {
    for key in ["addresses", "providerAddresses", "applications", "services"] {
        let text =
            format!("key: com.foo.Bar\nconfigs:\n- {{side: consumer, {key}: '10.0.0.1', parameters: {{a: b}}}}\n");
        assert!(refused(&text).contains(&format!("`{key}` is a text; it must be a list")));
    }
}

#[test]
fn an_empty_list_of_configs_keeps_the_previous_rule() {
    assert!(matches!(
        parsed("key: com.foo.Bar\nconfigs: []").outcome,
        Outcome::KeepPrevious(_)
    ));
}

#[test]
fn an_array_of_urls_is_taken_literally() {
    let rule = rule(
        "[\"override://0.0.0.0/com.foo.Bar?timeout=1\", \"override://1.1.1.1/a?anyhost=true\", \"absent://0.0.0.0/*?configVersion=v2.7&side=consumer&x=y\"]",
    );
    let [first, second] = &rule.overrides[..] else {
        panic!("{rule:?}");
    };
    assert_eq!(
        (first.mode, first.versioned, &*first.service),
        (Mode::Override, false, "com.foo.Bar")
    );
    assert_eq!(
        (second.mode, second.versioned, &*second.service),
        (Mode::Absent, true, "*")
    );
    assert_eq!(&*second.text, "absent://0.0.0.0/*?configVersion=v2.7&side=consumer&x=y");
}

#[test]
fn an_empty_url_in_an_array_clears_it() {
    assert_eq!(
        rule("[\"override://0.0.0.0/a?b=c\", \"empty://0.0.0.0/a\", \"nonsense\"]").overrides,
        []
    );
}

#[test]
fn bad_arrays_are_refused() {
    for bad in [
        "[]",
        "[1]",
        "[\"\"]",
        "[\"route://0.0.0.0/a?b=c\"]",
        "- override://0.0.0.0/a?b=c",
        "[\"override://0.0.0.0/a?b=c&priority=high\"]",
    ] {
        assert!(refused(bad).contains(" line 1, column "), "{bad}");
    }
}

#[test]
fn addresses_and_applications_do_not_multiply_beyond_the_limits() {
    let names = |prefix: &str, n: usize| (0..n).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join(",");
    let text = format!(
        "key: com.foo.Bar\nconfigs:\n- {{side: consumer, parameters: {{a: b}}, addresses: [{}], applications: [{}]}}\n",
        names("h", 5_000),
        names("a", 5_000)
    );
    assert!(
        refused(&text).contains("line 3, column 3: with this item the document comes to more than 10000 overrides")
    );
    let long = format!(
        "key: com.foo.Bar\nconfigs:\n- {{side: provider, parameters: {{a: b}}, addresses: [{}], providerAddresses: [{}]}}\n",
        names("h", 5_000),
        names("h", 5_000)
    );
    assert!(refused(&long).contains("bytes of them"));
}

#[test]
fn wrong_types_are_refused_with_line_and_reason() {
    for (bad, wanted) in [
        ("- a\n", "line 1, column 1: this is a list; it must be a mapping"),
        ("just text\n", "it must be a mapping"),
        (
            "key: com.foo.Bar\nconfigs: {a: b}\n",
            "line 2, column 10: `configs` is a mapping; it must be a list",
        ),
        ("key: com.foo.Bar\nconfigs: [a]\n", "line 2, column 11: this is a text"),
        (
            "key: com.foo.Bar\nconfigs: [{parameters: [a]}]\n",
            "`parameters` is a list",
        ),
        (
            "key: com.foo.Bar\nconfigs: [{parameters: {a: [b]}}]\n",
            "the parameter `a` is a list; it must be a single value",
        ),
        (
            "key: com.foo.Bar\nconfigs: [{parameters: {a: 2024-01-31}}]\n",
            "the parameter `a` is a date; put it into quotes",
        ),
        (
            "key: com.foo.Bar\nconfigs: [{side: true, parameters: {a: b}}]\n",
            "`side` is a truth value; put it into quotes",
        ),
        (
            "key: com.foo.Bar\nconfigs: [{parameters: {a: b}, addresses: [[a]]}]\n",
            "an entry of `addresses` is a list",
        ),
        (
            "scope: application\nconfigs: [{parameters: {a: b}}]\n",
            "`key` is missing, the name of the application",
        ),
    ] {
        let error = refused(bad);
        assert!(error.contains(wanted), "{bad}: {error}");
    }
}
