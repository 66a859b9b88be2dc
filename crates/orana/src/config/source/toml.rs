//! `orana.toml`: `[dubbo.application]` and `name = "shop"` are `dubbo.application.name`. A key with dots in quotes is the same as one
//! without: `[dubbo.reference."org.example.Greeter"]`.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::tree::{Branch, Tree, flat};
use super::{Line, Refused};

pub(super) fn read(text: &str) -> Result<Vec<Line>, Refused> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| Refused {
        line: lines.at(error.span().map_or(0, |span| span.start)),
        why: error.message().to_owned(),
    })?;
    let mut said = flat(branches(table.get_ref(), &lines))?;
    // The order of the file, which the table does not keep.
    said.sort_by_key(|entry| entry.line);
    Ok(said)
}

/// Where lines begin, so that a place is found without reading the text again.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of a byte, from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

fn branches(table: &DeTable<'_>, lines: &Lines) -> Vec<Branch> {
    table
        .iter()
        .map(|(name, value)| Branch {
            name: name.get_ref().to_string(),
            line: lines.at(name.span().start),
            tree: tree(value, lines),
        })
        .collect()
}

fn tree(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Tree {
    match value.get_ref() {
        DeValue::String(text) => Tree::Value(text.to_string()),
        // Of a hexadecimal number only the digits are left here, which would read as another number.
        DeValue::Integer(number) if number.radix() == 10 => Tree::Value(number.as_str().to_owned()),
        DeValue::Integer(_) => Tree::Other("a number that is not decimal"),
        DeValue::Float(number) => Tree::Value(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Tree::Value(flag.to_string()),
        DeValue::Datetime(_) => Tree::Other("a date"),
        DeValue::Table(table) => Tree::Table(branches(table, lines)),
        DeValue::Array(items) => Tree::List(
            items
                .iter()
                .map(|item| Branch {
                    name: String::new(),
                    line: lines.at(item.span().start),
                    tree: tree(item, lines),
                })
                .collect(),
        ),
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
    fn tables_are_keys_with_dots() {
        let text = "[dubbo.application]\nname = \"shop\"\n\n[dubbo.reference.\"org.example.Greeter\"]\ntimeout = 5_000\ncheck = false\n\
                    \n[dubbo.registries.a]\naddress = 'zookeeper://h:1'\nparameters = { x = 1 }\naccepts = [\"dubbo\", \"tri\"]\n";
        let own = |key: &str, value: &str, line| (key.to_owned(), value.to_owned(), line);
        assert_eq!(
            said(text),
            [
                own("dubbo.application.name", "shop", 2),
                own("dubbo.reference.org.example.Greeter.timeout", "5000", 5),
                own("dubbo.reference.org.example.Greeter.check", "false", 6),
                own("dubbo.registries.a.address", "zookeeper://h:1", 9),
                own("dubbo.registries.a.parameters.x", "1", 10),
                own("dubbo.registries.a.accepts", "dubbo,tri", 11),
            ]
        );
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let line = |text: &str| read(text).unwrap_err().line;
        assert_eq!(line("[dubbo.application]\nname = \n"), 2);
        assert_eq!(line("a = 1\na = 2\n"), 2);
        assert_eq!(
            read("a = 1\n[b]\nc = 2025-01-01").unwrap_err(),
            Refused {
                line: 3,
                why: "`b.c` is a date, which no key takes".to_owned()
            }
        );
        assert!(read("a = 0x10").is_err());
    }

    #[test]
    fn endless_nesting_is_refused() {
        let deep = format!("a = {}1{}", "{ a = ".repeat(60), " }".repeat(60));
        assert!(read(&deep).is_err());
        let lists = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&lists).is_err());
        let dotted = format!("{}a = 1", "a.".repeat(500_000));
        assert!(read(&dotted).is_err());
        let header = format!("[{}a]", "a.".repeat(500_000));
        assert!(read(&header).is_err());
    }
}
