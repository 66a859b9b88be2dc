//! The corpus as it is meant, offered by Rust.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration as Time;

use orana::hessian::java::{
    Array, BigDecimal, BigInteger, Date, Duration, Exception, Instant, LocalDate, LocalDateTime, LocalTime,
    ZonedDateTime,
};
use orana::{Context, Error, ErrorCode, Result, Value};

use super::beans::{AnyBase, Colour, Item, Refused};
use super::canonical::{self, Canonical, Text};
use super::contract::Corpus;

/// Answers what the contract says.
#[derive(Debug, Default)]
pub struct Told {
    notices: Mutex<HashMap<String, i32>>,
}

/// What comes as a list where Java has a set.
struct Set<'a>(&'a [Value]);

impl Canonical for Set<'_> {
    fn tell(&self, text: &mut Text) {
        let mut texts: Vec<String> = self.0.iter().map(canonical::of).collect();
        texts.sort();
        text.put(&format!("set{{{}}}", texts.join(", ")));
    }
}

fn refused(message: String, code: i32) -> Error {
    orana::throw(&Refused {
        exception: Exception::new(message),
        code,
    })
}

async fn pause(millis: i32) {
    tokio::time::sleep(Time::from_millis(u64::try_from(millis).unwrap_or(0))).await;
}

/// Methods that answer their argument.
macro_rules! echo {
    ($($name:ident: $kind:ty;)*) => {
        $(async fn $name(&self, x: $kind) -> Result<$kind> {
            Ok(x)
        })*
    };
}

impl Corpus for Told {
    echo! {
        echo_boolean: bool;
        echo_byte: i8;
        echo_char: char;
        echo_short: i16;
        echo_int: i32;
        echo_long: i64;
        echo_float: f32;
        echo_double: f64;
        echo_boxed_boolean: Option<bool>;
        echo_boxed_byte: Option<i8>;
        echo_boxed_char: Option<char>;
        echo_boxed_short: Option<i16>;
        echo_boxed_int: Option<i32>;
        echo_boxed_long: Option<i64>;
        echo_boxed_float: Option<f32>;
        echo_boxed_double: Option<f64>;
        echo_string: Option<String>;
        echo_bytes: Option<Vec<u8>>;
        echo_date: Option<Date>;
        echo_big_decimal: Option<BigDecimal>;
        echo_big_integer: Option<BigInteger>;
        echo_colour: Option<Colour>;
        echo_local_date: Option<LocalDate>;
        echo_local_time: Option<LocalTime>;
        echo_local_date_time: Option<LocalDateTime>;
        echo_instant: Option<Instant>;
        echo_duration: Option<Duration>;
        echo_zoned_date_time: Option<ZonedDateTime>;
        echo_booleans: Option<Array<bool>>;
        echo_chars: Option<String>;
        echo_shorts: Option<Array<i16>>;
        echo_ints: Option<Array<i32>>;
        echo_longs: Option<Array<i64>>;
        echo_floats: Option<Array<f32>>;
        echo_doubles: Option<Array<f64>>;
        echo_strings: Option<Array<Option<String>>>;
        echo_objects: Option<Array<Value>>;
        echo_items: Option<Array<Option<Item>>>;
        echo_matrix: Option<Array<Array<i32>>>;
        echo_list: Option<Vec<Value>>;
        echo_set: Option<Vec<Value>>;
        echo_map: Value;
        echo_item_list: Option<Vec<Option<Item>>>;
        echo_item_map: Option<BTreeMap<i32, Option<Item>>>;
        echo_item: Option<Item>;
        echo_base: Option<AnyBase>;
        echo_node: Value;
        echo_object: Value;
    }

    async fn describe(&self, x: Value) -> Result<String> {
        Ok(canonical::of(&x))
    }

    async fn describe_scalars(
        &self,
        a: bool,
        b: i8,
        c: char,
        d: i16,
        e: i32,
        f: i64,
        g: f32,
        h: f64,
    ) -> Result<String> {
        Ok(canonical::all(&[&a, &b, &c, &d, &e, &f, &g, &h]))
    }

    async fn describe_boxed(
        &self,
        a: Option<bool>,
        b: Option<i8>,
        c: Option<char>,
        d: Option<i16>,
        e: Option<i32>,
        f: Option<i64>,
        g: Option<f32>,
        h: Option<f64>,
    ) -> Result<String> {
        Ok(canonical::all(&[&a, &b, &c, &d, &e, &f, &g, &h]))
    }

    async fn describe_arrays(
        &self,
        a: Array<i32>,
        b: Array<i64>,
        c: Array<f64>,
        d: Array<Option<String>>,
        e: Array<Value>,
        f: Array<Option<Item>>,
    ) -> Result<String> {
        Ok(canonical::all(&[&a, &b, &c, &d, &e, &f]))
    }

    async fn describe_collections(&self, a: Vec<Value>, b: Vec<Value>, c: Value) -> Result<String> {
        Ok(canonical::all(&[&a, &Set(&b), &c]))
    }

    async fn describe_item(&self, x: Option<Item>) -> Result<String> {
        Ok(canonical::of(&x))
    }

    async fn same_string(&self, x: String) -> Result<String> {
        Ok(format!("String {}", canonical::of(&x)))
    }

    async fn same_int(&self, x: i32) -> Result<String> {
        Ok(format!("int {x}"))
    }

    async fn same_integer(&self, x: Option<i32>) -> Result<String> {
        Ok(format!("Integer {}", canonical::of(&x)))
    }

    async fn same_string_int(&self, x: String, y: i32) -> Result<String> {
        Ok(format!("String,int {}", canonical::all(&[&x, &y])))
    }

    async fn same_list(&self, x: Vec<Value>) -> Result<String> {
        Ok(format!("List {}", canonical::of(&x)))
    }

    async fn nothing(&self) -> Result<()> {
        Ok(())
    }

    async fn declared(&self, message: String, code: i32) -> Result<String> {
        Err(refused(message, code))
    }

    async fn undeclared(&self, kind: String, message: String) -> Result<String> {
        match &*kind {
            "runtime" => Err(Error::thrown("java.lang.RuntimeException", message)),
            "state" => Err(Error::thrown("java.lang.IllegalStateException", message)),
            // An error of Rust's own, which is no class that the caller could have.
            "foreign" => Err(Error::new(ErrorCode::Business, message)),
            _ => Ok(format!("unknown kind {kind}")),
        }
    }

    async fn later(&self, x: String, millis: i32) -> Result<String> {
        pause(millis).await;
        Ok(x)
    }

    async fn later_refused(&self, message: String, code: i32) -> Result<String> {
        pause(10).await;
        Err(refused(message, code))
    }

    async fn slow(&self, millis: i32) -> Result<i32> {
        pause(millis).await;
        Ok(millis)
    }

    async fn attachments(&self, prefix: String) -> Result<BTreeMap<String, String>> {
        let mut found = BTreeMap::new();
        if let Some(context) = Context::current() {
            for (name, text) in context.attachments().iter() {
                if name.starts_with(&*prefix) {
                    found.insert(name.to_string(), text.to_string());
                    context.answer_with(format!("back.{name}"), text);
                }
            }
            context.answer_with("back.count", found.len().to_string());
        }
        Ok(found)
    }

    async fn notice(&self, x: String) -> Result<()> {
        *self
            .notices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(x)
            .or_default() += 1;
        Ok(())
    }

    async fn noticed(&self, x: String) -> Result<i32> {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(notices.get(&x).copied().unwrap_or(0))
    }
}
