//! One session that writes as fast as it is answered, with many requests in flight, and believes nothing: each answer is
//! held against its model.

use std::{
    collections::VecDeque,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, bail, ensure};
use orana_wire::zookeeper::{ErrorCode, MultiResult, Reply, Stat};

use super::{
    deed::Deed,
    model::{Model, Outcome},
    shared,
};
use crate::{
    asks::Mode,
    differential::dice::Dice,
    raw::{Answer, Incoming, Opening, RawClient, RawError, SessionKey},
};

/// Requests in flight at most.
const WINDOW: usize = 24;
/// With more nodes than this, more is deleted than created.
const CROWDED: usize = 120;

/// A deed that was sent.
#[derive(Debug)]
pub struct Sent {
    /// What.
    pub deed: Deed,
    xid: i32,
    at_ms: i64,
}

/// An answered write to what all workers share.
#[derive(Debug)]
pub struct Fact {
    /// Its transaction.
    pub zxid: i64,
    /// What was done.
    pub deed: Deed,
    /// Where a creation ended up.
    pub path: Option<String>,
    /// The stat that was told.
    pub stat: Option<Stat>,
    /// The error, or `Ok`.
    pub code: ErrorCode,
}

/// What the answers since the last kill told beyond the worker's own directory.
#[derive(Debug, Default)]
pub struct News {
    /// Transactions of all answered writes.
    pub zxids: Vec<i64>,
    /// Answered writes to what is shared.
    pub facts: Vec<Fact>,
    /// Between which two moments a transaction was made.
    pub windows: Vec<(i64, i64, i64)>,
}

/// A session and its directory.
#[derive(Debug)]
pub struct Worker {
    /// The directory.
    pub home: String,
    /// What it has to be.
    pub model: Model,
    /// The session.
    pub key: SessionKey,
    /// Whether its session ended with an answer.
    pub closed: bool,
    /// What was sent and has no answer, in order.
    pub pending: VecDeque<Sent>,
    /// What was learnt since it was taken last.
    pub news: News,
    /// The newest transaction of an answer to it.
    pub newest: i64,
    timeout_ms: i32,
    dice: Dice,
    client: Option<RawClient>,
    serial: u64,
    counter: i32,
    queued: Vec<String>,
}

impl Worker {
    /// A new session for the directory `home`, which the caller has created.
    pub fn begin(port: u16, home: &str, stat: &Stat, timeout_ms: i32, seed: u64) -> Result<Worker> {
        let client = RawClient::connect(port, timeout_ms)?;
        Ok(Worker {
            home: home.to_owned(),
            model: Model::of(home, stat),
            key: client.session(),
            closed: false,
            pending: VecDeque::new(),
            news: News::default(),
            newest: 0,
            timeout_ms,
            dice: Dice::new(seed),
            client: Some(client),
            serial: 0,
            counter: 0,
            queued: Vec::new(),
        })
    }

    /// Connects to its session again: false if the server says that there is none.
    pub fn resume(&mut self, port: u16) -> Result<bool> {
        match RawClient::open(port, &Opening::resume(self.timeout_ms, self.key).seen(self.newest)) {
            Ok(client) => {
                ensure!(client.session() == self.key, "another session was resumed");
                self.client = Some(client);
                Ok(true)
            }
            Err(RawError::Refused) => Ok(false),
            Err(error) => Err(error).context("the session could not be resumed"),
        }
    }

    /// A new session in place of one that has ended.
    pub fn renew(&mut self, port: u16) -> Result<()> {
        let client = RawClient::open(port, &Opening::new(self.timeout_ms).seen(self.newest))?;
        ensure!(client.session().id != self.key.id, "a session's number was given again");
        self.key = client.session();
        self.closed = false;
        self.client = Some(client);
        Ok(())
    }

    /// Writes until the connection ends.
    pub fn work(&mut self) -> Result<()> {
        let mut client = self.client.take().context("a connection")?;
        loop {
            while self.pending.len() < WINDOW && !self.is_closing() {
                let deed = self.invent();
                let xid = client.queue(&deed.request());
                let at_ms = now_ms();
                self.pending.push_back(Sent { deed, xid, at_ms });
            }
            // If it fails, what has come before still counts.
            let _ = client.flush();
            let enough = if self.is_closing() { 0 } else { WINDOW / 2 };
            while self.pending.len() > enough || self.closed {
                match client.receive(Duration::from_secs(10)) {
                    Ok(Incoming::Reply(answer)) => self.hear(&answer)?,
                    Ok(Incoming::Event(event)) => bail!("an event that nobody asked for: {event:?}"),
                    Err(RawError::Closed) => return Ok(()),
                    Err(error) => return Err(error).context("while writing"),
                }
            }
        }
    }

