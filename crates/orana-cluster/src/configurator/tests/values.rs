//! What becomes of values.

use super::*;

#[test]
fn an_override_replaces_and_an_absent_fills_in() {
    let url = url(MERGED);
    let made = of_texts(&["override://0.0.0.0/bar?retries=0&timeout=2000"]).apply(&url, &CONSUMER);
    assert_eq!(
        (made.parameter("timeout"), made.parameter("retries")),
        (Some("2000"), Some("0"))
    );
    let made = of_texts(&["absent://0.0.0.0/bar?retries=0&timeout=2000"]).apply(&url, &CONSUMER);
    assert_eq!(
        (made.parameter("timeout"), made.parameter("retries")),
        (Some("500"), Some("0"))
    );
}

#[test]
fn an_absent_leaves_what_is_there_though_empty_or_a_default() {
    let rule = of_texts(&["absent://0.0.0.0/*?x=1"]);
    assert_eq!(x(&rule, "dubbo://h:1/i?x=", &CONSUMER).as_deref(), Some(""));
    assert_eq!(x(&rule, "dubbo://h:1/i?default.x=7", &CONSUMER).as_deref(), Some("7"));
}

#[test]
fn a_value_may_become_empty() {
    let made = of_texts(&["override://0.0.0.0/bar?timeout="]).apply(&url(MERGED), &CONSUMER);
    assert_eq!(made.parameter("timeout"), Some(""));
}

#[test]
fn operators_disable_weigh_and_degrade_by_ordinary_values() {
    for (key, value) in [
        ("disabled", "true"),
        ("weight", "0"),
        ("loadbalance", "leastactive"),
        ("say.loadbalance", "random"),
        ("mock", "force:return null"),
    ] {
        let made = of_texts(&[&format!("override://0.0.0.0/bar?{key}={value}")]).apply(&url(MERGED), &CONSUMER);
        assert_eq!(made.parameter(key), Some(value));
    }
}

#[test]
fn what_describes_a_rule_is_never_set() {
    let keys = [
        "category",
        "check",
        "dynamic",
        "enabled",
        "group",
        "version",
        "application",
        "side",
        "configVersion",
        "compatible_config",
        "interfaces",
        "~region",
        "",
    ];
    let mut rule = read("override://0.0.0.0/bar?x=1");
    rule.parameters.extend(keys.map(|key| (key.into(), "true".into())));
    let made = one_layer(vec![rule]).apply(&url(MERGED), &CONSUMER);
    assert_eq!(made, url(MERGED).edit().set("x", 1).build());
}

#[test]
fn no_rule_may_have_code_run_or_files_written() {
    let refused = ["accesslog.fixed.path", "router", "rule", "runtime", "type"];
    let mut rule = read("override://0.0.0.0/bar?accesslog=true&x=1");
    rule.parameters.extend(refused.map(|key| (key.into(), "false".into())));
    let configurators = one_layer(vec![rule]);
    let made = configurators.apply(&url(MERGED), &CONSUMER);
    assert_eq!(made, url(MERGED).edit().set("x", 1).set("accesslog", true).build());
    let [effect] = &configurators.effects(&url(MERGED), &CONSUMER)[..] else {
        panic!();
    };
    assert_eq!(effect.refused, refused.map(Arc::from));
}

#[test]
fn of_a_key_that_is_written_twice_the_last_value_counts() {
    let mut rule = read("absent://0.0.0.0/bar?x=1");
    rule.parameters.push(("x".into(), "2".into()));
    assert_eq!(
        x(&one_layer(vec![rule.clone()]), MERGED, &CONSUMER).as_deref(),
        Some("2")
    );
    rule.mode = Mode::Override;
    assert_eq!(x(&one_layer(vec![rule]), MERGED, &CONSUMER).as_deref(), Some("2"));
}

#[test]
fn nothing_else_of_a_url_changes() {
    let original = url("dubbo://me:pw@10.0.0.1:20880/com.foo.Bar?a=1&group=g&pid=7&timestamp=8&version=1.0");
    let made = of_texts(&["override://0.0.0.0/bar?x=1"]).apply(&original, &CONSUMER);
    let text = "dubbo://me:pw@10.0.0.1:20880/com.foo.Bar?a=1&group=g&pid=7&timestamp=8&version=1.0&x=1";
    assert_eq!(made.full_text(), text);
}

#[test]
fn what_changes_nothing_gives_back_the_same_url() {
    let original = url(MERGED);
    for texts in [
        &[][..],
        &["override://0.0.0.0/bar?timeout=500"],
        &[
            "override://0.0.0.0/bar?timeout=1",
            "override://0.0.0.0/bar?priority=1&timeout=500",
        ],
        &["absent://0.0.0.0/bar?timeout=1"],
        &["override://0.0.0.0/other?timeout=1"],
        &["override://0.0.0.0/bar?enabled=true"],
    ] {
        let made = of_texts(texts).apply(&original, &CONSUMER);
        assert_eq!(made, original, "{texts:?}");
        // The same, not only one that is equal: both are printed from the same place.
        let text = |url: &ServiceUrl| url.parameter("timeout").map(str::as_ptr);
        assert_eq!(text(&made), text(&original), "{texts:?}");
    }
}

#[test]
fn removing_the_last_rule_restores_the_original_exactly() {
    let original = url(OWN);
    let rules = of_texts(&[
        "override://0.0.0.0/bar?timeout=1&weight=0",
        "override://10.0.0.1:20880/bar?executes=5",
    ]);
    let changed = rules.apply(&original, &PROVIDER);
    assert_ne!(changed, original);
    let restored = Configurators::default().apply(&original, &PROVIDER);
    assert_eq!(restored.full_text(), OWN);
    assert_eq!(
        Configurators::new(&[Layer::default()]).apply(&original, &PROVIDER),
        original
    );
    assert!(Configurators::new(&[Layer::default()]).is_empty() && !rules.is_empty());
}

#[test]
fn a_console_item_of_its_own_type_counts_though_the_document_is_disabled() {
    // The weight page makes a document with `enabled: false` and no version; the item's own `enabled` becomes that of the override.
    let page = "override://10.0.0.1:20880/bar?configVersion=null&enabled=true&providerAddresses=10.0.0.1:20880&side=provider&weight=0";
    let made = of_texts(&[page]).apply(&url(OWN), &PROVIDER);
    assert_eq!(made.parameter("weight"), Some("0"));
}
