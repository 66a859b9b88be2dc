//! The one table of settings: the file, the variables, the flags, `--help` and `--print-config` all read it.

use super::Config;
use super::value::*;

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// The name in the file; `--name` as a flag, `ORANA_NAME` as a variable.
    pub name: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// The value when nobody gives one, written as an operator would write it.
    pub default: &'static str,
    /// What it decides.
    pub doc: &'static str,
    /// Reads a value into its field; the error says what would have been taken.
    pub(super) set: fn(&mut Config, &str) -> Result<(), String>,
    /// The field as text that `set` takes again.
    pub(super) show: fn(&Config) -> String,
}

/// What the values of a key look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `IP:PORT` or `off`.
    Address,
    /// A directory.
    Directory,
    /// `true` or `false`.
    Flag,
    /// A time with its unit.
    Duration,
    /// A time or a number of ticks.
    SessionBound,
    /// Bytes, with a unit or without.
    Size,
    /// A number.
    Count,
    /// One word of a few.
    Word,
    /// Words with commas between them, or an array of words in the file.
    Words,
    /// Text that is not shown again.
    Secret,
}

impl Key {
    /// The variable that sets it.
    pub fn variable(&self) -> String {
        format!("ORANA_{}", self.name.to_ascii_uppercase().replace('-', "_"))
    }
}

impl Kind {
    /// What stands for the value in a usage line.
    pub fn placeholder(self) -> &'static str {
        match self {
            Kind::Address => "ADDR|off",
            Kind::Directory => "DIR",
            Kind::Flag => "true|false",
            Kind::Duration => "TIME",
            Kind::SessionBound => "TIME|N ticks",
            Kind::Size => "BYTES",
            Kind::Count => "N",
            Kind::Word => "WORD",
            Kind::Words => "WORDS",
            Kind::Secret => "USER:DIGEST",
        }
    }
}

