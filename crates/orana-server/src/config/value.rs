//! The kinds of value a key can have: text to value, value to text. Knows no key and no layer.
//!
//! Every `read_…` answers with what it would have taken when it does not take the text.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// How severe a log line must be to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Nothing is written.
    Off,
    /// What stops something from working.
    Error,
    /// What an operator should look at.
    Warn,
    /// What happened.
    Info,
    /// Why it happened.
    Debug,
    /// Every step.
    Trace,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

/// A bound of session time-outs: a time, or a number of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionBound {
    /// So many ticks, whatever a tick is.
    Ticks(u32),
    /// This long.
    Time(Duration),
}

/// Which four-letter words are answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FourLetterWords(BTreeSet<&'static str>);

/// Every word there is, and whether it only reads.
pub const FOUR_LETTER_WORDS: &[(&str, bool)] = &[
    ("conf", true),
    ("cons", true),
    ("crst", false),
    ("dump", true),
    ("envi", true),
    ("isro", true),
    ("mntr", true),
    ("ruok", true),
    ("srst", false),
    ("srvr", true),
    ("stat", true),
    ("wchc", true),
    ("wchp", true),
    ("wchs", true),
];

const LEVELS: &[(&str, LogLevel)] = &[
    ("off", LogLevel::Off),
    ("error", LogLevel::Error),
    ("warn", LogLevel::Warn),
    ("info", LogLevel::Info),
    ("debug", LogLevel::Debug),
    ("trace", LogLevel::Trace),
];

const FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];

const DURATION_UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// Powers of 1024 first: printing uses them only.
const SIZE_UNITS: &[(&str, u64)] = &[
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("kB", 1_000),
];

/// The units of [`SIZE_UNITS`] that printing uses.
const PRINTED_SIZE_UNITS: usize = 3;

impl LogLevel {
    /// The word that a configuration uses for it.
    pub fn name(self) -> &'static str {
        word_of(LEVELS, self)
    }
}

impl LogFormat {
    /// The word that a configuration uses for it.
    pub fn name(self) -> &'static str {
        word_of(FORMATS, self)
    }
}

impl SessionBound {
    /// The bound as a time, when a tick is `tick` long.
    pub fn at(self, tick: Duration) -> Duration {
        match self {
            SessionBound::Ticks(ticks) => tick.saturating_mul(ticks),
            SessionBound::Time(time) => time,
        }
    }
}

impl FourLetterWords {
    /// No word at all.
    pub fn none() -> FourLetterWords {
        FourLetterWords(BTreeSet::new())
    }

    /// Whether `word` is answered.
    pub fn allows(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The words that are answered, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

pub(super) fn read_address(text: &str) -> Result<Option<SocketAddr>, String> {
    if text == "off" {
        return Ok(None);
    }
    let by_name = text
        .strip_prefix("localhost:")
        .and_then(|port| port.parse().ok())
        .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    match by_name.or_else(|| text.parse().ok()) {
        Some(address) => Ok(Some(address)),
        None => Err("`IP:PORT` as in `127.0.0.1:2181` or `[::1]:2181`, or `off`".to_owned()),
    }
}

pub(super) fn print_address(address: Option<SocketAddr>) -> String {
    address.map_or_else(|| "off".to_owned(), |address| address.to_string())
}

pub(super) fn read_flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "`true` or `false`".to_owned())
}

pub(super) fn read_duration(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    scaled(text, DURATION_UNITS)
        .map(Duration::from_millis)
        .ok_or_else(|| "a whole number with a unit: `500ms`, `2s`, `5m`, `1h`".to_owned())
}

pub(super) fn print_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    match millis {
        0 => "0".to_owned(),
        _ if millis.is_multiple_of(1_000) => format!("{}s", millis / 1_000),
        _ => format!("{millis}ms"),
    }
}

pub(super) fn read_positive_duration(text: &str) -> Result<Duration, String> {
    match read_duration(text)? {
        Duration::ZERO => Err("a time above zero".to_owned()),
        duration => Ok(duration),
    }
}

