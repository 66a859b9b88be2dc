//! Every type there and back, and what the other side says has arrived.

use std::collections::BTreeMap;
use std::future::Future;

use orana::hessian::java::{Array, Duration, Instant, LocalDate, LocalDateTime, LocalTime, ZonedDateTime};
use orana::{Result, Value};

use super::beans::{AnyBase, Base, Colour, Item};
use super::canonical::{self, Canonical, Text};
use super::cases::Cases;
use super::contract::{Corpus, CorpusClient};
use super::samples;

/// A set that was sent or came as a list.
struct Set(Vec<Value>);

impl Canonical for Set {
    fn tell(&self, text: &mut Text) {
        Value::typed_list("java.util.Set", self.0.iter().cloned()).tell(text);
    }
}

/// All of them.
pub(super) async fn run(corpus: &CorpusClient, cases: &mut Cases) {
    scalars(corpus, cases).await;
    texts(corpus, cases).await;
    times(corpus, cases).await;
    arrays(corpus, cases).await;
    collections(corpus, cases).await;
    objects(corpus, cases).await;
    described(corpus, cases).await;
    described_together(corpus, cases).await;
}

async fn scalars(corpus: &CorpusClient, cases: &mut Cases) {
    echo(cases, "boolean", [true, false], |x| corpus.echo_boolean(x)).await;
    echo(cases, "byte", [0, 47, 48, i8::MIN, i8::MAX], |x| corpus.echo_byte(x)).await;
    echo(cases, "char", ['A', '\0', '"', 'é', '中', '\u{fffd}'], |x| {
        corpus.echo_char(x)
    })
    .await;
    echo(cases, "short", [0, 2047, 2048, i16::MIN, i16::MAX], |x| {
        corpus.echo_short(x)
    })
    .await;
    echo(cases, "int", samples::INTS, |x| corpus.echo_int(x)).await;
    echo(cases, "long", samples::LONGS, |x| corpus.echo_long(x)).await;
    echo(cases, "float", samples::FLOATS, |x| corpus.echo_float(x)).await;
    echo(cases, "double", samples::DOUBLES, |x| corpus.echo_double(x)).await;
    let booleans = [Some(true), Some(false), None];
    echo(cases, "boxed.boolean", booleans, |x| corpus.echo_boxed_boolean(x)).await;
    echo(cases, "boxed.byte", [Some(i8::MIN), Some(i8::MAX), None], |x| {
        corpus.echo_boxed_byte(x)
    })
    .await;
    echo(cases, "boxed.char", [Some('A'), Some('中'), None], |x| {
        corpus.echo_boxed_char(x)
    })
    .await;
    echo(cases, "boxed.short", [Some(i16::MIN), Some(i16::MAX), None], |x| {
        corpus.echo_boxed_short(x)
    })
    .await;
    echo(cases, "boxed.int", [Some(0), Some(i32::MIN), None], |x| {
        corpus.echo_boxed_int(x)
    })
    .await;
    echo(cases, "boxed.long", [Some(0), Some(i64::MIN), None], |x| {
        corpus.echo_boxed_long(x)
    })
    .await;
    echo(cases, "boxed.float", [Some(1.1), Some(f32::MAX), None], |x| {
        corpus.echo_boxed_float(x)
    })
    .await;
    echo(cases, "boxed.double", [Some(1.1), Some(f64::MAX), None], |x| {
        corpus.echo_boxed_double(x)
    })
    .await;
    echo(cases, "decimal", and_null(samples::decimals()), |x| {
        corpus.echo_big_decimal(x)
    })
    .await;
    echo(cases, "integer", and_null(samples::integers()), |x| {
        corpus.echo_big_integer(x)
    })
    .await;
    echo(cases, "enum", [Some(Colour::Red), Some(Colour::Blue), None], |x| {
        corpus.echo_colour(x)
    })
    .await;
}

async fn texts(corpus: &CorpusClient, cases: &mut Cases) {
    echo(cases, "string", and_null(samples::strings()), |x| corpus.echo_string(x)).await;
    echo(cases, "bytes", and_null(samples::buffers()), |x| corpus.echo_bytes(x)).await;
}

