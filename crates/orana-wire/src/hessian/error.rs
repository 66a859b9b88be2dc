//! Why bytes are not the value that was wanted, and why a value has no bytes.

use std::sync::Arc;

use super::kind::Kind;

/// Why a value could not be read. Where the decoder stands afterwards is not defined, until it is taken back to
/// a mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end before the value does, or a length promises more than there is.
    #[error("value is cut short")]
    Truncated,
    /// A byte that begins no value.
    #[error("byte {byte:#04x} at {at} begins no value")]
    Opcode {
        /// The byte.
        byte: u8,
        /// Where it stands.
        at: usize,
    },
    /// A value of another kind than the one that was asked for.
    #[error("expected {wanted}, found {found}")]
    Unexpected {
        /// What the reader asked for.
        wanted: &'static str,
        /// What there is.
        found: Kind,
    },
    /// A length or count below zero.
    #[error("impossible length {0}")]
    Length(i32),
    /// A string whose bytes are not what Java writes.
    #[error("string is not in Java's form of UTF-8")]
    Text,
    /// A reference to a value that has not begun.
    #[error("no value has number {0}")]
    Reference(i32),
    /// An instance of a class that has not been defined.
    #[error("no class has number {0}")]
    Class(i32),
    /// A type by a number that has not been given.
    #[error("no type has number {0}")]
    Type(i32),
    /// A number that the wanted type cannot hold.
    #[error("number does not fit {0}")]
    Range(&'static str),
    /// Containers within containers beyond the limit; also a cycle read as a type that cannot hold one.
    #[error("values are nested too deeply")]
    Depth,
    /// More values than the limit allows, those read again through references included.
    #[error("too many values")]
    Count,
    /// More bytes than the limit allows, those read again through references included.
    #[error("too many bytes")]
    Bytes,
    /// An object lacks a field that its type requires.
    #[error("field `{0}` is missing")]
    Missing(&'static str),
    /// A field whose value cannot be read as its type.
    #[error(transparent)]
    Field(Box<FieldError>),
    /// A constant that the reader's enum does not have.
    #[error("`{}` has no constant `{}`", .0.expected, .0.found)]
    Constant(Box<Unknown>),
    /// An object of a class that the reader does not expect here.
    #[error("class `{}` is none of `{}`", .0.found, .0.expected)]
    Stranger(Box<Unknown>),
    /// An object whose content contradicts its type, for instance a date in month 13.
    #[error("not a {0}")]
    Invalid(&'static str),
}

/// What is wrong with the value of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}` of `{class}`: {error}")]
pub struct FieldError {
    /// Whose field.
    pub class: &'static str,
    /// Which.
    pub field: &'static str,
    /// Why the value could not be read.
    pub error: DecodeError,
}

/// A name that the program does not declare where it was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The enum that has others.
    pub expected: &'static str,
    /// The name, cut if it is long.
    pub found: String,
}

/// So much of a name that a peer has sent is repeated in an error.
const NAME_MAX: usize = 200;

impl DecodeError {
    /// The same, and in which field it happened.
    #[cold]
    pub fn in_field(self, class: &'static str, field: &'static str) -> Self {
        let error = self;
        DecodeError::Field(Box::new(FieldError { class, field, error }))
    }

    /// What went wrong, without the fields around it.
    pub fn innermost(&self) -> &DecodeError {
        let mut inner = self;
        while let DecodeError::Field(field) = inner {
            inner = &field.error;
        }
        inner
    }
}

impl Unknown {
    pub(super) fn new(expected: &'static str, found: &str) -> Box<Self> {
        let cut = found.get(..found.floor_char_boundary(NAME_MAX)).unwrap_or(found);
        let found = cut.to_owned();
        Box::new(Unknown { expected, found })
    }
}

/// Why a value could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// More elements than a count on the wire can say.
    #[error("{0} elements have no wire form")]
    Length(usize),
    /// A number that no Java integer holds.
    #[error("number {0} does not fit a Java long")]
    Range(u64),
    /// A reference to an enclosing container that exists no more.
    #[error("the container that a value refers back to is gone")]
    Gone,
    /// An object that has not as many values as its class has fields.
    #[error("an object of `{0}` has not one value for each field")]
    Fields(Arc<str>),
    /// The constant that stands for those that the program does not know.
    #[error("constant `{0}` stands for unknown ones and has no name")]
    Constant(&'static str),
    /// A container that was begun with [`Node::unfilled`](super::Node::unfilled) and never filled.
    #[error("a container was never filled")]
    Unfilled,
}
