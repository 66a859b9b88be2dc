//! Derived types read back as themselves, through bytes and through values of no type, whatever they hold.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orana_macros::Hessian;
use orana_wire::hessian::{DecodeError, Value, from_bytes, from_value, to_bytes, to_value};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

#[derive(Debug, Clone, PartialEq, Hessian)]
struct Entity {
    id: i64,
    #[hessian(rename = "$note")]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hessian)]
#[hessian(class = "org.example.Kind", rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    Plain,
    VeryLarge,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Box", rename_all = "camelCase")]
struct Crate {
    is_open: bool,
    #[hessian(flatten)]
    entity: Arc<Entity>,
    net_weight: f64,
    kinds: BTreeSet<Kind>,
    #[hessian(default)]
    marks: BTreeMap<i32, Option<String>>,
    bytes: Vec<u8>,
    within: Vec<Parcel>,
    lid: Option<Box<Crate>>,
    letter: char,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Bag")]
struct Bag {
    label: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
enum Parcel {
    Crate(Box<Crate>),
    Bag(Bag),
}

fn parcel_of(depth: u32) -> BoxedStrategy<Parcel> {
    let bag = any::<String>().prop_map(|label| Parcel::Bag(Bag { label: label.into() }));
    match depth {
        0 => bag.boxed(),
        _ => prop_oneof![bag, crate_of(depth - 1).prop_map(|one| Parcel::Crate(one.into()))].boxed(),
    }
}

fn crate_of(depth: u32) -> BoxedStrategy<Crate> {
    let scalars = any::<(bool, i64, Option<String>, f64, char)>();
    let marks = btree_map(any::<i32>(), any::<Option<String>>(), 0..4);
    let kinds = btree_set(prop_oneof![Just(Kind::Plain), Just(Kind::VeryLarge)], 0..3);
    let bytes = vec(any::<u8>(), 0..40);
    let within = vec(parcel_of(depth), 0..4);
    let lid = match depth {
        0 => Just(None).boxed(),
        _ => proptest::option::of(crate_of(depth - 1)).boxed(),
    };
    (scalars, marks, kinds, bytes, within, lid)
        .prop_map(
            |((is_open, id, note, net_weight, letter), marks, kinds, bytes, within, lid)| Crate {
                is_open,
                entity: Entity { id, note }.into(),
                net_weight,
                kinds,
                marks,
                bytes,
                within,
                lid: lid.map(Box::new),
                letter,
            },
        )
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn derived_types_read_back_as_themselves(value in crate_of(2)) {
        let bytes = to_bytes(&value).unwrap();
        prop_assert_eq!(&from_bytes::<Crate>(&bytes).unwrap(), &value);
        let untyped = to_value(&value).unwrap();
        prop_assert_eq!(&from_value::<Crate>(&untyped).unwrap(), &value);
        // Who knows no types writes the same bytes.
        prop_assert_eq!(to_bytes(&untyped).unwrap(), bytes);
    }

    #[test]
    fn fields_are_found_in_any_order_among_any_others(value in crate_of(1), seed in any::<u64>(), more in any::<i32>()) {
        let untyped = to_value(&value).unwrap();
        let object = untyped.as_object().unwrap();
        let mut fields: Vec<(String, Value)> = object.class.fields.iter().map(|name| name.to_string()).zip(object.values.clone()).collect();
        fields.push(("notDeclared".to_owned(), Value::list([more.into(), untyped.clone()])));
        fields.sort_by_key(|(name, _)| name.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)));
        let shuffled = Value::object("org.example.Box", fields.iter().map(|(name, value)| (name.as_str(), value.clone())));
        prop_assert_eq!(&from_value::<Crate>(&shuffled).unwrap(), &value);
        prop_assert_eq!(&from_value::<Crate>(&Value::map(fields)).unwrap(), &value);
    }

    #[test]
    fn no_part_of_a_derived_type_is_a_whole(value in crate_of(1), cut in any::<prop::sample::Index>()) {
        let bytes = to_bytes(&value).unwrap();
        let error = from_bytes::<Crate>(&bytes[..cut.index(bytes.len())]).unwrap_err();
        prop_assert_eq!(error.innermost(), &DecodeError::Truncated);
    }
}
