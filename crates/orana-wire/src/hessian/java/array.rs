//! Java's arrays, which say on the wire what they are arrays of.
//!
//! Java reads any list into an array when the method or the field declares one. dubbo-go does not, and neither does anybody who is
//! told no type: a parameter `Object`, a generic call.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use super::JavaType;
use crate::hessian::{DecodeError, Decoder, EncodeError, Encoder, FromHessian, ToHessian};

/// `int[]`, `java.lang.String[]`, `org.example.Item[]`, `int[][]`, …, by the type of its items. A `byte[]` is a `Vec<u8>` and a
/// `char[]` a `String` instead.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array<T>(pub Vec<T>);

impl<T> Deref for Array<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(items: Vec<T>) -> Self {
        Array(items)
    }
}

impl<T> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Array(items.into_iter().collect())
    }
}

impl<T: JavaType> JavaType for Array<T> {
    fn java_type() -> Cow<'static, str> {
        Cow::Owned(format!("{}[]", T::java_type()))
    }
}

impl<T: ToHessian + JavaType> ToHessian for Array<T> {
    fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
        out.begin_list(Some(&wire_name(&T::java_type())), self.len())?;
        self.iter().try_for_each(|item| item.to_hessian(out))
    }
}

impl<T: FromHessian> FromHessian for Array<T> {
    /// Reads any list.
    fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        input.list(T::from_hessian).map(Array)
    }
}

/// How an array of such items is called on the wire: `[int`, `[string`, `[[int`, `[org.example.Item`.
fn wire_name(item: &str) -> String {
    if let Some(inner) = item.strip_suffix("[]") {
        return format!("[{}", wire_name(inner));
    }
    match item {
        "java.lang.String" => "[string".to_owned(),
        "java.lang.Object" => "[object".to_owned(),
        "java.util.Date" => "[date".to_owned(),
        other => format!("[{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Date;
    use super::*;
    use crate::hessian::{Value, from_bytes, to_bytes, to_value};

    #[test]
    fn an_array_has_the_name_that_java_gives_it() {
        fn names<T: ToHessian + JavaType>(array: &Array<T>) -> (String, String) {
            let value = to_value(array).unwrap();
            let kind = value.as_list().and_then(|list| list.kind.clone()).unwrap();
            (Array::<T>::java_type().into_owned(), kind.to_string())
        }
        let names_of = |java: &str, wire: &str| (java.to_owned(), wire.to_owned());
        assert_eq!(names(&Array(vec![1, 2])), names_of("int[]", "[int"));
        assert_eq!(
            names(&Array(vec![Some(1)])),
            names_of("java.lang.Integer[]", "[java.lang.Integer")
        );
        assert_eq!(
            names(&Array(vec![Some("a".to_owned())])),
            names_of("java.lang.String[]", "[string")
        );
        assert_eq!(
            names(&Array(vec![Value::Null])),
            names_of("java.lang.Object[]", "[object")
        );
        assert_eq!(names(&Array(vec![Date(0)])), names_of("java.util.Date[]", "[date"));
        assert_eq!(names(&Array(vec![Array(vec![1])])), names_of("int[][]", "[[int"));
    }

    #[test]
    fn an_array_is_read_from_any_list() {
        let array = Array(vec![Array(vec![1i64]), Array(vec![])]);
        assert_eq!(from_bytes(&to_bytes(&array).unwrap()), Ok(array.clone()));
        assert_eq!(from_bytes(&to_bytes(&vec![vec![1i64], vec![]]).unwrap()), Ok(array));
    }
}
