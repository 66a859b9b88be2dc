//! Feeds arbitrary bytes to what `rule_promises::rule` promises; the first one chooses the kind of rule.
#![no_main]

#[path = "../rule_promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| promises::rule(bytes));
