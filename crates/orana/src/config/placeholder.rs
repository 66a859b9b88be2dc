//! `${name}` and `${name:default}` in values.
//!
//! Dubbo replaces `${name}` and `$name` once and leaves alone what it does not find (`ConfigUtils.replaceProperty`); the default behind a
//! colon, and placeholders within what is found, are Spring's. Here all of them work, in files and variables alike, within limits.

use std::collections::HashMap;

use super::layer::{Layer, Rank};
use super::source::MAX_VALUE;
use super::spelling::variable;

/// How deep placeholders may stand in each other's values.
const MAX_DEPTH: usize = 16;

/// How many are replaced for one value.
const MAX_STEPS: usize = 1000;

/// What became of a value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) value: String,
    /// Names that have neither value nor default, and stay as they are written.
    pub(super) unresolved: Vec<String>,
}

/// Everything that a placeholder can ask for, found by name.
pub(super) struct Values {
    /// Under the very name: which layer says it last, and what.
    exact: HashMap<String, (usize, String)>,
    /// Variables, in capitals.
    variables: HashMap<String, (usize, String)>,
}

impl Values {
    /// What `layers`, weakest first, say.
    pub(super) fn of(layers: &[Layer]) -> Values {
        let mut values = Values {
            exact: HashMap::new(),
            variables: HashMap::new(),
        };
        for (index, layer) in layers.iter().enumerate() {
            for entry in layer.entries.iter().filter(|entry| !entry.value.trim().is_empty()) {
                let said = (index, entry.value.clone());
                if layer.rank == Rank::Environment {
                    values.variables.insert(entry.key.to_ascii_uppercase(), said.clone());
                }
                values.exact.insert(entry.key.clone(), said);
            }
        }
        values
    }

    /// What the strongest layer that has it says of `name`.
    fn look_up(&self, name: &str) -> Option<&str> {
        let found = [self.exact.get(name), self.variables.get(&variable(name))];
        // Of one layer the very name counts.
        let strongest = found.into_iter().flatten().rev().max_by_key(|(layer, _)| *layer)?;
        Some(&strongest.1)
    }
}

/// Replaces the placeholders in `text`.
///
/// # Errors
/// Why that has no end, or too much of one.
pub(super) fn replace(text: &str, values: &Values) -> Result<Replaced, String> {
    let mut work = Work {
        values,
        steps: 0,
        unresolved: Vec::new(),
        within: Vec::new(),
    };
    let value = work.replaced(text)?;
    Ok(Replaced {
        value,
        unresolved: work.unresolved,
    })
}

struct Work<'a> {
    values: &'a Values,
    steps: usize,
    unresolved: Vec<String>,
    /// The names whose values are being looked into, outermost first; empty for a default.
    within: Vec<String>,
}

/// A `$` with what belongs to it.
struct Placeholder<'a> {
    name: &'a str,
    default: Option<&'a str>,
    /// As it is written, and whether in braces.
    written: &'a str,
    braced: bool,
}

impl Work<'_> {
    fn replaced(&mut self, text: &str) -> Result<String, String> {
        if self.within.len() > MAX_DEPTH {
            return Err(format!("placeholders are nested deeper than {MAX_DEPTH}"));
        }
        let mut value = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            value.push_str(before);
            let Some(found) = placeholder(after) else {
                value.push('$');
                rest = after;
                continue;
            };
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(format!("there are more than {MAX_STEPS} placeholders"));
            }
            value.push_str(&self.value_of(&found)?);
            if value.len() > MAX_VALUE {
                return Err(format!("its placeholders make it longer than {MAX_VALUE} bytes"));
            }
            rest = after.get(found.written.len()..).unwrap_or_default();
        }
        value.push_str(rest);
        Ok(value)
    }

    fn value_of(&mut self, found: &Placeholder<'_>) -> Result<String, String> {
        if self.within.iter().any(|outer| outer == found.name) {
            let circle = self.within.iter().filter(|name| !name.is_empty()).map(String::as_str);
            let circle: Vec<&str> = circle.skip_while(|name| *name != found.name).collect();
            return Err(format!(
                "`{}` is made from itself: {} -> {}",
                found.name,
                circle.join(" -> "),
                found.name
            ));
        }
        let (inside, name) = match (self.values.look_up(found.name), found.default) {
            (Some(value), _) => (value, found.name),
            (None, Some(default)) => (default, ""),
            (None, None) => {
                // A bare `$` is more often a dollar than a placeholder.
                if found.braced {
                    self.unresolved.push(found.name.to_owned());
                }
                return Ok(format!("${}", found.written));
            }
        };
        self.within.push(name.to_owned());
        let value = self.replaced(inside);
        self.within.pop();
        value
    }
}

