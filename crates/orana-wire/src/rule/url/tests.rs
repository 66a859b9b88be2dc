//! Rules as 2.6 and its consoles register them.

use orana_core::rule::{Clause, Mode, Pattern, Subject, Then};

use super::*;

fn read(text: &str) -> Result<UrlRule, RuleError> {
    url(&ServiceUrl::parse(text).unwrap())
}

fn refused(text: &str) -> String {
    match read(text) {
        Ok(rule) => panic!("{rule:?}"),
        Err(error) => error.to_string(),
    }
}

fn condition_rule(text: &str) -> ConditionRule {
    match read(text) {
        Ok(UrlRule::Condition(rule)) => rule,
        other => panic!("{other:?}"),
    }
}

fn override_rule(text: &str) -> OverrideRule {
    match read(text) {
        Ok(UrlRule::Override(rule)) => rule,
        other => panic!("{other:?}"),
    }
}

/// A route of 2.6 with that rule, escaped as its writers do.
fn route(rule: &str) -> String {
    format!(
        "route://0.0.0.0/com.foo.Bar?category=routers&router=condition&dynamic=false&enabled=true&runtime=false&force=true&priority=3&name=x&rule={}",
        percent::encode(rule)
    )
}

#[test]
fn a_route_of_2_6_is_one_condition() {
    let rule = condition_rule(&route(
        "consumer.host = 10.0.0.1 => provider.host != 10.0.0.2 & region = $region",
    ));
    assert_eq!(
        (rule.enabled, rule.force, rule.priority, rule.scope),
        (true, true, 3, Some(Scope::Service))
    );
    let condition = &rule.conditions[0];
    assert_eq!(
        &*condition.text,
        "consumer.host = 10.0.0.1 => provider.host != 10.0.0.2 & region = $region"
    );
    assert!(condition.missing_passes_mismatch);
    let clause = |subject, matches: &[Pattern], mismatches: &[Pattern]| Clause {
        subject,
        matches: matches.to_vec(),
        mismatches: mismatches.to_vec(),
    };
    assert_eq!(
        condition.when,
        [clause(Subject::Host, &[Pattern::Glob("10.0.0.1".into())], &[])]
    );
    assert_eq!(
        condition.then,
        Then::Keep(vec![
            clause(Subject::Host, &[], &[Pattern::Glob("10.0.0.2".into())]),
            clause(
                Subject::Parameter("region".into()),
                &[Pattern::OfConsumer("region".into())],
                &[]
            ),
        ])
    );
}

#[test]
fn a_route_of_2_6_knows_neither_ranges_nor_attachments() {
    let condition = condition_rule(&route("attachments[a] = 1~5 & arguments[1] = b =>"))
        .conditions
        .remove(0);
    assert_eq!(condition.when[0].subject, Subject::Parameter("attachments[a]".into()));
    assert_eq!(condition.when[0].matches, [Pattern::Glob("1~5".into())]);
    assert_eq!(condition.when[1].subject, Subject::Argument(Some(1)));
    assert_eq!(condition.then, Then::Nobody);
}

#[test]
fn a_bad_rule_of_a_route_says_the_character() {
    assert!(
        refused(&route("host == a => b = c"))
            .ends_with("`rule` at character 6: `==` before `a` is no separator; there are `=`, `!=`, `,` and `&`")
    );
    assert!(refused(&route(" ")).contains("the condition is empty"));
    assert!(refused("route://0.0.0.0/a?router=condition").contains("the condition is empty"));
    assert!(refused("route://0.0.0.0/a?router=condition&rule=%zz").contains("`rule` cannot be read"));
}

#[test]
fn a_disabled_route_is_not_read() {
    let rule = condition_rule("route://0.0.0.0/a?router=condition&enabled=false&rule=a==b");
    assert!(!rule.enabled && rule.conditions.is_empty());
}

