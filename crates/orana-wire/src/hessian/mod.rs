//! Hessian 2, the serialization of values that Dubbo uses: only its value grammar, no calls, replies or envelopes.
//!
//! A [`Decoder`] reads one stream of values and an [`Encoder`] writes one; both keep the stream's tables of containers,
//! classes and types. [`FromHessian`] and [`ToHessian`] are what a Rust type says about its form, [`Value`] holds any
//! value, and [`java`] has the types of Java that are neither numbers, strings nor collections. Names of classes are
//! data here: nothing is ever made because a stream names it.

mod ascii;
mod classes;
mod containers;
mod convert;
mod decode;
mod definitions;
pub mod derive;
mod encode;
mod error;
mod fields;
pub mod java;
mod kind;
mod layout;
mod limits;
mod node;
mod numbers;
mod text;
mod value;

use bytes::BytesMut;

pub use convert::{FromHessian, ToHessian, Typed};
pub use decode::{Bookmark, Decoder};
pub use encode::Encoder;
pub use error::{DecodeError, EncodeError, FieldError, Unknown};
pub use fields::{Classed, FromFields, ToFields};
pub use kind::Kind;
pub use layout::{Field, Layout};
pub use limits::Limits;
pub use node::{Back, Content, Node};
pub use value::{Class, List, Map, Object, Value};

/// The bytes of a single value.
pub fn to_bytes<T: ToHessian + ?Sized>(value: &T) -> Result<BytesMut, EncodeError> {
    let mut out = BytesMut::new();
    value.to_hessian(&mut Encoder::new(&mut out))?;
    Ok(out)
}

/// The value at the front of `bytes`; what follows is ignored.
pub fn from_bytes<T: FromHessian>(bytes: &[u8]) -> Result<T, DecodeError> {
    T::from_hessian(&mut Decoder::new(bytes))
}

/// What a peer that knows no types would see of a typed value.
pub fn to_value<T: ToHessian + ?Sized>(value: &T) -> Result<Value, ConvertError> {
    Ok(from_bytes(&to_bytes(value)?)?)
}

/// A typed value out of one of any kind.
pub fn from_value<T: FromHessian>(value: &Value) -> Result<T, ConvertError> {
    Ok(from_bytes(&to_bytes(value)?)?)
}

/// Why a typed value and one of any kind could not be turned into each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The source has no wire form.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The source has not the form that the target wants.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

#[cfg(test)]
mod tests;