    fn is_closing(&self) -> bool {
        self.closed || self.pending.back().is_some_and(|sent| sent.deed == Deed::Close)
    }

    fn hear(&mut self, answer: &Answer) -> Result<()> {
        let sent = self.pending.pop_front().context("an answer that nobody asked for")?;
        let header = answer.header;
        ensure!(header.xid == sent.xid, "answer {} instead of {}", header.xid, sent.xid);
        ensure!(
            header.zxid >= self.newest,
            "zxid went back within a connection: {:#x} after {:#x}",
            header.zxid,
            self.newest
        );
        self.newest = header.zxid;
        if sent.deed.writes() {
            self.news.zxids.push(header.zxid);
            self.news.windows.push((header.zxid, sent.at_ms, now_ms()));
        }
        self.judge(sent.deed, answer)
    }

    fn judge(&mut self, deed: Deed, answer: &Answer) -> Result<()> {
        let told = Told::of(&deed, answer).with_context(|| format!("the answer to {deed:?}"))?;
        if deed.is_shared() {
            return self.note_shared(deed, answer.header.zxid, told);
        }
        let expected = self.model.perform(&deed, answer.header.zxid, self.key.id);
        ensure!(
            told.outcome == expected,
            "{}: {deed:?} was answered with {:?}, expected was {expected:?}",
            self.home,
            told.outcome
        );
        self.closed |= deed == Deed::Close;
        if let Some((path, stat, data)) = told.seen {
            agrees(&self.model, &path, &stat).with_context(|| format!("the answer to {deed:?}"))?;
            if let Some(node) = self.model.nodes.get_mut(&path) {
                ensure!(
                    data.is_none_or(|data| data == node.data),
                    "{path} was read with other data"
                );
                node.learn(&stat);
            }
        }
        Ok(())
    }

    fn note_shared(&mut self, deed: Deed, zxid: i64, told: Told) -> Result<()> {
        let code = match &told.outcome {
            Outcome::Refused(code) => *code,
            _ => ErrorCode::Ok,
        };
        let may_fail = matches!(deed, Deed::Set { .. }) && code == ErrorCode::BadVersion;
        ensure!(code == ErrorCode::Ok || may_fail, "{deed:?} was refused with {code:?}");
        let path = match told.outcome {
            Outcome::Created(path) => Some(path),
            _ => None,
        };
        self.queued.extend(path.clone());
        let stat = told.seen.map(|(_, stat, _)| stat);
        if let (Deed::Set { .. }, Some(stat)) = (&deed, &stat) {
            self.counter = stat.version;
        }
        let fact = Fact {
            zxid,
            deed,
            path,
            stat,
            code,
        };
        self.news.facts.push(fact);
        Ok(())
    }

    fn invent(&mut self) -> Deed {
        self.serial += 1;
        match self.dice.below(100) {
            0..4 => Deed::Create {
                path: shared::QUEUE.to_owned() + "/q-",
                data: self.token(),
                mode: Mode::PersistentSequential,
                telling: false,
            },
            4..8 if !self.queued.is_empty() => Deed::Delete {
                path: self.queued.swap_remove(self.dice.below(self.queued.len())),
                version: -1,
            },
            8..11 => Deed::Set {
                path: shared::COUNTER.to_owned(),
                data: self.token(),
                version: self.dice.pick(&[-1, self.counter]),
            },
            11..20 => Deed::Read(self.some_path()),
            20..30 => {
                let parts = 1 + self.dice.below(4);
                Deed::Multi((0..parts).map(|_| self.part()).collect())
            }
            30 if self.dice.chance(5) => Deed::Close,
            _ => self.part(),
        }
    }

    /// Something that can also stand in a multi.
    fn part(&mut self) -> Deed {
        let creates = if self.model.nodes.len() > CROWDED { 15 } else { 50 };
        match self.dice.below(100) {
            chance if chance < creates => {
                let mode = self.dice.pick(&[
                    Mode::Persistent,
                    Mode::Persistent,
                    Mode::Ephemeral,
                    Mode::PersistentSequential,
                    Mode::EphemeralSequential,
                ]);
                let parent = if self.dice.chance(60) {
                    self.home.clone()
                } else {
                    self.some_path()
                };
                let name = if mode.is_sequential() {
                    "s-".to_owned()
                } else {
                    format!("n{}", self.dice.below(40))
                };
                Deed::Create {
                    path: format!("{parent}/{name}"),
                    data: self.data(),
                    mode,
                    telling: self.dice.chance(50),
                }
            }
            50..75 => Deed::Set {
                path: self.some_path(),
                data: self.data(),
                version: self.version(),
            },
            75..80 => Deed::Delete {
                path: format!("{}/n{}", self.home, self.dice.below(40)),
                version: -1,
            },
            _ => {
                let path = self.some_path();
                // The directory itself stays: everything is about it.
                match path == self.home {
                    true => Deed::Multi(vec![Deed::Check { path, version: -1 }]),
                    false => Deed::Delete {
                        path,
                        version: self.version(),
                    },
                }
            }
        }
        .flattened()
    }

