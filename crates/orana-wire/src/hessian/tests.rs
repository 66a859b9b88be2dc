//! The grammar's corners, one by one: forms that Java reads but never writes, and bytes that mean harm.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::java::Throwable;
use super::*;

fn value(bytes: &[u8]) -> Result<Value, DecodeError> {
    from_bytes(bytes)
}

fn limited(bytes: &[u8], limits: Limits) -> Result<Value, DecodeError> {
    Decoder::limited(bytes, limits).value()
}

// ---- forms -----------------------------------------------------------------------------------------------------------

#[test]
fn long_forms_of_short_values_read_as_well() {
    for (bytes, expected) in [
        (&b"\x49\0\0\0\x01"[..], Value::Int(1)),
        (b"\xc8\x01", Value::Int(1)),
        (b"\xd4\0\x01", Value::Int(1)),
        (b"\x4c\0\0\0\0\0\0\0\x01", Value::Long(1)),
        (b"\x59\0\0\0\x01", Value::Long(1)),
        (b"\xf8\x01", Value::Long(1)),
        (b"\x3c\0\x01", Value::Long(1)),
        (b"\x44\x3f\xf0\0\0\0\0\0\0", Value::Double(1.0)),
        (b"\x5f\0\0\x03\xe8", Value::Double(1.0)),
        (b"\x30\x01a", "a".into()),
        (b"\x53\0\x01a", "a".into()),
        (b"\x52\0\x01a\0", "a".into()),
        (b"\x52\0\x01a\x52\0\0\x53\0\x01b", "ab".into()),
        (b"\x34\x01\x07", vec![7].into()),
        (b"\x42\0\x01\x07", vec![7].into()),
        (b"\x41\0\x01\x07\x20", vec![7].into()),
        (b"\x4a\0\0\0\0\0\0\xea\x60", Value::Date(60_000)),
    ] {
        assert_eq!(value(bytes), Ok(expected), "{bytes:02x?}");
    }
}

#[test]
fn lists_without_a_length_read_until_their_end() {
    assert_eq!(value(b"\x57\x91\x92\x5a"), Ok(Value::list([1.into(), 2.into()])));
    let typed = Value::typed_list("[int", [1.into()]);
    assert_eq!(value(b"\x55\x04[int\x91\x5a"), Ok(typed.clone()));
    assert_eq!(value(b"\x56\x04[int\x91\x91"), Ok(typed));
    assert_eq!(value(b"\x58\x90"), Ok(Value::list([])));
}

#[test]
fn a_map_of_no_type_and_one_of_an_empty_type_are_the_same() {
    assert_eq!(value(b"\x4d\0\x01a\x91\x5a"), Ok(Value::map([("a", 1)])));
}

#[test]
fn a_class_may_be_defined_twice_and_each_instance_keeps_its_own() {
    let bytes = b"\x7b\x43\x01C\x91\x01a\x60\x91\x43\x01C\x91\x01b\x61\x92\x60\x93";
    let read = value(bytes).unwrap();
    let items = &read.as_list().unwrap().items;
    assert_eq!(items[0].get("a"), Some(&Value::Int(1)));
    assert_eq!(items[1].get("b"), Some(&Value::Int(2)));
    assert_eq!(items[2].get("a"), Some(&Value::Int(3)));
    assert_eq!(&to_bytes(&read).unwrap()[..], bytes);
}

#[test]
fn the_sign_of_zero_is_kept() {
    assert_eq!(&to_bytes(&-0.0).unwrap()[..], b"\x44\x80\0\0\0\0\0\0\0");
    assert_eq!(value(b"\x44\x80\0\0\0\0\0\0\0"), Ok(Value::Double(-0.0)));
}

#[test]
fn a_float_is_written_as_the_double_that_looks_the_same() {
    assert_eq!(&to_bytes(&1.1f32).unwrap()[..], b"\x5f\0\0\x04\x4c");
    assert_eq!(from_bytes::<f32>(&to_bytes(&f32::MAX).unwrap()), Ok(f32::MAX));
    assert!(from_bytes::<f32>(&to_bytes(&f32::NAN).unwrap()).unwrap().is_nan());
}

