//! Kinds of rules that are recognised and never run: scripts, mesh rules, affinity. A script is code of whoever can write to the
//! configuration centre; the other two are decisions that no list of providers here is put through.
//!
//! Their documents are read only as far as it takes to say where they stand and that they are what they are stored as.

use std::convert::Infallible;

use orana_core::rule::{RuleError, RulePlace};

use super::document::Document;
use super::{Outcome, Parsed, Remark, yaml};

/// Reads a document of `….script-router`.
///
/// # Errors
/// A text that is no YAML mapping.
pub fn script(key: &str, text: &str) -> Result<Parsed<Infallible>, RuleError> {
    recognised(
        key,
        text,
        "script",
        "script rules are not supported and never run; all providers stay",
    )
}

/// Reads a document of `….affinity-router`.
///
/// # Errors
/// A text that is no YAML mapping.
pub fn affinity(key: &str, text: &str) -> Result<Parsed<Infallible>, RuleError> {
    let reason = "affinity rules are not supported; `=> region = $region` as a condition does without the ratio";
    recognised(key, text, "affinityAware", reason)
}

/// Notes a document of `….MESHAPPRULE`. It is several YAML documents in one text, which is not read.
pub fn mesh(key: &str, _text: &str) -> Parsed<Infallible> {
    unsupported(
        RulePlace::of(key).at(1, 1),
        "mesh rules are not supported; all providers stay",
    )
}

fn recognised(key: &str, text: &str, telling: &str, reason: &str) -> Result<Parsed<Infallible>, RuleError> {
    let document = Document::read(key, text)?;
    document.expect_mapping(&document.root)?;
    let node: &yaml::Node = document.root.get(telling).unwrap_or(&document.root);
    Ok(unsupported(document.at(node.at), reason))
}

fn unsupported(place: RulePlace, reason: &str) -> Parsed<Infallible> {
    Parsed {
        outcome: Outcome::Unsupported(Remark {
            place,
            text: reason.to_owned(),
        }),
        remarks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "configVersion: v3.0\nkey: shop\ntype: javascript\nenabled: true\nscript: |\n  (function route(invokers) { return invokers; } (invokers));\n";

    fn reason(parsed: &Parsed<Infallible>) -> String {
        match &parsed.outcome {
            Outcome::Unsupported(remark) => remark.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_script_is_recognised_and_never_a_rule() {
        let parsed = script("shop.script-router", SCRIPT).unwrap();
        assert!(parsed.rule().is_none());
        assert_eq!(
            reason(&parsed),
            "shop.script-router line 6: script rules are not supported and never run; all providers stay"
        );
    }

    #[test]
    fn mesh_rules_of_several_documents_are_recognised() {
        let text = "apiVersion: v1\nkind: VirtualService\n---\nkind: DestinationRule\n";
        assert!(reason(&mesh("shop.MESHAPPRULE", text)).contains("mesh rules are not supported"));
    }

    #[test]
    fn affinity_is_recognised() {
        let text = "configVersion: v3.1\naffinityAware:\n  key: region\n  ratio: 20\n";
        assert!(reason(&affinity("shop.affinity-router", text).unwrap()).contains("line 3: affinity"));
    }

    #[test]
    fn what_is_no_yaml_is_an_error_there_too() {
        assert!(script("shop.script-router", "a: [").is_err());
        assert!(affinity("shop.affinity-router", "- a").is_err());
    }
}
