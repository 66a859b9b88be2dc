//! Rust and each of the others call each other, found by the registry under test: every type, every way in which a call
//! ends, attachments, one-way, time-outs and generic calls. The consumer checks everything and says what was wrong.

use std::path::PathBuf;

use orana_interop::{
    drill,
    sdk::peers::{Built, Cell, Kind},
};

#[test]
fn rust_calls_dubbo_33() {
    cell(Kind::Java33, Kind::Rust, &[]);
}

#[test]
fn dubbo_33_calls_rust() {
    cell(Kind::Rust, Kind::Java33, &[]);
}

/// Dubbo 2.7 answers generic calls with JSON by plain values.
#[test]
fn rust_calls_dubbo_27() {
    cell(Kind::Java27, Kind::Rust, &["json"]);
}

#[test]
fn dubbo_27_calls_rust() {
    cell(Kind::Rust, Kind::Java27, &[]);
}

#[test]
fn rust_calls_rust() {
    cell(Kind::Rust, Kind::Rust, &[]);
}

#[test]
fn rust_calls_dubbo_go() {
    cell(Kind::Go, Kind::Rust, &[]);
}

#[test]
fn dubbo_go_calls_rust() {
    cell(Kind::Rust, Kind::Go, &[]);
}

fn cell(provider: Kind, consumer: Kind, except: &[&str]) {
    let name = format!("sdk-{consumer}-calls-{provider}");
    drill(&name, provider.seats() + consumer.seats(), |drill| {
        let registry = drill.subject()?;
        let cell = Cell {
            rust: &Built(PathBuf::from(env!("CARGO_BIN_EXE_rust-peer"))),
            provider,
            consumer,
            except,
        };
        let right = cell.run(drill, &registry.address())?;
        eprintln!("{consumer} calls {provider}: {right} cases are right");
        Ok(())
    });
}
