//! The four-letter words: plain text for people and monitors on the client port, with the keys and forms that
//! monitors parse (ZooKeeper's `FourLetterCommands`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use orana_state::Census;
use orana_wire::zookeeper::OpCode;

use super::conversation::Conversation;
use super::face::Face;
use super::outbox::Ending;
use crate::config::FOUR_LETTER_WORDS;

/// The protocol level that is spoken, in the form that clients take the digits from; the date is in the only
/// form that every known parser of `srvr` understands.
pub(super) const VERSION: &str = concat!(
    "3.9.0-orana-",
    env!("CARGO_PKG_VERSION"),
    ", built on 11/30/2026 00:00 GMT"
);

/// The word that a new connection begins with, if it does.
pub(super) fn word(bytes: &[u8]) -> Option<&'static str> {
    let first = bytes.get(..4)?;
    FOUR_LETTER_WORDS
        .iter()
        .map(|(word, _)| *word)
        .find(|word| word.as_bytes() == first)
}

/// Queues the answer and the end of the connection.
pub(super) fn answer(asking: &Conversation, word: &'static str) {
    let text = if asking.face.config.four_letter_words.allows(word) {
        let page = Page {
            face: &asking.face,
            asking,
        };
        page.text(word)
    } else {
        format!("{word} is not executed because it is not in the whitelist.\n")
    };
    let mut out = asking.outbox.lock();
    out.raw(text.as_bytes());
    out.end(Ending::AfterFlush);
}

struct Page<'a> {
    face: &'a Face,
    asking: &'a Conversation,
}

