//! What was acknowledged survives `kill -9` at any moment, and nothing else is there but what was asked for.
//!
//! `KILLS` says how often (20 by default, 1000 in the long form), `SEED` repeats a run.

use std::{
    env, fs,
    path::Path,
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use orana_interop::{Drill, Product, Setup, drill, durability::Trial, vitals};

const TICK: Duration = Duration::from_millis(100);

#[test]
fn what_was_acknowledged_survives_every_kill() {
    drill("durability", 0, survives);
}

#[test]
fn a_server_that_lost_acknowledged_writes_would_be_noticed() {
    drill("durability-loss", 0, |drill| {
        let mut server = drill.server(setup()?)?;
        let old = drill.dir().join("old");
        // The data of the first kill comes back after the second one, as if all between them had never been flushed.
        let outcome = Trial::begin(&mut server, TICK, 1)?.run(2, |data, nth| match nth {
            1 => copy(data, &old),
            _ => fs::remove_dir_all(data)
                .context("the data")
                .and_then(|()| copy(&old, data)),
        });
        let error = outcome.err().context("nobody noticed")?;
        eprintln!("noticed: {error:#}");
        ensure!(format!("{error:#}").starts_with("at kill 2 of 2"), "{error:#}");
        Ok(())
    });
}

fn survives(drill: &Drill) -> Result<()> {
    let kills: usize = number("KILLS")?.unwrap_or(20).try_into()?;
    let seed = match number("SEED")? {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos().into(),
    };
    eprintln!("SEED={seed} KILLS={kills}");
    let mut server = drill.server(setup()?)?;
    let verdict = Trial::begin(&mut server, TICK, seed)?
        .run(kills, |_, _| Ok(()))
        .with_context(|| format!("SEED={seed}"))?;
    eprintln!("{verdict}");
    vitals::ensure_no_panic(server.log())?;
    ensure!(
        verdict.kills == kills && verdict.answered > 50 * kills,
        "little was written"
    );
    if server.product() == Product::Orana {
        let snapshots = vitals::lines(server.log(), 0, &["snapshot written"]).len();
        eprintln!("{snapshots} snapshots were written");
        ensure!(snapshots >= kills / 2, "only {snapshots} snapshots were written");
    }
    Ok(())
}

/// Snapshots every few entries, so that kills hit them and the purges that follow.
fn setup() -> Result<Setup> {
    Ok(Setup::new(Product::chosen()?)
        .tick(TICK)
        .setting(Product::Orana, "max-session-timeout", "30s")
        .setting(Product::Orana, "snapshot-log-entries", "20")
        .setting(Product::Orana, "disk-reserve", "1MiB")
        .setting(Product::Zookeeper, "maxSessionTimeout", "30000")
        .setting(Product::Zookeeper, "snapCount", "500"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    ensure!(copied.success(), "{} cannot be copied", from.display());
    Ok(())
}

fn number(variable: &str) -> Result<Option<u64>> {
    match env::var(variable) {
        Ok(text) => Ok(Some(text.parse().with_context(|| format!("{variable} is `{text}`"))?)),
        Err(_) => Ok(None),
    }
}
