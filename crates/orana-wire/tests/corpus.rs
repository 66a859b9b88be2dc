//! Every fuzzing seed, and every input that once broke a decoder, keeps the decoders' promises.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;

/// What a target promises for any bytes.
type Promise = fn(&[u8]);

#[path = "../fuzz/promises.rs"]
mod promises;
#[path = "../fuzz/rule_promises.rs"]
mod rule_promises;

/// Runs every file of a target's folders and says how many there were.
fn run(folder: &str, target: &str, promise: Promise) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder)
        .join(target);
    let files = std::fs::read_dir(&path).map(|entries| entries.map(|entry| entry.unwrap().path()).collect());
    let files: Vec<_> = files.unwrap_or_default();
    for file in &files {
        promise(&std::fs::read(file).unwrap());
    }
    files.len()
}

#[test]
fn seeds_and_regressions_keep_the_promises() {
    let targets: [(&str, Promise); 8] = [
        ("frame", promises::frame),
        ("connect", promises::connect),
        ("request", promises::request),
        ("reply", promises::reply),
        ("hessian", promises::hessian),
        ("dubbo_frame", promises::dubbo_frame),
        ("url", promises::url),
        ("rule", rule_promises::rule),
    ];
    for (target, promise) in targets {
        assert!(run("seeds", target, promise) > 0, "target {target} has no seeds");
        run("regressions", target, promise);
    }
}
