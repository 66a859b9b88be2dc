//! What a server asked of the kernel, in order, as `strace` saw it: which bytes came in, which were written to which
//! file, when that file was flushed, and which bytes went out. Knows nothing of what the bytes mean.

use std::{
    collections::HashMap,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;

use crate::{drill::eventually, process::Process};

/// The calls that are followed.
const CALLS: &str = "read,readv,recvfrom,recvmsg,write,pwrite64,writev,pwritev,sendto,sendmsg,fsync,fdatasync,sync_file_range,msync,sendfile,splice";

/// How long the tracer is left to write down the ends of the last calls.
const SETTLING: Duration = Duration::from_millis(500);

/// A tracer that is attached to a process.
#[derive(Debug)]
pub struct Tracer {
    process: Process,
    file: PathBuf,
}

/// Something a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Bytes came in.
    Received(Vec<u8>),
    /// Bytes went to a file or socket.
    Sent(Vec<u8>),
    /// A file was flushed.
    Flushed,
}

/// A call that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The file, or the socket with both its ends, as the tracer names it.
    pub target: String,
    /// What it did.
    pub deed: Deed,
    /// The line at which it began.
    pub began: usize,
    /// The line at which it had ended.
    pub ended: usize,
}

impl Tracer {
    /// Follows all threads of `process`; what they do is written to `file`.
    pub fn attach(process: u32, file: &Path) -> Result<Tracer> {
        let said = file.with_extension("said");
        let mut command = Command::new("strace");
        command
            .args(["-f", "-yy", "-xx", "-s", "4194304", "-e"])
            .arg(format!("trace={CALLS}"))
            .arg("-o")
            .arg(file)
            .args(["-p", &process.to_string()])
            .stdin(Stdio::null())
            .stderr(File::create(&said)?);
        let mut tracer = Process::start(&mut command, "strace (`apt-get install strace` brings it)")?;
        eventually(Duration::from_secs(10), || {
            let text = std::fs::read_to_string(&said)?;
            if let Some(status) = tracer.ended()? {
                bail!("strace ended with {status}: {text}");
            }
            ensure!(text.contains("attached"), "strace is not attached: {text}");
            Ok(())
        })?;
        // All threads that were there are followed now; one that was being made would be a moment later.
        thread::sleep(Duration::from_millis(100));
        Ok(Tracer {
            process: tracer,
            file: file.to_owned(),
        })
    }

    /// Lets the process go and returns what it did.
    pub fn detach(mut self) -> Result<Vec<Call>> {
        // A client has its answer before the call that sent it is seen to end.
        thread::sleep(SETTLING);
        self.process.signal(Signal::INT)?;
        self.process.wait(Duration::from_secs(20))?;
        let text = std::fs::read_to_string(&self.file)?;
        calls(&text)
    }
}

/// Reads what the tracer wrote.
pub fn calls(text: &str) -> Result<Vec<Call>> {
    let mut begun: HashMap<&str, (usize, String)> = HashMap::new();
    let mut calls = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (thread, rest) = line.split_once(' ').context("a line without a thread")?;
        let rest = rest.trim_start();
        if rest.starts_with("+++") || rest.starts_with("---") {
            continue;
        }
        let (began, whole) = if let Some(beginning) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, (number, beginning.to_owned()));
            continue;
        } else if rest.ends_with("<detached ...>") {
            continue;
        } else if let Some(end) = rest.strip_prefix("<... ") {
            // The first lines may be the ends of calls that began before the tracer came.
            let Some((began, mut whole)) = begun.remove(thread) else {
                continue;
            };
            let (_, end) = end.split_once(" resumed>").with_context(|| format!("`{rest}`"))?;
            whole.push_str(end);
            (began, whole)
        } else {
            (number, rest.to_owned())
        };
        if let Some((target, deed)) = understand(&whole)? {
            calls.push(Call {
                target,
                deed,
                began,
                ended: number,
            });
        }
    }
    calls.sort_by_key(|call| call.ended);
    Ok(calls)
}