/// The placeholder whose `$` stands before `text`.
fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let Some(inside) = text.strip_prefix('{') else {
        let name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_');
        let end = text.find(|character| !name(character)).unwrap_or(text.len());
        let name = text.get(..end).filter(|name| !name.is_empty())?;
        return Some(Placeholder {
            name,
            default: None,
            written: name,
            braced: false,
        });
    };
    let mut depth = 1_usize;
    let end = inside.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let inside = inside.get(..end)?;
    let (name, default) = match inside.split_once(':') {
        Some((name, default)) => (name.trim(), Some(default)),
        None => (inside.trim(), None),
    };
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '[' | ']');
    (!name.is_empty() && name.chars().all(plain)).then_some(Placeholder {
        name,
        default,
        // With its two braces.
        written: text.get(..end + 2)?,
        braced: true,
    })
}

#[cfg(test)]
mod tests {
    use super::super::layers::Layers;
    use super::*;

    fn values() -> Values {
        let layers = Layers::new()
            .file(
                "f.properties",
                "zk.host=file\nport=2181\nboth=${zk.host}:$port\nloop=${pool}\npool=${loop}\nblank=\n",
            )
            .unwrap()
            .environment([
                ("DUBBO_PORT".to_owned(), "1".to_owned()),
                ("ZK_HOST".to_owned(), "variable".to_owned()),
            ]);
        Values::of(&layers.sorted())
    }

    fn value(text: &str) -> String {
        replace(text, &values()).unwrap().value
    }

    #[test]
    fn a_placeholder_is_what_the_strongest_layer_says() {
        assert_eq!(value("zookeeper://${zk.host}:${port}"), "zookeeper://variable:2181");
        assert_eq!(value("${ zk.host }/$port!"), "variable/2181!");
        assert_eq!(value("${both}"), "variable:2181");
    }

    #[test]
    fn a_default_counts_when_there_is_no_value() {
        assert_eq!(value("${host:10.0.0.1:99}"), "10.0.0.1:99");
        assert_eq!(value("${blank:full}"), "full");
        assert_eq!(value("${host:}"), "");
        assert_eq!(value("${port:1}"), "2181");
        assert_eq!(value("${host:${name:${port}}}"), "2181");
    }

    #[test]
    fn what_is_not_found_stays_and_is_told() {
        let replaced = replace("a ${host} $host $ ${} ${a b} ${x", &values()).unwrap();
        assert_eq!(replaced.value, "a ${host} $host $ ${} ${a b} ${x");
        assert_eq!(replaced.unresolved, ["host"]);
    }

    #[test]
    fn a_circle_is_an_error_that_names_it() {
        assert_eq!(
            replace("${loop}", &values()).unwrap_err(),
            "`loop` is made from itself: loop -> pool -> loop"
        );
    }

    #[test]
    fn values_do_not_explode() {
        let bomb: String = (0..15)
            .map(|n| format!("k{n}={}\n", format!("${{k{}}}", n + 1).repeat(10)))
            .collect();
        let layers = Layers::new()
            .file("b.properties", &format!("{bomb}k15=x\n"))
            .unwrap()
            .sorted();
        assert!(
            replace("${k0}", &Values::of(&layers))
                .unwrap_err()
                .contains("more than 1000")
        );
        let deep: String = (0..100).map(|n| format!("k{n}=${{k{}}}\n", n + 1)).collect();
        let layers = Layers::new().file("d.properties", &deep).unwrap().sorted();
        assert!(
            replace("${k0}", &Values::of(&layers))
                .unwrap_err()
                .contains("deeper than 16")
        );
        assert!(
            replace(
                &format!("{}{}", "${a:".repeat(1000), "}".repeat(1000)),
                &Values::of(&layers)
            )
            .is_err()
        );
        let long = format!("long={}\n", "x".repeat(1000));
        let layers = Layers::new().file("l.properties", &long).unwrap().sorted();
        assert!(
            replace(&"${long}".repeat(100), &Values::of(&layers))
                .unwrap_err()
                .contains("longer than")
        );
    }
}
