//! What a struct says about the fields that it has in Java. `#[derive(Hessian)]` writes it; by hand it is only needed
//! for what has several forms.
//!
//! A class of Java holds the fields of its parents, and on the wire it cannot be seen which are whose. A struct holds
//! its parent as a field instead; so the fields of a struct are asked for apart from the object around them.

use super::decode::Decoder;
use super::encode::Encoder;
use super::error::{DecodeError, EncodeError};
use super::layout::Field;

/// A type that is a class of its own in Java.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no class in Java",
    note = "derive `Hessian` and say which: `#[hessian(class = \"org.example.Order\")]`"
)]
pub trait Classed {
    /// For instance `org.example.Order$Item`.
    const CLASS: &'static str;
}

/// A struct that can be written as the fields of an object.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields in Java",
    note = "only a struct that derives `Hessian` can be flattened into another"
)]
pub trait ToFields {
    /// In the order in which they are written.
    const FIELDS: &'static [Field];

    /// Appends the value of each field.
    fn to_fields(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError>;
}

/// A struct that can be read from the fields of an object.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from the fields of an object",
    note = "only a struct that derives `Hessian` can be flattened into another"
)]
pub trait FromFields: Sized {
    /// The fields that have been read so far.
    type Read: Default;

    /// Reads the value of a field if the struct or a parent of it has one of this name; says whether it has.
    fn read_field(read: &mut Self::Read, name: &str, input: &mut Decoder<'_>) -> Result<bool, DecodeError>;

    /// The struct, once all fields that came have been read.
    fn complete(read: Self::Read) -> Result<Self, DecodeError>;
}
