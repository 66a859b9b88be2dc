//! Values that stand for themselves: booleans, numbers and texts.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::{FromHessian, ToHessian};

impl ToHessian for () {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.null();
        Ok(())
    }
}

impl FromHessian for () {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        input.skip()
    }

    fn absent() -> Option<Self> {
        Some(())
    }
}

impl ToHessian for bool {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.bool(*self);
        Ok(())
    }
}

impl FromHessian for bool {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        input.bool()
    }
}

/// Integers: written as the smallest Java type that holds them all, read from whatever holds a whole number.
macro_rules! integers {
    ($($number:ty => $write:ident;)*) => {
        $(impl ToHessian for $number {
            #[inline]
            fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                out.$write((*self).into());
                Ok(())
            }
        }

        impl FromHessian for $number {
            #[inline]
            fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                <$number>::try_from(input.integer()?).map_err(|_| DecodeError::Range(stringify!($number)))
            }
        })*
    };
}

integers! {
    i8 => int;
    i16 => int;
    u16 => int;
    i32 => int;
    u32 => long;
    i64 => long;
}

impl ToHessian for u8 {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.int(i32::from(*self));
        Ok(())
    }

    fn slice_to_hessian(items: &[u8], out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.binary(items);
        Ok(())
    }
}

impl FromHessian for u8 {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        u8::try_from(input.integer()?).map_err(|_| DecodeError::Range("u8"))
    }

    fn vec_from_hessian(input: &mut Decoder<'_>) -> Result<Vec<u8>, DecodeError> {
        Ok(input.binary()?.into_owned())
    }
}

impl ToHessian for u64 {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.long(i64::try_from(*self).map_err(|_| EncodeError::Range(*self))?);
        Ok(())
    }
}

impl FromHessian for u64 {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        u64::try_from(input.integer()?).map_err(|_| DecodeError::Range("u64"))
    }
}

impl ToHessian for f64 {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.double(*self);
        Ok(())
    }
}

impl FromHessian for f64 {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        input.double()
    }
}

/// The double with the same shortest decimal, as Java writes a `Float`: 1.1 stays 1.1.
impl ToHessian for f32 {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.double(self.to_string().parse().unwrap_or(f64::from(*self)));
        Ok(())
    }
}

impl FromHessian for f32 {
    #[allow(clippy::cast_possible_truncation, reason = "the nearest is what is wanted")]
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(input.double()? as f32)
    }
}

impl ToHessian for char {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.text(self.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

impl FromHessian for char {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let text = input.text()?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(DecodeError::Range("char")),
        }
    }
}

impl ToHessian for str {
    #[inline]
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.text(self);
        Ok(())
    }
}

/// Strings that own their text.
macro_rules! strings {
    ($($text:ty)*) => {
        $(impl ToHessian for $text {
            #[inline]
            fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                out.text(self);
                Ok(())
            }
        }

        impl FromHessian for $text {
            #[inline]
            fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                match input.plain_text() {
                    Some(plain) => Ok(plain.into()),
                    None => Ok(input.text()?.into()),
                }
            }
        })*
    };
}

strings!(String Box<str> Arc<str>);

impl ToHessian for Cow<'_, str> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.text(self);
        Ok(())
    }
}
