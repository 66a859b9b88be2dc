//! The golden streams that `interop/java/hessian` wrote: a name and bytes on each line, long runs as `(61*32768)`.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What Dubbo 3.3.6 brings along.
pub(crate) const CURRENT: &str = "hessian-lite-4.0.4";
/// What is inside Dubbo 2.7.23.
pub(crate) const OLD: &str = "hessian-lite-3.2.13";
/// The first, with its compact form of `java.time`.
pub(crate) const COMPACT: &str = "hessian-lite-4.0.4-compact-time";

/// The streams of a file by their names.
pub(crate) fn streams(file: &str) -> BTreeMap<String, Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/hessian/{file}.txt"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.map(|line| line.split_once(' ').unwrap());
    pairs.map(|(name, hex)| (name.to_owned(), bytes_of(hex))).collect()
}

/// One stream.
pub(crate) fn stream(file: &str, name: &str) -> Vec<u8> {
    streams(file)
        .remove(name)
        .unwrap_or_else(|| panic!("{file} has no {name}"))
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = hex;
    while !rest.is_empty() {
        let byte = |digits: &str| u8::from_str_radix(digits, 16).unwrap();
        if let Some(run) = rest.strip_prefix('(') {
            let (run, tail) = run.split_once(')').unwrap();
            let (digits, count) = run.split_once('*').unwrap();
            bytes.extend(std::iter::repeat_n(byte(digits), count.parse().unwrap()));
            rest = tail;
        } else {
            bytes.push(byte(&rest[..2]));
            rest = &rest[2..];
        }
    }
    bytes
}
