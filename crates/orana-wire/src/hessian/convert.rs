//! What Rust's own types say about their form on the wire.
//!
//! | Rust | Java |
//! |---|---|
//! | `bool`, `i8` `i16` `i32` `u8` `u16`, `i64` `u32`, `f32` `f64` | boolean, int, long, double |
//! | `char`, strings | String |
//! | `Vec<u8>` | byte[] |
//! | any other `Vec`, slice, set | a list without a type, which Java reads into any collection or array |
//! | maps | a HashMap |
//! | `Option` | null or the value |
//! | `Box`, `Arc` | what they lead to |
//!
//! Structs and enums derive theirs: `#[derive(Hessian)]` of the crate `orana-macros`.

mod collection;
mod pointer;
mod scalar;

use super::decode::Decoder;
use super::encode::Encoder;
use super::error::{DecodeError, EncodeError};
use super::value::Value;

/// A type with a form in Hessian.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no form in Hessian",
    note = "a type of one's own derives `Hessian` and says its class: `#[hessian(class = \"org.example.Order\")]`",
    note = "a struct without a class is a parent: its place is in a field with `#[hessian(flatten)]`"
)]
pub trait ToHessian {
    /// Appends exactly one value.
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError>;

    /// Appends many as one value: a list, unless the type has a form of its own, as bytes have.
    fn slice_to_hessian(items: &[Self], out: &mut Encoder<'_>) -> Result<(), EncodeError>
    where
        Self: Sized,
    {
        out.begin_list(None, items.len())?;
        items.iter().try_for_each(|item| item.to_hessian(out))
    }
}

/// A type that can be read from Hessian.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from Hessian",
    note = "a type of one's own derives `Hessian` and says its class: `#[hessian(class = \"org.example.Order\")]`",
    note = "a struct without a class is a parent: its place is in a field with `#[hessian(flatten)]`"
)]
pub trait FromHessian: Sized {
    /// Reads exactly one value.
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError>;

    /// Reads many out of one value.
    fn vec_from_hessian(input: &mut Decoder<'_>) -> Result<Vec<Self>, DecodeError> {
        input.list(Self::from_hessian)
    }

    /// What a field is that the sender's class does not have; none if it must have it.
    fn absent() -> Option<Self> {
        None
    }
}

/// A list with its Java type: `[int`, `[string`, `java.util.HashSet`. Java needs it where a method takes `Object`.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a, T> {
    /// The Java type.
    pub kind: &'a str,
    /// In order.
    pub items: &'a [T],
}

impl<T: ToHessian> ToHessian for Typed<'_, T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_list(Some(self.kind), self.items.len())?;
        self.items.iter().try_for_each(|item| item.to_hessian(out))
    }
}

// ---------------------------------------------------------------------------------------------------------------------

impl ToHessian for Value {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.value(self)
    }
}

impl FromHessian for Value {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        input.value()
    }
}
