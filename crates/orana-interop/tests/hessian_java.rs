//! What we write in Hessian, Java reads and writes again as the same: with the library of Dubbo 3.3.6 and with that of
//! Dubbo 2.7.23. Values are random and repeatable: `SEED` is printed and can be set, `VALUES` says how many.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use bytes::BytesMut;
use orana_interop::program::{Java, Program};
use orana_wire::hessian::java::*;
use orana_wire::hessian::*;

const CURRENT: Java = Java {
    project: "hessian",
    main: "org.orana.interop.hessian.Main",
    with_sources_of: &[],
};

const OLD: Java = Java {
    project: "hessian3",
    main: "org.orana.interop.hessian.Main",
    with_sources_of: &["hessian"],
};

/// Sends each stream to the echo of a library and returns what came back, in order.
fn echo(library: &Java, streams: &[BytesMut]) -> Result<Vec<Vec<u8>>> {
    let home = tempfile::tempdir()?;
    let mut java = library
        .command(home.path())?
        .arg("echo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = java.stdin.take().context("no standard input")?;
    let output = BufReader::new(java.stdout.take().context("no standard output")?);
    let lines: Vec<String> = streams.iter().map(|stream| hex_of(stream) + "\n").collect();
    let writer = std::thread::spawn(move || -> Result<()> {
        lines.iter().try_for_each(|line| input.write_all(line.as_bytes()))?;
        Ok(())
    });
    let mut answers = Vec::new();
    for (line, sent) in output.lines().zip(streams) {
        let line = line?;
        let hex = line.strip_prefix("ok ");
        let hex = hex.with_context(|| format!("java cannot read {}: {line}", hex_of(sent)))?;
        answers.push(bytes_of(hex)?);
    }
    writer.join().expect("the writer does not panic")?;
    ensure!(java.wait()?.success(), "java failed");
    ensure!(
        answers.len() == streams.len(),
        "java answered {} of {}",
        answers.len(),
        streams.len()
    );
    Ok(answers)
}

fn hex_of(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('?');
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
    digits.collect()
}

fn bytes_of(hex: &str) -> Result<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?))
        .collect()
}

// ---------------------------------------------------------------------------------------------------------------------

/// A sequence that looks random and depends on its seed only.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    /// A number of any magnitude.
    fn number(&mut self) -> i64 {
        let bits = self.below(64);
        self.roll().cast_signed() >> bits
    }

    fn int(&mut self) -> i32 {
        let bits = self.below(32);
        #[allow(clippy::cast_possible_truncation, reason = "any int will do")]
        let number = self.roll() as i32;
        number >> bits
    }

    fn text(&mut self) -> String {
        let length = match self.below(1000) {
            0 => self.below(70_000),
            1..=20 => self.below(1100),
            _ => self.below(40),
        };
        let alphabet: Vec<char> = ['a', 'z', '\0', 'é', '中', '\u{ffff}', '😀', '\u{10ffff}'].into();
        let from = self.below(8);
        let range = 1 + self.below(8 - from);
        let letter = |dice: &mut Dice| usize::try_from(from + dice.below(range)).map_or('x', |at| alphabet[at]);
        (0..length).map(|_| letter(self)).collect()
    }

    fn double(&mut self) -> f64 {
        match self.below(4) {
            0 => f64::from(self.int()),
            1 => 0.001 * f64::from(self.int()),
            2 => f64::from_bits(self.roll()),
            _ => f64::from(self.int()) / 7.0,
        }
    }
}

/// Makes values that Java reads as what they are: classes that it has, and maps whose order it keeps.
struct Maker {
    dice: Dice,
    made: Vec<Node>,
}

