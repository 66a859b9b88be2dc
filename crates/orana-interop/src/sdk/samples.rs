//! The values of the corpus: what is usual, and both sides of every border of the format. The same as `Samples.java` has.

use orana::Value;
use orana::hessian::java::{Array, BigDecimal, BigInteger, Date, LocalDate};
use orana::hessian::{Class, Content, Node, Object, ToHessian, to_value};

use super::beans::{Base, Colour, Item, Letter, Parent, Special};

/// `int`s.
pub const INTS: [i32; 17] = [
    0,
    1,
    -1,
    -16,
    -17,
    47,
    48,
    -2048,
    -2049,
    2047,
    2048,
    -262_144,
    -262_145,
    262_143,
    262_144,
    i32::MIN,
    i32::MAX,
];

/// `long`s.
pub const LONGS: [i64; 19] = [
    0,
    -8,
    -9,
    15,
    16,
    -2048,
    -2049,
    2047,
    2048,
    -262_144,
    -262_145,
    262_143,
    262_144,
    i32::MIN as i64,
    i32::MAX as i64,
    i32::MIN as i64 - 1,
    i32::MAX as i64 + 1,
    i64::MIN,
    i64::MAX,
];

/// `double`s, without -0.0: Java itself writes that as 0.0.
pub const DOUBLES: [f64; 23] = [
    0.0,
    1.0,
    -1.0,
    -128.0,
    -129.0,
    127.0,
    128.0,
    -32768.0,
    -32769.0,
    32767.0,
    32768.0,
    12.25,
    -1.5,
    65.536,
    0.001,
    std::f64::consts::PI,
    1e-9,
    1e300,
    f64::from_bits(1),
    f64::MAX,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// `float`s.
pub const FLOATS: [f32; 10] = [
    0.0,
    1.0,
    -1.5,
    1.1,
    0.1,
    16_777_216.0,
    f32::from_bits(1),
    f32::MAX,
    f32::NAN,
    f32::INFINITY,
];

/// `Date`s.
pub const DATES: [Date; 7] = [
    Date(0),
    Date(-1),
    Date(1),
    Date(894_621_060_000),
    Date(894_621_091_123),
    Date(-62_135_596_800_000),
    Date(253_402_300_799_999),
];

/// 29 February 2024.
pub const DAY: LocalDate = LocalDate {
    day: 29,
    month: 2,
    year: 2024,
};

/// Texts of every length that matters.
pub fn strings() -> Vec<String> {
    let mut strings: Vec<String> = [
        "",
        "a",
        "nul \0, quote \", backslash \\, line \n end",
        "你好，世界",
        "😀 👨\u{200d}👩\u{200d}👧",
    ]
    .map(str::to_owned)
    .into();
    strings.extend([31, 32, 1023, 1024].map(|length| "x".repeat(length)));
    // A pair of surrogates across the border of two chunks.
    strings.push("x".repeat(32_767) + "😀");
    strings.push("x".repeat(32_768));
    strings.push("中".repeat(32_769));
    strings.push("😀".repeat(20_000));
    strings.push("0123456789abcdef".repeat(5 * 65_536));
    strings
}

/// So many bytes.
pub fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 31 + 7).to_le_bytes()[0]).collect()
}

/// Buffers of every length that matters.
pub fn buffers() -> Vec<Vec<u8>> {
    [0, 1, 15, 16, 1023, 1024, 8192, 70_000, 5 << 20].map(bytes).into()
}

/// Decimal numbers.
pub fn decimals() -> Vec<BigDecimal> {
    let texts = [
        "0",
        "1.50",
        "-0.000001",
        "1E+30",
        "123456789012345678901234567890.123456789",
    ];
    texts.map(decimal).into()
}

/// Whole numbers.
pub fn integers() -> Vec<BigInteger> {
    let texts = [
        "0",
        "1",
        "-1",
        "255",
        "18446744073709551616",
        "-1606938044258990275541962092341162602522202993782792835301366",
    ];
    texts.map(|text| text.parse().expect("a whole number")).into()
}

fn decimal(text: &str) -> BigDecimal {
    text.parse().expect("a decimal number")
}

/// A typed value as one of any kind.
pub fn value<T: ToHessian + ?Sized>(typed: &T) -> Value {
    to_value(typed).expect("it can be written")
}

