//! Nested tables and lists as flat keys with dots, whatever they were written in.

use super::{Line, Refused, add};

/// How deep tables may be nested.
const MAX_DEPTH: usize = 32;

/// A value of a nested form.
#[derive(Debug)]
pub(super) enum Tree {
    /// A single value, as text.
    Value(String),
    /// A value of a kind that no key takes; what it is.
    Other(&'static str),
    Table(Vec<Branch>),
    List(Vec<Branch>),
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Branch {
    /// The name in a table; nothing in a list.
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) tree: Tree,
}

/// The entries of a table: `a: {b: 1, c: [2, 3]}` has `a.b` and `a.c`, which is `2,3`. A list of anything else than single values has
/// `[0]`, `[1]`, … behind its name, as Spring flattens it.
pub(super) fn flat(table: Vec<Branch>) -> Result<Vec<Line>, Refused> {
    let mut lines = Vec::new();
    for branch in table {
        flatten(branch.name.clone(), branch, 1, &mut lines)?;
    }
    Ok(lines)
}

fn flatten(key: String, branch: Branch, depth: usize, lines: &mut Vec<Line>) -> Result<(), Refused> {
    let line = branch.line;
    if depth > MAX_DEPTH {
        let why = format!("tables are nested deeper than {MAX_DEPTH}");
        return Err(Refused { line, why });
    }
    match branch.tree {
        Tree::Value(value) => add(lines, key, value, line),
        Tree::Other(kind) => Err(Refused {
            line,
            why: format!("`{key}` is {kind}, which no key takes"),
        }),
        Tree::Table(table) => table.into_iter().try_for_each(|branch| {
            let below = join(&key, &branch.name, branch.line)?;
            flatten(below, branch, depth + 1, lines)
        }),
        Tree::List(items) => match words(&items) {
            Some(words) => add(lines, key, words, line),
            None => items.into_iter().enumerate().try_for_each(|(index, branch)| {
                let below = join(&key, &format!("[{index}]"), branch.line)?;
                flatten(below, branch, depth + 1, lines)
            }),
        },
    }
}

/// Single values with commas between them.
fn words(items: &[Branch]) -> Option<String> {
    let words: Option<Vec<&str>> = items
        .iter()
        .map(|item| match &item.tree {
            Tree::Value(value) => Some(value.as_str()),
            _ => None,
        })
        .collect();
    Some(words?.join(","))
}

/// A key with one more part, refused before it grows at each level of a deep tree.
fn join(key: &str, name: &str, line: usize) -> Result<String, Refused> {
    if key.len() + name.len() > super::MAX_KEY {
        let why = format!("the key is longer than {} bytes", super::MAX_KEY);
        return Err(Refused { line, why });
    }
    Ok(match name.starts_with('[') {
        true => format!("{key}{name}"),
        false => format!("{key}.{name}"),
    })
}
