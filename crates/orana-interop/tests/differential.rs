//! The same script on the real ZooKeeper and on the subject: answers, events and their order are the same.
//!
//! `DIFFERENTIAL_SEED` and `DIFFERENTIAL_EPISODES` choose another run. With `SUBJECT=zookeeper` two real ones are
//! compared, which proves that what is taken out of the comparison is enough.

use std::{env, time::Duration};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Drill, Product, Setup, Subject,
    differential::{Run, goals, side::Side},
    drill,
};

#[test]
fn both_servers_give_the_same_answers_and_events_in_the_same_order() {
    drill("differential", 1, compare);
}

fn compare(drill: &Drill) -> Result<()> {
    let seed = number("DIFFERENTIAL_SEED")?.unwrap_or(1);
    let episodes = number("DIFFERENTIAL_EPISODES")?.unwrap_or(60);
    let original = start(drill, Product::Zookeeper)?;
    let subject = start(drill, Product::chosen()?)?;
    let sides = (
        Side::new("original", original.port())?,
        Side::new("subject", subject.port())?,
    );
    let run = Run::new(sides.0, sides.1);
    let patience = Duration::from_secs(180 + 2 * episodes);
    let outcome = run.play(seed, &goals::all(), u32::try_from(episodes)?, patience)?;
    eprintln!("seed {seed}: {outcome}");
    ensure!(outcome.lacking.is_empty(), "the coverage is not complete");
    ensure!(outcome.differences.is_empty(), "the servers differ, see above");
    Ok(())
}

fn start(drill: &Drill, product: Product) -> Result<Subject> {
    let setup = Setup::new(product)
        .tick(Duration::from_secs(1))
        .setting(Product::Zookeeper, "forceSync", "no")
        .setting(Product::Zookeeper, "DigestAuthenticationProvider.superDigest", SUPER)
        .setting(Product::Orana, "super-digest", SUPER);
    drill.server(setup)
}

/// `super:test`.
const SUPER: &str = "super:D/InIHSb7yEEbrWz8b9l71RjZJU=";

fn number(variable: &str) -> Result<Option<u64>> {
    match env::var(variable) {
        Ok(text) => Ok(Some(text.parse().with_context(|| format!("{variable} is `{text}`"))?)),
        Err(_) => Ok(None),
    }
}