// ---- types -----------------------------------------------------------------------------------------------------------

#[test]
fn numbers_are_read_as_any_type_that_holds_them() {
    assert_eq!(from_bytes::<i64>(b"\x91"), Ok(1));
    assert_eq!(from_bytes::<i8>(b"\xe1"), Ok(1));
    assert_eq!(from_bytes::<i32>(b"\x5c"), Ok(1));
    assert_eq!(from_bytes::<f64>(b"\x91"), Ok(1.0));
    assert_eq!(from_bytes::<u8>(b"\x8f"), Err(DecodeError::Range("u8")));
    assert_eq!(
        from_bytes::<i32>(b"\x5f\0\0\x05\xdc"),
        Err(DecodeError::Range("an integer"))
    );
    assert_eq!(to_bytes(&u64::MAX), Err(EncodeError::Range(u64::MAX)));
}

#[test]
fn a_value_of_another_kind_is_an_error_that_names_both() {
    let error = from_bytes::<i32>(b"\x01a").unwrap_err();
    assert_eq!(error.to_string(), "expected an integer, found a string");
    let error = from_bytes::<String>(b"N").unwrap_err();
    assert_eq!(error.to_string(), "expected a string, found null");
    assert_eq!(from_bytes::<Option<String>>(b"N"), Ok(None));
}

#[test]
fn collections_of_rust_read_what_they_write() {
    let lists = vec![vec![Some(1i64), None], vec![]];
    assert_eq!(from_bytes(&to_bytes(&lists).unwrap()), Ok(lists));
    let map: BTreeMap<i32, Vec<u8>> = [(1, vec![1, 2]), (2, vec![])].into();
    assert_eq!(from_bytes(&to_bytes(&map).unwrap()), Ok(map));
    let map: HashMap<String, char> = [("k".to_owned(), '中')].into();
    assert_eq!(from_bytes(&to_bytes(&map).unwrap()), Ok(map));
    assert_eq!(
        from_value::<Vec<String>>(&to_value(&["a", "b"][..]).unwrap()),
        Ok(vec!["a".into(), "b".into()])
    );
}

#[test]
fn a_typed_reader_follows_references() {
    // A list, a map and a second list, each of which holds the first list by reference.
    let bytes = b"\x7b\x79\x91\x51\x91\x51\x91";
    assert_eq!(from_bytes::<Vec<Vec<i32>>>(bytes), Ok(vec![vec![1]; 3]));
    // The class is defined within what is referred to; what comes after still finds the right numbers.
    let bytes = b"\x7c\x43\x01C\x91\x01a\x60\x91\x51\x91\x60\x92\x51\x92";
    let mut seen = Vec::new();
    let mut decoder = Decoder::new(bytes);
    decoder
        .list(|decoder| {
            decoder.fields(|decoder, _| {
                seen.push(decoder.integer()?);
                Ok(true)
            })
        })
        .unwrap();
    assert_eq!(seen, [1, 1, 2, 2]);
    assert!(decoder.rest().is_empty());
}

#[test]
fn values_within_a_typed_reader_share_with_each_other() {
    // [[1], ref, ref to the outermost]
    let mut decoder = Decoder::new(b"\x7b\x79\x91\x51\x91\x51\x90");
    let items = decoder.list(|decoder| decoder.value()).unwrap();
    assert!(items[0].node().unwrap().is(&items[1].node().unwrap()));
    // The outermost was not read as a value before, so it is read again as one.
    let outer = items[2].as_list().unwrap();
    assert_eq!(outer.items[0], items[0]);
    assert!(outer.items[2].node().unwrap().is(&items[2].node().unwrap()));
}

#[test]
fn a_cycle_in_a_type_without_cycles_is_an_error() {
    #[derive(Debug, PartialEq)]
    struct Nested(Vec<Nested>);
    impl FromHessian for Nested {
        fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
            input.list(Nested::from_hessian).map(Nested)
        }
    }
    assert_eq!(from_bytes::<Nested>(b"\x79\x51\x90"), Err(DecodeError::Depth));
}

