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

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::decode::Decoder;
use super::encode::Encoder;
use super::error::{DecodeError, EncodeError};
use super::value::Value;

/// A type with a form in Hessian.
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
pub trait FromHessian: Sized {
    /// Reads exactly one value.
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError>;

    /// Reads many out of one value.
    fn vec_from_hessian(input: &mut Decoder<'_>) -> Result<Vec<Self>, DecodeError> {
        input.list(Self::from_hessian)
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
                Ok(input.text()?.into())
            }
        })*
    };
}

strings!(String Box<str> Arc<str>);

// ---------------------------------------------------------------------------------------------------------------------

impl<T: ToHessian + ?Sized> ToHessian for &T {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        (**self).to_hessian(out)
    }
}

impl<T: ToHessian> ToHessian for Box<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        (**self).to_hessian(out)
    }
}

impl<T: FromHessian> FromHessian for Box<T> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        T::from_hessian(input).map(Box::new)
    }
}

impl<T: ToHessian> ToHessian for Arc<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        (**self).to_hessian(out)
    }
}

impl<T: FromHessian> FromHessian for Arc<T> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        T::from_hessian(input).map(Arc::new)
    }
}

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
}

impl<T: ToHessian> ToHessian for [T] {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        T::slice_to_hessian(self, out)
    }
}

impl<T: ToHessian> ToHessian for Vec<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        T::slice_to_hessian(self, out)
    }
}

impl<T: FromHessian> FromHessian for Vec<T> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        T::vec_from_hessian(input)
    }
}

/// Sets are written as lists; Java's readers fill a set from any list.
fn set<'t, T: ToHessian + 't>(
    items: impl ExactSizeIterator<Item = &'t T>,
    out: &mut Encoder<'_>,
) -> Result<(), EncodeError> {
    out.begin_list(None, items.len())?;
    items.into_iter().try_for_each(|item| item.to_hessian(out))
}

fn map<'t, K: ToHessian + 't, V: ToHessian + 't>(
    entries: impl Iterator<Item = (&'t K, &'t V)>,
    out: &mut Encoder<'_>,
) -> Result<(), EncodeError> {
    out.begin_map(None);
    for (key, value) in entries {
        key.to_hessian(out)?;
        value.to_hessian(out)?;
    }
    out.end_map();
    Ok(())
}

impl<T: ToHessian, S> ToHessian for HashSet<T, S> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        set(self.iter(), out)
    }
}

impl<T: FromHessian + Eq + Hash, S: BuildHasher + Default> FromHessian for HashSet<T, S> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(input.list(T::from_hessian)?.into_iter().collect())
    }
}

impl<T: ToHessian> ToHessian for BTreeSet<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        set(self.iter(), out)
    }
}

impl<T: FromHessian + Ord> FromHessian for BTreeSet<T> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(input.list(T::from_hessian)?.into_iter().collect())
    }
}

impl<K: ToHessian, V: ToHessian, S> ToHessian for HashMap<K, V, S> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        map(self.iter(), out)
    }
}

impl<K: FromHessian + Eq + Hash, V: FromHessian, S: BuildHasher + Default> FromHessian for HashMap<K, V, S> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut entries = HashMap::default();
        input.map(|input| {
            let (key, value) = (K::from_hessian(input)?, V::from_hessian(input)?);
            entries.insert(key, value);
            Ok(())
        })?;
        Ok(entries)
    }
}

impl<K: ToHessian, V: ToHessian> ToHessian for BTreeMap<K, V> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        map(self.iter(), out)
    }
}

impl<K: FromHessian + Ord, V: FromHessian> FromHessian for BTreeMap<K, V> {
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut entries = BTreeMap::new();
        input.map(|input| {
            let (key, value) = (K::from_hessian(input)?, V::from_hessian(input)?);
            entries.insert(key, value);
            Ok(())
        })?;
        Ok(entries)
    }
}
