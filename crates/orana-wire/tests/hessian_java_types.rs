//! The types of Java that are more than numbers, strings and collections read what Java's encoders wrote of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[allow(dead_code, reason = "another test uses the rest")]
mod streams;

use orana_wire::hessian::java::*;
use orana_wire::hessian::*;
use streams::{COMPACT, CURRENT, OLD, stream};

// ---------------------------------------------------------------------------------------------------------------------

/// Reads the only value of a stream as a type that writes the same bytes.
fn same<T: FromHessian + ToHessian + PartialEq + std::fmt::Debug>(name: &str, expected: &T) {
    for file in [CURRENT, OLD] {
        let bytes = stream(file, name);
        assert_eq!(&from_bytes::<T>(&bytes).unwrap(), expected, "{file}: {name}");
        assert_eq!(to_bytes(expected).unwrap(), bytes, "{file}: {name}");
    }
}

const DATE: LocalDate = LocalDate {
    day: 29,
    month: 2,
    year: 2024,
};

const TIME: LocalTime = LocalTime {
    nano: 4,
    second: 3,
    minute: 2,
    hour: 1,
};

#[test]
fn every_type_of_java_time_reads_and_writes_as_java_does() {
    let date_time = LocalDateTime { time: TIME, date: DATE };
    let offset = ZoneOffset { seconds: 28_800 };
    same("local-date", &DATE);
    same("local-time", &TIME);
    same("local-date-time", &date_time);
    same("instant", &Instant { nanos: 2, seconds: 1 });
    same("duration", &Duration { nanos: 4, seconds: 3 });
    same(
        "duration-negative",
        &Duration {
            nanos: 999_999_999,
            seconds: -1,
        },
    );
    same(
        "period",
        &Period {
            days: 3,
            months: -2,
            years: 1,
        },
    );
    same("year", &Year { year: 2024 });
    same("year-month", &YearMonth { month: 2, year: 2024 });
    same("month-day", &MonthDay { day: 29, month: 2 });
    same("zone-offset", &offset);
    same(
        "zone-id",
        &ZoneId {
            zone_id: "Europe/Berlin".into(),
        },
    );
    same(
        "offset-date-time",
        &OffsetDateTime {
            offset: offset.clone(),
            date_time: date_time.clone(),
        },
    );
    same(
        "offset-time",
        &OffsetTime {
            zone_offset: offset,
            local_time: TIME,
        },
    );
    let berlin = ZonedDateTime {
        offset: ZoneOffset { seconds: 3600 },
        date_time,
        zone_id: Some("Europe/Berlin".into()),
    };
    same("zoned-date-time", &berlin);
}

#[test]
fn the_compact_form_of_java_time_reads_as_the_same() {
    assert_eq!(from_bytes(&stream(COMPACT, "local-date")), Ok(DATE));
    assert_eq!(from_bytes(&stream(COMPACT, "local-time")), Ok(TIME));
    let both = LocalDateTime { time: TIME, date: DATE };
    assert_eq!(from_bytes(&stream(COMPACT, "local-date-time")), Ok(both));
    let bytes = stream(COMPACT, "two-dates-and-a-number");
    let mut decoder = Decoder::new(&bytes);
    let last_of_1969 = LocalDate {
        day: 31,
        month: 12,
        year: 1969,
    };
    assert_eq!(LocalDate::from_hessian(&mut decoder), Ok(last_of_1969));
    assert_eq!(
        LocalDate::from_hessian(&mut decoder),
        Ok(LocalDate {
            day: 1,
            month: 1,
            year: -1
        })
    );
    assert_eq!(i32::from_hessian(&mut decoder), Ok(7));
}

#[test]
fn big_numbers_uuids_and_dates_read_as_what_they_are() {
    for file in [CURRENT, OLD] {
        let bytes = stream(file, "big-decimals");
        let mut decoder = Decoder::new(&bytes);
        for text in ["1.50", "-1E+30", "0"] {
            assert_eq!(BigDecimal::from_hessian(&mut decoder).unwrap().as_str(), text);
        }
        let bytes = stream(file, "big-integers");
        let mut decoder = Decoder::new(&bytes);
        for number in [255, 0, -(1i128 << 100)] {
            assert_eq!(BigInteger::from_hessian(&mut decoder), Ok(BigInteger::from(number)));
        }
        let bytes = stream(file, "sql");
        let mut decoder = Decoder::new(&bytes);
        for millis in [1, 0, 0] {
            assert_eq!(Date::from_hessian(&mut decoder), Ok(Date(millis)));
        }
        let bytes = stream(file, "classes");
        let mut decoder = Decoder::new(&bytes);
        for class in ["java.lang.String", "[I"] {
            assert_eq!(JavaClass::from_hessian(&mut decoder), Ok(JavaClass(class.into())));
        }
    }
    same("uuid", &"00112233-4455-6677-8899-aabbccddeeff".parse::<Uuid>().unwrap());
}

#[test]
fn a_second_use_of_an_enums_constant_reads_as_the_constant() {
    let bytes = stream(CURRENT, "enums");
    let mut decoder = Decoder::new(&bytes);
    for name in ["RED", "GREEN", "RED", "BLUE"] {
        let constant = Enumerated::from_hessian(&mut decoder).unwrap();
        assert_eq!(constant.name, name);
        assert_eq!(constant.class, "org.orana.interop.hessian.Beans$Colour");
    }
}

#[test]
fn exceptions_read_with_message_cause_stack_and_their_own_fields() {
    let read = |name| from_bytes::<Throwable>(&stream(CURRENT, name)).unwrap();
    let closed = read("exception");
    assert_eq!(closed, Throwable::new("java.lang.IllegalStateException", "closed"));
    assert_eq!(read("exception-without-message").message, None);
    let boom = read("exception-with-cause");
    assert_eq!(
        (boom.class.as_str(), boom.message.as_deref()),
        ("java.lang.Exception", Some("boom"))
    );
    assert_eq!(
        boom.cause,
        Some(Box::new(Throwable::new("java.lang.IllegalStateException", "c")))
    );
    let refused = read("exception-of-its-own");
    assert_eq!(refused.message.as_deref(), Some("no"));
    assert_eq!(refused.get("code"), Some(&Value::Int(7)));
    assert_eq!(refused.get("detail"), Some(&Value::from("because")));
    let framed = read("exception-with-stack");
    let shop = StackFrame {
        class: "org.example.Shop".into(),
        method: "sell".into(),
        file: Some("Shop.java".into()),
        line: 12,
    };
    assert_eq!(framed.stack[0], shop);
    assert_eq!((framed.stack[1].file.as_deref(), framed.stack[1].line), (None, -2));
    let outer = read("exception-with-suppressed");
    assert_eq!(
        outer.suppressed,
        [Throwable::new("java.lang.RuntimeException", "inner")]
    );
    for name in [
        "exception",
        "exception-with-cause",
        "exception-with-stack",
        "exception-with-suppressed",
    ] {
        let throwable = read(name);
        let again = from_bytes::<Throwable>(&to_bytes(&throwable).unwrap());
        assert_eq!(again.as_ref(), Ok(&throwable), "{name}");
    }
}
