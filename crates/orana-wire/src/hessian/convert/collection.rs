//! Lists, sets and maps. Sets are written as lists: Java's readers fill a set from any list.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use super::super::decode::Decoder;
use super::super::encode::Encoder;
use super::super::error::{DecodeError, EncodeError};
use super::{FromHessian, ToHessian};

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

/// Sets, each with what it asks of its items.
macro_rules! sets {
    ($($set:ident<T $(, $hasher:ident)?> where $($bound:ident)+;)*) => {
        $(impl<T: ToHessian $(, $hasher)?> ToHessian for $set<T $(, $hasher)?> {
            fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                out.begin_list(None, self.len())?;
                self.iter().try_for_each(|item| item.to_hessian(out))
            }
        }

        impl<T: FromHessian $(+ $bound)+ $(, $hasher: BuildHasher + Default)?> FromHessian for $set<T $(, $hasher)?> {
            fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                Ok(input.list(T::from_hessian)?.into_iter().collect())
            }
        })*
    };
}

sets! {
    HashSet<T, S> where Eq Hash;
    BTreeSet<T> where Ord;
}

/// Maps, each with what it asks of its keys.
macro_rules! maps {
    ($($map:ident<K, V $(, $hasher:ident)?> where $($bound:ident)+;)*) => {
        $(impl<K: ToHessian, V: ToHessian $(, $hasher)?> ToHessian for $map<K, V $(, $hasher)?> {
            fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
                out.begin_map(None);
                for (key, value) in self {
                    key.to_hessian(out)?;
                    value.to_hessian(out)?;
                }
                out.end_map();
                Ok(())
            }
        }

        impl<K: FromHessian $(+ $bound)+, V: FromHessian $(, $hasher: BuildHasher + Default)?> FromHessian
            for $map<K, V $(, $hasher)?>
        {
            fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
                let mut entries = Self::default();
                input.map(|input| {
                    let (key, value) = (K::from_hessian(input)?, V::from_hessian(input)?);
                    entries.insert(key, value);
                    Ok(())
                })?;
                Ok(entries)
            }
        })*
    };
}

maps! {
    HashMap<K, V, S> where Eq Hash;
    BTreeMap<K, V> where Ord;
}
