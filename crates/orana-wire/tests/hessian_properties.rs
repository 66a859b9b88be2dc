//! Whatever can be written reads back as itself, shared and cyclic values too, and no part of it reads as a whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use bytes::BytesMut;
use orana_wire::hessian::java::*;
use orana_wire::hessian::*;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => any::<String>(),
        6 => "[a-z]{0,40}",
        6 => "[中-文a😀-😅]{0,30}",
        1 => (0..70_000usize, any::<char>()).prop_map(|(count, character)| character.to_string().repeat(count / 4)),
    ]
}

fn integer() -> impl Strategy<Value = i64> {
    // Around every edge of a short form.
    let edge = (0..64u32, -2..=2i64, any::<bool>()).prop_map(|(bits, off, negative)| {
        let edge = 1i64.wrapping_shl(bits).wrapping_add(off);
        if negative { edge.wrapping_neg() } else { edge }
    });
    prop_oneof![any::<i64>(), edge]
}

fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        any::<i32>().prop_map(|mills| f64::from(mills) * 0.001),
        any::<i16>().prop_map(f64::from),
        Just(-0.0),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::Int),
        integer().prop_map(Value::Long),
        double().prop_map(Value::Double),
        integer().prop_map(Value::Date),
        text().prop_map(Value::from),
        vec(any::<u8>(), 0..100).prop_map(Value::from),
    ]
}

fn kind() -> impl Strategy<Value = Option<Arc<str>>> {
    proptest::option::of("[A-C]{1,2}".prop_map(Arc::from))
}

/// What a node of a graph is made of; its values are chosen apart.
#[derive(Debug, Clone)]
enum Form {
    List(Option<Arc<str>>),
    Map(Option<Arc<str>>),
    Object(Arc<str>),
}

/// A value within a node: a scalar, a node made before, or the root.
#[derive(Debug, Clone)]
enum Within {
    Scalar(Value),
    Earlier(prop::sample::Index),
    Root,
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        kind().prop_map(Form::List),
        kind().prop_map(Form::Map),
        "[A-Z]".prop_map(|name| Form::Object(name.into())),
    ]
}

fn within() -> impl Strategy<Value = Within> {
    prop_oneof![
        3 => scalar().prop_map(Within::Scalar),
        3 => any::<prop::sample::Index>().prop_map(Within::Earlier),
        1 => Just(Within::Root),
    ]
}

fn content(form: Form, values: Vec<Value>) -> Content {
    match form {
        Form::List(kind) => Content::List(List { kind, items: values }),
        Form::Map(kind) => {
            let entries = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
            Content::Map(Map {
                kind,
                entries: entries.collect(),
            })
        }
        Form::Object(name) => {
            let fields = (0..values.len()).map(|at| format!("f{at}").into()).collect();
            let class = Arc::new(Class { name, fields });
            Content::Object(Object { class, values })
        }
    }
}

/// Any graph: nodes hold nodes that were made before them, in any number, and may lead back to the last.
fn graph() -> impl Strategy<Value = Value> {
    vec((form(), vec(within(), 0..8)), 1..12).prop_map(|plan| {
        let root = Node::unfilled();
        let mut made: Vec<Node> = Vec::new();
        let last = plan.len() - 1;
        for (at, (form, children)) in plan.into_iter().enumerate() {
            let values = children.into_iter().map(|child| match child {
                Within::Scalar(value) => value,
                Within::Earlier(index) if !made.is_empty() => index.get(&made).clone().into(),
                Within::Earlier(_) | Within::Root => root.back().into(),
            });
            let node = if at == last { root.clone() } else { Node::unfilled() };
            node.fill(content(form, values.collect()));
            made.push(node);
        }
        root.into()
    })
}