/// `name(FD<TARGET>, "\x..", …) = N`; nothing if the call failed or moved no bytes.
fn understand(call: &str) -> Result<Option<(String, Deed)>> {
    let (name, rest) = call.split_once('(').with_context(|| format!("no call: `{call}`"))?;
    let (arguments, result) = rest
        .rsplit_once(" = ")
        .with_context(|| format!("no result: `{call}`"))?;
    let result = result.split_whitespace().next().unwrap_or_default();
    // A call that was interrupted has `?`.
    let Ok(count) = result.parse::<i64>() else {
        return Ok(None);
    };
    let Ok(count) = usize::try_from(count) else {
        return Ok(None);
    };
    let Some(target) = target(arguments) else {
        return Ok(None);
    };
    let deed = match name {
        "fsync" | "fdatasync" => Deed::Flushed,
        "read" | "recvfrom" | "readv" | "recvmsg" if count > 0 => Deed::Received(bytes(arguments, count)?),
        "write" | "pwrite64" | "writev" | "pwritev" | "sendto" | "sendmsg" if count > 0 => {
            Deed::Sent(bytes(arguments, count)?)
        }
        _ => return Ok(None),
    };
    Ok(Some((target, deed)))
}

/// What the descriptor in front of the arguments stands for. Its own `>` is written as `->` between two ends.
fn target(arguments: &str) -> Option<String> {
    let (_, rest) = arguments.split_once('<')?;
    let bytes = rest.as_bytes();
    let end = (0..bytes.len()).find(|at| bytes[*at] == b'>' && (*at == 0 || bytes[*at - 1] != b'-'))?;
    let name = rest.get(..end)?;
    // Names come as hexadecimal, too.
    Some(match unescape(name) {
        Some(plain) if name.contains("\\x") => String::from_utf8_lossy(&plain).into_owned(),
        _ => name.to_owned(),
    })
}

/// The bytes of all quoted strings among the arguments, as far as they were moved.
fn bytes(arguments: &str, count: usize) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    for (place, piece) in arguments.split('"').enumerate() {
        if place % 2 == 1 {
            found.extend(unescape(piece).with_context(|| format!("not hexadecimal: `{piece:.40}`"))?);
        } else if place > 0 {
            ensure!(
                !piece.starts_with("..."),
                "the tracer cut a string off: `{arguments:.80}`"
            );
        }
    }
    ensure!(
        found.len() >= count,
        "{} bytes are shown of {count}: `{arguments:.80}`",
        found.len()
    );
    found.truncate(count);
    Ok(found)
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        match rest.strip_prefix("\\x") {
            Some(hex) => {
                found.push(u8::from_str_radix(hex.get(..2)?, 16).ok()?);
                rest = hex.get(2..)?;
            }
            None => {
                found.extend(next.to_string().as_bytes());
                rest = rest.get(next.len_utf8()..)?;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_another_thread_interrupts_is_put_together() {
        let text = "\
7 fdatasync(9</d/0.jnl> <unfinished ...>
8 recvfrom(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, \"\\x61\\x62\", 4096, 0, NULL, NULL) = 2
7 <... fdatasync resumed>) = 0
8 writev(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, [{iov_base=\"\\x01\", iov_len=1}, {iov_base=\"\\x02\\x03\", iov_len=2}], 2) = 3
8 recvfrom(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, 0x7f, 4096, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)
";
        let calls = calls(text).expect("calls");
        let socket = "TCP:[127.0.0.1:1->127.0.0.1:2]";
        let call = |target: &str, deed, began, ended| Call {
            target: target.into(),
            deed,
            began,
            ended,
        };
        assert_eq!(
            calls,
            [
                call(socket, Deed::Received(b"ab".to_vec()), 1, 1),
                call("/d/0.jnl", Deed::Flushed, 0, 2),
                call(socket, Deed::Sent(vec![1, 2, 3]), 3, 3),
            ]
        );
    }
}
