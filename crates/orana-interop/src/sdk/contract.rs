//! `org.example.peer.Corpus` as a Rust program declares it. What null may come for is an `Option`; what Java knows by
//! another type than the usual one says so.

use std::collections::BTreeMap;

use orana::hessian::java::{
    Array, BigDecimal, BigInteger, Date, Duration, Instant, LocalDate, LocalDateTime, LocalTime, ZonedDateTime,
};
use orana::{Result, Value};

use super::beans::{AnyBase, Colour, Item};

/// A method for every kind of argument, result and outcome.
#[orana::service(interface = "org.example.peer.Corpus")]
#[allow(missing_docs, clippy::too_many_arguments, reason = "as the Java interface")]
pub trait Corpus {
    async fn echo_boolean(&self, x: bool) -> Result<bool>;
    async fn echo_byte(&self, x: i8) -> Result<i8>;
    async fn echo_char(&self, x: char) -> Result<char>;
    async fn echo_short(&self, x: i16) -> Result<i16>;
    async fn echo_int(&self, x: i32) -> Result<i32>;
    async fn echo_long(&self, x: i64) -> Result<i64>;
    async fn echo_float(&self, x: f32) -> Result<f32>;
    async fn echo_double(&self, x: f64) -> Result<f64>;
    async fn echo_boxed_boolean(&self, x: Option<bool>) -> Result<Option<bool>>;
    async fn echo_boxed_byte(&self, x: Option<i8>) -> Result<Option<i8>>;
    async fn echo_boxed_char(&self, x: Option<char>) -> Result<Option<char>>;
    async fn echo_boxed_short(&self, x: Option<i16>) -> Result<Option<i16>>;
    async fn echo_boxed_int(&self, x: Option<i32>) -> Result<Option<i32>>;
    async fn echo_boxed_long(&self, x: Option<i64>) -> Result<Option<i64>>;
    async fn echo_boxed_float(&self, x: Option<f32>) -> Result<Option<f32>>;
    async fn echo_boxed_double(&self, x: Option<f64>) -> Result<Option<f64>>;
    async fn echo_string(&self, x: Option<String>) -> Result<Option<String>>;
    async fn echo_bytes(&self, x: Option<Vec<u8>>) -> Result<Option<Vec<u8>>>;
    async fn echo_date(&self, x: Option<Date>) -> Result<Option<Date>>;
    async fn echo_big_decimal(&self, x: Option<BigDecimal>) -> Result<Option<BigDecimal>>;
    async fn echo_big_integer(&self, x: Option<BigInteger>) -> Result<Option<BigInteger>>;
    async fn echo_colour(&self, x: Option<Colour>) -> Result<Option<Colour>>;
    async fn echo_local_date(&self, x: Option<LocalDate>) -> Result<Option<LocalDate>>;
    async fn echo_local_time(&self, x: Option<LocalTime>) -> Result<Option<LocalTime>>;
    async fn echo_local_date_time(&self, x: Option<LocalDateTime>) -> Result<Option<LocalDateTime>>;
    async fn echo_instant(&self, x: Option<Instant>) -> Result<Option<Instant>>;
    async fn echo_duration(&self, x: Option<Duration>) -> Result<Option<Duration>>;
    async fn echo_zoned_date_time(&self, x: Option<ZonedDateTime>) -> Result<Option<ZonedDateTime>>;

