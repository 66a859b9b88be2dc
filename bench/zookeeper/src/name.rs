//! Node names as Dubbo's providers have them: an escaped URL of a given length. Providers of one service differ in host
//! and time stamp; the rest, mostly the list of methods, they share.

use std::fmt::Write;

/// The directory that a service's providers are in.
pub(crate) fn directory(service: usize) -> String {
    format!("/dubbo/org.orana.bench.Service{service:04}/providers")
}

/// The name of a provider, exactly `length` bytes long; `started` tells a restarted provider from its predecessor.
pub(crate) fn provider(length: usize, service: usize, provider: usize, started: u64) -> String {
    let mut name = format!(
        "dubbo%3A%2F%2Fhost-{provider:06}%3A20880%2Forg.orana.bench.Service{service:04}%3Fanyhost%3Dtrue%26\
         application%3Dbench%26timestamp%3D{started:013}%26methods%3D"
    );
    for method in 0.. {
        if name.len() >= length {
            break;
        }
        // Writing to a string does not fail.
        let _ = write!(name, "operation{service}x{method}%2C");
    }
    name.truncate(length);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_length_that_was_asked_for_and_differ() {
        for length in [300, 2_000] {
            let name = provider(length, 3, 7, 1);
            assert_eq!(name.len(), length);
            assert_ne!(name, provider(length, 3, 8, 1));
            assert_ne!(name, provider(length, 4, 7, 1));
            assert_ne!(name, provider(length, 3, 7, 2));
        }
    }
}
