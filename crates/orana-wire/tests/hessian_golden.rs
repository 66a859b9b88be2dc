//! Every stream that Java's encoders wrote reads as the values it stands for, and these write the same bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod streams;

use bytes::BytesMut;
use orana_wire::hessian::*;
use streams::{COMPACT, CURRENT, OLD, stream, streams};

/// Streams that have several forms of which ours is another, or that no Rust string holds.
const NOT_CANONICAL: [&str; 2] = ["binary-long", "lone-surrogates"];

fn values_of(bytes: &[u8]) -> Vec<Value> {
    let mut decoder = Decoder::new(bytes);
    let mut values = Vec::new();
    while !decoder.rest().is_empty() {
        values.push(decoder.value().unwrap());
    }
    values
}

fn written(values: &[Value]) -> BytesMut {
    let mut out = BytesMut::new();
    let mut encoder = Encoder::new(&mut out);
    values.iter().for_each(|value| encoder.value(value).unwrap());
    out
}

#[test]
fn what_java_wrote_is_written_again_byte_by_byte() {
    for file in [CURRENT, OLD, COMPACT] {
        for (name, bytes) in streams(file) {
            let values = values_of(&bytes);
            let again = written(&values);
            if NOT_CANONICAL.contains(&name.as_str()) {
                assert_eq!(values_of(&again), values, "{file}: {name}");
            } else {
                assert_eq!(again, bytes, "{file}: {name}");
            }
        }
    }
}

