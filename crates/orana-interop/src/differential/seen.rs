//! What a connection sees, with everything taken out that two servers may rightly differ in.

use std::collections::BTreeMap;

use orana_wire::zookeeper::{ErrorCode, EventKind, MultiOp, MultiResult, OpCode, Reply, Request, Stat};

use super::script::Ask;

/// One thing seen on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The handshake was answered.
    Connected {
        /// The time-out granted.
        timeout_ms: i32,
        /// The readOnly byte.
        read_only: Option<bool>,
        /// The session's number in the script.
        session: Option<usize>,
    },
    /// The handshake was answered with zeros.
    Refused,
    /// A request was answered.
    Answer {
        /// The operation.
        op: &'static str,
        /// The number in the answer.
        xid: i32,
        /// The transaction in the answer, relative to the episode's first.
        zxid: String,
        /// The error.
        code: String,
        /// What follows.
        body: String,
        /// The parts of a multi: operation and error.
        parts: Vec<(&'static str, String)>,
    },
    /// An event.
    Event {
        /// What happened.
        kind: EventKind,
        /// Where.
        path: String,
    },
    /// The server closed the connection.
    Closed,
    /// The server said nothing, though it should have.
    Silent,
    /// Something that the protocol forbids.
    Broken(String),
}

/// What it takes to see past ids and absolute numbers.
#[derive(Debug, Clone)]
pub struct Glasses {
    /// The transaction that began the episode.
    pub base: i64,
    /// The script's numbers of sessions.
    pub sessions: BTreeMap<i64, usize>,
}

/// The name of an error, or its number if it has none.
pub fn code_name(err: i32) -> String {
    ErrorCode::from_i32(err).map_or_else(|| err.to_string(), |code| code.name().to_owned())
}

impl Glasses {
    /// A transaction as a distance from the beginning of the episode.
    pub fn zxid(&self, zxid: i64) -> String {
        match zxid {
            0 | -1 => zxid.to_string(),
            _ if zxid < self.base => "before".to_owned(),
            _ => format!("+{}", zxid - self.base),
        }
    }

    fn owner(&self, id: i64) -> String {
        match (id, self.sessions.get(&id)) {
            (0, _) => "nobody".to_owned(),
            (_, Some(session)) => format!("session {session}"),
            (_, None) => "a stranger".to_owned(),
        }
    }

    /// A stat without ids and times; what must hold between times is checked.
    pub fn stat(&self, stat: &Stat) -> String {
        let times_fit = match (stat.czxid, stat.mzxid) {
            (0, 0) => (stat.ctime, stat.mtime) == (0, 0),
            (created, written) if created == written => stat.ctime > 0 && stat.ctime == stat.mtime,
            _ => stat.mtime >= stat.ctime,
        };
        let times = if times_fit {
            String::new()
        } else {
            format!(" TIMES {} {}", stat.ctime, stat.mtime)
        };
        format!(
            "{{c{} m{} p{} v{} cv{} av{} of {} len{} kids{}{times}}}",
            self.zxid(stat.czxid),
            self.zxid(stat.mzxid),
            self.zxid(stat.pzxid),
            stat.version,
            stat.cversion,
            stat.aversion,
            self.owner(stat.ephemeral_owner),
            stat.data_length,
            stat.num_children,
        )
    }

    /// An answer to `ask`: its body and, for a multi, its parts.
    pub fn answer(&self, ask: &Ask, header: (i32, i64, i32), body: &[u8]) -> Seen {
        let (xid, zxid, err) = header;
        let (body, parts) = match (err, ask.op()) {
            (0, Some(op)) => match Reply::decode(op, body) {
                Ok(reply) => self.body(ask, &reply),
                Err(error) => return Seen::Broken(format!("answer to {}: {error}: {body:02x?}", ask.label())),
            },
            _ if body.is_empty() => (String::new(), Vec::new()),
            // A multi that could not be read to its end, answered with what there is so far.
            (_, Some(OpCode::Multi | OpCode::MultiRead)) => match Reply::decode(OpCode::Multi, body) {
                Ok(reply) => (format!("with results {:?}", self.body(ask, &reply).0), Vec::new()),
                Err(error) => (format!("with {error} {body:02x?}"), Vec::new()),
            },
            _ => (format!("{body:02x?}"), Vec::new()),
        };
        Seen::Answer {
            op: ask.label(),
            xid,
            zxid: self.zxid(zxid),
            code: code_name(err),
            body,
            parts,
        }
    }

    fn body(&self, ask: &Ask, reply: &Reply<'_>) -> (String, Vec<(&'static str, String)>) {
        let text = match reply {
            Reply::Empty => String::new(),
            Reply::Path(path) => format!("{path:?}"),
            Reply::PathStat(path, stat) => format!("{path:?} {}", self.stat(stat)),
            Reply::Stat(stat) => self.stat(stat),
            Reply::Data(data, stat) => format!("{data:02x?} {}", self.stat(stat)),
            Reply::Acl(acl, stat) => format!("{acl:?} {}", self.stat(stat)),
            Reply::Children(names) | Reply::Paths(names) => sorted(names),
            Reply::ChildrenStat(names, stat) => format!("{} {}", sorted(names), self.stat(stat)),
            Reply::Number(number) => number.to_string(),
            Reply::Identities(identities) => {
                let mut identities: Vec<String> = identities.iter().map(|one| format!("{one:?}")).collect();
                identities.sort();
                identities.join(" ")
            }
            Reply::Token(token) => format!("{token:02x?}"),
            Reply::Multi(results) => {
                let ops: &[MultiOp<'_>] = match ask.request() {
                    Some(Request::Multi(ops) | Request::MultiRead(ops)) => ops,
                    _ => &[],
                };
                let results: Vec<String> = results.iter().map(|result| self.result(result)).collect();
                let names = ops.iter().map(|op| part_name(op.op()));
                let codes = results.iter().map(|text| match text.strip_prefix("error ") {
                    Some(code) => code.to_owned(),
                    None => "OK".to_owned(),
                });
                return (results.join(" | "), names.zip(codes).collect());
            }
        };
        (text, Vec::new())
    }

    fn result(&self, result: &MultiResult<'_>) -> String {
        match result {
            MultiResult::Create { path } => format!("created {path:?}"),
            MultiResult::Create2 { path, stat } => format!("created {path:?} {}", self.stat(stat)),
            MultiResult::Delete => "deleted".to_owned(),
            MultiResult::Check => "checked".to_owned(),
            MultiResult::SetData(stat) => format!("written {}", self.stat(stat)),
            MultiResult::GetData { data, stat } => format!("{data:02x?} {}", self.stat(stat)),
            MultiResult::GetChildren(names) => sorted(names),
            MultiResult::Error(err) => format!("error {}", code_name(*err)),
        }
    }
}

/// Nobody promises an order of names.
fn sorted<T: AsRef<str>>(names: &[T]) -> String {
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    format!("{names:?}")
}

fn part_name(op: OpCode) -> &'static str {
    match op {
        OpCode::Create => "multi:create",
        OpCode::Create2 => "multi:create2",
        OpCode::CreateContainer => "multi:createContainer",
        OpCode::CreateTtl => "multi:createTTL",
        OpCode::Delete => "multi:delete",
        OpCode::SetData => "multi:setData",
        OpCode::Check => "multi:check",
        OpCode::GetData => "multi:getData",
        OpCode::GetChildren => "multi:getChildren",
        _ => "multi:other",
    }
}