#[test]
fn unknown_fields_are_skipped_and_maps_stand_for_objects() {
    fn number(bytes: &[u8]) -> i64 {
        let mut number = 0;
        let mut decoder = Decoder::new(bytes);
        let read = decoder.fields(|decoder, name| {
            let known = name == "n";
            if known {
                number = decoder.integer()?;
            }
            Ok(known)
        });
        assert_eq!(read, Ok(()));
        assert!(decoder.rest().is_empty());
        number
    }
    assert_eq!(
        number(b"\x43\x01C\x93\x01x\x01n\x01y\x60\x79\x48\x91\x92\x5a\x95\x51\x91"),
        5
    );
    assert_eq!(number(b"\x48\x91\x92\x01x\x78\x01n\x95\x5a"), 5);
    assert_eq!(number(b"\x4d\x01C\x01n\x95\x5a"), 5);
}

#[test]
fn exceptions_in_every_form_that_peers_send() {
    let mini = b"\x43\x1ajava.lang.RuntimeException\x91\x0ddetailMessage\x60\x04mini";
    let expected = Throwable::new("java.lang.RuntimeException", "mini");
    assert_eq!(from_bytes(mini), Ok(expected.clone()));
    let map = b"\x4d\x1ajava.lang.RuntimeException\x0ddetailMessage\x04mini\x5a";
    assert_eq!(from_bytes(map), Ok(expected));
    assert!(from_bytes::<Throwable>(b"\x48\x5a").is_err());
}

#[test]
fn two_causes_that_lead_to_each_other_end() {
    let bytes = b"\x43\x01E\x91\x05cause\x60\x60\x51\x90";
    let read = from_bytes::<Throwable>(bytes).unwrap();
    assert_eq!(read.cause.unwrap().cause, None);
}

// ---- harm ------------------------------------------------------------------------------------------------------------

#[test]
fn bytes_that_begin_no_value_are_named() {
    for byte in [0x40, 0x45, 0x47, 0x50, 0x5a] {
        assert_eq!(value(&[byte]), Err(DecodeError::Opcode { byte, at: 0 }));
    }
    assert_eq!(
        value(b"\x52\0\x01a\x91"),
        Err(DecodeError::Opcode { byte: 0x91, at: 4 })
    );
    assert_eq!(value(b""), Err(DecodeError::Truncated));
}

#[test]
fn numbers_that_lead_nowhere_are_refused() {
    assert_eq!(value(b"\x51\x90"), Err(DecodeError::Reference(0)));
    assert_eq!(value(b"\x79\x51\x91"), Err(DecodeError::Reference(1)));
    assert_eq!(value(b"\x51\x8f"), Err(DecodeError::Reference(-1)));
    assert_eq!(value(b"\x60"), Err(DecodeError::Class(0)));
    assert_eq!(value(b"\x4f\x8f"), Err(DecodeError::Class(-1)));
    assert_eq!(value(b"\x71\x90\x91"), Err(DecodeError::Type(0)));
    assert_eq!(value(b"\x58\x8f"), Err(DecodeError::Length(-1)));
}

#[test]
fn lengths_that_promise_more_than_there_is_are_refused() {
    assert_eq!(value(b"\x58\x49\x7f\xff\xff\xff\x91"), Err(DecodeError::Truncated));
    assert_eq!(
        value(b"\x43\x01C\x49\x7f\xff\xff\xff\x01a"),
        Err(DecodeError::Truncated)
    );
    assert_eq!(value(b"\x53\xff\xffabc"), Err(DecodeError::Truncated));
}

#[test]
fn depth_is_bounded_for_values_for_types_and_for_skipping() {
    let deep = [0x79; 1000];
    assert_eq!(value(&deep), Err(DecodeError::Depth));
    assert_eq!(Decoder::new(&deep).skip(), Err(DecodeError::Depth));
    let within = [&[0x79; 199][..], &[0x78]].concat();
    assert!(value(&within).is_ok());
}