/// Every setting, in the order in which it is shown.
pub const KEYS: &[Key] = &[
    Key {
        name: "zookeeper",
        kind: Kind::Address,
        default: "127.0.0.1:2181",
        doc: "Where ZooKeeper clients connect",
        set: |c, text| read_address(text).map(|v| c.zookeeper = v),
        show: |c| print_address(c.zookeeper),
    },
    Key {
        name: "admin",
        kind: Kind::Address,
        default: "127.0.0.1:7710",
        doc: "Where the admin HTTP API answers",
        set: |c, text| read_address(text).map(|v| c.admin = v),
        show: |c| print_address(c.admin),
    },
    Key {
        name: "data",
        kind: Kind::Directory,
        default: "./orana-data",
        doc: "The data directory; one process at a time may use it",
        set: |c, text| match text {
            "" => Err("a directory".to_owned()),
            _ => {
                c.data = text.into();
                Ok(())
            }
        },
        show: |c| c.data.display().to_string(),
    },
    Key {
        name: "log-level",
        kind: Kind::Word,
        default: "info",
        doc: "The least severe log line that is written: off, error, warn, info, debug, trace",
        set: |c, text| read_level(text).map(|v| c.log_level = v),
        show: |c| c.log_level.name().to_owned(),
    },
    Key {
        name: "log-format",
        kind: Kind::Word,
        default: "text",
        doc: "How log lines look: text or json",
        set: |c, text| read_format(text).map(|v| c.log_format = v),
        show: |c| c.log_format.name().to_owned(),
    },
    Key {
        name: "allow-remote",
        kind: Kind::Flag,
        default: "false",
        doc: "Accept that other machines can connect, although there are no credentials yet",
        set: |c, text| read_flag(text).map(|v| c.allow_remote = v),
        show: |c| c.allow_remote.to_string(),
    },
    Key {
        name: "tick-time",
        kind: Kind::Duration,
        default: "2s",
        doc: "The unit of session expiry: a session ends at most one tick after its time-out",
        set: |c, text| read_positive_duration(text).map(|v| c.tick_time = v),
        show: |c| print_duration(c.tick_time),
    },
    Key {
        name: "min-session-timeout",
        kind: Kind::SessionBound,
        default: "2 ticks",
        doc: "The shortest session time-out granted, whatever a client asks for",
        set: |c, text| read_session_bound(text).map(|v| c.min_session = v),
        show: |c| print_session_bound(c.min_session),
    },
    Key {
        name: "max-session-timeout",
        kind: Kind::SessionBound,
        default: "20 ticks",
        doc: "The longest session time-out granted, whatever a client asks for",
        set: |c, text| read_session_bound(text).map(|v| c.max_session = v),
        show: |c| print_session_bound(c.max_session),
    },
    Key {
        name: "max-request-bytes",
        kind: Kind::Size,
        // ZooKeeper's own default (jute.maxbuffer): clients are tuned to it.
        default: "1048575",
        doc: "The longest request; a longer one ends its connection",
        set: |c, text| {
            // The length travels as a signed 32-bit number, so a greater limit could not be met.
            match read_size(text, 1024)? {
                bytes if bytes <= i32::MAX as u64 => {
                    c.max_request_bytes = bytes;
                    Ok(())
                }
                _ => Err(format!("at most {} bytes", i32::MAX)),
            }
        },
        show: |c| print_size(c.max_request_bytes),
    },
    Key {
        name: "max-connections",
        kind: Kind::Count,
        // Twice the ten thousand silent connections that one misbehaving host is expected to manage: the other half
        // stays free for those who speak, at a few KiB each.
        default: "20000",
        doc: "Connections in all; further ones are closed at once",
        set: |c, text| read_count(text, 1).map(|v| c.max_connections = v),
        show: |c| c.max_connections.to_string(),
    },
    Key {
        name: "max-connections-per-address",
        kind: Kind::Count,
        default: "0",
        doc: "Connections of one client address; 0 is no limit",
        set: |c, text| read_count(text, 0).map(|v| c.max_connections_per_address = v),
        show: |c| c.max_connections_per_address.to_string(),
    },
    Key {
        name: "max-outstanding-bytes",
        kind: Kind::Size,
        default: "64MiB",
        doc: "Bytes of requests accepted but not yet answered, over all connections; beyond it nothing more is read",
        set: |c, text| read_size(text, 1024).map(|v| c.max_outstanding_bytes = v),
        show: |c| print_size(c.max_outstanding_bytes),
    },
    Key {
        name: "max-requests-per-connection",
        kind: Kind::Count,
        // ZooKeeper's own default (globalOutstandingLimit), here for each connection on its own.
        default: "1000",
        doc: "Requests of one connection accepted but not yet answered; beyond it that connection is not read",
        set: |c, text| read_count(text, 1).map(|v| c.max_requests_per_connection = v),
        show: |c| c.max_requests_per_connection.to_string(),
    },
    Key {
        name: "max-out-queue-bytes",
        kind: Kind::Size,
        default: "64MiB",
        doc: "Bytes waiting for one connection to read them; beyond it the connection is closed",
        set: |c, text| read_size(text, 4096).map(|v| c.max_out_queue_bytes = v),
        show: |c| print_size(c.max_out_queue_bytes),
    },
    Key {
        name: "max-unread-bytes",
        kind: Kind::Size,
        // Room for eight of the fullest queues, and for 25 KiB for each of max-connections that are slow at once;
        // a centre of ordinary size holds about as much for its nodes.
        default: "512MiB",
        doc: "Bytes waiting for all connections together; beyond it the one that most wait for is closed",
        set: |c, text| read_size(text, 4096).map(|v| c.max_unread_bytes = v),
        show: |c| print_size(c.max_unread_bytes),
    },
    Key {
        name: "max-watches-per-connection",
        kind: Kind::Count,
        // An admin console that watches four directories of each of 50,000 services fits.
        default: "250000",
        doc: "Watches of one connection; the request for a further one ends the connection",
        set: |c, text| read_count(text, 1).map(|v| c.max_watches_per_connection = v),
        show: |c| c.max_watches_per_connection.to_string(),
    },
    Key {
        name: "handshake-timeout",
        kind: Kind::Duration,
        default: "10s",
        doc: "How long a connection may take to open a session",
        set: |c, text| read_positive_duration(text).map(|v| c.handshake_timeout = v),
        show: |c| print_duration(c.handshake_timeout),
    },
    Key {
        name: "event-window",
        kind: Kind::Duration,
        default: "50ms",
        doc: "How long child events of a quickly changing directory may be held to be joined; 0 is off",
        set: |c, text| read_duration(text).map(|v| c.event_window = v),
        show: |c| print_duration(c.event_window),
    },
    Key {
        name: "reap-interval",
        kind: Kind::Duration,
        default: "1m",
        doc: "How often empty containers and nodes whose time to live is over are looked for",
        set: |c, text| read_duration(text).map(|v| c.reap_interval = v),
        show: |c| print_duration(c.reap_interval),
    },
    Key {
        name: "four-letter-words",
        kind: Kind::Words,
        default: "read-only",
        doc: "The four-letter words that are answered: a list, or read-only, * or none",
        set: |c, text| read_words(text).map(|v| c.four_letter_words = v),
        show: |c| print_words(&c.four_letter_words),
    },
    Key {
        name: "disk-reserve",
        kind: Kind::Size,
        default: "256MiB",
        doc: "Free disk space below which writes are refused while reads go on",
        set: |c, text| read_size(text, 0).map(|v| c.disk_reserve = v),
        show: |c| print_size(c.disk_reserve),
    },
    Key {
        name: "snapshot-log-bytes",
        kind: Kind::Size,
        default: "64MiB",
        doc: "Bytes of log after which a snapshot is taken and the log cut",
        set: |c, text| read_size(text, 1024).map(|v| c.snapshot_log_bytes = v),
        show: |c| print_size(c.snapshot_log_bytes),
    },
    Key {
        name: "snapshot-log-entries",
        kind: Kind::Count,
        default: "200000",
        doc: "Entries of log after which a snapshot is taken and the log cut",
        set: |c, text| read_count(text, 1).map(|v| c.snapshot_log_entries = v),
        show: |c| c.snapshot_log_entries.to_string(),
    },
    Key {
        name: "super-digest",
        kind: Kind::Secret,
        default: "",
        doc: "user:base64(sha1(user:password)) of the identity that passes every access check; none by default",
        set: |c, text| read_super_digest(text).map(|v| c.super_digest = v),
        show: |c| c.super_digest.clone().unwrap_or_default(),
    },
];
