//! One of the two servers, with the script's connections to it. It performs a step and returns what each connection
//! saw, once all of them have seen everything that the step caused.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bytes::{Bytes, BytesMut};
use orana_wire::zookeeper::{
    Acl, EventKind, OpCode, Reply, ReplyHeader, Request,
    header::PING_XID,
    request::{Create, PathAndWatch},
};

use super::{
    script::{Ask, How, ROOT, SLOTS, Step, What},
    seen::{Glasses, Seen},
};
use crate::raw::{Answer, Incoming, Opening, RawClient, RawError, SessionKey};

/// How long a server may take for an answer, an event or the end of a session, on a machine with other work.
const PATIENCE: Duration = Duration::from_secs(15);

/// Ephemeral nodes by which the end of a session is seen.
const SENTINELS: &str = "/sentinels";

/// What the connections saw of one step, by slot.
pub type Scene = BTreeMap<usize, Vec<Seen>>;

/// A server and the connections to it.
#[derive(Debug)]
pub struct Side {
    /// What it is called in reports.
    pub name: String,
    port: u16,
    observer: RawClient,
    root: String,
    glasses: Glasses,
    newest: i64,
    slots: [Option<Connection>; SLOTS],
    sessions: BTreeMap<usize, SessionKey>,
}

#[derive(Debug)]
struct Connection {
    client: RawClient,
    session: usize,
    /// The transaction in its newest answer; no later answer may have an earlier one.
    told: i64,
}

impl Side {
    /// The server on this port of 127.0.0.1.
    pub fn new(name: impl Into<String>, port: u16) -> Result<Side> {
        let mut observer = RawClient::connect(port, i32::MAX)?;
        observer.call(&create(SENTINELS, 0))?;
        Ok(Side {
            name: name.into(),
            port,
            observer,
            root: ROOT.to_owned(),
            glasses: Glasses {
                base: 0,
                sessions: BTreeMap::new(),
            },
            newest: 0,
            slots: [const { None }; SLOTS],
            sessions: BTreeMap::new(),
        })
    }

    /// Begins an episode with an empty node of its own; `number` differs from that of every other episode.
    pub fn begin(&mut self, number: u32) -> Result<()> {
        self.root = format!("/e{number:06}");
        ensure!(self.root.len() == ROOT.len(), "episode number {number} is too long");
        let root = self.root.clone();
        let answer = self.observe(&create(&root, 0))?;
        ensure!(answer.is_ok(), "{}: cannot create {}: {answer:?}", self.name, self.root);
        self.newest = answer.header.zxid;
        self.glasses = Glasses {
            base: answer.header.zxid,
            sessions: BTreeMap::new(),
        };
        Ok(())
    }

    /// Ends every session of the episode, in the order of their numbers.
    pub fn end(&mut self) -> Result<()> {
        self.slots = [const { None }; SLOTS];
        for (_, key) in std::mem::take(&mut self.sessions) {
            match RawClient::open(self.port, &Opening::resume(i32::MAX, key)) {
                Ok(client) => client
                    .close()
                    .with_context(|| format!("{}: closing a session", self.name))?,
                Err(RawError::Refused) => {}
                Err(error) => return Err(error).with_context(|| format!("{}: resuming to close", self.name)),
            }
        }
        let zxid = self.observe(&Request::Ping)?.header.zxid;
        self.newest = self.newest.max(zxid);
        Ok(())
    }

    /// Performs a step. A step about a slot or session that is not there does nothing.
    pub fn perform(&mut self, step: &Step) -> Result<Scene> {
        let mut saw = Vec::new();
        let mut scene = Scene::new();
        match step {
            Step::Open { slot, how } => self.open(*slot, how, &mut saw)?,
            Step::Ask { slot, asks } => self.ask(*slot, asks, &mut saw)?,
            Step::HangUp { slot } => self.slots[*slot] = None,
            Step::Expire { slot } => self.expire(*slot, &mut saw, &mut scene)?,
        }
        scene.entry(step.slot()).or_default().splice(0..0, saw);
        self.settle(&mut scene)?;
        if step.ends_session() {
            scene.values_mut().for_each(|saw| sort_events(saw));
        }
        scene.retain(|_, saw| !saw.is_empty());
        Ok(scene)
    }