    fn some_path(&mut self) -> String {
        let place = self.dice.below(self.model.nodes.len());
        let path = self.model.nodes.keys().nth(place);
        path.cloned().unwrap_or_else(|| self.home.clone())
    }

    fn version(&mut self) -> i32 {
        self.dice.pick(&[-1, -1, 0, 1, 2])
    }

    fn data(&mut self) -> Vec<u8> {
        let length = match self.dice.below(50) {
            0 => 20_000 + self.dice.below(40_000),
            1..5 => 0,
            _ => self.dice.below(300),
        };
        let mut data = self.token();
        data.resize(length.max(data.len()), b'.');
        data
    }

    /// Data that nobody else writes, and this worker only once.
    fn token(&self) -> Vec<u8> {
        format!("{}#{}#{:x}", self.home, self.serial, self.key.id).into_bytes()
    }
}

impl Deed {
    /// A multi of one check stands for itself where a single deed is asked for.
    fn flattened(self) -> Deed {
        match self {
            Deed::Multi(mut parts) if parts.len() == 1 => parts.swap_remove(0),
            deed => deed,
        }
    }
}

/// Whether a told stat is what the model says, as far as the model knows.
pub fn agrees(model: &Model, path: &str, told: &Stat) -> Result<()> {
    let mut expected = model
        .stat(path)
        .with_context(|| format!("{path} should not be there"))?;
    let node = model.nodes.get(path).context("the node")?;
    if node.ctime.is_none() {
        expected.ctime = told.ctime;
    }
    if node.mtime.is_none() {
        expected.mtime = told.mtime;
    }
    ensure!(*told == expected, "{path} is {told:?}, expected was {expected:?}");
    Ok(())
}

/// An answer in the model's words.
struct Told {
    outcome: Outcome,
    seen: Option<(String, Stat, Option<Vec<u8>>)>,
}

impl Told {
    fn of(deed: &Deed, answer: &Answer) -> Result<Told> {
        let plain = |outcome| Told { outcome, seen: None };
        if !answer.is_ok() {
            let code = ErrorCode::from_i32(answer.header.err).context("an error that is none")?;
            return Ok(plain(Outcome::Refused(code)));
        }
        let path_of = |deed: &Deed| match deed {
            Deed::Set { path, .. } | Deed::Read(path) => path.clone(),
            _ => String::new(),
        };
        Ok(match answer.reply(deed.request().op())? {
            Reply::Path(path) => plain(Outcome::Created(path.context("no path")?.into_owned())),
            Reply::PathStat(path, stat) => Told {
                outcome: Outcome::Created(path.clone().into_owned()),
                seen: Some((path.into_owned(), stat, None)),
            },
            Reply::Stat(stat) => Told {
                outcome: Outcome::Seen(path_of(deed)),
                seen: Some((path_of(deed), stat, None)),
            },
            Reply::Data(data, stat) => Told {
                outcome: Outcome::Seen(path_of(deed)),
                seen: Some((path_of(deed), stat, Some(data.unwrap_or_default().to_vec()))),
            },
            Reply::Multi(results) => {
                let parts: &[Deed] = match deed {
                    Deed::Multi(parts) => parts,
                    single => std::slice::from_ref(single),
                };
                ensure!(parts.len() == results.len(), "{} results", results.len());
                let told = parts.iter().zip(&results).map(|(part, result)| part_told(part, result));
                let told = told.collect::<Result<Vec<_>>>()?;
                match deed {
                    Deed::Multi(_) => plain(Outcome::Multi(told)),
                    _ => plain(told.into_iter().next().context("a result")?),
                }
            }
            Reply::Empty => plain(Outcome::Done),
            other => bail!("an unexpected answer: {other:?}"),
        })
    }
}

fn part_told(part: &Deed, result: &MultiResult<'_>) -> Result<Outcome> {
    Ok(match (part, result) {
        (Deed::Create { .. }, MultiResult::Create { path }) => Outcome::Created(path.clone().into_owned()),
        (Deed::Delete { .. }, MultiResult::Delete) | (Deed::Check { .. }, MultiResult::Check) => Outcome::Done,
        (Deed::Set { path, .. }, MultiResult::SetData(_)) => Outcome::Seen(path.clone()),
        (_, MultiResult::Error(code)) => Outcome::Refused(ErrorCode::from_i32(*code).context("an error")?),
        (part, result) => bail!("{part:?} in a multi was answered with {result:?}"),
    })
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
