//! A disk that fails under the server's writes: the process ends with a message that says where and what to do, does not
//! start on it again, and when the disk has been repaired everything that was acknowledged is there.
//!
//! `SEED` repeats what is written, though not how far it comes until the disk fails.

use std::{
    env, fs,
    process::ExitStatus,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use orana_interop::{
    Product, Setup, Subject,
    disks::failing::{FailingDisk, Failure},
    drill,
    drill::eventually,
    durability::Trial,
    raw::RawClient,
    vitals,
};

/// Failures in a row.
const ROUNDS: usize = 8;
const TICK: Duration = Duration::from_millis(100);
/// So long the server may go on after its disk has begun to fail.
const SOON: Duration = Duration::from_secs(8);

#[test]
fn a_device_that_cannot_write_ends_the_server_and_nothing_acknowledged_is_lost() {
    survives("io-device", Failure::Device);
}

#[test]
fn a_file_system_that_goes_away_ends_the_server_and_nothing_acknowledged_is_lost() {
    survives("io-shutdown", Failure::Shutdown);
}

#[test]
fn a_file_system_that_becomes_read_only_ends_the_server_and_nothing_acknowledged_is_lost() {
    survives("io-readonly", Failure::ReadOnly);
}

fn survives(name: &str, failure: Failure) {
    drill(name, 0, |drill| {
        let mut disk = FailingDisk::of(name, failure)?;
        // Snapshots every few entries, so that failures hit them and what is purged after them.
        let setup = Setup::new(Product::Orana)
            .data(&disk.path().join("data"))
            .tick(TICK)
            .setting(Product::Orana, "max-session-timeout", "30s")
            .setting(Product::Orana, "snapshot-log-entries", "20")
            .setting(Product::Orana, "disk-reserve", "1MiB");
        let mut server = drill.server(setup)?;
        let seed = seed()?;
        eprintln!("SEED={seed}");
        let verdict = Trial::begin(&mut server, TICK, seed)?
            .endure(ROUNDS, |server, _| strike(server, &mut disk, failure))
            .with_context(|| format!("SEED={seed}"))?;
        eprintln!("{verdict}");
        ensure!(verdict.answered > 50 * ROUNDS, "little was written");
        vitals::ensure_healthy(&mut server)
    });
}

/// Makes the disk fail under the writes that go on, sees how the server ends, and repairs the disk.
fn strike(server: &mut Subject, disk: &mut FailingDisk, failure: Failure) -> Result<()> {
    let before = server.log().length();
    // Nothing may be on its way to the disk while it is made to fail: Linux reports some flushes that meet such an
    // intervention (a real failure is none) as done that were not.
    stand_still(server)?;
    disk.fail()?;
    server.process()?.resume()?;
    // A new session is a write. Whether anybody else still writes is left to chance.
    let session = RawClient::connect(server.port(), 5_000);
    ensure!(session.is_err(), "a session was opened on a disk that fails");
    let status = server.wait(SOON).context("it goes on although its disk fails")?;
    ensure_told(server, before, status, disk)?;
    if failure != Failure::Device {
        // The others are noticed before anything is flushed.
        let refused = server.restart().err().context("it started on a disk that fails")?;
        let path = disk.path().to_string_lossy();
        ensure!(refused.to_string().contains(&*path), "{refused}");
    }
    disk.repair()
}

/// Pauses the server and waits until none of its threads is in the kernel any more.
fn stand_still(server: &mut Subject) -> Result<()> {
    let process = server.process()?;
    process.pause()?;
    let threads = format!("/proc/{}/task", process.id());
    eventually(SOON, || {
        for thread in fs::read_dir(&threads)? {
            let stat = fs::read_to_string(thread?.path().join("stat"))?;
            // `5 (a name) T …`
            let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            ensure!(state == Some('T'), "a thread is in state {state:?}");
        }
        Ok(())
    })
}

/// The last message, which an operator sees, names the place and what to do; and nothing panicked on the way.
fn ensure_told(server: &Subject, before: usize, status: ExitStatus, disk: &FailingDisk) -> Result<()> {
    ensure!(status.code().is_some_and(|code| code != 0), "it ended with {status}");
    let said = server.log().since(before);
    let message = said.lines().find(|line| line.starts_with("error: "));
    let message = message.with_context(|| format!("no message in:\n{said}"))?;
    eprintln!("{message}");
    let place = disk.path().join("data");
    let acknowledged = "nothing that was acknowledged is lost";
    for word in [&*place.to_string_lossy(), acknowledged, "start again"] {
        ensure!(message.contains(word), "no `{word}` in: {message}");
    }
    vitals::ensure_no_panic(server.log())
}

fn seed() -> Result<u64> {
    match env::var("SEED") {
        Ok(text) => Ok(text.parse().with_context(|| format!("SEED is `{text}`"))?),
        Err(_) => Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos().into()),
    }
}