    fn open(&mut self, slot: usize, how: &How, saw: &mut Vec<Seen>) -> Result<()> {
        let opening = match *how {
            How::New {
                timeout_ms, read_only, ..
            } => Opening {
                read_only,
                ..Opening::new(timeout_ms)
            },
            How::Resume {
                session,
                password,
                ahead,
                timeout_ms,
            } => {
                let Some(mut key) = self.sessions.get(&session).copied() else {
                    return Ok(());
                };
                if !password {
                    key.password = key.password.map(|byte| !byte);
                }
                let seen = if ahead { self.newest + 1_000_000 } else { self.newest };
                Opening::resume(timeout_ms, key).seen(seen)
            }
        };
        self.slots[slot] = None;
        match RawClient::open(self.port, &opening) {
            Ok(client) => {
                let key = client.session();
                let session = match *how {
                    How::New { session, .. } => {
                        self.glasses.sessions.insert(key.id, session);
                        self.sessions.insert(session, key);
                        session
                    }
                    How::Resume { session, .. } => session,
                };
                saw.push(Seen::Connected {
                    timeout_ms: client.connected().timeout_ms,
                    read_only: client.connected().read_only,
                    session: self.glasses.sessions.get(&key.id).copied(),
                });
                self.slots[slot] = Some(Connection {
                    client,
                    session,
                    told: 0,
                });
            }
            Err(RawError::Refused) => saw.push(Seen::Refused),
            Err(RawError::Closed) => saw.push(Seen::Closed),
            Err(RawError::Silent(_)) => saw.push(Seen::Silent),
            Err(error) => saw.push(Seen::Broken(error.to_string())),
        }
        Ok(())
    }

    fn ask(&mut self, slot: usize, asks: &[Ask], saw: &mut Vec<Seen>) -> Result<()> {
        let Some(connection) = self.slots[slot].as_mut() else {
            return Ok(());
        };
        let mut bytes = BytesMut::new();
        for ask in asks {
            ask.encode(self.newest, &mut bytes);
        }
        connection.client.queue_bytes(&replaced(&bytes, ROOT, &self.root));
        // A connection that the server has closed meanwhile shows when it is read.
        let _ = connection.client.flush();
        for ask in asks {
            let silent_end = matches!(ask.what, What::Bytes(_));
            if !silent_end && !self.hear(slot, Some(ask), saw) {
                return Ok(());
            }
            let refused =
                |saw: &[Seen]| matches!(saw.last(), Some(Seen::Answer { op: "auth", code, .. }) if code != "OK");
            if ask.ends_connection() || refused(saw) {
                while self.hear(slot, None, saw) {}
                return Ok(());
            }
        }
        Ok(())
    }

    /// Receives until the answer to `ask` has come, or anything that is not an event if nothing was asked; false if the
    /// connection is gone.
    fn hear(&mut self, slot: usize, ask: Option<&Ask>, saw: &mut Vec<Seen>) -> bool {
        let Some(connection) = self.slots[slot].as_mut() else {
            return false;
        };
        loop {
            match connection.client.receive(PATIENCE) {
                // An event may be of a later transaction than the next answer's, if another event of it is still held.
                Ok(Incoming::Event(event)) => {
                    saw.push(seen_event(event.kind, &event.path, &self.root));
                }
                Ok(Incoming::Reply(answer)) => {
                    let header = (answer.header.xid, answer.header.zxid, answer.header.err);
                    if header.1 > 0 {
                        if header.1 < connection.told {
                            saw.push(Seen::Broken(format!(
                                "answered with {} before {}",
                                connection.told, header.1
                            )));
                        }
                        connection.told = header.1;
                        self.newest = self.newest.max(header.1);
                    }
                    match ask {
                        Some(ask) => {
                            let body = replaced(&answer.body, &self.root, ROOT);
                            saw.push(self.glasses.answer(ask, header, &body));
                        }
                        None => saw.push(Seen::Broken(format!("{answer:?} where the end was expected"))),
                    }
                    return true;
                }
                Err(error) => {
                    saw.push(match error {
                        RawError::Closed => Seen::Closed,
                        RawError::Silent(_) => Seen::Silent,
                        error => Seen::Broken(error.to_string()),
                    });
                    self.slots[slot] = None;
                    return false;
                }
            }
        }
    }

