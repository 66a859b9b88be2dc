//! Derived types read what Java's encoder wrote, and write it as Java knows it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use orana_macros::Hessian;
use orana_wire::hessian::java::{BigDecimal, Date, Exception, JavaType, StackFrame, Throwable};
use orana_wire::hessian::*;

fn same<T: ToHessian + FromHessian + PartialEq + Debug>(value: &T) {
    assert_eq!(&from_bytes::<T>(&to_bytes(value).unwrap()).unwrap(), value);
    assert_eq!(&from_value::<T>(&to_value(value).unwrap()).unwrap(), value);
}

#[derive(Debug, Clone, PartialEq, Default, Hessian)]
struct Base {
    id: i64,
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Hessian)]
#[hessian(
    class = "org.orana.interop.hessian.Beans$Colour",
    rename_all = "SCREAMING_SNAKE_CASE"
)]
enum Colour {
    Red,
    Green,
    #[hessian(other)]
    Unknown,
}

/// `interop/java/hessian`'s bean, whose parent is `Base`.
#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.orana.interop.hessian.Beans$Item")]
struct Item {
    labels: Option<BTreeMap<i32, String>>,
    tags: Option<Vec<String>>,
    numbers: Option<Vec<i32>>,
    raw: Option<Vec<u8>>,
    colour: Option<Colour>,
    cost: Option<BigDecimal>,
    made: Option<Date>,
    #[hessian(flatten)]
    base: Arc<Base>,
    boxed: Option<i32>,
    letter: char,
    medium: i16,
    small: i8,
    sold: bool,
    price: f64,
    #[hessian(rename = "count")]
    how_many: i32,
    name: Option<String>,
    #[hessian(skip)]
    seen: bool,
}

/// The golden stream of one name that hessian-lite 4.0.4 wrote.
fn golden(name: &str) -> Vec<u8> {
    let text = include_str!("../../orana-wire/tests/golden/hessian/hessian-lite-4.0.4.txt");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    let digits = line.unwrap().as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

#[test]
fn a_java_bean_with_a_parent_is_read_whole() {
    let item = Item {
        labels: Some([(1, "one".into())].into()),
        tags: Some(vec!["a".into(), "b".into()]),
        numbers: Some(vec![1, 2, 3]),
        raw: Some(vec![1, 2]),
        colour: Some(Colour::Red),
        cost: Some("9.99".parse().unwrap()),
        made: Some(Date(1)),
        base: Base {
            id: 1 << 40,
            note: Some("n".into()),
        }
        .into(),
        boxed: Some(5),
        letter: 'x',
        medium: 300,
        small: -1,
        sold: true,
        price: 9.99,
        how_many: 3,
        name: Some("\u{540d}".into()),
        seen: false,
    };
    assert_eq!(from_bytes(&golden("bean")), Ok(item.clone()));
    same(&item);
    let empty: Item = from_bytes(&golden("bean-empty")).unwrap();
    assert_eq!((empty.labels, empty.colour, empty.name), (None, None, None));
}

#[test]
fn the_fields_of_parents_stand_in_one_class_where_the_parent_stands() {
    let value: Value = from_bytes(&golden("bean")).unwrap();
    let item: Item = from_bytes(&golden("bean")).unwrap();
    let written = to_value(&item).unwrap();
    // Java writes an `int[]` by its type, and the parent's fields from the last to the first.
    let names = |value: &Value| -> Vec<String> {
        let class = &value.as_object().unwrap().class;
        class.fields.iter().map(|name| name.to_string()).collect()
    };
    let (mut java, ours) = (names(&value), names(&written));
    let note = java.iter().position(|name| name == "note").unwrap();
    java.swap(note, note + 1);
    assert_eq!(ours, java);
    assert_eq!(
        value.as_object().unwrap().class.name,
        written.as_object().unwrap().class.name
    );
    assert_eq!(Item::java_type(), "org.orana.interop.hessian.Beans$Item");
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.orana.interop.hessian.Beans$Refused")]
struct Refused {
    #[hessian(flatten)]
    exception: Exception,
    detail: Option<String>,
    code: i32,
}

#[test]
fn an_exception_of_java_is_the_declared_struct_and_written_as_java_and_go_know_it() {
    let bytes = golden("exception-of-its-own");
    let refused: Refused = from_bytes(&bytes).unwrap();
    let expected = Refused {
        exception: Exception::new("no"),
        detail: Some("because".into()),
        code: 7,
    };
    assert_eq!(refused, expected);
    let thrown: Throwable = from_bytes(&bytes).unwrap();
    assert_eq!(thrown.as_declared::<Refused>(), Some(Ok(expected.clone())));
    let ours = Throwable::of(&expected).unwrap();
    assert_eq!(ours, thrown);
    assert_eq!(
        Throwable::new("java.lang.Exception", "no").as_declared::<Refused>(),
        None
    );
    // By these four dubbo-go tells an exception from an object.
    let written = to_value(&expected).unwrap();
    let class = &written.as_object().unwrap().class;
    for field in ["suppressedExceptions", "stackTrace", "cause", "detailMessage"] {
        assert!(class.fields.iter().any(|name| **name == *field), "{field}");
    }
}

#[test]
fn a_declared_exception_keeps_its_cause_and_its_stack() {
    let frame = StackFrame {
        class: "C".into(),
        method: "m".into(),
        file: None,
        line: 3,
    };
    let mut refused = Refused {
        exception: Exception::new("outer"),
        detail: None,
        code: 1,
    };
    refused.exception.stack.push(frame.clone());
    refused.exception.cause = Some(Box::new(Throwable {
        stack: vec![frame],
        ..Throwable::new("X", "inner")
    }));
    refused.exception.suppressed.push(Throwable::new("Y", "beside"));
    same(&refused);
}