#[test]
fn scripts_and_files_are_never_run() {
    for text in [
        "route://0.0.0.0/a?category=routers&router=script&type=js&rule=x",
        "script://0.0.0.0/a?category=routers&type=js&rule=x",
        "file:///etc/rule.js?category=routers&router=script",
        "route://0.0.0.0/a?router=file&rule=x",
    ] {
        assert!(matches!(read(text), Ok(UrlRule::Unsupported(_))), "{text}");
    }
    assert!(refused("route://0.0.0.0/a?category=routers&rule=x").contains("router=condition"));
}

#[test]
fn an_override_of_2_6_is_judged_without_a_version() {
    let text = "override://10.0.0.1:20880/com.foo.Bar?category=configurators&dynamic=false&enabled=true&application=shop&side=consumer&group=g&version=1.0&timeout=1000&~env=gray&priority=4";
    let rule = override_rule(text);
    let [one] = &rule.overrides[..] else {
        panic!("{rule:?}");
    };
    assert_eq!(
        (one.mode, one.versioned, one.enabled, one.priority),
        (Mode::Override, false, true, 4)
    );
    assert_eq!((&*one.host, one.port), ("10.0.0.1", Some(20880)));
    assert_eq!(&*one.service, "g/com.foo.Bar:1.0");
    assert_eq!(
        (one.side.as_deref(), one.application.as_deref()),
        (Some("consumer"), Some("shop"))
    );
    assert_eq!(one.parameters, [("timeout".into(), "1000".into())]);
    assert_eq!(one.conditions, [("env".into(), "gray".into())]);
    assert_eq!(one.provider_addresses, None);
    assert_eq!(*one.text, *ServiceUrl::parse(text).unwrap().full_text());
}

#[test]
fn absent_only_fills_in() {
    assert_eq!(
        override_rule("absent://0.0.0.0/*?category=configurators&timeout=1").overrides[0].mode,
        Mode::Absent
    );
}

#[test]
fn the_application_may_stand_before_the_host() {
    let rule = override_rule("override://shop@0.0.0.0/com.foo.Bar?timeout=1");
    assert_eq!(rule.overrides[0].application.as_deref(), Some("shop"));
}

#[test]
fn an_override_that_sets_nothing_is_not_the_one_that_says_nothing() {
    assert_eq!(
        override_rule("override://0.0.0.0/a?category=configurators&dynamic=false").overrides[0].parameters,
        []
    );
    assert_eq!(read("override://0.0.0.0/a?anyhost=true"), Ok(UrlRule::Blank));
    assert_eq!(read("override://0.0.0.0/a"), Ok(UrlRule::Blank));
}

#[test]
fn copies_for_old_clients_are_passed_over() {
    assert_eq!(
        read("override://0.0.0.0/a?timeout=1&compatible_config=true"),
        Ok(UrlRule::Copy)
    );
    assert_eq!(
        read(&format!("{}&compatible_config=true", route("=> a=b"))),
        Ok(UrlRule::Copy)
    );
}

#[test]
fn an_empty_url_says_that_there_are_none() {
    assert_eq!(
        read("empty://10.0.0.9/com.foo.Bar?category=routers"),
        Ok(UrlRule::Cleared)
    );
}

#[test]
fn other_urls_are_no_rules() {
    assert!(refused("dubbo://10.0.0.1:20880/a?category=providers").contains("this is no rule"));
    assert!(refused("dubbo://10.0.0.1:20880/a?category=configurators&b=c").contains("is no configurator"));
    assert!(refused("override://0.0.0.0/a?priority=high&b=c").contains("priority"));
    assert!(refused("override://0.0.0.0?b=c").contains("names no service"));
}

#[test]
fn keys_that_could_run_code_are_never_taken() {
    let rule =
        override_rule("override://0.0.0.0/a?router=script&rule=x&type=js&runtime=true&accesslog.fixed.path=false&b=c");
    assert_eq!(rule.overrides[0].parameters, [("b".into(), "c".into())]);
}