    fn expire(&mut self, slot: usize, saw: &mut Vec<Seen>, others: &mut Scene) -> Result<()> {
        let Some(connection) = self.slots[slot].as_mut() else {
            return Ok(());
        };
        let sentinel = format!("{SENTINELS}{}-{}", self.root, connection.session);
        let made = connection.client.call(&create(&sentinel, 1));
        self.slots[slot] = None;
        let Ok(Answer {
            header: ReplyHeader { err: 0, .. },
            ..
        }) = made
        else {
            saw.push(Seen::Broken("no sentinel could be set".to_owned()));
            return Ok(());
        };
        let start = Instant::now();
        let exists = Request::Exists(PathAndWatch {
            path: Some(sentinel.into()),
            watch: false,
        });
        loop {
            let answer = self.observe(&exists)?;
            self.newest = self.newest.max(answer.header.zxid);
            if !answer.is_ok() {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                saw.push(Seen::Silent);
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
            // The other sessions live on meanwhile.
            self.settle(others)?;
        }
    }

    /// Waits until every connection has been told everything that any of them knows: a ping's answer that carries the
    /// newest transaction comes after every event that belongs before it.
    fn settle(&mut self, scene: &mut Scene) -> Result<()> {
        let ping = Ask::whole(PING_XID, Request::Ping);
        for slot in 0..SLOTS {
            let start = Instant::now();
            while self.slots[slot].is_some() {
                let saw = scene.entry(slot).or_default();
                let before = saw.len();
                if let Some(connection) = self.slots[slot].as_mut() {
                    connection.client.queue_bytes(&encoded(&ping));
                    let _ = connection.client.flush();
                }
                if !self.hear(slot, Some(&ping), saw) {
                    break;
                }
                // The ping is ours, not the script's.
                let answered = saw
                    .iter()
                    .skip(before)
                    .position(|one| matches!(one, Seen::Answer { .. }));
                if let Some(position) = answered {
                    saw.remove(before + position);
                }
                if self.slots[slot]
                    .as_ref()
                    .is_none_or(|connection| connection.told >= self.newest)
                {
                    break;
                }
                if start.elapsed() > PATIENCE {
                    saw.push(Seen::Silent);
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }

    fn observe(&mut self, request: &Request<'_>) -> Result<Answer> {
        let answer = self.observer.call(request);
        answer.with_context(|| format!("{}: the observer's {}", self.name, request.op()))
    }

    /// How many nodes there are, as a sign that both servers hold the same.
    pub fn census(&mut self) -> Result<i32> {
        let answer = self.observe(&Request::GetAllChildrenNumber(Some("/".into())))?;
        match answer.reply(OpCode::GetAllChildrenNumber)? {
            Reply::Number(number) => Ok(number),
            other => anyhow::bail!("{}: {other:?} is no number", self.name),
        }
    }
}

fn encoded(ask: &Ask) -> Bytes {
    let mut bytes = BytesMut::new();
    ask.encode(0, &mut bytes);
    bytes.freeze()
}

fn create(path: &str, flags: i32) -> Request<'_> {
    Request::Create(Create {
        path: Some(path.into()),
        data: Some(b""),
        acl: Some(vec![Acl::open()]),
        flags,
        ttl: None,
    })
}

fn seen_event(kind: EventKind, path: &str, root: &str) -> Seen {
    Seen::Event {
        kind,
        path: path.replace(root, ROOT),
    }
}

/// `from` and `to` are equally long, so that no length in front of them changes.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = bytes[at..]
        .windows(from.len())
        .position(|window| window == from.as_bytes())
    {
        bytes[at + found..at + found + to.len()].copy_from_slice(to.as_bytes());
        at += found + to.len();
    }
    bytes
}

/// Sorts each run of events.
fn sort_events(saw: &mut [Seen]) {
    for run in saw.chunk_by_mut(|one, next| matches!((one, next), (Seen::Event { .. }, Seen::Event { .. }))) {
        run.sort_by_key(|one| format!("{one:?}"));
    }
}
