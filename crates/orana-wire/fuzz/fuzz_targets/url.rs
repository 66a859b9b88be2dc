//! Feeds arbitrary bytes to what `promises::url` promises.
#![no_main]

#[path = "../promises.rs"]
#[allow(dead_code, reason = "each target uses one of them")]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| promises::url(bytes));