async fn times(corpus: &CorpusClient, cases: &mut Cases) {
    let day = samples::DAY;
    let hour = LocalTime {
        nano: 123_456_789,
        second: 58,
        minute: 59,
        hour: 23,
    };
    let moment = LocalDateTime {
        time: hour.clone(),
        date: day.clone(),
    };
    echo(cases, "date", and_null(samples::DATES), |x| corpus.echo_date(x)).await;
    let before = LocalDate {
        day: 1,
        month: 1,
        year: -1,
    };
    same(cases, "time.local-date", [day, before], |x| corpus.echo_local_date(x)).await;
    let early = LocalTime {
        nano: 0,
        second: 3,
        minute: 2,
        hour: 1,
    };
    same(cases, "time.local-time", [hour, early], |x| corpus.echo_local_time(x)).await;
    same(cases, "time.local-date-time", [moment.clone()], |x| {
        corpus.echo_local_date_time(x)
    })
    .await;
    let instants = [(0, 0), (7, -5)].map(|(nanos, seconds)| Instant { nanos, seconds });
    same(cases, "time.instant", instants, |x| corpus.echo_instant(x)).await;
    let durations = [(0, 0), (5_000_000, 3_725)].map(|(nanos, seconds)| Duration { nanos, seconds });
    same(cases, "time.duration", durations, |x| corpus.echo_duration(x)).await;
    let here = ZonedDateTime {
        offset: orana::hessian::java::ZoneOffset { seconds: 8 * 3600 },
        date_time: moment,
        zone_id: Some("Asia/Shanghai".into()),
    };
    same(cases, "time.zoned", [here], |x| corpus.echo_zoned_date_time(x)).await;
}

async fn arrays(corpus: &CorpusClient, cases: &mut Cases) {
    echo(cases, "booleans", arrays_of([vec![true, false], vec![]]), |x| {
        corpus.echo_booleans(x)
    })
    .await;
    echo(cases, "chars", and_null(["a中".to_owned(), String::new()]), |x| {
        corpus.echo_chars(x)
    })
    .await;
    echo(cases, "shorts", arrays_of([vec![1, -300], vec![]]), |x| {
        corpus.echo_shorts(x)
    })
    .await;
    echo(cases, "ints", arrays_of([vec![1, -70_000], vec![0; 8], vec![]]), |x| {
        corpus.echo_ints(x)
    })
    .await;
    echo(cases, "longs", arrays_of([vec![1, i64::MIN], vec![]]), |x| {
        corpus.echo_longs(x)
    })
    .await;
    echo(cases, "floats", arrays_of([vec![1.5, 1.1], vec![]]), |x| {
        corpus.echo_floats(x)
    })
    .await;
    let doubles = [vec![1.5, std::f64::consts::PI], vec![]];
    echo(cases, "doubles", arrays_of(doubles), |x| corpus.echo_doubles(x)).await;
    let words = ["a", "", "中"].map(|word| Some(word.to_owned()).filter(|word| !word.is_empty()));
    echo(cases, "strings", arrays_of([words.to_vec(), vec![]]), |x| {
        corpus.echo_strings(x)
    })
    .await;
    echo(cases, "objects", arrays_of([samples::mixed(), vec![]]), |x| {
        corpus.echo_objects(x)
    })
    .await;
    let items = vec![Some(Item::default()), None, Some(samples::item())];
    echo(cases, "items", arrays_of([items, vec![]]), |x| corpus.echo_items(x)).await;
    let matrix = [vec![1], vec![], vec![2, 3]].map(Array).to_vec();
    echo(cases, "matrix", arrays_of([matrix, vec![]]), |x| corpus.echo_matrix(x)).await;
}

