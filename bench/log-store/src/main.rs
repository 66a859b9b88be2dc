//! Measures the two candidate stores for the durable log, each in child processes of its own so that memory and
//! processor time belong to one store only.
//!
//! `cargo run --release -p bench-log-store -- [DIR]` prints the table of `docs/decisions/0002-log-store.md`.
//! It knows nothing of Raft: an entry is a number and some bytes.
mod candidate;
mod figures;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use figures::{Spread, cpu_time, disk_bytes, resident_kib, written_bytes};

/// Size of one registration command as the centre logs it.
const COMMAND_BYTES: usize = 420;
const BATCH_SIZES: [usize; 4] = [1, 16, 128, 256];
/// Just below the size at which fjall begins another journal, so that the whole journal is read at reopening.
const REFILL_BYTES: usize = 63_900_000;
const SNAPSHOT_BYTES: usize = 200 << 20;
const SNAPSHOT_BLOCK: usize = 256 << 10;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => run_all(&std::env::current_dir()?),
        [dir] => run_all(Path::new(dir)),
        [step, store, dir] => run_step(step, store, Path::new(dir)),
        _ => bail!("usage: bench-log-store [DIR]"),
    }
}

/// Runs every step of every candidate in a child process.
#[expect(clippy::print_stdout, reason = "the table is this program's product")]
fn run_all(parent: &Path) -> Result<()> {
    for store in candidate::NAMES {
        println!("== {store}");
        for size in BATCH_SIZES {
            let dir = tempfile::tempdir_in(parent)?;
            child(&format!("append{size}"), store, dir.path())?;
        }
        let dir = tempfile::tempdir_in(parent)?;
        fill_and_kill(store, dir.path())?;
        child("reopen", store, dir.path())?;
        for step in ["snapshot-write", "snapshot-read", "snapshot-beside-log"] {
            child(step, store, dir.path())?;
        }
        child("purge", store, dir.path())?;
    }
    Ok(())
}

fn command(step: &str, store: &str, dir: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([step, store]).arg(dir);
    Ok(command)
}

fn child(step: &str, store: &str, dir: &Path) -> Result<()> {
    let status = command(step, store, dir)?.status()?;
    if !status.success() {
        bail!("step `{step}` of `{store}` failed: {status}");
    }
    Ok(())
}

/// Lets a child fill the log, then kills it before it can close anything.
fn fill_and_kill(store: &str, dir: &Path) -> Result<()> {
    let mut filling = command("fill", store, dir)?.stdout(Stdio::piped()).spawn()?;
    let output = filling.stdout.take().context("child without output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    filling.kill()?;
    filling.wait()?;
    if line.trim() != "filled" {
        bail!("the filling child of `{store}` said `{line}`");
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the table is this program's product")]
fn run_step(step: &str, store: &str, dir: &Path) -> Result<()> {
    if let Some(size) = step.strip_prefix("append") {
        return append(store, dir, size.parse()?);
    }
    match step {
        "fill" => {
            let store = candidate::open(store, dir)?;
            let batch = batch_of(16);
            for index in 0..(REFILL_BYTES / batch.len()) as u64 {
                store.append_and_flush(index, &batch)?;
            }
            println!("filled");
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
        "reopen" => {
            let began = Instant::now();
            let opened = candidate::open(store, dir)?;
            let last = opened.last_index()?;
            println!(
                "reopen after kill, 61 MiB of log: {:?}, last index {last:?}, resident {} KiB",
                began.elapsed(),
                resident_kib()?
            );
            Ok(())
        }
        "snapshot-write" => {
            let opened = candidate::open(store, dir)?;
            let (began, cpu) = (Instant::now(), cpu_time());
            opened.write_snapshot(SNAPSHOT_BYTES / SNAPSHOT_BLOCK, &vec![0x5a; SNAPSHOT_BLOCK])?;
            println!(
                "write 200 MiB of snapshot: {:?}, cpu {:?}, resident {} KiB",
                began.elapsed(),
                cpu_time() - cpu,
                resident_kib()?
            );
            Ok(())
        }
        "snapshot-read" => {
            let began = Instant::now();
            let opened = candidate::open(store, dir)?;
            let open_time = began.elapsed();
            let began = Instant::now();
            let bytes = opened.read_snapshot()?;
            println!(
                "reopen {open_time:?}, read {} MiB of snapshot: {:?}, resident {} KiB",
                bytes >> 20,
                began.elapsed(),
                resident_kib()?
            );
            Ok(())
        }
        "snapshot-beside-log" => snapshot_beside_log(store, dir),
        "purge" => {
            let opened = candidate::open(store, dir)?;
            let last = opened.last_index()?.context("the log is empty")?;
            let (began, before) = (Instant::now(), disk_bytes(dir)?);
            opened.purge_through(last - 10)?;
            println!(
                "purge all but 10 entries: {:?}, disk {} -> {} KiB",
                began.elapsed(),
                before >> 10,
                disk_bytes(dir)? >> 10
            );
            Ok(())
        }
        other => bail!("unknown step `{other}`"),
    }
}

fn batch_of(commands: usize) -> Vec<u8> {
    let mut seed = 0x9e37_79b9_u32;
    std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    })
    .take(commands * COMMAND_BYTES)
    .collect()
}

#[expect(clippy::print_stdout, reason = "the table is this program's product")]
fn append(store: &str, dir: &Path, size: usize) -> Result<()> {
    let opened = candidate::open(store, dir)?;
    let batch = batch_of(size);
    let rounds = (200 << 20) / batch.len().max(100 << 10);
    let (cpu, written) = (cpu_time(), written_bytes()?);
    let mut spread = Spread::default();
    for index in 0..rounds as u64 {
        let began = Instant::now();
        opened.append_and_flush(index, &batch)?;
        spread.add(began.elapsed());
    }
    println!(
        "append+flush {size:>3} commands: {spread}, cpu {:>4} us/batch, written {:.2} x, resident {} KiB, disk {} KiB",
        (cpu_time() - cpu).as_micros() / rounds as u128,
        (written_bytes()? - written) as f64 / (rounds * batch.len()) as f64,
        resident_kib()?,
        disk_bytes(dir)? >> 10,
    );
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the table is this program's product")]
fn snapshot_beside_log(store: &str, dir: &Path) -> Result<()> {
    let opened = candidate::open(store, dir)?;
    let batch = batch_of(16);
    let mut next = opened.last_index()?.map_or(0, |last| last + 1);
    let mut spread = Spread::default();
    let taken = std::thread::scope(|scope| -> Result<Duration> {
        let snapshot = scope.spawn(|| {
            let began = Instant::now();
            opened
                .write_snapshot(SNAPSHOT_BYTES / SNAPSHOT_BLOCK, &vec![0xa5; SNAPSHOT_BLOCK])
                .map(|()| began.elapsed())
        });
        while !snapshot.is_finished() {
            let began = Instant::now();
            opened.append_and_flush(next, &batch)?;
            spread.add(began.elapsed());
            next += 1;
        }
        match snapshot.join() {
            Ok(taken) => taken,
            Err(_) => bail!("the snapshot thread panicked"),
        }
    })?;
    println!("append+flush  16 commands beside a snapshot of {taken:?}: {spread}");
    Ok(())
}

/// Where a candidate keeps what belongs to snapshots.
fn snapshot_dir(dir: &Path) -> PathBuf {
    dir.join("snapshot")
}
