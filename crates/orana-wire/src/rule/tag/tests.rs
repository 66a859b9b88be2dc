//! Documents of tags as consoles and people write them.

use orana_core::rule::{ParameterMatch, TextMatch};

use super::*;

const KEY: &str = "shop.tag-router";

fn parsed(text: &str) -> Parsed<TagRule> {
    tag(KEY, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rule(text: &str) -> TagRule {
    parsed(text).rule().unwrap().clone()
}

fn refused(text: &str) -> String {
    match tag(KEY, text) {
        Ok(parsed) => panic!("{parsed:?}"),
        Err(error) => error.to_string(),
    }
}

fn remarks(text: &str) -> Vec<String> {
    parsed(text).remarks.iter().map(ToString::to_string).collect()
}

fn addresses(list: &[&str]) -> TagSource {
    TagSource::Addresses(list.iter().map(|address| Arc::from(*address)).collect())
}

#[test]
fn a_document_of_dubbo_admin_needs_no_config_version() {
    let text = "enabled: true\nforce: false\nkey: shop\npriority: 1\nruntime: true\ntags:\n- addresses: ['10.0.0.1:20880', 10.0.0.2, 10.1.0.0/16]\n  name: gray\n- {name: blue, addresses: [\"0.0.0.0:20881\"]}\n";
    let rule = rule(text);
    assert_eq!((rule.enabled, rule.force), (true, false));
    assert_eq!(rule.tags.len(), 2);
    assert_eq!(&*rule.tags[0].name, "gray");
    assert_eq!(
        rule.tags[0].source,
        addresses(&["10.0.0.1:20880", "10.0.0.2", "10.1.0.0/16"])
    );
    assert_eq!(rule.tags[1].place, rule.place.at(9, 3));
    assert_eq!(remarks(text), [""; 0]);
}

#[test]
fn version_3_0_finds_providers_by_their_parameters() {
    let text = "configVersion: v3.0\nforce: true\ntags:\n- name: gray\n  match:\n  - key: env\n    value: {exact: gray}\n  - key: zone\n    value: {wildcard: '*'}\n";
    let rule = rule(text);
    assert!(rule.force);
    let of = |key: &str, value| ParameterMatch { key: key.into(), value };
    assert_eq!(
        rule.tags[0].source,
        TagSource::Match(vec![
            of("env", TextMatch::Exact("gray".into())),
            of("zone", TextMatch::Wildcard("*".into()))
        ])
    );
}

#[test]
fn what_is_compared_with_may_be_a_number() {
    let text = "configVersion: v3.0\ntags: [{name: a, match: [{key: 1, value: {exact: 010}}]}]";
    let TagSource::Match(matches) = &rule(text).tags[0].source else {
        panic!();
    };
    assert_eq!(
        (&*matches[0].key, &matches[0].value),
        ("1", &TextMatch::Exact("8".into()))
    );
}

#[test]
fn addresses_win_over_a_match() {
    let text = "configVersion: v3.0\ntags:\n- {name: gray, addresses: [10.0.0.1], match: [{key: env, value: {exact: gray}}]}\n";
    assert_eq!(rule(text).tags[0].source, addresses(&["10.0.0.1"]));
    assert_eq!(
        remarks(text),
        [format!("{KEY} line 3: `match` is ignored beside `addresses`")]
    );
}

#[test]
fn a_match_without_version_3_0_gives_nobody_the_tag() {
    for head in [
        "",
        "configVersion: v2.7\n",
        "configVersion: v3.1\n",
        "configVersion: V3.0\n",
    ] {
        let text = format!("{head}tags:\n- {{name: gray, match: [{{key: env, value: {{exact: gray}}}}]}}\n");
        assert_eq!(rule(&text).tags, [], "{text}");
        assert_eq!(remarks(&text).len(), 2);
    }
}

#[test]
fn an_empty_match_is_satisfied_by_everybody() {
    assert_eq!(
        rule("configVersion: v3.0\ntags: [{name: a, match: []}]").tags[0].source,
        TagSource::Match(Vec::new())
    );
}

#[test]
fn the_first_kind_in_the_order_of_dubbo_decides() {
    let text = "configVersion: v3.0\ntags: [{name: a, match: [{key: env, value: {empty: '', prefix: x, regex: y}}]}]";
    let TagSource::Match(matches) = &rule(text).tags[0].source else {
        panic!();
    };
    assert_eq!(matches[0].value, TextMatch::Prefix("x".into()));
    assert_eq!(remarks(text).len(), 2);
}

#[test]
fn a_document_without_usable_tags_leaves_the_tags_of_providers_alone() {
    for text in [
        "force: true",
        "tags: []",
        "tags:",
        "tags: [{name: a}]",
        "tags: [{name: a, addresses: []}]",
        "valid: false\ntags: [{name: a, addresses: [b]}]",
    ] {
        assert_eq!(rule(text).tags, [], "{text}");
    }
    assert!(remarks("tags: [{name: a}]")[0].contains("nobody has the tag `a`"));
}

#[test]
fn of_tags_with_one_name_the_last_counts() {
    let text = "tags:\n- {name: a, addresses: [x]}\n- {name: b, addresses: [y]}\n- {name: a, addresses: [z]}\n";
    let rule = rule(text);
    assert_eq!(rule.tags.iter().map(|tag| &*tag.name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(rule.tags[0].source, addresses(&["z"]));
    assert_eq!(
        remarks(text),
        [format!(
            "{KEY} line 4: the tag `a` stands here again; only the last one counts"
        )]
    );
}

#[test]
fn wrong_types_are_refused_with_line_and_reason() {
    for (bad, wanted) in [
        (
            "tags: {a: b}",
            "line 1, column 7: `tags` is a mapping; it must be a list",
        ),
        ("tags:\n- a\n", "line 2, column 3: this is a text; it must be a mapping"),
        ("tags:\n- {addresses: [a]}\n", "line 2, column 3: a tag needs `name`"),
        (
            "tags:\n- {name: 17, addresses: [a]}\n",
            "line 2, column 10: `name` is a number; put it into quotes",
        ),
        (
            "tags:\n- {name: a, addresses: 10.0.0.1}\n",
            "`addresses` is a text; it must be a list",
        ),
        (
            "tags:\n- {name: a, addresses: [{b: c}]}\n",
            "an entry of `addresses` is a mapping",
        ),
        (
            "configVersion: v3.0\ntags: [{name: a, match: {key: b}}]",
            "`match` is a mapping; it must be a list",
        ),
        (
            "configVersion: v3.0\ntags: [{name: a, match: [{key: b, value: c}]}]",
            "this is a text; it must be a mapping",
        ),
        (
            "priority: high\ntags: []",
            "`priority` is `high`, which is no whole number",
        ),
        ("scope: [a]\ntags: []", "`scope` is a list; it must be a text"),
        ("tags: [", "this is no YAML"),
    ] {
        let error = refused(bad);
        assert!(
            error.starts_with(&format!("{KEY} line ")) && error.contains(wanted),
            "{bad}: {error}"
        );
    }
}

#[test]
fn sizes_are_limited() {
    let many = |n: usize| format!("tags:\n{}", "- {name: a, addresses: [b]}\n".repeat(n));
    assert!(refused(&many(limits::TAGS + 1)).contains("`tags` has 1001 entries"));
    let wide = format!("tags: [{{name: a, addresses: [{}]}}]", "b,".repeat(limits::NAMES + 1));
    assert!(refused(&wide).contains("`addresses` has 10001 entries"));
}
