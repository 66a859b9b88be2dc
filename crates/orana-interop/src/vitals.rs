//! How a server is, seen from outside: its memory, its descriptors, what its log must never say.

use std::{fs, thread, time::Duration};

use anyhow::{Context, Result, ensure};

use crate::{drill::eventually, process::Log, subject::Subject};

const MIB: u64 = 1 << 20;

/// Resident memory of a process now, in MiB.
pub fn resident_mib(process: u32) -> Result<u64> {
    status(process, "VmRSS:")
}

/// The most resident memory that a process has had, in MiB.
pub fn peak_mib(process: u32) -> Result<u64> {
    status(process, "VmHWM:")
}

fn status(process: u32, field: &str) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).context("the process is gone")?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|rest| rest.split_whitespace().next());
    let kib: u64 = kib.with_context(|| format!("no {field}"))?.parse()?;
    Ok(kib * 1024 / MIB)
}

/// Open descriptors of a process.
pub fn descriptors(process: u32) -> Result<usize> {
    Ok(fs::read_dir(format!("/proc/{process}/fd"))?.count())
}

/// The server lives, and its log speaks of no panic.
pub fn ensure_healthy(server: &mut Subject) -> Result<()> {
    if let Some(status) = server.process()?.ended()? {
        anyhow::bail!("the server has ended with {status}:\n{}", server.log().tail(20));
    }
    ensure_no_panic(server.log())
}

/// The log speaks of no panic.
pub fn ensure_no_panic(log: &Log) -> Result<()> {
    let text = log.since(0);
    let bad = text.lines().find(|line| line.contains("panicked"));
    ensure!(bad.is_none(), "the server's log says: {}", bad.unwrap_or_default());
    Ok(())
}

/// The lines of the log from byte `start` on that contain all of `words`.
pub fn lines(log: &Log, start: usize, words: &[&str]) -> Vec<String> {
    let text = log.since(start);
    let found = text.lines().filter(|line| words.iter().all(|word| line.contains(word)));
    found.map(str::to_owned).collect()
}

/// Waits for a line of the log, from byte `start` on, that contains all of `words`.
pub fn wait_for_line(log: &Log, start: usize, words: &[&str], patience: Duration) -> Result<String> {
    eventually(patience, || {
        let found = lines(log, start, words).into_iter().next();
        found.with_context(|| format!("no line with {words:?} in the log:\n{}", log.tail(10)))
    })
}

/// Waits until the server has let go of all descriptors beyond `bound`.
pub fn wait_for_descriptors(process: u32, bound: usize, patience: Duration) -> Result<()> {
    eventually(patience, || {
        let open = descriptors(process)?;
        ensure!(open <= bound, "{open} descriptors are open, {bound} expected");
        Ok(())
    })
}

/// The most memory that a process has at one of the moments while `work` runs, in MiB.
pub fn peak_while<T>(process: u32, work: impl FnOnce() -> Result<T>) -> Result<(u64, T)> {
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| -> Result<u64> {
            let mut peak = resident_mib(process)?;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
                peak = peak.max(resident_mib(process)?);
            }
            Ok(peak)
        });
        let outcome = work();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        let peak = watch.join().map_err(|_| anyhow::anyhow!("the watching thread broke"))?;
        Ok((peak?, outcome?))
    })
}
