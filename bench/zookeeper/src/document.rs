//! `docs/performance.md` and the JSON file: the table with all that a reader needs to judge it.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};
use orana_interop::place;
use serde_json::{Value, json};

use crate::table::RowResult;

/// Below this line the page is written by hand and stays as it is.
const BY_HAND: &str = "<!-- below this line: written by hand -->";

const HEAD: &str = "\
# Performance

Orana's ZooKeeper face beside Apache ZooKeeper (Debian's package, its own heap size, its write-ahead log flushed before
every answer, as Orana's is). `cargo xtask bench zookeeper` measures both in turns in one run, after unmeasured rounds
that let Java's compiler finish; of the measured rounds the best counts, for each figure by itself. Loader and server
share the processors. *null* is a server that answers with fixed bytes: what loader and kernel cost without any server.
*Ratio* is Orana's figure through ZooKeeper's. Processor time is user and system time of the whole server.
";

/// When and where a run took place.
pub(crate) struct Circumstances {
    date: String,
    processor: String,
    processors: usize,
    load: String,
    rounds: usize,
    arguments: Vec<String>,
}

impl Circumstances {
    /// As they are now; to be called before the load begins.
    pub(crate) fn now(rounds: usize) -> Result<Circumstances> {
        let date = Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"]).output()?;
        let cpus = fs::read_to_string("/proc/cpuinfo")?;
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name"));
        Ok(Circumstances {
            date: String::from_utf8(date.stdout)?.trim().to_owned(),
            processor: model
                .map_or("", |text| text.trim_start_matches([' ', '\t', ':']))
                .to_owned(),
            processors: std::thread::available_parallelism()?.get(),
            load: fs::read_to_string("/proc/loadavg")?.trim().to_owned(),
            rounds,
            arguments: std::env::args().skip(1).collect(),
        })
    }

    /// All of it for programs.
    pub(crate) fn json(&self, results: &[RowResult]) -> Value {
        json!({
            "date": self.date,
            "processor": self.processor,
            "processors": self.processors,
            "load_before": self.load,
            "rounds": self.rounds,
            "arguments": self.arguments,
            "rows": results.iter().map(RowResult::json).collect::<Vec<_>>(),
        })
    }

    /// Writes `docs/performance.md`.
    pub(crate) fn write_page(&self, results: &[RowResult]) -> Result<()> {
        let path = place::repository().join("docs/performance.md");
        let kept = kept(&path);
        let mut page = format!(
            "{HEAD}\nMeasured {} with `cargo xtask bench zookeeper {}`, {} rounds, {} × {}, load average before: {}.\n\n",
            self.date,
            self.arguments.join(" "),
            self.rounds,
            self.processors,
            self.processor,
            self.load,
        );
        page.push_str("| work | figure | ZooKeeper | Orana | null | ratio | goal |\n|---|---|---|---|---|---|---|\n");
        for result in results {
            page.push_str(&result.markdown());
        }
        page.push_str(&format!("\n{BY_HAND}\n{kept}"));
        fs::create_dir_all(path.parent().context("a file in a directory")?)?;
        fs::write(path, page)?;
        Ok(())
    }
}

/// What was written by hand so far.
fn kept(path: &Path) -> String {
    let page = fs::read_to_string(path).unwrap_or_default();
    let kept = page.split_once(BY_HAND).map(|(_, kept)| kept.trim_start_matches('\n'));
    kept.unwrap_or_default().to_owned()
}
