//! What the code calls that `#[derive(Hessian)]` writes, so that it writes little. Nobody else needs this.

use super::convert::FromHessian;
use super::decode::Decoder;
use super::error::{DecodeError, Unknown};
use super::fields::FromFields;
use super::kind::Kind;

/// Reads an object, or a map that stands for one.
pub fn object<T: FromFields>(input: &mut Decoder<'_>) -> Result<T, DecodeError> {
    let mut read = T::Read::default();
    input.fields(|input, name| T::read_field(&mut read, name, input))?;
    T::complete(read)
}

/// Reads the value of a field.
#[inline]
pub fn field<T: FromHessian>(
    input: &mut Decoder<'_>,
    class: &'static str,
    field: &'static str,
) -> Result<Option<T>, DecodeError> {
    match T::from_hessian(input) {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(error.in_field(class, field)),
    }
}

/// Reads the value of a field that may be null although its type has no null.
pub fn nullable<T: FromHessian>(
    input: &mut Decoder<'_>,
    class: &'static str,
    field: &'static str,
) -> Result<Option<T>, DecodeError> {
    Option::from_hessian(input).map_err(|error: DecodeError| error.in_field(class, field))
}

/// The value of a field that may not have come.
#[inline]
pub fn required<T: FromHessian>(value: Option<T>, field: &'static str) -> Result<T, DecodeError> {
    match value.or_else(T::absent) {
        Some(value) => Ok(value),
        None => Err(DecodeError::Missing(field)),
    }
}

/// Reads a constant of an enum: an object with its name, or, as in calls without types, the name alone.
pub fn constant<T>(
    input: &mut Decoder<'_>,
    class: &'static str,
    known: impl Fn(&str) -> Option<T>,
) -> Result<T, DecodeError> {
    let mut constant = None;
    let mut look_up = |name: &str| {
        constant = Some(known(name).ok_or_else(|| DecodeError::Constant(Unknown::new(class, name))));
    };
    if input.peek()? == Kind::Text {
        look_up(&input.text()?);
    } else {
        input.fields(|input, field| {
            let named = field == "name";
            if named {
                look_up(&input.text()?);
            }
            Ok(named)
        })?;
    }
    constant.unwrap_or(Err(DecodeError::Missing("name")))
}

/// Why the next value is none of the classes of an enum.
pub fn stranger<T>(input: &mut Decoder<'_>, family: &'static str) -> Result<T, DecodeError> {
    match input.peek_type()? {
        Some(class) => Err(DecodeError::Stranger(Unknown::new(family, &class))),
        None => Err(DecodeError::Unexpected {
            wanted: "an object that says its class",
            found: input.peek()?,
        }),
    }
}
