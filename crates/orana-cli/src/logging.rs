//! Where log lines go and how they look: standard error, text for a person or one JSON object a line.

use std::io::{self, IsTerminal};

use orana_server::config::{LogFormat, LogLevel};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// Libraries that tell their own story at every step; an operator wants ours.
const TALKATIVE: &[&str] = &["fjall", "lsm_tree", "openraft"];

/// Starts logging for the whole process. A second call would change nothing.
pub(crate) fn start(level: LogLevel, format: LogFormat) {
    let ours = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let theirs = if ours >= LevelFilter::DEBUG {
        ours
    } else {
        ours.min(LevelFilter::WARN)
    };
    let targets = Targets::new()
        .with_default(ours)
        .with_targets(TALKATIVE.iter().map(|target| (*target, theirs)));
    let lines = match format {
        LogFormat::Text => fmt::layer()
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .boxed(),
        LogFormat::Json => fmt::layer().with_writer(io::stderr).json().flatten_event(true).boxed(),
    };
    // It fails only if a subscriber is there already, and then that one serves as well.
    let _ = registry().with(lines.with_filter(targets)).try_init();
}
