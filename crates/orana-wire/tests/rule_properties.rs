//! Any text as a rule, and texts that look like rules: what `fuzz/rule_promises.rs` promises holds.

use proptest::prelude::*;

#[path = "../fuzz/rule_promises.rs"]
mod promises;

use promises::every_kind;

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
        every_kind(&text);
    }

    #[test]
    fn any_document_is_read_or_refused_at_a_line_of_it(text in document()) {
        every_kind(&text);
    }

    #[test]
    fn any_condition_is_read_or_refused_at_a_line_of_it(text in "[a-c$~*.\\[\\]0-9 &=!,>]{0,60}") {
        every_kind(&format!("conditions:\n  - \"{text}\"\n  - '{text}'\n"));
        every_kind(&format!("configVersion: v3.1\nconditions:\n  - from: {{match: \"{text}\"}}\n    to: [{{match: '{text}', weight: 5}}]\n"));
        every_kind(&format!("route://0.0.0.0/a?router=condition&rule={text}"));
    }
}