/// One of each that the wire can tell apart when nobody says what to expect.
pub fn mixed() -> Vec<Value> {
    vec![
        Value::Null,
        Value::Bool(true),
        Value::Int(1),
        Value::Long(2),
        Value::Double(1.5),
        "中".into(),
        value(&bytes(3)),
        Value::Date(894_621_091_123),
        value(&decimal("1.50")),
        value(&BigInteger::from(255)),
        value(&Colour::Red),
        value(&Colour::Blue),
        value(&Colour::Red),
        value(&item()),
        Value::list(["nested".into(), Value::list([])]),
        Value::map([("k", Value::list([Value::Int(1), Value::Long(2)]))]),
        Value::typed_list("[int", [Value::Int(1), Value::Int(2)]),
        Value::typed_list("[string", ["a".into(), Value::Null]),
        value(&DAY),
    ]
}

/// A map with keys of many types.
pub fn map() -> Value {
    let sorted = orana::hessian::Map {
        kind: Some("java.util.TreeMap".into()),
        entries: vec![("a".into(), Value::Int(2)), ("b".into(), Value::Int(1))],
    };
    Value::map([
        (Value::Int(1), "int".into()),
        (Value::Long(2), "long".into()),
        (Value::Double(1.5), Value::Null),
        (Value::Bool(true), Value::list(["true".into()])),
        ("text".into(), Value::Int(3)),
        (Value::Null, "null".into()),
        (Value::Date(60_000), value(&vec![1u8])),
        (value(&Colour::Green), value(&item())),
        (value(&decimal("0.10")), sorted.into()),
    ])
}

/// All fields set.
pub fn item() -> Item {
    let inner = Item {
        name: Some("inner".into()),
        parent: Parent { id: -5, note: None },
        ..Item::default()
    };
    Item {
        parent: Parent {
            id: 1 << 40,
            note: Some("of the parent".into()),
        },
        flag: true,
        small: -3,
        medium: 300,
        count: 70_000,
        letter: Letter('中'),
        price: 19.99,
        boxed: Some(7),
        big: Some(8),
        ratio: Some(0.5),
        name: Some("outer 😀".into()),
        made: Some(Date(894_621_091_123)),
        cost: Some(decimal("12.340")),
        huge: Some(BigInteger::from(10i128.pow(30))),
        colour: Some(Colour::Blue),
        day: Some(DAY),
        raw: Some(bytes(20)),
        numbers: Some(vec![1, -2, 3].into()),
        words: Some(vec![Some("one".into()), None, Some("three".into())].into()),
        tags: Some(vec!["red".into(), "红".into()]),
        marks: Some([3, 1, 2].into()),
        labels: Some([(1, Some("one".into())), (-1, None)].into()),
        inner: Some(inner.into()),
        parts: Some(vec![Some(Item::default()), None]),
    }
}

/// Collections and arrays there, but empty.
pub fn hollow() -> Item {
    Item {
        raw: Some(Vec::new()),
        numbers: Some(Array::default()),
        words: Some(Array::default()),
        tags: Some(Vec::new()),
        marks: Some([].into()),
        labels: Some([].into()),
        parts: Some(Vec::new()),
        name: Some(String::new()),
        ..Item::default()
    }
}

/// The parent alone.
pub fn base() -> Base {
    Base {
        parent: Parent {
            id: 1 << 33,
            note: Some("alone".into()),
        },
    }
}

/// A child that no method's signature names.
pub fn special() -> Special {
    Special {
        parent: Parent {
            id: 9,
            note: Some("特".into()),
        },
        extra: Some("more".into()),
    }
}

/// A node that refers to itself in every way.
pub fn own_neighbour() -> Value {
    let node = Node::unfilled();
    let back = || Value::from(node.back());
    fill(&node, "self", back(), Value::list([back()]));
    node.into()
}

/// So many nodes in a row, closed to a ring or not; each knows itself.
pub fn chain(length: usize, closed: bool) -> Value {
    let first = Node::unfilled();
    let mut next = match closed {
        true => Value::from(first.back()),
        false => Value::Null,
    };
    for number in (0..length).rev() {
        let node = if number == 0 { first.clone() } else { Node::unfilled() };
        let others = match number + 1 < length {
            true => Value::list([Value::from(first.back())]),
            false => Value::list([]),
        };
        fill(&node, &format!("n{number}"), next, others);
        next = node.into();
    }
    next
}

fn fill(node: &Node, name: &str, next: Value, others: Value) {
    let class = Class {
        name: "org.example.peer.Node".into(),
        fields: ["name", "self", "next", "others"].map(Into::into).into(),
    };
    node.fill(Content::Object(Object {
        class: class.into(),
        values: vec![name.into(), node.back().into(), next, others],
    }));
}
