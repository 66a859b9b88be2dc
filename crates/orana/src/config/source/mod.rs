//! Texts of every form that Dubbo's configuration has, as lists of keys and values with their lines. Knows no key.
//!
//! A text, a key, a value and their number are limited here, so that nothing behind needs to be on its guard.

mod properties;
mod toml;
mod tree;
mod yaml;

use super::error::ConfigError;

/// How long a text may be, in bytes.
pub(super) const MAX_TEXT: usize = 4 << 20;

/// How many entries it may have.
const MAX_ENTRIES: usize = 10_000;

/// How long a key may be.
const MAX_KEY: usize = 1024;

/// How long a value may be.
pub(super) const MAX_VALUE: usize = 64 << 10;

/// One entry of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) key: String,
    pub(super) value: String,
    /// From 1.
    pub(super) line: usize,
}

/// What forms a text can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Properties,
    Yaml,
    Toml,
}

/// Why a text is refused, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) line: usize,
    pub(super) why: String,
}

impl Form {
    /// The form that a file's name promises.
    pub(super) fn of_name(name: &str) -> Option<Form> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "properties" => Some(Form::Properties),
            "yaml" | "yml" => Some(Form::Yaml),
            "toml" => Some(Form::Toml),
            _ => None,
        }
    }
}

/// The entries of `text`, which is called `name`.
pub(super) fn read(name: &str, text: &str, form: Form) -> Result<Vec<Line>, ConfigError> {
    if text.len() > MAX_TEXT {
        return Err(ConfigError::TooLarge {
            name: name.to_owned(),
            bytes: text.len(),
            limit: MAX_TEXT,
        });
    }
    let lines = match form {
        Form::Properties => properties::read(text),
        Form::Yaml => yaml::read(text),
        Form::Toml => toml::read(text),
    };
    lines.map_err(|Refused { line, why }| ConfigError::Syntax {
        name: name.to_owned(),
        line,
        why,
    })
}

/// Puts an entry behind the others, if it is within the limits.
fn add(lines: &mut Vec<Line>, key: String, value: String, line: usize) -> Result<(), Refused> {
    let refuse = |why: String| Err(Refused { line, why });
    if key.len() > MAX_KEY {
        return refuse(format!("the key has {} bytes, more than {MAX_KEY}", key.len()));
    }
    if value.len() > MAX_VALUE {
        return refuse(format!(
            "the value of `{key}` has {} bytes, more than {MAX_VALUE}",
            value.len()
        ));
    }
    if lines.len() == MAX_ENTRIES {
        return refuse(format!("there are more than {MAX_ENTRIES} entries"));
    }
    lines.push(Line { key, value, line });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, text: &str, form: Form) -> String {
        read(name, text, form).unwrap_err().to_string()
    }

    #[test]
    fn the_name_says_the_form() {
        assert_eq!(Form::of_name("conf/dubbo.properties"), Some(Form::Properties));
        assert_eq!(Form::of_name("a.YML"), Some(Form::Yaml));
        assert_eq!(Form::of_name("orana.toml"), Some(Form::Toml));
        assert_eq!(Form::of_name("dubbo.json"), None);
        assert_eq!(Form::of_name("dubbo"), None);
    }

    #[test]
    fn what_is_too_long_is_refused_with_its_name_line_and_reason() {
        let megabyte = "x".repeat(1 << 20);
        assert_eq!(
            refused("d.properties", &format!("a=1\nb={megabyte}"), Form::Properties),
            "`d.properties` line 2: the value of `b` has 1048576 bytes, more than 65536"
        );
        assert_eq!(
            refused("d.properties", &format!("\n{megabyte}"), Form::Properties),
            "`d.properties` line 2: the key has 1048576 bytes, more than 1024"
        );
        assert_eq!(
            refused("o.toml", &format!("a = 1\nb = \"{megabyte}\""), Form::Toml),
            "`o.toml` line 2: the value of `b` has 1048576 bytes, more than 65536"
        );
        assert_eq!(
            refused("d.properties", &"a=1\n".repeat(10_001), Form::Properties),
            "`d.properties` line 10001: there are more than 10000 entries"
        );
        assert_eq!(
            refused("d.yaml", &" ".repeat(MAX_TEXT + 1), Form::Yaml),
            "`d.yaml` has 4194305 bytes, more than 4194304"
        );
    }
}