#[test]
fn a_chain_of_references_as_long_as_the_message_is_read_written_and_dropped() {
    // Each list holds the one before it.
    let mut bytes = b"\x57\x78".to_vec();
    for number in 1..100_000 {
        bytes.extend(b"\x79\x51");
        bytes.extend(to_bytes(&number).unwrap());
    }
    bytes.push(0x5a);
    let read = value(&bytes).unwrap();
    let last = read.as_list().unwrap().items.last().unwrap().clone();
    drop(read);
    // Alone, it is as deep as it is long.
    assert_eq!(to_bytes(&last).unwrap().len(), 100_000);
    assert_eq!(last, last.clone());
    drop(last);
}

#[test]
fn references_to_references_do_not_multiply() {
    // Each list holds the one before it twice: 2^60 values, if they were read as a tree.
    let mut bytes = b"\x57\x78".to_vec();
    for number in 1..60 {
        let number = to_bytes(&number).unwrap();
        bytes.extend([b"\x7a\x51", &number[..], b"\x51", &number[..]].concat());
    }
    bytes.push(0x5a);
    assert!(value(&bytes).is_ok());
    struct Tree;
    impl FromHessian for Tree {
        fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
            input.list(Tree::from_hessian).map(|_| Tree)
        }
    }
    let few = Limits {
        values: 100_000,
        ..Limits::DEFAULT
    };
    let mut decoder = Decoder::limited(&bytes, few);
    assert!(matches!(Tree::from_hessian(&mut decoder), Err(DecodeError::Count)));
    let few = Limits {
        bytes: 100_000,
        ..Limits::DEFAULT
    };
    let mut decoder = Decoder::limited(&bytes, few);
    assert!(matches!(Tree::from_hessian(&mut decoder), Err(DecodeError::Bytes)));
}

#[test]
fn every_limit_is_kept() {
    let limits = Limits {
        depth: 2,
        values: 6,
        containers: 3,
        bytes: 10,
        ..Limits::DEFAULT
    };
    assert!(limited(b"\x7a\x79\x91\x92", limits).is_ok());
    assert_eq!(limited(b"\x79\x79\x78", limits), Err(DecodeError::Depth));
    assert_eq!(
        limited(b"\x7f\x91\x91\x91\x91\x91\x91\x91", limits),
        Err(DecodeError::Count)
    );
    assert_eq!(limited(b"\x7b\x78\x78\x78", limits), Err(DecodeError::Count));
    assert_eq!(limited(b"\x7a\x0aabcdefghij\x91", limits), Err(DecodeError::Bytes));
}

#[test]
fn what_cannot_be_written_says_why() {
    let node = Node::unfilled();
    assert_eq!(to_bytes(&Value::from(node.clone())), Err(EncodeError::Unfilled));
    let back = Value::from(node.back());
    drop(node);
    assert_eq!(to_bytes(&back), Err(EncodeError::Gone));
    let class = Arc::new(Class {
        name: "C".into(),
        fields: vec!["a".into()],
    });
    let lame = Value::from(Object { class, values: vec![] });
    assert_eq!(to_bytes(&lame), Err(EncodeError::Fields("C".into())));
}

#[test]
fn nodes_of_different_values_are_never_taken_for_each_other() {
    let mut out = bytes::BytesMut::new();
    let mut encoder = Encoder::new(&mut out);
    // Each is dropped before the next is made, which may then lie at the same place.
    for number in 0..10 {
        encoder.value(&Value::list([number.into()])).unwrap();
    }
    assert!(!out.contains(&0x51));
}

#[test]
fn after_an_error_a_reader_can_go_back_and_read_otherwise() {
    let bytes = b"\x7a\x79\x91\x51\x91";
    let mut decoder = Decoder::new(bytes);
    let start = decoder.mark();
    for _ in 0..1000 {
        assert!(Vec::<Vec<String>>::from_hessian(&mut decoder).is_err());
        decoder.rewind(start).unwrap();
    }
    assert_eq!(Vec::<Vec<i32>>::from_hessian(&mut decoder), Ok(vec![vec![1]; 2]));
}

#[test]
fn errors_are_small_because_each_result_has_room_for_one() {
    assert!(size_of::<DecodeError>() <= 32, "{}", size_of::<DecodeError>());
}
