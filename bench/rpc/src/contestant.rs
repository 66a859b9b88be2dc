//! A pair of programs that speak the same lines: a provider that runs, and a consumer that calls it when told to.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// What the consumer is told to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// `text` or `order`.
    pub(crate) what: &'static str,
    pub(crate) callers: u32,
    pub(crate) warm_seconds: u32,
    pub(crate) seconds: u32,
}

/// What came of it, and what it cost.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) measured: Measured,
    /// Of a processor, consumer and provider, for a million calls.
    pub(crate) cpu_seconds_per_million: f64,
    /// Of memory, consumer and provider, at the end.
    pub(crate) resident_mib: f64,
}

/// What the consumer says.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) calls_per_second: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
}

/// A provider and its consumer.
pub(crate) struct Pair {
    provider: Talker,
    consumer: Talker,
}

/// A program that is talked to in lines. It ends when it is dropped.
struct Talker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Pair {
    /// Starts both; `consumer` is told the provider's address.
    pub(crate) fn start(mut provider: Command, consumer: impl FnOnce(&str) -> Command) -> Result<Pair> {
        let mut provider = Talker::start(&mut provider)?;
        let ready = provider.line_with("READY")?;
        let port = ready.split(' ').nth(1).context("the provider does not say its port")?;
        let mut consumer = Talker::start(&mut consumer(&format!("127.0.0.1:{port}")))?;
        consumer.line_with("READY")?;
        Ok(Pair { provider, consumer })
    }

    /// Lets the consumer call.
    pub(crate) fn run(&mut self, work: Work) -> Result<Outcome> {
        let Work {
            what,
            callers,
            warm_seconds,
            seconds,
        } = work;
        self.consumer
            .say(&format!("RUN {what} {callers} {warm_seconds} {seconds}"))?;
        self.consumer.line_with("MEASURING")?;
        let before = self.cpu_seconds()?;
        let result = self.consumer.line_with("RESULT")?;
        let used = self.cpu_seconds()? - before;
        let measured: Measured = serde_json::from_str(result.trim_start_matches("RESULT"))?;
        #[allow(clippy::cast_precision_loss, reason = "a rate")]
        let millions = measured.calls.max(1) as f64 / 1e6;
        Ok(Outcome {
            cpu_seconds_per_million: used / millions,
            resident_mib: self.provider.resident_mib()? + self.consumer.resident_mib()?,
            measured,
        })
    }

    fn cpu_seconds(&self) -> Result<f64> {
        Ok(self.provider.cpu_seconds()? + self.consumer.cpu_seconds()?)
    }
}

impl Talker {
    fn start(command: &mut Command) -> Result<Talker> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the program has no output")?);
        Ok(Talker { child, input, output })
    }

    fn say(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("the program has no input")?;
        Ok(writeln!(input, "{line}")?)
    }

    /// The next line that begins so.
    fn line_with(&mut self, word: &str) -> Result<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line)? > 0 {
            if line.starts_with(word) {
                return Ok(line.trim_end().to_owned());
            }
            line.clear();
        }
        bail!("a program ended before it said {word}")
    }

    fn cpu_seconds(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name may hold blanks; it ends with the last bracket.
        let (_, rest) = stat.rsplit_once(')').context("no process state")?;
        let ticks = rest.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
    }

    fn resident_mib(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .context("no memory")?;
        let kib: f64 = line.split_whitespace().nth(1).context("no memory")?.parse()?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        // Both ends leave when their input does; who does not is made to.
        self.input.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
