//! Where others went wrong: one test for each trap of reading that is known, beside the tests of the files they belong to.

use orana_core::ServiceUrl;
use orana_core::rule::{Pattern, Scope, Subject, Then};

use super::*;

fn condition_of(text: &str) -> orana_core::rule::Condition {
    let document = format!("conditions:\n- \"{text}\"\n");
    condition("a::.condition-router", &document)
        .unwrap()
        .rule()
        .unwrap()
        .conditions[0]
        .clone()
}

#[test]
fn the_words_consumer_and_provider_go_everywhere_even_inside_values() {
    let condition = condition_of("consumer.host = my.provider.example => provider.zone = b");
    assert_eq!(condition.when[0].subject, Subject::Host);
    assert_eq!(condition.when[0].matches, [Pattern::Glob("my.example".into())]);
    assert_eq!(
        &*condition.text,
        "consumer.host = my.provider.example => provider.zone = b"
    );
}

#[test]
fn a_range_without_an_upper_end_is_broken() {
    assert_eq!(
        condition_of("level = 5~ =>").when[0].matches,
        [Pattern::BadRange("5~".into())]
    );
}

#[test]
fn an_attachment_with_a_dot_in_its_name_is_never_found() {
    assert_eq!(
        condition_of("attachments[user.id] = 1 =>").when[0].subject,
        Subject::Attachment(None)
    );
}

#[test]
fn a_blank_inside_a_value_begins_a_new_key() {
    let condition = condition_of("city = new york =>");
    assert_eq!(condition.when.len(), 2);
    assert_eq!(condition.when[1].subject, Subject::Parameter("york".into()));
    assert_eq!(condition.when[1].matches, []);
}

#[test]
fn two_equals_signs_are_an_error_and_not_a_comparison() {
    let error = condition("a::.condition-router", "conditions: ['host == a => b=c']").unwrap_err();
    assert!(error.reason.contains("`==` before `a` is no separator"));
}

#[test]
fn a_then_that_is_empty_or_false_blocks_whatever_force_says() {
    for text in ["host = a => false", "host = a =>", "=>", "false"] {
        assert_eq!(condition_of(text).then, Then::Nobody, "{text}");
    }
}

#[test]
fn a_destination_without_conditions_is_everybody_though_a_string_without_is_nobody() {
    let text = "configVersion: v3.1\nconditions:\n- to: [{match: 'false'}]\n- {}\n";
    let parsed = condition("a::.condition-router", text).unwrap();
    let conditions = &parsed.rule().unwrap().conditions;
    let Then::Shares(destinations) = &conditions[0].then else {
        panic!("{conditions:?}");
    };
    assert_eq!(destinations[0].clauses, []);
    assert_eq!(conditions[1].then, Then::Nobody);
}

#[test]
fn emptied_conditions_and_versions_to_come_leave_the_previous_rule_alive() {
    let empty = condition("a::.condition-router", "conditions: []").unwrap();
    assert!(matches!(empty.outcome, Outcome::KeepPrevious(_)));
    let newer = condition("a::.condition-router", "configVersion: v3.2\nconditions: ['=> a=b']").unwrap();
    assert!(matches!(newer.outcome, Outcome::Unsupported(_)));
}

#[test]
fn a_missing_value_passes_a_mismatch_in_2_6_only() {
    let url = ServiceUrl::parse("route://0.0.0.0/a?router=condition&rule=%3D%3E%20a%20!%3D%20b").unwrap();
    let Ok(UrlRule::Condition(rule)) = super::url(&url) else {
        panic!("{url}");
    };
    assert!(rule.conditions[0].missing_passes_mismatch);
    assert!(!condition_of("=> a != b").missing_passes_mismatch);
}

#[test]
fn the_key_of_a_router_is_only_said_and_never_judged() {
    // dubbo-admin writes the name without a version, and `*` for `/`.
    let text = "key: g*com.foo.Bar\nscope: service\nconditions: ['=> a=b']\n";
    let parsed = condition("com.foo.Bar:1.0.0:g.condition-router", text).unwrap();
    assert_eq!(parsed.remarks, []);
    assert_eq!(parsed.rule().unwrap().scope, Some(Scope::Service));
}

#[test]
fn numbers_and_flags_may_be_texts() {
    let text = "priority: '5'\nforce: 'true'\nenabled: \"TRUE\"\nconditions: ['=> a=b']\n";
    let parsed = condition("a::.condition-router", text).unwrap();
    let rule = parsed.rule().unwrap();
    assert_eq!((rule.priority, rule.force, rule.enabled), (5, true, true));
    assert_eq!(parsed.remarks, []);
}

#[test]
fn a_port_alone_with_a_colon_is_a_number_to_yaml() {
    // SnakeYAML reads 10:30 as 630, so that is the address that Dubbo has; in quotes it is what was meant.
    let parsed = tag("a.tag-router", "tags: [{name: x, addresses: [10:30, '10:30']}]").unwrap();
    let orana_core::rule::TagSource::Addresses(addresses) = &parsed.rule().unwrap().tags[0].source else {
        panic!("{parsed:?}");
    };
    assert_eq!(
        addresses.iter().map(|address| &**address).collect::<Vec<_>>(),
        ["630", "10:30"]
    );
}
