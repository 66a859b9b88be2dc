//! The table "where we differ on purpose" of `docs/protocols/rules.md`: a rule file may only expect another answer of ours
//! than of Java if its name stands there, with the reason.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};

use super::rule::Rule;
use crate::place;

/// Rules that expect a difference which the page does not admit, and rules that the page names and that expect none.
pub fn unbalanced(rules: &[Rule]) -> Result<BTreeSet<String>> {
    let page = place::repository().join("docs/protocols/rules.md");
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let expected: BTreeSet<String> = rules
        .iter()
        .filter(|rule| differs(rule))
        .map(|rule| rule.name.clone())
        .collect();
    Ok(admitted(&text, rules)
        .symmetric_difference(&expected)
        .cloned()
        .collect())
}

fn differs(rule: &Rule) -> bool {
    rule.steps
        .iter()
        .flat_map(|step| &step.asks)
        .any(|ask| ask.ours.is_some())
}

/// The rules that are named, in back-ticks, in the section about differences.
fn admitted(text: &str, rules: &[Rule]) -> BTreeSet<String> {
    let section = text
        .split("\n## ")
        .find(|section| section.to_lowercase().starts_with("where we differ"));
    let section = section.unwrap_or_default();
    let named = rules
        .iter()
        .filter(|rule| section.contains(&format!("`{}`", rule.name)));
    named.map(|rule| rule.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_section_about_differences_admits_one() {
        let rule = |name| Rule::parse(name, "# x\nask shop list() -> all rust 1\n--- a.b\nc\n").unwrap();
        let rules = [rule("tag/a"), rule("tag/b")];
        let page = "# Rules\n`tag/a`\n\n## Where we differ on purpose\n| `tag/b` | why |\n\n## More\n`tag/a`\n";
        assert_eq!(admitted(page, &rules), BTreeSet::from(["tag/b".to_owned()]));
        assert!(differs(&rules[0]));
    }
}
