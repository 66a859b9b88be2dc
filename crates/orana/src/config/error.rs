//! Why a configuration is refused: each message names the place, the key and the reason, and never a secret.

use super::origin::Origin;

/// A configuration that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A text that is not of the form that its name promises.
    #[error("`{name}` line {line}: {why}")]
    Syntax {
        /// The file or text.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A file whose name does not say what form it has.
    #[error("`{name}` ends in none of `.properties`, `.yaml`, `.yml`, `.toml`")]
    Form {
        /// The file.
        name: String,
    },
    /// A file that cannot be read.
    #[error("`{name}` cannot be read: {why}")]
    Read {
        /// The file.
        name: String,
        /// What the operating system says.
        why: String,
    },
    /// A text that is larger than any configuration.
    #[error("`{name}` has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// The file or text.
        name: String,
        /// How large it is, or how much of it was read.
        bytes: usize,
        /// How large it may be.
        limit: usize,
    },
    /// A value that its key does not take.
    #[error("`{key}` ({origin}) is `{given}`, which is not {wanted}")]
    Value {
        /// The key in Dubbo's spelling.
        key: String,
        /// Where the value was given.
        origin: Origin,
        /// The value, if it may be shown.
        given: String,
        /// What would have been taken.
        wanted: &'static str,
    },
    /// A placeholder that cannot be replaced.
    #[error("`{key}` ({origin}): {why}")]
    Placeholder {
        /// The key in whose value it stands.
        key: String,
        /// Where the value was given.
        origin: Origin,
        /// Why not.
        why: String,
    },
    /// An address that is no URL.
    #[error("the address `{given}` ({origin}) is no url: {why}")]
    Address {
        /// The address without credentials.
        given: String,
        /// Where it was given.
        origin: Origin,
        /// Why not.
        why: String,
    },
    /// More things with identifiers than anybody has.
    #[error("there are {count} different identifiers below `dubbo.{of}`, more than {limit}")]
    Identifiers {
        /// The kind of thing.
        of: &'static str,
        /// How many.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}