impl Page<'_> {
    fn text(&self, word: &str) -> String {
        match word {
            "ruok" => "imok".into(),
            "isro" => "rw".into(),
            "srvr" => self.server(""),
            "stat" => self.server(&self.clients()),
            "cons" => format!("{}\n", self.connections()),
            "mntr" => self.monitor(),
            "conf" => self.configuration(),
            "envi" => environment(),
            "dump" => self.dump(),
            "wchs" => self.watch_summary(),
            "wchc" => self.watches_by_session(),
            "wchp" => self.watches_by_path(),
            "srst" => {
                self.face.stats.reset();
                "Server stats reset.\n".into()
            }
            "crst" => {
                for conversation in self.conversations() {
                    conversation.seen.latency.reset();
                    conversation.seen.received.store(0, Relaxed);
                    conversation.outbox.lock().sent_in_all = 0;
                }
                "Connection stats reset.\n".into()
            }
            "dirs" => {
                let disk = self.face.centre.status().disk;
                format!(
                    "datadir_size: {}\nlogdir_size: {}\n",
                    disk.snapshot_bytes, disk.log_bytes
                )
            }
            // The table of words and this match are the same list; whatever is only in the table says so.
            _ => format!("{word} is not supported.\n"),
        }
    }

    fn conversations(&self) -> Vec<Arc<Conversation>> {
        let mut all: Vec<_> = self.face.conversations.lock().values().cloned().collect();
        all.sort_unstable_by_key(|conversation| conversation.number);
        all
    }

    fn server(&self, clients: &str) -> String {
        let (min, average, max) = self.face.stats.latency.millis();
        let census = self.face.centre.census();
        let (connections, outstanding) = (self.conversations().len(), self.outstanding());
        let mut text = format!("Zookeeper version: {VERSION}\n{clients}");
        let _ = write!(
            text,
            "Latency min/avg/max: {min}/{average:.1}/{max}\nReceived: {}\nSent: {}\nConnections: {}\nOutstanding: {}\n\
             Zxid: 0x{:x}\nMode: standalone\nNode count: {}\n",
            self.face.stats.received.load(Relaxed),
            self.face.stats.sent.load(Relaxed),
            connections,
            outstanding,
            census.zxid.0,
            node_count(&census),
        );
        text
    }

    fn outstanding(&self) -> usize {
        self.conversations()
            .iter()
            .map(|conversation| conversation.outbox.lock().deferred.len())
            .sum()
    }

    fn clients(&self) -> String {
        let mut text = String::from("Clients:\n");
        for one in self.conversations() {
            let out = one.outbox.lock();
            let (queued, sent) = (out.deferred.len(), out.sent_in_all);
            drop(out);
            let _ = writeln!(
                text,
                " /{}[1](queued={queued},recved={},sent={sent})",
                one.peer,
                one.seen.received.load(Relaxed)
            );
        }
        text.push('\n');
        text
    }

    fn connections(&self) -> String {
        let mut text = String::new();
        for one in self.conversations() {
            let out = one.outbox.lock();
            let (queued, sent, last_zxid) = (out.deferred.len(), out.sent_in_all, out.last_zxid());
            drop(out);
            let received = one.seen.received.load(Relaxed);
            let _ = write!(text, " /{}[1](queued={queued},recved={received},sent={sent}", one.peer);
            if let Some(session) = one.session.get() {
                let (min, average, max) = one.seen.latency.millis();
                let established = one
                    .established
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(0, |since| since.as_millis());
                let _ = write!(
                    text,
                    ",sid=0x{:x},lop={},est={established},to={},lcxid=0x{:x},lzxid=0x{last_zxid:x},lresp={},llat={},\
                     minlat={min},avglat={},maxlat={max}",
                    session.lease.0,
                    short_name(one.seen.last_op.load(Relaxed)),
                    session.timeout_ms,
                    one.seen.last_xid.load(Relaxed),
                    one.seen.last_reply_at_ms.load(Relaxed),
                    one.seen.last_latency_us.load(Relaxed) / 1000,
                    average as u64,
                );
            }
            text.push_str(")\n");
        }
        text
    }

    fn monitor(&self) -> String {
        let (min, average, max) = self.face.stats.latency.millis();
        let stats = &self.face.stats;
        let (census, watches, status) = (
            self.face.centre.census(),
            self.face.centre.watch_census(),
            self.face.centre.status(),
        );
        let (open, limit) = descriptors();
        let (connections, outstanding) = (self.conversations().len(), self.outstanding());
        let mut text = String::new();
        let mut row = |key: &str, value: &dyn std::fmt::Display| {
            let _ = writeln!(text, "zk_{key}\t{value}");
        };
        row("version", &VERSION);
        row("server_state", &"standalone");
        row("peer_state", &"leading - broadcast");
        row("avg_latency", &format_args!("{average:.4}"));
        row("min_latency", &min);
        row("max_latency", &max);
        row("packets_received", &stats.received.load(Relaxed));
        row("packets_sent", &stats.sent.load(Relaxed));
        row("num_alive_connections", &connections);
        row("outstanding_requests", &outstanding);
        row("znode_count", &node_count(&census));
        row("watch_count", &watches.watches);
        row("ephemerals_count", &census.ephemerals);
        row("approximate_data_size", &census.bytes);
        row("global_sessions", &census.leases);
        row("local_sessions", &0);
        row("open_file_descriptor_count", &open);
        row("max_file_descriptor_count", &limit);
        row("uptime", &self.face.started.elapsed().as_millis());
        row("connection_drop_probability", &"0.0");
        row("last_client_response_size", &stats.last_response.load(Relaxed));
        row("min_client_response_size", &stats.min_response.load(Relaxed));
        row("max_client_response_size", &stats.max_response.load(Relaxed));
        row("auth_failed_count", &stats.auth_failed.load(Relaxed));
        row("outstanding_tls_handshake", &0);
        row("last_zxid", &format_args!("0x{:x}", census.zxid.0));
        row("snap_index", &status.last_snapshot);
        row("commit_index", &status.last_applied);
        row("log_bytes", &status.disk.log_bytes);
        row("snapshot_bytes", &status.disk.snapshot_bytes);
        row("disk_free_bytes", &status.disk.free_bytes.unwrap_or(0));
        row("writes_refused_for_disk", &u8::from(status.disk_short));
        text
    }

    fn configuration(&self) -> String {
        let config = &self.face.config;
        let disk = self.face.centre.status().disk;
        let port = self.asking.local_port();
        format!(
            "clientPort={port}\nsecureClientPort=-1\ndataDir={dir}\ndataDirSize={}\ndataLogDir={dir}\ndataLogSize={}\n\
             tickTime={}\nmaxClientCnxns={}\nminSessionTimeout={}\nmaxSessionTimeout={}\nclientPortListenBacklog=4096\n\
             serverId=0\n",
            disk.snapshot_bytes,
            disk.log_bytes,
            config.tick.as_millis(),
            config.max_connections_per_address,
            config.min_session.as_millis(),
            config.max_session.as_millis(),
            dir = config.data_dir.display(),
        )
    }

    fn dump(&self) -> String {
        let conversations = self.conversations();
        self.face.centre.read(|state| {
            let mut by_period: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
            for (id, lease) in state.leases() {
                by_period.entry(lease.period_ms).or_default().push(id.0);
            }
            let mut text = format!("SessionTracker dump:\nGlobal Sessions({}):\n", state.census().leases);
            for (period, ids) in &by_period {
                for id in ids {
                    let _ = writeln!(text, "0x{id:x}\t{period}ms");
                }
            }
            let owners: Vec<_> = state
                .leases()
                .filter(|(_, lease)| lease.owned > 0)
                .map(|(id, _)| id)
                .collect();
            let _ = writeln!(
                text,
                "ephemeral nodes dump:\nSessions with Ephemerals ({}):",
                owners.len()
            );
            for owner in owners {
                let _ = writeln!(text, "0x{:x}:", owner.0);
                for path in state.owned(owner) {
                    let _ = writeln!(text, "\t{path}");
                }
            }
            text.push_str("Connections dump:\n");
            for one in &conversations {
                let _ = writeln!(text, "/{}", one.peer);
            }
            text
        })
    }

    fn watch_summary(&self) -> String {
        let census = self.face.centre.watch_census();
        format!(
            "{} connections watching {} paths\nTotal watches:{}\n",
            census.observers, census.paths, census.watches
        )
    }

    fn watches_by_session(&self) -> String {
        let mut text = String::new();
        for one in self.conversations() {
            let (Some(session), paths) = (one.session.get(), one.watched()) else {
                continue;
            };
            if paths.is_empty() {
                continue;
            }
            let _ = writeln!(text, "0x{:x}", session.lease.0);
            for path in paths {
                let _ = writeln!(text, "\t{path}");
            }
        }
        text.push('\n');
        text
    }

    fn watches_by_path(&self) -> String {
        let mut by_path: BTreeMap<Arc<str>, Vec<i64>> = BTreeMap::new();
        for one in self.conversations() {
            if let Some(session) = one.session.get() {
                for path in one.watched() {
                    by_path.entry(path).or_default().push(session.lease.0);
                }
            }
        }
        let mut text = String::new();
        for (path, sessions) in by_path {
            let _ = writeln!(text, "{path}");
            for session in sessions {
                let _ = writeln!(text, "\t0x{session:x}");
            }
        }
        text.push('\n');
        text
    }
}

