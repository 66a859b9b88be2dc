//! Where settings come from: a file's text, variables, flags. Turns each into (key, text, origin) and refuses keys that
//! nobody knows. Reads no file and no environment.

use std::fmt;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::key::{KEYS, Key};

/// All that a configuration is made from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The configuration file, if there is one.
    pub file: Option<FileText>,
    /// Variables of the process; those that do not begin with `ORANA_` are passed over.
    pub variables: Vec<(String, String)>,
    /// Flags without their dashes, and their values.
    pub flags: Vec<(String, String)>,
}

/// A configuration file and what it says.
#[derive(Clone, Debug)]
pub struct FileText {
    /// The path as the operator knows it.
    pub path: PathBuf,
    /// What the file says.
    pub text: String,
}

/// The place that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody gave a value.
    Default,
    /// A line of the file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A variable.
    Variable(String),
    /// A flag.
    Flag(String),
}

/// One value that somebody gave.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) key: &'static Key,
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// Variables that begin with `ORANA_` and are no setting: the command line's own.
const NOT_SETTINGS: &[&str] = &["ORANA_CONFIG"];

impl Sources {
    /// Every value given, weakest layer first.
    pub(super) fn given(&self) -> Result<Vec<Setting>, ConfigError> {
        let mut settings = Vec::new();
        if let Some(file) = &self.file {
            read_file(file, &mut settings)?;
        }
        for (name, text) in &self.variables {
            if !name.starts_with("ORANA_") || NOT_SETTINGS.contains(&name.as_str()) {
                continue;
            }
            let origin = Origin::Variable(name.clone());
            let key = known(name, &origin, Key::variable)?;
            settings.push(Setting {
                key,
                text: text.clone(),
                origin,
            });
        }
        for (name, text) in &self.flags {
            let origin = Origin::Flag(name.clone());
            let key = known(&format!("--{name}"), &origin, |key| format!("--{}", key.name))?;
            settings.push(Setting {
                key,
                text: text.clone(),
                origin,
            });
        }
        Ok(settings)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(name) => write!(f, "--{name}"),
        }
    }
}

fn read_file(file: &FileText, settings: &mut Vec<Setting>) -> Result<(), ConfigError> {
    let line_of = |offset: usize| file.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
    let table = DeTable::parse(&file.text).map_err(|error| ConfigError::Syntax {
        file: file.path.display().to_string(),
        line: line_of(error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut read = Vec::with_capacity(table.get_ref().len());
    for (name, value) in table.get_ref() {
        let line = line_of(name.span().start);
        let origin = Origin::File {
            path: file.path.clone(),
            line,
        };
        let key = known(name.get_ref(), &origin, |key| key.name.to_owned())?;
        let text = text_of(value.get_ref()).ok_or_else(|| ConfigError::Value {
            key: key.name,
            origin: origin.clone(),
            given: file.text.get(value.span()).unwrap_or_default().to_owned(),
            expected: "text, a number, `true` or `false`, or an array of words".to_owned(),
        })?;
        read.push((line, Setting { key, text, origin }));
    }
    // The order of the file, so that the first mistake reported is the first that is read.
    read.sort_by_key(|(line, _)| *line);
    settings.extend(read.into_iter().map(|(_, setting)| setting));
    Ok(())
}

/// A TOML value as an operator would write it for a flag.
fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        // Of a hexadecimal number only the digits are left here, which would read as another number.
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Array(items) => {
            let words: Option<Vec<_>> = items.iter().map(|item| item.get_ref().as_str()).collect();
            words.map(|words| words.join(","))
        }
        _ => None,
    }
}

/// The key called `name` in the spelling `spell` gives to keys.
fn known(name: &str, origin: &Origin, spell: impl Fn(&Key) -> String) -> Result<&'static Key, ConfigError> {
    if let Some(key) = KEYS.iter().find(|key| spell(key) == name) {
        return Ok(key);
    }
    // Case and the kind of dash are the commonest slips, so they cost nothing in the comparison.
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let nearest = KEYS
        .iter()
        .map(spell)
        .min_by_key(|candidate| strsim::damerau_levenshtein(&plain(candidate), &plain(name)))
        .unwrap_or_default();
    Err(ConfigError::UnknownKey {
        given: name.to_owned(),
        origin: origin.clone(),
        nearest,
    })
}
