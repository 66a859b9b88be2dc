//! The documents that `docs/governance.md` shows to operators are ones that are read, without a remark.

use orana_wire::rule::{Parsed, condition, overrides, tag};

const PAGE: &str = include_str!("../../../../docs/governance.md");

/// Whether there is a rule in it that nothing is to be said about.
fn plain<T>(parsed: &Parsed<T>) -> bool {
    parsed.rule().is_some() && parsed.remarks.is_empty()
}

#[test]
fn every_document_that_the_page_shows_is_read_without_remark() {
    let blocks = PAGE.split("```yaml\n").skip(1);
    let documents: Vec<&str> = blocks.map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(documents.len(), 3);
    for document in documents {
        // The first line says where it stands: `# KEY: what for`.
        let key = document.strip_prefix("# ").unwrap().split(": ").next().unwrap();
        let (_, kind) = key.rsplit_once('.').unwrap();
        let plain = match kind {
            "condition-router" => plain(&condition(key, document).unwrap()),
            "tag-router" => plain(&tag(key, document).unwrap()),
            "configurators" => plain(&overrides(key, document).unwrap()),
            other => panic!("nobody reads `{other}`"),
        };
        assert!(plain, "{key}");
    }
}