pub(super) fn read_session_bound(text: &str) -> Result<SessionBound, String> {
    let expected = "a time above zero (`4s`) or a number of ticks (`2 ticks`)";
    if let Some(count) = text.strip_suffix("ticks").or_else(|| text.strip_suffix("tick")) {
        return match count.trim_end().parse() {
            Ok(ticks) if ticks > 0 => Ok(SessionBound::Ticks(ticks)),
            _ => Err(expected.to_owned()),
        };
    }
    read_positive_duration(text)
        .map(SessionBound::Time)
        .map_err(|_| expected.to_owned())
}

pub(super) fn print_session_bound(bound: SessionBound) -> String {
    match bound {
        SessionBound::Ticks(ticks) => format!("{ticks} ticks"),
        SessionBound::Time(time) => print_duration(time),
    }
}

/// A size of at least `least` bytes.
pub(super) fn read_size(text: &str, least: u64) -> Result<u64, String> {
    let bytes = text.parse().ok().or_else(|| scaled(text, SIZE_UNITS));
    match bytes {
        Some(bytes) if bytes >= least => Ok(bytes),
        Some(_) => Err(format!("at least {least} bytes")),
        None => Err("a number of bytes, with or without a unit: `1048575`, `512KiB`, `64MiB`, `1GiB`".to_owned()),
    }
}

pub(super) fn print_size(bytes: u64) -> String {
    SIZE_UNITS
        .iter()
        .take(PRINTED_SIZE_UNITS)
        .find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit))
        .map_or_else(|| bytes.to_string(), |(name, unit)| format!("{}{name}", bytes / unit))
}

/// A number of at least `least`.
pub(super) fn read_count(text: &str, least: u64) -> Result<u64, String> {
    match text.replace('_', "").parse() {
        Ok(count) if count >= least => Ok(count),
        _ => Err(format!("a whole number of at least {least}")),
    }
}

pub(super) fn read_level(text: &str) -> Result<LogLevel, String> {
    named(LEVELS, text)
}

pub(super) fn read_format(text: &str) -> Result<LogFormat, String> {
    named(FORMATS, text)
}

pub(super) fn read_words(text: &str) -> Result<FourLetterWords, String> {
    let known = || FOUR_LETTER_WORDS.iter().map(|(word, _)| *word);
    match text {
        "*" => return Ok(FourLetterWords(known().collect())),
        "" | "none" => return Ok(FourLetterWords::none()),
        "read-only" => {
            return Ok(FourLetterWords(
                FOUR_LETTER_WORDS
                    .iter()
                    .filter(|(_, reads)| *reads)
                    .map(|(word, _)| *word)
                    .collect(),
            ));
        }
        _ => {}
    }
    text.split(',')
        .map(|word| known().find(|known| *known == word.trim()))
        .collect::<Option<BTreeSet<_>>>()
        .map(FourLetterWords)
        .ok_or_else(|| {
            let list: Vec<_> = known().collect();
            format!("a list of `{}`, or `read-only`, `*` (all) or `none`", list.join("`, `"))
        })
}

pub(super) fn print_words(words: &FourLetterWords) -> String {
    words.iter().collect::<Vec<_>>().join(",")
}

pub(super) fn read_super_digest(text: &str) -> Result<Option<String>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.split_once(':') {
        Some((user, hash)) if !user.is_empty() && !hash.is_empty() && !hash.contains(':') => Ok(Some(text.to_owned())),
        _ => Err("`user:base64(sha1(user:password))`".to_owned()),
    }
}

/// `text` as a whole number followed by one of `units`, multiplied out; `None` also when that overflows.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn named<T: Copy>(words: &[(&str, T)], text: &str) -> Result<T, String> {
    words
        .iter()
        .find(|(word, _)| *word == text)
        .map(|(_, value)| *value)
        .ok_or_else(|| {
            let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            format!("`{}`", list.join("`, `"))
        })
}

fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words
        .iter()
        .find(|(_, known)| *known == value)
        .map_or("", |(word, _)| word)
}
