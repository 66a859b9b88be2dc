//! The settings of a centre: plain values, already checked, each with the place it came from.
//!
//! Defaults < `orana.toml` < `ORANA_…` variables < flags. Everything here is a function of [`Sources`]; reading the
//! file system, the environment and the command line is the caller's business, and so is acting on the values.

mod error;
mod key;
mod print;
mod source;
#[cfg(test)]
mod tests;
mod value;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use self::error::ConfigError;
pub use self::key::{KEYS, Key, Kind};
pub use self::source::{FileText, Origin, Sources};
pub use self::value::{FOUR_LETTER_WORDS, FourLetterWords, LogFormat, LogLevel, SessionBound};

/// What one centre is told to be. The doc of each key in [`KEYS`] is the reference; the comments here say the type's
/// part only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where ZooKeeper clients connect; `None` when that face is off.
    pub zookeeper: Option<SocketAddr>,
    /// Where the admin HTTP API answers; `None` when it is off.
    pub admin: Option<SocketAddr>,
    /// The data directory.
    pub data: PathBuf,
    /// The least severe log line that is written.
    pub log_level: LogLevel,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Whether an address other than loopback may be listened on.
    pub allow_remote: bool,
    /// The unit of session expiry.
    pub tick_time: Duration,
    /// The shortest session time-out granted; see [`Config::min_session_timeout`] for the time.
    pub min_session: SessionBound,
    /// The longest session time-out granted; see [`Config::max_session_timeout`] for the time.
    pub max_session: SessionBound,
    /// The longest request frame, without its length prefix.
    pub max_request_bytes: u64,
    /// Connections in all.
    pub max_connections: u64,
    /// Connections of one address; 0 is no limit.
    pub max_connections_per_address: u64,
    /// Bytes of requests accepted but not yet answered, over all connections.
    pub max_outstanding_bytes: u64,
    /// Requests accepted but not yet answered, of one connection.
    pub max_requests_per_connection: u64,
    /// Bytes waiting to be written to one connection.
    pub max_out_queue_bytes: u64,
    /// Bytes waiting to be written to all connections together.
    pub max_unread_bytes: u64,
    /// Watches of one connection.
    pub max_watches_per_connection: u64,
    /// How long a connection may take to say what it wants.
    pub handshake_timeout: Duration,
    /// How long events of a quickly changing directory may be held to be joined; zero is off.
    pub event_window: Duration,
    /// How often empty containers and nodes whose time to live is over are looked for.
    pub reap_interval: Duration,
    /// The four-letter words that are answered.
    pub four_letter_words: FourLetterWords,
    /// Free space of the data directory's file system below which writes are refused.
    pub disk_reserve: u64,
    /// Bytes of log after which a snapshot is taken.
    pub snapshot_log_bytes: u64,
    /// Entries of log after which a snapshot is taken.
    pub snapshot_log_entries: u64,
    /// `user:base64(sha1(user:password))` of the identity that passes every access check.
    pub super_digest: Option<String>,
}

/// A configuration and where each of its values came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The effective values.
    pub config: Config,
    /// One origin per row of [`KEYS`], in that order.
    origins: Vec<Origin>,
}

impl Config {
    /// Layers `sources` over the defaults and checks the whole.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        let mut config = Config::blank();
        let mut origins = Vec::with_capacity(KEYS.len());
        let given = sources.given()?;
        for key in KEYS {
            // The last layer that names a key wins; an earlier layer's value is not even looked at.
            let (text, origin) = match given.iter().rev().find(|setting| setting.key.name == key.name) {
                Some(setting) => (setting.text.as_str(), setting.origin.clone()),
                None => (key.default, Origin::Default),
            };
            (key.set)(&mut config, text).map_err(|expected| ConfigError::Value {
                key: key.name,
                origin: origin.clone(),
                given: if key.kind == Kind::Secret {
                    "(not shown)".to_owned()
                } else {
                    text.to_owned()
                },
                expected,
            })?;
            origins.push(origin);
        }
        let loaded = Loaded { config, origins };
        loaded.check()?;
        Ok(loaded)
    }

    /// The shortest session time-out granted.
    pub fn min_session_timeout(&self) -> Duration {
        self.min_session.at(self.tick_time)
    }

    /// The longest session time-out granted.
    pub fn max_session_timeout(&self) -> Duration {
        self.max_session.at(self.tick_time)
    }

    /// The addresses that are reachable from other machines, with the key that names each.
    pub fn remote_addresses(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        [("zookeeper", self.zookeeper), ("admin", self.admin)]
            .into_iter()
            .filter_map(|(key, address)| address.map(|address| (key, address)))
            .filter(|(_, address)| !address.ip().to_canonical().is_loopback())
    }

    /// A value of the type to fill in; every field is overwritten by its row of [`KEYS`] before anybody sees it.
    fn blank() -> Config {
        Config {
            zookeeper: None,
            admin: None,
            data: PathBuf::new(),
            log_level: LogLevel::Info,
            log_format: LogFormat::Text,
            allow_remote: false,
            tick_time: Duration::ZERO,
            min_session: SessionBound::Ticks(0),
            max_session: SessionBound::Ticks(0),
            max_request_bytes: 0,
            max_connections: 0,
            max_connections_per_address: 0,
            max_outstanding_bytes: 0,
            max_requests_per_connection: 0,
            max_out_queue_bytes: 0,
            max_unread_bytes: 0,
            max_watches_per_connection: 0,
            handshake_timeout: Duration::ZERO,
            event_window: Duration::ZERO,
            reap_interval: Duration::ZERO,
            four_letter_words: FourLetterWords::none(),
            disk_reserve: 0,
            snapshot_log_bytes: 0,
            snapshot_log_entries: 0,
            super_digest: None,
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        match Config::load(&Sources::default()) {
            Ok(loaded) => loaded.config,
            Err(error) => unreachable!("the constant table of defaults is tested to be valid: {error}"),
        }
    }
}

impl Loaded {
    /// Where the value of `key` came from.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.rows().find(|(row, _)| row.name == key).map(|(_, origin)| origin)
    }

    /// Every key with its origin, in the order of [`KEYS`].
    fn rows(&self) -> impl Iterator<Item = (&'static Key, &Origin)> {
        KEYS.iter().zip(&self.origins)
    }

    /// What no single value can be asked: whether the values fit together.
    fn check(&self) -> Result<(), ConfigError> {
        let config = &self.config;
        let origin = |key| self.origin(key).cloned().unwrap_or(Origin::Default);
        if !config.allow_remote
            && let Some((key, address)) = config.remote_addresses().next()
        {
            return Err(ConfigError::Remote {
                key,
                address,
                origin: origin(key),
            });
        }
        if config.zookeeper.is_none() && config.admin.is_none() {
            return Err(ConfigError::NothingToServe);
        }
        if config.min_session_timeout() > config.max_session_timeout() {
            return Err(ConfigError::SessionBounds {
                min: value::print_duration(config.min_session_timeout()),
                max: value::print_duration(config.max_session_timeout()),
            });
        }
        if config.max_outstanding_bytes < config.max_request_bytes {
            return Err(ConfigError::OutstandingBelowRequest {
                outstanding: config.max_outstanding_bytes,
                request: config.max_request_bytes,
            });
        }
        Ok(())
    }
}