fn same<T: ToHessian + FromHessian + PartialEq + Debug>(value: &T) -> Result<(), TestCaseError> {
    let bytes = to_bytes(value).unwrap();
    let mut decoder = Decoder::new(&bytes);
    prop_assert_eq!(&T::from_hessian(&mut decoder).unwrap(), value);
    prop_assert!(decoder.rest().is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn scalars_read_back_as_themselves(value in scalar()) {
        same(&value)?;
    }

    #[test]
    fn graphs_read_back_as_themselves_and_are_written_the_same(value in graph(), beside in scalar()) {
        let values = [value.clone(), beside, value];
        let mut bytes = BytesMut::new();
        let mut encoder = Encoder::new(&mut bytes);
        values.iter().for_each(|value| encoder.value(value).unwrap());
        let mut decoder = Decoder::new(&bytes);
        let read: Vec<Value> = values.iter().map(|_| decoder.value().unwrap()).collect();
        prop_assert!(decoder.rest().is_empty());
        prop_assert_eq!(&read[..], &values[..]);
        // Equality does not see what is shared; the bytes do.
        prop_assert!(read[0].node().unwrap().is(&read[2].node().unwrap()));
        let mut again = BytesMut::new();
        let mut encoder = Encoder::new(&mut again);
        read.iter().for_each(|value| encoder.value(value).unwrap());
        prop_assert_eq!(&again, &bytes);
    }

    #[test]
    fn no_part_of_a_graph_is_a_whole(value in graph(), cut in any::<prop::sample::Index>()) {
        let bytes = to_bytes(&value).unwrap();
        let cut = cut.index(bytes.len());
        prop_assert_eq!(from_bytes::<Value>(&bytes[..cut]), Err(DecodeError::Truncated));
        prop_assert_eq!(Decoder::new(&bytes[..cut]).skip(), Err(DecodeError::Truncated));
    }

    #[test]
    fn a_changed_byte_is_read_as_something_or_refused(
        value in graph(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = to_bytes(&value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = from_bytes::<Value>(&bytes) {
            same(&read)?;
        }
    }

    #[test]
    fn types_of_rust_read_back_as_themselves(
        numbers in vec(integer(), 0..40),
        texts in btree_map(text(), proptest::option::of(double()), 0..5),
        set in btree_set(any::<u32>(), 0..10),
        bytes in vec(any::<u8>(), 0..200_000),
        float in any::<f32>(),
        character in any::<char>(),
    ) {
        same(&numbers)?;
        same::<BTreeMap<String, Option<f64>>>(&texts)?;
        same::<BTreeSet<u32>>(&set)?;
        same(&bytes)?;
        same(&float)?;
        same(&character)?;
    }

    #[test]
    fn types_of_java_read_back_as_themselves(
        big in any::<i128>(),
        words in vec(any::<u32>(), 0..20),
        uuid in any::<u128>(),
        decimal in "-?[0-9]{1,30}(\\.[0-9]{1,10})?(E[+-]?[0-9]{1,4})?",
        parts in any::<[i32; 4]>(),
        seconds in any::<i64>(),
    ) {
        same(&BigInteger::from(big))?;
        same(&BigInteger::new(big < 0, &words))?;
        same(&Uuid(uuid))?;
        same(&decimal.parse::<BigDecimal>().unwrap())?;
        let [a, b, c, d] = parts;
        let time = LocalTime { nano: a, second: b, minute: c, hour: d };
        let date = LocalDate { day: a, month: b, year: c };
        let date_time = LocalDateTime { time, date };
        same(&OffsetDateTime { offset: ZoneOffset { seconds: d }, date_time })?;
        same(&Instant { nanos: a, seconds })?;
    }

    #[test]
    fn exceptions_read_back_as_themselves(message in proptest::option::of(text()), extra in scalar(), line in any::<i32>()) {
        let frame = StackFrame { class: "C".into(), method: "m".into(), file: None, line };
        let inner = Throwable { stack: vec![frame], ..Throwable::new("java.lang.RuntimeException", "inner") };
        let outer = Throwable {
            class: "org.example.Refused".into(),
            message,
            cause: Some(Box::new(inner.clone())),
            suppressed: vec![inner],
            fields: vec![("code".into(), extra)],
            stack: vec![],
        };
        same(&outer)?;
    }
}