#[test]
fn what_java_wrote_can_be_skipped_and_no_part_of_it_is_a_whole() {
    for (name, bytes) in streams(CURRENT) {
        let mut decoder = Decoder::new(&bytes);
        let mut ends = Vec::new();
        while !decoder.rest().is_empty() {
            decoder.skip().unwrap();
            ends.push(bytes.len() - decoder.rest().len());
        }
        assert_eq!(ends.len(), values_of(&bytes).len(), "{name}");
        let steps = (bytes.len() / 500).max(1);
        for cut in (0..bytes.len()).step_by(steps) {
            let mut decoder = Decoder::new(&bytes[..cut]);
            let whole = ends.iter().filter(|end| **end <= cut).count();
            for _ in 0..whole {
                decoder.value().unwrap();
            }
            assert_eq!(decoder.value(), Err(DecodeError::Truncated), "{name} cut at {cut}");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------

fn list_of<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Value {
    Value::list(items.into_iter().map(Into::into))
}

fn typed<T: Into<Value>>(kind: &str, items: impl IntoIterator<Item = T>) -> Value {
    Value::typed_list(kind, items.into_iter().map(Into::into))
}

fn typed_map<K: Into<Value>, V: Into<Value>>(kind: &str, entries: impl IntoIterator<Item = (K, V)>) -> Value {
    let entries = entries
        .into_iter()
        .map(|(key, value)| (key.into(), value.into()))
        .collect();
    Value::from(Map {
        kind: Some(kind.into()),
        entries,
    })
}

fn colour(name: &str) -> Value {
    Value::enumerated("org.orana.interop.hessian.Beans$Colour", name)
}

fn values<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Vec<Value> {
    items.into_iter().map(Into::into).collect()
}

#[allow(clippy::approx_constant, reason = "the number that Java was given")]
fn scalars() -> Vec<(&'static str, Vec<Value>)> {
    let (int_min, int_max) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let edges = [
        -16, 47, -17, 48, -2048, 2047, -2049, 2048, -262_144, 262_143, -262_145, 262_144,
    ];
    let ints = [&[0][..], &edges, &[i32::MIN, i32::MAX]].concat();
    let longs = [
        &[0, -8, 15, -9, 16][..],
        &edges[4..].iter().map(|edge| i64::from(*edge)).collect::<Vec<_>>(),
        &[int_min, int_max, int_min - 1, int_max + 1, i64::MIN, i64::MAX],
    ]
    .concat();
    let doubles = [
        0.0,
        1.0,
        -1.0,
        -128.0,
        127.0,
        128.0,
        -129.0,
        -32768.0,
        32767.0,
        32768.0,
        12.25,
        -1.5,
        65.536,
        0.001,
        3.14159,
        1e300,
        5e-324,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    let dates = [
        0,
        894_621_060_000,
        894_621_091_000,
        -1,
        -60_000,
        i64::MAX,
        int_max * 60_000,
        (int_max + 1) * 60_000,
    ];
    let zeros = |length: usize| Value::from(vec![0; length]);
    vec![
        ("null", vec![Value::Null]),
        ("booleans", values([true, false])),
        ("ints", values(ints)),
        ("longs", values(longs)),
        ("doubles", values(doubles)),
        ("floats", values([1.1, 0.5, -3.0, 3.402_823_5e38])),
        ("small", vec![(-1).into(), 300.into(), "a".into(), "中".into()]),
        ("dates", dates.map(Value::Date).to_vec()),
        (
            "binary",
            vec![
                zeros(0),
                vec![1, 2, 3].into(),
                zeros(15),
                zeros(16),
                zeros(1023),
                zeros(1024),
            ],
        ),
        ("binary-long", vec![zeros(9000), zeros(70_000)]),
        ("strings", values(["", "hello", "\0", "é", "中文", "\u{ffff}"])),
        ("surrogates", values(["\u{1f600}", "a\u{1f600}b\u{1d11e}"])),
        ("lone-surrogates", values(["a\u{fffd}", "\u{fffd}b"])),
        (
            "lengths",
            values([
                "a".repeat(31),
                "a".repeat(32),
                "a".repeat(1023),
                "a".repeat(1024),
                "中".repeat(31),
            ]),
        ),
        (
            "chunks",
            values(["a".repeat(32768), "b".repeat(32769), "c".repeat(70_000)]),
        ),
        ("chunk-before-a-pair", values(["x".repeat(32767) + "\u{1f600}"])),
        ("chars", values(["aé"])),
    ]
}

fn collections() -> Vec<(&'static str, Vec<Value>)> {
    let none = || Vec::<Value>::new();
    let no_entries = || Vec::<(Value, Value)>::new();
    let arrays = vec![
        typed("[int", [1, 2]),
        typed("[int", [0; 8]),
        typed("[long", [1i64]),
        typed("[short", [-1]),
        typed("[double", [0.5]),
        typed("[float", [f64::from(1.1f32)]),
        typed("[boolean", [true, false]),
        typed("[string", [Some("a"), None]),
        typed("[object", [Value::from(1), "a".into()]),
        typed("[java.lang.Integer", [1]),
        typed("[[int", [typed("[int", [1]), typed("[int", none())]),
        typed("[date", [Value::Date(0)]),
        typed(
            "[org.orana.interop.hessian.Beans$Colour",
            [colour("RED"), colour("GREEN")],
        ),
    ];
    vec![
        ("arrays", arrays),
        (
            "array-list",
            vec![
                list_of([Value::from(1), "a".into()]),
                list_of(none()),
                list_of(1..=7),
                list_of(1..=8),
            ],
        ),
        (
            "lists",
            vec![
                typed("java.util.LinkedList", [1]),
                typed("java.util.Arrays$ArrayList", [1i64, 2]),
                typed("java.util.Collections$EmptyList", none()),
                typed("java.util.Collections$SingletonList", ["x"]),
            ],
        ),
        (
            "sets",
            vec![
                typed("java.util.HashSet", [1]),
                typed("java.util.LinkedHashSet", ["b", "a"]),
            ],
        ),
        ("hash-map", vec![Value::map([("a", 1)]), Value::map(no_entries())]),
        (
            "maps",
            vec![
                typed_map("java.util.LinkedHashMap", [("a", Some(1)), ("b", None)]),
                typed_map("java.util.TreeMap", [(1, "a"), (2, "b")]),
                typed_map(
                    "java.util.LinkedHashMap",
                    [(Value::from(1i64), Value::from(2.5)), (Value::Null, true.into())],
                ),
            ],
        ),
        (
            "types-by-number",
            vec![
                typed("java.util.LinkedList", none()),
                typed("java.util.LinkedList", none()),
                typed_map("java.util.TreeMap", no_entries()),
                typed_map("java.util.TreeMap", no_entries()),
            ],
        ),
        (
            "nested",
            vec![list_of([list_of([Value::map([("k", typed("[int", [1]))])])])],
        ),
        (
            "enums",
            vec![
                colour("RED"),
                colour("GREEN"),
                colour("RED"),
                colour("BLUE"),
                Value::enumerated("java.util.concurrent.TimeUnit", "SECONDS"),
            ],
        ),
    ]
}

#[test]
fn what_java_wrote_reads_as_what_it_stands_for() {
    for (name, expected) in scalars().into_iter().chain(collections()) {
        assert_eq!(values_of(&stream(CURRENT, name)), expected, "{name}");
    }
}

#[test]
fn what_the_old_library_writes_otherwise_reads_as_well() {
    for (name, expected) in scalars() {
        assert_eq!(values_of(&stream(OLD, name)), expected, "{name}");
    }
    let lists = values_of(&stream(OLD, "array-list"));
    assert_eq!(lists[0], typed("java.util.ArrayList", [Value::from(1), "a".into()]));
}

#[test]
fn shared_and_cyclic_values_stay_shared_and_cyclic() {
    let shared = values_of(&stream(CURRENT, "shared"));
    let (one, other) = (shared[0].node().unwrap(), shared[1].node().unwrap());
    assert!(one.is(&other));
    assert!(one.is(&shared[2].get("k").unwrap().node().unwrap()));

    let link = &values_of(&stream(CURRENT, "link-to-itself"))[0];
    assert!(link.get("next").unwrap().node().unwrap().is(&link.node().unwrap()));

    let order = &values_of(&stream(CURRENT, "order-and-lines"))[0];
    let lines = &order.get("lines").unwrap().as_list().unwrap().items;
    // The first line was met in the list, which is written before the field, so the field refers to it.
    assert!(
        order
            .get("first")
            .unwrap()
            .node()
            .unwrap()
            .is(&lines[0].node().unwrap())
    );
    for line in lines {
        assert!(line.get("order").unwrap().node().unwrap().is(&order.node().unwrap()));
    }
}