async fn collections(corpus: &CorpusClient, cases: &mut Cases) {
    let numbers = (0..300).map(Value::Int).collect();
    let lists = [samples::mixed(), numbers, vec![]];
    echo(cases, "list", and_null(lists), |x| corpus.echo_list(x)).await;
    let set = vec![Value::Int(1), Value::Long(2), "three".into(), Value::Null];
    for (number, values) in and_null([set, vec![]]).into_iter().enumerate() {
        let expected = values.clone().map(Set);
        let call = async { Ok(corpus.echo_set(values).await?.map(Set)) };
        cases.answers(&format!("echo.set.{number}"), &expected, call).await;
    }
    let sorted = Value::from(orana::hessian::Map {
        kind: Some("java.util.TreeMap".into()),
        entries: vec![("a".into(), Value::Int(1))],
    });
    let empty = Value::map::<Value, Value>([]);
    echo(cases, "map", [samples::map(), sorted, empty, Value::Null], |x| {
        corpus.echo_map(x)
    })
    .await;
    let items = vec![Some(samples::item()), None, Some(samples::hollow())];
    echo(cases, "item-list", and_null([items, vec![]]), |x| {
        corpus.echo_item_list(x)
    })
    .await;
    let by_number = BTreeMap::from([(-1, Some(samples::item())), (1, None)]);
    echo(cases, "item-map", and_null([by_number, BTreeMap::new()]), |x| {
        corpus.echo_item_map(x)
    })
    .await;
}

async fn objects(corpus: &CorpusClient, cases: &mut Cases) {
    let items = [samples::item(), samples::hollow(), Item::default()];
    echo(cases, "item", and_null(items), |x| corpus.echo_item(x)).await;
    let bases = [
        AnyBase::Item(samples::item().into()),
        AnyBase::Special(samples::special()),
        AnyBase::Base(samples::base()),
        AnyBase::Base(Base::default()),
    ];
    echo(cases, "base", and_null(bases), |x| corpus.echo_base(x)).await;
    let graphs = [
        samples::own_neighbour(),
        samples::chain(3, true),
        samples::chain(100, false),
        Value::Null,
    ];
    echo(cases, "cycle", graphs, |x| corpus.echo_node(x)).await;
    let shared = samples::value(&samples::hollow());
    let both = Value::list([shared.clone(), shared]);
    echo(cases, "shared", [both], |x| corpus.echo_object(x)).await;
    echo(cases, "object", samples::mixed(), |x| corpus.echo_object(x)).await;
    let special = samples::value(&samples::special());
    echo(cases, "object.special", [special], |x| corpus.echo_object(x)).await;
}

async fn described(corpus: &CorpusClient, cases: &mut Cases) {
    describe(
        cases,
        corpus,
        "string",
        samples::strings().iter().map(|x| (canonical::of(x), x.as_str().into())),
    )
    .await;
    let buffers = samples::buffers();
    describe(
        cases,
        corpus,
        "bytes",
        buffers.iter().map(|x| (canonical::of(x), samples::value(x))),
    )
    .await;
    describe(
        cases,
        corpus,
        "int",
        samples::INTS.map(|x| (canonical::of(&x), x.into())),
    )
    .await;
    describe(
        cases,
        corpus,
        "long",
        samples::LONGS.map(|x| (canonical::of(&x), x.into())),
    )
    .await;
    describe(
        cases,
        corpus,
        "double",
        samples::DOUBLES.map(|x| (canonical::of(&x), x.into())),
    )
    .await;
    describe(
        cases,
        corpus,
        "date",
        samples::DATES.map(|x| (canonical::of(&x), Value::Date(x.0))),
    )
    .await;
    let decimals = samples::decimals();
    describe(
        cases,
        corpus,
        "decimal",
        decimals.iter().map(|x| (canonical::of(x), samples::value(x))),
    )
    .await;
    let integers = samples::integers();
    describe(
        cases,
        corpus,
        "integer",
        integers.iter().map(|x| (canonical::of(x), samples::value(x))),
    )
    .await;
    let mixed = Value::list(samples::mixed());
    let set = Value::typed_list("java.util.HashSet", [Value::Int(1), "two".into(), Value::Null]);
    let special = samples::value(&samples::special());
    for (name, value) in [
        ("mixed", mixed),
        ("set", set),
        ("map", samples::map()),
        ("special", special),
    ] {
        describe(cases, corpus, name, [(canonical::of(&value), value)]).await;
    }
    let items = [samples::item(), samples::hollow(), Item::default()];
    describe(
        cases,
        corpus,
        "item",
        items.iter().map(|x| (canonical::of(x), samples::value(x))),
    )
    .await;
    let graphs = [
        samples::own_neighbour(),
        samples::chain(3, true),
        samples::chain(100, false),
    ];
    describe(cases, corpus, "cycle", graphs.map(|x| (canonical::of(&x), x))).await;
    for (number, item) in and_null(items).into_iter().enumerate() {
        let expected = canonical::of(&item);
        let call = corpus.describe_item(item);
        cases
            .says(&format!("describe.typed-item.{number}"), &expected, call)
            .await;
    }
}

