//! What a key below a section means: an attribute, a free parameter, one of a method or of an argument.

use super::attribute::Attribute;
use super::layer::Rest;
use super::spelling::{kebab, strip_prefix_any_case, variable};
use super::table::{ARGUMENT, Section, Shape, of_method};

/// What a key is about.
#[derive(Debug)]
pub(super) struct Item<'a> {
    /// The method, below an interface.
    pub(super) method: Option<&'a str>,
    pub(super) what: What<'a>,
}

#[derive(Debug)]
pub(super) enum What<'a> {
    /// An attribute of the table.
    Attribute(&'static Attribute),
    /// `parameters.NAME`: the parameter of that name.
    Parameter(&'a str),
    /// `parameters`: several, as `[{name:value},{name:value}]`.
    Parameters,
    /// `INDEX.callback` of a method.
    Argument(&'a str),
    /// Known and without effect.
    Nothing,
}

/// What `rest` means directly below a section, an identifier or an interface. `methods` are the interface's, if they are known: a variable
/// does not say where a method's name ends.
pub(super) fn item<'a>(section: &Section, rest: &Rest<'a>, methods: &[&'a str]) -> Option<Item<'a>> {
    let plain = |what| Some(Item { method: None, what });
    if let Some(attribute) = section.attribute(&rest.attribute()) {
        return plain(What::Attribute(attribute));
    }
    match *rest {
        Rest::Variable(text) => {
            if text.eq_ignore_ascii_case("parameters") {
                return plain(What::Parameters);
            }
            let of = |method: &&'a str| {
                let rest = strip_prefix_any_case(text, &variable(method))?.strip_prefix('_')?;
                let attribute = of_method(&kebab(rest))?;
                Some(Item {
                    method: Some(method),
                    what: What::Attribute(attribute),
                })
            };
            methods.iter().find_map(of)
        }
        Rest::Dotted(text) => {
            if let Some(what) = parameters(text) {
                return plain(what);
            }
            if section.shape == Shape::Interfaces {
                let (method, rest) = text.split_once('.')?;
                return below_method(rest).map(|what| Item {
                    method: Some(method),
                    what,
                });
            }
            if section.nested.iter().any(|group| text.split('.').next() == Some(group)) {
                return plain(What::Nothing);
            }
            // `qos.port`, as older releases write it.
            let attribute = section.attribute(&text.to_ascii_lowercase().replace('.', "-"))?;
            plain(What::Attribute(attribute))
        }
    }
}

/// What stands below a method's name.
pub(super) fn below_method(rest: &str) -> Option<What<'_>> {
    if let Some(attribute) = of_method(&kebab(rest)) {
        return Some(What::Attribute(attribute));
    }
    let argument = |(index, name): (&'_ str, &str)| index.parse::<u8>().is_ok() && kebab(name) == ARGUMENT.name;
    match rest.split_once('.') {
        Some(parts) if argument(parts) => Some(What::Argument(parts.0)),
        _ => parameters(rest),
    }
}

fn parameters(rest: &str) -> Option<What<'_>> {
    match strip_prefix_any_case(rest, "parameters")? {
        "" => Some(What::Parameters),
        below => below
            .strip_prefix('.')
            .filter(|name| !name.is_empty())
            .map(What::Parameter),
    }
}

/// The pairs of a text `[{name:value},{name:value}]` (`StringUtils.parseParameters`); `None` if it is something else.
pub(super) fn pairs(text: &str) -> Option<Vec<(&str, &str)>> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut pairs = Vec::new();
    let mut rest = inside;
    while !rest.is_empty() {
        let (pair, after) = rest.strip_prefix('{')?.split_once('}')?;
        let (name, value) = pair.split_once(':')?;
        if name.trim().is_empty() {
            return None;
        }
        pairs.push((name.trim(), value.trim()));
        let after = after.trim_start();
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_one_text() {
        assert_eq!(
            pairs(" [ {a:1}, { b.c : x:y },{d:},] "),
            Some(vec![("a", "1"), ("b.c", "x:y"), ("d", "")])
        );
        assert_eq!(pairs("[]"), Some(Vec::new()));
        for other in ["", "a=1", "[{a}]", "[{a:1", "[{:1}]", "[a:1]"] {
            assert_eq!(pairs(other), None, "{other}");
        }
    }
}
