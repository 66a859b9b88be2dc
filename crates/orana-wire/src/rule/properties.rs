//! What holds for any text: reading ends without a panic, an error names a line of the text, and no limit is broken.

use orana_core::ServiceUrl;
use orana_core::rule::{RuleError, RulePlace, Then};
use proptest::prelude::*;

use super::*;

/// Reads a text as every kind of document and checks what is promised.
fn check(text: &str) {
    let lines = u32::try_from(text.lines().count().max(1)).unwrap();
    let within = |place: &RulePlace| {
        assert!(
            (1..=lines).contains(&place.line),
            "line {} of {lines}: {text:?}",
            place.line
        );
        assert!(place.column >= 1, "{text:?}");
    };
    let failed = |error: &RuleError| {
        assert!(!error.reason.is_empty());
        within(&error.place);
    };
    let remarked = |remarks: &[Remark]| {
        assert!(remarks.len() <= limits::REMARKS);
        remarks.iter().for_each(|remark| within(&remark.place));
    };
    match condition("a::.condition-router", text) {
        Ok(parsed) => {
            remarked(&parsed.remarks);
            for condition in parsed.rule().map_or(&[][..], |rule| &rule.conditions) {
                within(&condition.place);
                assert!(condition.when.len() <= limits::CLAUSES);
                if let Then::Shares(destinations) = &condition.then {
                    assert!(!destinations.is_empty() && destinations.iter().all(|destination| destination.weight > 0));
                }
            }
        }
        Err(error) => failed(&error),
    }
    match tag("a.tag-router", text) {
        Ok(parsed) => {
            remarked(&parsed.remarks);
            parsed.rule().unwrap().tags.iter().for_each(|tag| within(&tag.place));
        }
        Err(error) => failed(&error),
    }
    match overrides("a::.configurators", text) {
        Ok(parsed) => {
            remarked(&parsed.remarks);
            for one in parsed.rule().map_or(&[][..], |rule| &rule.overrides) {
                within(&one.place);
                assert!(!one.parameters.iter().any(|(key, _)| key.starts_with('~')));
            }
        }
        Err(error) => failed(&error),
    }
    for read in [script("a.script-router", text), affinity("a.affinity-router", text)] {
        match read {
            Ok(parsed) => assert!(parsed.rule().is_none()),
            Err(error) => failed(&error),
        }
    }
    if let Ok(read) = ServiceUrl::parse(text) {
        let _ = url(&read);
    }
}

/// Texts that look like documents.
fn document() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "configVersion: ",
        "v3.0",
        "v3.1",
        "scope: ",
        "service",
        "application",
        "key: ",
        "com.foo.Bar",
        "force: ",
        "enabled: ",
        "true",
        "false",
        "yes",
        "priority: ",
        "conditions:",
        "tags:",
        "configs:",
        "addresses:",
        "match:",
        "from:",
        "to:",
        "weight: ",
        "side: consumer",
        "parameters:",
        "name: ",
        "value: ",
        "exact: ",
        "oneof:",
        "host = a => b = c",
        "=> false",
        "a==b",
        "\n",
        "\n  ",
        "\n- ",
        "\n  - ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "\"",
        "'",
        "&x ",
        "*x",
        "!!str ",
        "# c",
        "~",
        "1",
        "010",
        "2024-01-31",
        "|\n",
        ">\n",
        "consumer.",
        "$",
        "é",
        "\u{85}",
        "\u{2028}",
        "\r",
        "\t",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_line_of_it(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_document_is_read_or_refused_at_a_line_of_it(text in document()) {
        check(&text);
    }

    #[test]
    fn any_condition_is_read_or_refused_at_a_line_of_it(text in "[a-c$~*.\\[\\]0-9 &=!,>]{0,60}") {
        check(&format!("conditions:\n  - \"{text}\"\n  - '{text}'\n"));
        check(&format!("configVersion: v3.1\nconditions:\n  - from: {{match: \"{text}\"}}\n    to: [{{match: '{text}', weight: 5}}]\n"));
        let _ = ServiceUrl::parse(&format!("route://0.0.0.0/a?router=condition&rule={text}")).map(|read| url(&read));
    }
}