impl Maker {
    fn value(&mut self, depth: u64) -> Value {
        let kinds = if depth == 0 { 9 } else { 22 };
        match self.dice.below(kinds) {
            0 => Value::Null,
            1 => Value::Bool(self.dice.below(2) == 0),
            2 => Value::Int(self.dice.int()),
            3 => Value::Long(self.dice.number()),
            4 => {
                let double = self.dice.double();
                // Java forgets the sign of zero and which NaN it was.
                Value::Double(if double == 0.0 {
                    0.0
                } else if double.is_nan() {
                    f64::NAN
                } else {
                    double
                })
            }
            5 => Value::Date(self.dice.number()),
            6 | 7 => Value::from(self.dice.text()),
            8 => {
                let length = match self.dice.below(200) {
                    0 => 70_000,
                    1 => 9000,
                    2..=20 => 1010 + self.dice.below(30),
                    _ => self.dice.below(20),
                };
                Value::from(
                    (0..length)
                        .map(|_| self.dice.roll().to_le_bytes()[0])
                        .collect::<Vec<u8>>(),
                )
            }
            9..=11 => self.keep(Value::list, depth),
            12 => self.keep(|items| Value::typed_list("java.util.LinkedList", items), depth),
            13 => self.keep(|items| Value::typed_list("[object", items), depth),
            14 => {
                let items: Vec<Value> = (0..self.dice.below(20)).map(|_| self.dice.int().into()).collect();
                Value::typed_list("[int", items)
            }
            15 => {
                let items: Vec<Value> = (0..self.dice.below(9)).map(|_| self.dice.text().into()).collect();
                Value::typed_list("[string", items)
            }
            16 => match self.dice.below(2) {
                0 => Value::map([(self.value(0), self.value(depth - 1))]),
                _ => Value::map::<Value, Value>([]),
            },
            17 => {
                let entries =
                    (0..self.dice.below(12)).map(|key| (Value::Long(key.cast_signed()), self.value(depth - 1)));
                let entries = entries.collect();
                Value::from(Map {
                    kind: Some("java.util.LinkedHashMap".into()),
                    entries,
                })
            }
            18 => Value::enumerated("org.orana.interop.hessian.Beans$Colour", "GREEN"),
            19 => self.ring(),
            20 => Value::object(
                "java.math.BigDecimal",
                [("value", format!("{}.50", self.dice.number()).into())],
            ),
            _ => match self.made.len() {
                0 => Value::Null,
                // One that stands elsewhere, too.
                count => self.made[usize::try_from(self.dice.roll() % count as u64).unwrap_or(0)]
                    .clone()
                    .into(),
            },
        }
    }

    fn keep(&mut self, make: impl FnOnce(Vec<Value>) -> Value, depth: u64) -> Value {
        let items = (0..self.dice.below(10)).map(|_| self.value(depth - 1)).collect();
        let value = make(items);
        self.made.extend(value.node());
        value
    }

    /// Beans, each of which leads to the next and the last to the first.
    fn ring(&mut self) -> Value {
        let class = Arc::new(Class {
            name: "org.orana.interop.hessian.Beans$Link".into(),
            fields: vec!["next".into(), "number".into()],
        });
        let first = Node::unfilled();
        let mut next = Value::from(first.back());
        let mut link = |next, node: Option<&Node>| {
            let values = vec![next, Value::Int(self.dice.int())];
            let object = Object {
                class: Arc::clone(&class),
                values,
            };
            match node {
                Some(node) => {
                    node.fill(Content::Object(object));
                    Value::from(node.clone())
                }
                None => Value::from(object),
            }
        };
        for _ in 0..3 {
            next = link(next, None);
        }
        link(next, Some(&first))
    }
}

/// The value as the old library writes it: an array list with its type.
fn as_current(value: &Value, seen: &mut Vec<(Node, Node)>) -> Value {
    let Some(node) = value.node() else {
        return value.clone();
    };
    if let Some((_, known)) = seen.iter().find(|(old, _)| old.is(&node)) {
        return match known.content() {
            Some(_) => known.clone().into(),
            None => known.back().into(),
        };
    }
    let new = Node::unfilled();
    seen.push((node.clone(), new.clone()));
    let kind = |kind: &Option<Arc<str>>| kind.clone().filter(|kind| **kind != *"java.util.ArrayList");
    let content = match node.content().expect("what was read is filled") {
        Content::List(list) => Content::List(List {
            kind: kind(&list.kind),
            items: list.items.iter().map(|item| as_current(item, seen)).collect(),
        }),
        Content::Map(map) => Content::Map(Map {
            kind: map.kind.clone(),
            entries: map
                .entries
                .iter()
                .map(|(key, value)| (as_current(key, seen), as_current(value, seen)))
                .collect(),
        }),
        Content::Object(object) => Content::Object(Object {
            class: Arc::clone(&object.class),
            values: object.values.iter().map(|value| as_current(value, seen)).collect(),
        }),
    };
    new.fill(content);
    new.into()
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn random_values_come_back_equal(library: &Java) -> Result<()> {
    let seed = variable("SEED", 1);
    let count = variable("VALUES", 10_000);
    eprintln!("SEED={seed} VALUES={count}");
    let mut values = Vec::new();
    for number in 0..count {
        let mut maker = Maker {
            dice: Dice(seed << 32 | number),
            made: Vec::new(),
        };
        values.push(maker.value(4));
    }
    let streams = values.iter().map(to_bytes).collect::<Result<Vec<_>, _>>()?;
    for ((value, sent), came) in values.iter().zip(&streams).zip(echo(library, &streams)?) {
        let read: Value = from_bytes(&came).with_context(|| format!("sent {}", hex_of(sent)))?;
        ensure!(
            as_current(&read, &mut Vec::new()) == *value,
            "sent {}\ncame {}",
            hex_of(sent),
            hex_of(&came)
        );
    }
    Ok(())
}

#[test]
fn ten_thousand_random_values_come_back_equal_from_the_library_of_dubbo_3() -> Result<()> {
    random_values_come_back_equal(&CURRENT)
}

#[test]
fn ten_thousand_random_values_come_back_equal_from_the_library_of_dubbo_2() -> Result<()> {
    random_values_come_back_equal(&OLD)
}

// ---------------------------------------------------------------------------------------------------------------------

/// Whether what came back is what was sent.
type Check = Box<dyn Fn(&[u8]) -> Result<()>>;

/// Typed values to be sent in one go, each with the check of its answer.
#[derive(Default)]
struct Typed {
    streams: Vec<BytesMut>,
    checks: Vec<Check>,
}

impl Typed {
    fn add<T: ToHessian + FromHessian + PartialEq + std::fmt::Debug + 'static>(&mut self, value: T) -> Result<()> {
        self.streams.push(to_bytes(&value)?);
        self.checks.push(Box::new(move |came| {
            let read: T = from_bytes(came)?;
            ensure!(read == value, "sent {value:?}, came {read:?}");
            Ok(())
        }));
        Ok(())
    }
}

