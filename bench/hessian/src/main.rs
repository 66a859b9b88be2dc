//! Measures what the values of one message cost: time and allocations to encode and to decode them.
//!
//! `cargo run --release -p bench-hessian -- [CASE]` prints a line for each case whose name begins so. Times are
//! the processor's and the best of several rounds, as the machine may have other work. It knows no sockets: what a whole call costs is another benchmark's question.

mod counting;
mod order;

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, ensure};
use bytes::BytesMut;
use orana_wire::dubbo::request::put_request;
use orana_wire::dubbo::{Attachments, Descriptor, Header, Invocation, InvocationHead};
use orana_wire::hessian::{Decoder, Encoder, FromHessian, ToHessian, Value, from_bytes, to_bytes};
use order::Order;
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: u32 = 20;
const ROUND: Duration = Duration::from_millis(50);

#[expect(clippy::print_stdout, reason = "the table is this program's product")]
fn main() -> Result<()> {
    println!("{:<28}{:>8}{:>12}{:>14}", "", "bytes", "ns", "allocations");
    let text = "x".repeat(100);
    value("string", &text)?;
    let order = Order::sample();
    value("object", &order)?;
    value("object as Value", &from_bytes::<Value>(&to_bytes(&order)?)?)?;
    request(&text)
}

/// A value by itself.
fn value<T: ToHessian + FromHessian + PartialEq>(name: &str, value: &T) -> Result<()> {
    let bytes = to_bytes(value)?;
    ensure!(
        from_bytes::<T>(&bytes)? == *value,
        "{name} is not read as it was written"
    );
    let mut out = BytesMut::with_capacity(bytes.len());
    measure(&format!("{name}, encode"), bytes.len(), || {
        out.clear();
        black_box(value).to_hessian(&mut Encoder::new(&mut out)).is_ok()
    });
    measure(&format!("{name}, decode"), bytes.len(), || {
        from_bytes::<T>(black_box(&bytes)).is_ok()
    });
    measure(&format!("{name}, skip"), bytes.len(), || {
        Decoder::new(black_box(&bytes)).skip().is_ok()
    });
    Ok(())
}

/// The frame of a call with one string, as a consumer writes it and a provider reads it.
fn request(text: &str) -> Result<()> {
    let descriptor = Descriptor::parse("Ljava/lang/String;")?;
    let head = InvocationHead::new("org.example.peer.Echo", Some("1.0.0"), "text", descriptor);
    let attachments = Attachments::from_iter([
        ("path", "org.example.peer.Echo"),
        ("interface", "org.example.peer.Echo"),
        ("version", "1.0.0"),
        ("timeout", "1000"),
    ]);
    let header = Header::request(7, true);
    let mut out = BytesMut::with_capacity(1024);
    let put = |out: &mut BytesMut| put_request(&header, &head, &attachments, 8 << 20, out, |out| text.to_hessian(out));
    put(&mut out)?;
    let body = out.split_off(16).freeze();
    ensure!(
        Invocation::read(&header, &body)?.head == head,
        "the call is not read as it was written"
    );
    measure("request, encode", body.len(), || {
        out.clear();
        put(black_box(&mut out)).is_ok()
    });
    measure("request, decode", body.len(), || {
        let mut input = Decoder::new(black_box(&body));
        let head = InvocationHead::read(&mut input);
        let argument = String::from_hessian(&mut input);
        let attachments = Attachments::read(&mut input);
        black_box((head.is_ok(), argument.is_ok(), attachments.is_ok())) == (true, true, true)
    });
    Ok(())
}

/// Prints what `work` costs each time.
#[expect(clippy::print_stdout, reason = "the table is this program's product")]
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn measure(name: &str, bytes: usize, mut work: impl FnMut() -> bool) {
    if std::env::args().nth(1).is_some_and(|case| !name.starts_with(&case)) {
        return;
    }
    let (mut best, mut allocations) = (f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        let (began, mut times) = (worked(), 0u32);
        let before = counting::allocations();
        while worked() - began < ROUND {
            for _ in 0..100 {
                assert!(work(), "{name} fails");
            }
            times += 100;
        }
        best = best.min((worked() - began).as_nanos() as f64 / f64::from(times));
        allocations = (counting::allocations() - before) / u64::from(times);
    }
    println!("{name:<28}{bytes:>8}{best:>12.0}{allocations:>14}");
}

/// How long this thread has been at work.
fn worked() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime)
        .try_into()
        .unwrap_or(Duration::ZERO)
}