async fn described_together(corpus: &CorpusClient, cases: &mut Cases) {
    let scalars = canonical::all(&[&true, &-1i8, &'中', &300i16, &-70_000, &5i64, &1.1f32, &1.1f64]);
    let call = corpus.describe_scalars(true, -1, '中', 300, -70_000, 5, 1.1, 1.1);
    cases.says("describe.scalars", &scalars, call).await;
    let call = corpus.describe_boxed(
        Some(true),
        Some(-1),
        Some('中'),
        Some(300),
        Some(-70_000),
        Some(5),
        Some(1.1),
        Some(1.1),
    );
    cases.says("describe.boxed", &scalars, call).await;
    let call = corpus.describe_boxed(None, None, None, None, None, None, None, None);
    cases
        .says("describe.boxed-null", "null null null null null null null null", call)
        .await;

    let (ints, longs, doubles) = (Array(vec![1]), Array(vec![2]), Array(vec![3.5]));
    let words = Array(vec![Some("a".to_owned()), None]);
    let objects = Array(vec![Value::Int(1), "b".into()]);
    let items = Array(vec![Some(samples::item()), None]);
    let expected = canonical::all(&[&ints, &longs, &doubles, &words, &objects, &items]);
    let call = corpus.describe_arrays(ints, longs, doubles, words, objects, items);
    cases.says("describe.arrays", &expected, call).await;
    let list = vec!["x".into(), Value::Int(1)];
    let expected = canonical::all(&[&list, &Set(list.clone()), &samples::map()]);
    let call = corpus.describe_collections(list.clone(), list, samples::map());
    cases.says("describe.collections", &expected, call).await;
}

/// Each value comes back.
async fn echo<T, F>(cases: &mut Cases, name: &str, values: impl IntoIterator<Item = T>, call: impl Fn(T) -> F)
where
    T: Canonical + Clone,
    F: Future<Output = Result<T>>,
{
    for (number, value) in values.into_iter().enumerate() {
        cases
            .answers(&format!("echo.{name}.{number}"), &value.clone(), call(value))
            .await;
    }
}

/// Each value comes back, and so does null; for what has no text here.
async fn same<T, F>(cases: &mut Cases, name: &str, values: impl IntoIterator<Item = T>, call: impl Fn(Option<T>) -> F)
where
    T: PartialEq + std::fmt::Debug + Clone,
    F: Future<Output = Result<Option<T>>>,
{
    for (number, value) in and_null(values).into_iter().enumerate() {
        cases
            .equals(&format!("echo.{name}.{number}"), &value.clone(), call(value))
            .await;
    }
}

/// Each value arrives as this text.
async fn describe(
    cases: &mut Cases,
    corpus: &CorpusClient,
    name: &str,
    values: impl IntoIterator<Item = (String, Value)>,
) {
    for (number, (expected, value)) in values.into_iter().enumerate() {
        let call = corpus.describe(value);
        cases.says(&format!("describe.{name}.{number}"), &expected, call).await;
    }
}

fn and_null<T>(values: impl IntoIterator<Item = T>) -> Vec<Option<T>> {
    values.into_iter().map(Some).chain([None]).collect()
}

fn arrays_of<T>(values: impl IntoIterator<Item = Vec<T>>) -> Vec<Option<Array<T>>> {
    and_null(values.into_iter().map(Array))
}
