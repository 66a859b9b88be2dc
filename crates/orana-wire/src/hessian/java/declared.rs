//! How a Java interface declares a parameter or a result that a Rust type stands for.
//!
//! Values tell their type themselves; methods are found by what the interface declares. A Rust type that stands for several Java
//! types has the most usual one here, and whoever needs another says so where the method is declared.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{
    BigDecimal, BigInteger, Date, Duration, Instant, JavaClass, LocalDate, LocalDateTime, LocalTime, MonthDay,
    OffsetDateTime, OffsetTime, Period, Throwable, Timestamp, Uuid, Year, YearMonth, ZoneId, ZoneOffset, ZonedDateTime,
};
use crate::hessian::Value;

/// A Rust type with a name in Java.
pub trait JavaType {
    /// The declared type in Java's notation: `int`, `java.lang.String`, `org.example.Order`, `long[]`.
    fn java_type() -> Cow<'static, str>;

    /// The declared type where null is possible; differs for primitive types only.
    fn nullable_java_type() -> Cow<'static, str> {
        Self::java_type()
    }

    /// The declared type of a sequence of these.
    fn sequence_java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.util.List")
    }
}

macro_rules! primitive {
    ($($rust:ty => $java:literal, $boxed:literal;)*) => {
        $(impl JavaType for $rust {
            fn java_type() -> Cow<'static, str> {
                Cow::Borrowed($java)
            }

            fn nullable_java_type() -> Cow<'static, str> {
                Cow::Borrowed($boxed)
            }
        })*
    };
}

macro_rules! class {
    ($($rust:ty => $java:literal;)*) => {
        $(impl JavaType for $rust {
            fn java_type() -> Cow<'static, str> {
                Cow::Borrowed($java)
            }
        })*
    };
}

macro_rules! same {
    ($($rust:ty;)*) => {
        $(impl<T: JavaType> JavaType for $rust {
            fn java_type() -> Cow<'static, str> {
                T::java_type()
            }

            fn nullable_java_type() -> Cow<'static, str> {
                T::nullable_java_type()
            }
        })*
    };
}

primitive! {
    bool => "boolean", "java.lang.Boolean";
    i8 => "byte", "java.lang.Byte";
    i16 => "short", "java.lang.Short";
    u16 => "int", "java.lang.Integer";
    i32 => "int", "java.lang.Integer";
    u32 => "long", "java.lang.Long";
    i64 => "long", "java.lang.Long";
    f32 => "float", "java.lang.Float";
    f64 => "double", "java.lang.Double";
    char => "char", "java.lang.Character";
    () => "void", "java.lang.Void";
}

class! {
    str => "java.lang.String";
    String => "java.lang.String";
    Value => "java.lang.Object";
    BigDecimal => "java.math.BigDecimal";
    BigInteger => "java.math.BigInteger";
    Date => "java.util.Date";
    Timestamp => "java.sql.Timestamp";
    Uuid => "java.util.UUID";
    JavaClass => "java.lang.Class";
    Throwable => "java.lang.Throwable";
    Instant => "java.time.Instant";
    Duration => "java.time.Duration";
    LocalDate => "java.time.LocalDate";
    LocalTime => "java.time.LocalTime";
    LocalDateTime => "java.time.LocalDateTime";
    MonthDay => "java.time.MonthDay";
    OffsetDateTime => "java.time.OffsetDateTime";
    OffsetTime => "java.time.OffsetTime";
    Period => "java.time.Period";
    Year => "java.time.Year";
    YearMonth => "java.time.YearMonth";
    ZoneId => "java.time.ZoneId";
    ZoneOffset => "java.time.ZoneOffset";
    ZonedDateTime => "java.time.ZonedDateTime";
}

same! {
    Box<T>;
    Arc<T>;
    &T;
}

impl JavaType for u8 {
    fn java_type() -> Cow<'static, str> {
        Cow::Borrowed("byte")
    }

    fn nullable_java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.lang.Byte")
    }

    fn sequence_java_type() -> Cow<'static, str> {
        Cow::Borrowed("byte[]")
    }
}

impl<T: JavaType> JavaType for Option<T> {
    fn java_type() -> Cow<'static, str> {
        T::nullable_java_type()
    }
}

impl<T: JavaType> JavaType for Vec<T> {
    fn java_type() -> Cow<'static, str> {
        T::sequence_java_type()
    }
}

impl<T: JavaType> JavaType for [T] {
    fn java_type() -> Cow<'static, str> {
        T::sequence_java_type()
    }
}

impl<T, S> JavaType for HashSet<T, S> {
    fn java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.util.Set")
    }
}

impl<T> JavaType for BTreeSet<T> {
    fn java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.util.Set")
    }
}

impl<K, V, S> JavaType for HashMap<K, V, S> {
    fn java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.util.Map")
    }
}

impl<K, V> JavaType for BTreeMap<K, V> {
    fn java_type() -> Cow<'static, str> {
        Cow::Borrowed("java.util.Map")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_primitive_and_one_that_may_be_missing_is_boxed() {
        assert_eq!(i32::java_type(), "int");
        assert_eq!(Option::<i32>::java_type(), "java.lang.Integer");
        assert_eq!(Option::<Box<char>>::java_type(), "java.lang.Character");
        assert_eq!(<()>::java_type(), "void");
    }

    #[test]
    fn bytes_are_an_array_and_every_other_sequence_a_list() {
        assert_eq!(Vec::<u8>::java_type(), "byte[]");
        assert_eq!(Vec::<i64>::java_type(), "java.util.List");
        assert_eq!(Vec::<Vec<u8>>::java_type(), "java.util.List");
        assert_eq!(Option::<Vec<u8>>::java_type(), "byte[]");
        assert_eq!(HashMap::<i32, String>::java_type(), "java.util.Map");
    }
}