    async fn echo_booleans(&self, x: Option<Array<bool>>) -> Result<Option<Array<bool>>>;
    /// On the wire an array of `char` is a text.
    #[method(returns = "char[]")]
    async fn echo_chars(&self, #[java("char[]")] x: Option<String>) -> Result<Option<String>>;
    async fn echo_shorts(&self, x: Option<Array<i16>>) -> Result<Option<Array<i16>>>;
    async fn echo_ints(&self, x: Option<Array<i32>>) -> Result<Option<Array<i32>>>;
    async fn echo_longs(&self, x: Option<Array<i64>>) -> Result<Option<Array<i64>>>;
    async fn echo_floats(&self, x: Option<Array<f32>>) -> Result<Option<Array<f32>>>;
    async fn echo_doubles(&self, x: Option<Array<f64>>) -> Result<Option<Array<f64>>>;
    async fn echo_strings(&self, x: Option<Array<Option<String>>>) -> Result<Option<Array<Option<String>>>>;
    async fn echo_objects(&self, x: Option<Array<Value>>) -> Result<Option<Array<Value>>>;
    async fn echo_items(&self, x: Option<Array<Option<Item>>>) -> Result<Option<Array<Option<Item>>>>;
    async fn echo_matrix(&self, x: Option<Array<Array<i32>>>) -> Result<Option<Array<Array<i32>>>>;

    async fn echo_list(&self, x: Option<Vec<Value>>) -> Result<Option<Vec<Value>>>;
    #[method(returns = "java.util.Set")]
    async fn echo_set(&self, #[java("java.util.Set")] x: Option<Vec<Value>>) -> Result<Option<Vec<Value>>>;
    #[method(returns = "java.util.Map")]
    async fn echo_map(&self, #[java("java.util.Map")] x: Value) -> Result<Value>;
    async fn echo_item_list(&self, x: Option<Vec<Option<Item>>>) -> Result<Option<Vec<Option<Item>>>>;
    async fn echo_item_map(
        &self,
        x: Option<BTreeMap<i32, Option<Item>>>,
    ) -> Result<Option<BTreeMap<i32, Option<Item>>>>;
    async fn echo_item(&self, x: Option<Item>) -> Result<Option<Item>>;
    async fn echo_base(&self, x: Option<AnyBase>) -> Result<Option<AnyBase>>;
    /// A graph: only a value of any kind can lead back into itself.
    #[method(returns = "org.example.peer.Node")]
    async fn echo_node(&self, #[java("org.example.peer.Node")] x: Value) -> Result<Value>;
    async fn echo_object(&self, x: Value) -> Result<Value>;

    async fn describe(&self, x: Value) -> Result<String>;
    async fn describe_scalars(&self, a: bool, b: i8, c: char, d: i16, e: i32, f: i64, g: f32, h: f64)
    -> Result<String>;
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
    ) -> Result<String>;
    async fn describe_arrays(
        &self,
        a: Array<i32>,
        b: Array<i64>,
        c: Array<f64>,
        d: Array<Option<String>>,
        e: Array<Value>,
        f: Array<Option<Item>>,
    ) -> Result<String>;
    async fn describe_collections(
        &self,
        a: Vec<Value>,
        #[java("java.util.Set")] b: Vec<Value>,
        #[java("java.util.Map")] c: Value,
    ) -> Result<String>;
    async fn describe_item(&self, x: Option<Item>) -> Result<String>;

    #[method(name = "same")]
    async fn same_string(&self, x: String) -> Result<String>;
    #[method(name = "same")]
    async fn same_int(&self, x: i32) -> Result<String>;
    #[method(name = "same")]
    async fn same_integer(&self, x: Option<i32>) -> Result<String>;
    #[method(name = "same")]
    async fn same_string_int(&self, x: String, y: i32) -> Result<String>;
    #[method(name = "same")]
    async fn same_list(&self, x: Vec<Value>) -> Result<String>;

    async fn nothing(&self) -> Result<()>;
    async fn declared(&self, message: String, code: i32) -> Result<String>;
    async fn undeclared(&self, kind: String, message: String) -> Result<String>;
    #[method(returns = "java.util.concurrent.CompletableFuture")]
    async fn later(&self, x: String, millis: i32) -> Result<String>;
    #[method(returns = "java.util.concurrent.CompletableFuture")]
    async fn later_refused(&self, message: String, code: i32) -> Result<String>;
    async fn slow(&self, millis: i32) -> Result<i32>;
    async fn attachments(&self, prefix: String) -> Result<BTreeMap<String, String>>;
    async fn notice(&self, x: String) -> Result<()>;
    async fn noticed(&self, x: String) -> Result<i32>;
}
