//! What leads to a value has that value's form; nothing at all has null's.

use std::sync::Arc;

use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::super::fields::{Classed, FromFields, ToFields};
use super::super::layout::Field;
use super::{FromHessian, ToHessian};

impl<T: ToHessian + ?Sized> ToHessian for &T {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        (**self).to_hessian(out)
    }
}

/// Pointers that own what they lead to, alone or with others.
macro_rules! owners {
    ($($owner:ident)*) => {
        $(impl<T: ToHessian> ToHessian for $owner<T> {
            fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                (**self).to_hessian(out)
            }
        }

        impl<T: FromHessian> FromHessian for $owner<T> {
            fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                T::from_hessian(input).map($owner::new)
            }

            fn absent() -> Option<Self> {
                T::absent().map($owner::new)
            }
        }

        impl<T: Classed> Classed for $owner<T> {
            const CLASS: &'static str = T::CLASS;
        }

        impl<T: ToFields> ToFields for $owner<T> {
            const FIELDS: &'static [Field] = T::FIELDS;

            fn to_fields(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                (**self).to_fields(out)
            }
        }

        impl<T: FromFields> FromFields for $owner<T> {
            type Read = T::Read;

            fn read_field(read: &mut T::Read, name: &str, input: &mut Decoder<'_>) -> Result<bool, DecodeError> {
                T::read_field(read, name, input)
            }

            fn complete(read: T::Read) -> Result<Self, DecodeError> {
                T::complete(read).map($owner::new)
            }
        })*
    };
}

owners!(Box Arc);

impl<T: ToHessian> ToHessian for Option<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        match self {
            Some(value) => value.to_hessian(out),
            None => {
                out.null();
                Ok(())
            }
        }
    }
}

impl<T: FromHessian> FromHessian for Option<T> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        if input.null()? {
            return Ok(None);
        }
        T::from_hessian(input).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