/// A real server counts the root twice, under its two names.
fn node_count(census: &Census) -> usize {
    census.nodes + 1
}

fn short_name(op: i32) -> &'static str {
    let Ok(op) = OpCode::try_from(op) else { return "NA" };
    match op {
        OpCode::Create | OpCode::Create2 | OpCode::CreateContainer | OpCode::CreateTtl => "CREA",
        OpCode::Delete | OpCode::DeleteContainer => "DELE",
        OpCode::Exists => "EXIS",
        OpCode::GetData => "GETD",
        OpCode::SetData => "SETD",
        OpCode::GetAcl => "GETA",
        OpCode::SetAcl => "SETA",
        OpCode::GetChildren | OpCode::GetChildren2 => "GETC",
        OpCode::Sync => "SYNC",
        OpCode::Ping => "PING",
        OpCode::Multi => "MULT",
        OpCode::MultiRead => "MLTR",
        OpCode::SetWatches => "SETW",
        OpCode::SetWatches2 => "STW2",
        OpCode::AddWatch => "ADDW",
        OpCode::CheckWatches => "CHKW",
        OpCode::RemoveWatches => "REMW",
        OpCode::Reconfig => "RECO",
        OpCode::CreateSession => "SESS",
        OpCode::CloseSession => "CLOS",
        OpCode::GetEphemerals => "GETE",
        OpCode::GetAllChildrenNumber => "GETACN",
        OpCode::WhoAmI => "HOMI",
        _ => "NA",
    }
}

/// Open file descriptors of this process and how many there may be.
fn descriptors() -> (usize, u64) {
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(u64::MAX);
    (open, limit)
}

fn environment() -> String {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let uname = rustix::system::uname();
    let dir = std::env::current_dir()
        .map(|dir| dir.display().to_string())
        .unwrap_or_default();
    format!(
        "Environment:\nzookeeper.version={VERSION}\nhost.name={}\njava.version=none\njava.vendor=orana\njava.home=\n\
         java.class.path=\njava.library.path=\njava.io.tmpdir={}\njava.compiler=none\nos.name={}\nos.arch={}\n\
         os.version={}\nuser.name={}\nuser.home={}\nuser.dir={dir}\nos.memory.free=0MB\nos.memory.max=0MB\n\
         os.memory.total=0MB\n",
        uname.nodename().to_string_lossy(),
        std::env::temp_dir().display(),
        uname.sysname().to_string_lossy(),
        std::env::consts::ARCH,
        uname.release().to_string_lossy(),
        variable("USER"),
        variable("HOME"),
    )
}
