//! Where providers and calls stand on the circle. Every client of a fleet must agree on this, whatever it is written in.

use std::fmt::Write as _;

use md5::digest::Output;
use md5::{Digest, Md5};

/// Numbers from one digest.
const PER_DIGEST: usize = 4;

/// A provider's points: `nodes` of them, rounded down to whole digests. Each digest is of the address and a decimal number behind it, and
/// gives four numbers, least byte first.
pub(super) fn of_provider(address: &str, nodes: u32) -> impl Iterator<Item = u32> {
    let mut start = Md5::new();
    start.update(address);
    let mut number = String::new();
    (0..nodes / PER_DIGEST as u32).flat_map(move |index| {
        number.clear();
        // Writing to a string does not fail.
        let _ = write!(number, "{index}");
        let mut digest = start.clone();
        digest.update(&number);
        numbers(&digest.finalize())
    })
}

/// Where the call stands whose key is `parts`, one after the other.
pub(super) fn of_call(digest: Md5) -> u32 {
    let [first, ..] = numbers(&digest.finalize());
    first
}

fn numbers(digest: &Output<Md5>) -> [u32; PER_DIGEST] {
    let mut numbers = [0; PER_DIGEST];
    for (number, bytes) in numbers.iter_mut().zip(digest.as_chunks::<4>().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    numbers
}