#[test]
fn typed_values_come_back_equal_from_both_libraries() -> Result<()> {
    let mut typed = Typed::default();
    for text in [
        "0",
        "255",
        "-1",
        "18446744073709551616",
        "-340282366920938463463374607431768211456",
    ] {
        typed.add(text.parse::<BigInteger>()?)?;
    }
    for text in ["0", "1.50", "-1E+30"] {
        typed.add(text.parse::<BigDecimal>()?)?;
    }
    typed.add("00112233-4455-6677-8899-aabbccddeeff".parse::<Uuid>()?)?;
    typed.add(Date(-1))?;
    typed.add(Timestamp(1))?;
    typed.add(JavaClass("java.lang.String".into()))?;
    typed.add(Enumerated {
        class: "java.util.concurrent.TimeUnit".into(),
        name: "DAYS".into(),
    })?;
    let time = LocalTime {
        nano: 4,
        second: 3,
        minute: 2,
        hour: 1,
    };
    let date = LocalDate {
        day: 29,
        month: 2,
        year: 2024,
    };
    let date_time = LocalDateTime {
        time: time.clone(),
        date: date.clone(),
    };
    let offset = ZoneOffset { seconds: 3600 };
    typed.add(OffsetDateTime {
        offset: offset.clone(),
        date_time: date_time.clone(),
    })?;
    typed.add(OffsetTime {
        zone_offset: offset.clone(),
        local_time: time.clone(),
    })?;
    typed.add(ZonedDateTime {
        offset: offset.clone(),
        date_time: date_time.clone(),
        zone_id: Some("Europe/Berlin".into()),
    })?;
    typed.add(date_time)?;
    typed.add(date)?;
    typed.add(time)?;
    typed.add(offset)?;
    typed.add(ZoneId {
        zone_id: "Europe/Berlin".into(),
    })?;
    typed.add(Instant { nanos: 2, seconds: -1 })?;
    typed.add(Duration { nanos: 4, seconds: 3 })?;
    typed.add(Period {
        days: 3,
        months: -2,
        years: 1,
    })?;
    typed.add(Year { year: 2024 })?;
    typed.add(YearMonth { month: 2, year: 2024 })?;
    typed.add(MonthDay { day: 29, month: 2 })?;
    typed.add(vec![Some("a".to_owned()), None])?;
    typed.add(vec![vec![1i64], vec![], vec![i64::MAX]])?;
    let frame = StackFrame {
        class: "org.example.Shop".into(),
        method: "sell".into(),
        file: Some("Shop.java".into()),
        line: 12,
    };
    let inner = Throwable {
        stack: vec![frame],
        ..Throwable::new("java.lang.IllegalStateException", "inner")
    };
    typed.add(inner.clone())?;
    typed.add(Throwable {
        cause: Some(Box::new(inner.clone())),
        suppressed: vec![inner],
        ..Throwable::new("java.lang.RuntimeException", "outer")
    })?;
    typed.add(Throwable {
        fields: vec![("detail".into(), "because".into()), ("code".into(), Value::Int(7))],
        ..Throwable::new("org.orana.interop.hessian.Beans$Refused", "no")
    })?;
    for library in [CURRENT, OLD] {
        for (check, came) in typed.checks.iter().zip(echo(&library, &typed.streams)?) {
            check(&came).with_context(|| format!("{}: came {}", library.project, hex_of(&came)))?;
        }
    }
    Ok(())
}
