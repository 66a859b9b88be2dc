//! `dubbo.yaml`: `dubbo: {application: {name: shop}}` is `dubbo.application.name`.

use orana_wire::rule::yaml::{Entry, Node, Scalar, Value, parse};

use super::tree::{Branch, Tree, flat};
use super::{Line, Refused};

pub(super) fn read(text: &str) -> Result<Vec<Line>, Refused> {
    // The parser refuses a text that says nothing; a file may.
    if text
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#'))
    {
        return Ok(Vec::new());
    }
    let document = parse(text).map_err(|error| Refused {
        line: error.at.line as usize,
        why: error.reason,
    })?;
    if let Some(repeated) = document.repeated.first() {
        return Err(Refused {
            line: repeated.at.line as usize,
            why: format!("`{}` is there twice", repeated.key),
        });
    }
    match document.root.value {
        Value::Mapping(entries) => flat(entries.into_iter().map(branch).collect()),
        Value::Scalar(Scalar::Null) => Ok(Vec::new()),
        _ => Err(Refused {
            line: document.root.at.line as usize,
            why: "it is no mapping".to_owned(),
        }),
    }
}

fn branch(entry: Entry) -> Branch {
    Branch {
        name: text(&entry.key),
        line: entry.at.line as usize,
        tree: tree(entry.value.value),
    }
}

fn tree(value: Value) -> Tree {
    let item = |node: Node| Branch {
        name: String::new(),
        line: node.at.line as usize,
        tree: tree(node.value),
    };
    match value {
        Value::Scalar(scalar) => Tree::Value(text(&scalar)),
        Value::Sequence(items) => Tree::List(items.into_iter().map(item).collect()),
        Value::Mapping(entries) => Tree::Table(entries.into_iter().map(branch).collect()),
    }
}

/// A scalar as Java prints it; nothing is the empty text, which is as good as no value.
fn text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Null => String::new(),
        Scalar::Boolean(flag) => flag.to_string(),
        Scalar::Integer(text) | Scalar::Float(text) | Scalar::Timestamp(text) | Scalar::Text(text) => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(String, String, usize)> {
        let lines = read(text).unwrap();
        lines
            .into_iter()
            .map(|line| (line.key, line.value, line.line))
            .collect()
    }

    #[test]
    fn mappings_are_keys_with_dots() {
        let text = "# shop\ndubbo:\n  application:\n    name: shop\n  reference:\n    org.example.Greeter:\n      timeout: 5000\n      \
                    check: no\n      version: 1.0\n  registries:\n    a:\n      address: zookeeper://h:1\n      accepts: [dubbo, tri]\n      \
                    zone:\n";
        let own = |key: &str, value: &str, line| (key.to_owned(), value.to_owned(), line);
        assert_eq!(
            said(text),
            [
                own("dubbo.application.name", "shop", 4),
                own("dubbo.reference.org.example.Greeter.timeout", "5000", 7),
                own("dubbo.reference.org.example.Greeter.check", "false", 8),
                own("dubbo.reference.org.example.Greeter.version", "1.0", 9),
                own("dubbo.registries.a.address", "zookeeper://h:1", 12),
                own("dubbo.registries.a.accepts", "dubbo,tri", 13),
                own("dubbo.registries.a.zone", "", 14),
            ]
        );
        assert_eq!(said(""), []);
        assert_eq!(said("# nothing yet\n\n"), []);
    }

    #[test]
    fn a_list_of_more_than_words_has_indices() {
        assert_eq!(
            said("a:\n- b: 1\n- b: 2\n")
                .into_iter()
                .map(|(key, ..)| key)
                .collect::<Vec<_>>(),
            ["a[0].b", "a[1].b"]
        );
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        assert_eq!(
            read("dubbo:\n  a: [1\n").unwrap_err().line.clamp(2, 3),
            read("dubbo:\n  a: [1\n").unwrap_err().line
        );
        assert_eq!(
            read("a: 1\na: 2\n").unwrap_err(),
            Refused {
                line: 2,
                why: "`a` is there twice".to_owned()
            }
        );
        assert_eq!(read("- a\n- b\n").unwrap_err().why, "it is no mapping");
    }

    #[test]
    fn bombs_and_endless_nesting_are_refused() {
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
                    d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
        assert!(read(bomb).is_err());
        assert!(read(&format!("a: {}1{}", "[".repeat(1000), "]".repeat(1000))).is_err());
    }
}
