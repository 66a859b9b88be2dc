//! The place that a value came from, in words that lead a person there.

use std::fmt;
use std::sync::Arc;

/// The place that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A property that the program set, which is what `-D` is to Java.
    Property(Arc<str>),
    /// A variable of the environment.
    Variable(Arc<str>),
    /// A text of the configuration centre.
    External {
        /// Whose text.
        scope: External,
        /// What the text is called.
        name: Arc<str>,
        /// The line, from 1.
        line: usize,
        /// The key as it stands there.
        key: Arc<str>,
    },
    /// The program's code.
    Code,
    /// A file.
    File {
        /// The file as the program knows it.
        name: Arc<str>,
        /// The line, from 1.
        line: usize,
        /// The key as it stands there.
        key: Arc<str>,
    },
    /// A governance rule that overrides what everybody else says.
    Override(Arc<str>),
    /// The provider's URL; its address.
    Provider(Arc<str>),
    /// Nobody said anything: Dubbo's own default.
    Default,
}

/// Whose text in the configuration centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// That of this application alone.
    Application,
    /// That of all applications.
    Global,
}

impl Origin {
    /// The key as it was written, where that is not clear from what a value is for.
    pub fn key(&self) -> Option<&str> {
        match self {
            Origin::Property(key) | Origin::Variable(key) => Some(key),
            Origin::External { key, .. } | Origin::File { key, .. } => Some(key),
            Origin::Code | Origin::Override(_) | Origin::Provider(_) | Origin::Default => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Property(name) => write!(f, "property {name}"),
            Origin::Variable(name) => write!(f, "variable {name}"),
            Origin::External { scope, name, line, key } => {
                let whose = match scope {
                    External::Application => "of the application",
                    External::Global => "of all applications",
                };
                write!(f, "configuration centre, {name} {whose}, line {line}: {key}")
            }
            Origin::Code => f.write_str("code"),
            Origin::File { name, line, key } => write!(f, "{name}:{line}: {key}"),
            Origin::Override(rule) => write!(f, "override {rule}"),
            Origin::Provider(address) => write!(f, "provider {address}"),
            Origin::Default => f.write_str("default"),
        }
    }
}
