//! The order of things: work, kill, start, audit, and again.

use std::{
    collections::BTreeSet,
    fmt, mem,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};
use orana_wire::zookeeper::{Reply, Request, Stat};

use super::{
    audit::{self, Hints, Survey},
    ledger::Ledger,
    shared::{self, Shared},
    worker::{News, Worker},
};
use crate::{
    asks::{self, Mode},
    differential::dice::Dice,
    drill::eventually,
    raw::{Opening, RawClient, RawError},
    subject::Subject,
};

/// Sessions that are always resumed.
const FAITHFUL: usize = 4;
/// Their time-out, longer than a start takes.
const LONG_MS: i32 = 20_000;
/// The time-out of the one that is left to expire now and then.
const SHORT_MS: i32 = 1_500;
/// Beyond time-out and tick, for a machine with other work.
const SLACK: Duration = Duration::from_secs(2);

/// A server under test, and what it has to hold.
pub struct Trial<'a> {
    server: &'a mut Subject,
    tick: Duration,
    dice: Dice,
    workers: Vec<Worker>,
    shared: Shared,
    ledger: Ledger,
    verdict: Verdict,
}

/// What a trial has seen.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Kills of a server that served.
    pub kills: usize,
    /// Kills of a server that was starting.
    pub early_kills: usize,
    /// Answered writes.
    pub answered: usize,
    /// Writes without an answer that took effect, of how many.
    pub unanswered: (usize, usize),
    /// Sessions that were left to expire.
    pub expired: usize,
    /// Sessions that were closed.
    pub closed: usize,
    /// The longest start.
    pub slowest_start: Duration,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kills and {} at the start; {} writes acknowledged, {} of {} unacknowledged ones took effect; {} sessions \
             expired, {} were closed; slowest start {:.0?}",
            self.kills,
            self.early_kills,
            self.answered,
            self.unanswered.0,
            self.unanswered.1,
            self.expired,
            self.closed,
            self.slowest_start
        )
    }
}

impl<'a> Trial<'a> {
    /// Prepares the tree and opens the sessions. `tick` is the server's unit of expiry.
    pub fn begin(server: &'a mut Subject, tick: Duration, seed: u64) -> Result<Trial<'a>> {
        let mut dice = Dice::new(seed);
        let port = server.port();
        let mut client = RawClient::connect(port, LONG_MS)?;
        for path in [shared::ROOT, shared::QUEUE, shared::COUNTER] {
            make(&mut client, path)?;
        }
        let queue = stat(&mut client, shared::QUEUE)?;
        let mut workers = Vec::new();
        for number in 0..=FAITHFUL {
            let home = format!("/worker-{number}");
            make(&mut client, &home)?;
            let timeout = if number == FAITHFUL { SHORT_MS } else { LONG_MS };
            let home_stat = stat(&mut client, &home)?;
            workers.push(Worker::begin(
                port,
                &home,
                &home_stat,
                timeout,
                dice.below(usize::MAX) as u64,
            )?);
        }
        client.close()?;
        Ok(Trial {
            server,
            tick,
            dice,
            workers,
            shared: Shared::begin(&queue),
            ledger: Ledger::default(),
            verdict: Verdict::default(),
        })
    }

    /// Works, kills and checks `kills` times. While the server is down after the nth kill, `meanwhile` gets its data
    /// directory and n.
    pub fn run(self, kills: usize, mut meanwhile: impl FnMut(&Path, usize) -> Result<()>) -> Result<Verdict> {
        self.endure(kills, |server, nth| {
            server.kill()?;
            meanwhile(&server.data(), nth)
        })
    }

    /// Works, is struck and checks `blows` times. `strike` gets the server in the middle of the writes, and n; it ends the
    /// server one way or another, and leaves it so that it can be started again.
    pub fn endure(
        mut self,
        blows: usize,
        mut strike: impl FnMut(&mut Subject, usize) -> Result<()>,
    ) -> Result<Verdict> {
        for nth in 1..=blows {
            self.work_until(|server| strike(server, nth))
                .and_then(|()| self.start_and_check(nth % 4 == 2))
                .with_context(|| format!("at kill {nth} of {blows}"))?;
        }
        Ok(self.verdict)
    }

    fn start_and_check(&mut self, abandon: bool) -> Result<()> {
        if self.dice.chance(20) {
            let after = Duration::from_millis(1 + self.dice.below(60) as u64);
            self.server.start_and_kill(after)?;
            self.verdict.early_kills += 1;
        }
        self.verdict.slowest_start = self.verdict.slowest_start.max(self.server.restart()?);
        let served = Instant::now();
        self.audit(abandon, served)
    }

    fn work_until(&mut self, strike: impl FnOnce(&mut Subject) -> Result<()>) -> Result<()> {
        let time = Duration::from_millis(20 + self.dice.below(280) as u64);
        let server = &mut *self.server;
        let workers = &mut self.workers;
        thread::scope(|scope| {
            let threads: Vec<_> = workers.iter_mut().map(|worker| scope.spawn(|| worker.work())).collect();
            thread::sleep(time);
            let struck = strike(server);
            if struck.is_err() {
                // Nobody else would end the workers' connections.
                let _ = server.kill();
            }
            let worked = threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| anyhow!("a worker broke"))?);
            let worked = worked.collect::<Result<Vec<()>>>();
            match (struck, worked) {
                (Err(struck), Err(worked)) => Err(worked.context(format!("{struck:#}, and before that"))),
                (struck, worked) => struck.and(worked).map(drop),
            }
        })?;
        self.verdict.kills += 1;
        Ok(())
    }

    fn audit(&mut self, abandon: bool, served: Instant) -> Result<()> {
        let port = self.server.port();
        let mut facts = Vec::new();
        let mut windows = Vec::new();
        for worker in &mut self.workers {
            let news: News = mem::take(&mut worker.news);
            self.verdict.answered += news.zxids.len();
            news.zxids.into_iter().try_for_each(|zxid| self.ledger.answered(zxid))?;
            facts.extend(news.facts);
            windows.extend(news.windows);
        }
        let mut hints: Vec<Hints> = Vec::new();
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let mut hint = Hints::default();
            if abandon && number == FAITHFUL {
                hint.expired = true;
                wait_for_expiry(worker, port, served, self.tick)?;
                self.verdict.expired += 1;
            } else {
                hint.resumed = Some(worker.resume(port).with_context(|| worker.home.clone())?);
            }
            hints.push(hint);
        }
        let mut client = RawClient::open(port, &Opening::new(LONG_MS).seen(self.ledger.newest()))
            .context("a client that has seen the newest acknowledged zxid is sent away")?;
        let mark = client.call(&Request::Ping)?.header.zxid;
        self.ledger.restarted(mark)?;
        let common = audit::survey(&mut client, shared::ROOT)?;
        self.settle_shared(&common, facts, &mut hints)?;
        let mut shown = BTreeSet::new();
        self.note(&common, &windows, &mut shown)?;
        for number in 0..self.workers.len() {
            self.settle_worker(number, &mut client, &hints, &windows, &mut shown)?;
        }
        self.ledger.keep_times_of(&shown);
        client.close()?;
        for worker in &mut self.workers {
            if worker.closed {
                worker.renew(port)?;
            }
        }
        Ok(())
    }

    fn settle_shared(&mut self, found: &Survey, facts: Vec<super::worker::Fact>, hints: &mut [Hints]) -> Result<()> {
        let mut unanswered = Vec::new();
        for (number, worker) in self.workers.iter().enumerate() {
            let shared = worker
                .pending
                .iter()
                .enumerate()
                .filter(|(_, sent)| sent.deed.is_shared());
            unanswered.extend(shared.map(|(place, sent)| (number, place, &sent.deed)));
        }
        for (number, place, applied) in self.shared.audit(found, facts, &unanswered)? {
            if let Some(hint) = hints.get_mut(number) {
                hint.known.push((place, applied));
            }
        }
        Ok(())
    }

    fn settle_worker(
        &mut self,
        number: usize,
        client: &mut RawClient,
        hints: &[Hints],
        windows: &[(i64, i64, i64)],
        shown: &mut BTreeSet<i64>,
    ) -> Result<()> {
        let (worker, hint) = (&mut self.workers[number], &hints[number]);
        let found = audit::survey(client, &worker.home)?;
        let waiting = worker.pending.len();
        let applied = audit::settle(worker, &found, self.ledger.newest(), hint)?;
        self.verdict.unanswered.0 += applied;
        self.verdict.unanswered.1 += waiting;
        worker.newest = worker.newest.max(self.ledger.newest());
        if hint.expired || hint.resumed == Some(false) {
            self.verdict.closed += usize::from(!hint.expired);
            worker.closed = true;
        }
        self.note(&found, windows, shown)
    }

    /// Transactions and times of all nodes go together, and those of answered writes lie where the writes did.
    fn note(&mut self, found: &Survey, windows: &[(i64, i64, i64)], shown: &mut BTreeSet<i64>) -> Result<()> {
        for (path, seen) in found {
            let stat = &seen.stat;
            self.ledger.node(path, stat)?;
            for (zxid, time) in [(stat.czxid, stat.ctime), (stat.mzxid, stat.mtime)] {
                shown.insert(zxid);
                if let Some((_, from, to)) = windows.iter().find(|(known, ..)| *known == zxid) {
                    ensure!(
                        (*from..=*to).contains(&time),
                        "{path} has the time {time}, but it was written between {from} and {to}"
                    );
                }
            }
        }
        Ok(())
    }
}

/// After the session's time and a tick nothing of it is left, and nobody gets it back.
fn wait_for_expiry(worker: &mut Worker, port: u16, served: Instant, tick: Duration) -> Result<()> {
    let latest = Duration::from_millis(SHORT_MS as u64) + tick + SLACK;
    let left = || latest.saturating_sub(served.elapsed());
    let mut client = RawClient::connect(port, LONG_MS)?;
    let mut owned = || -> Result<usize> {
        let found = audit::survey(&mut client, &worker.home)?;
        let of_session = |seen: &&audit::Seen| seen.stat.ephemeral_owner == worker.key.id;
        Ok(found.values().filter(of_session).count())
    };
    // To ask for the session itself would be a sign of life, so its nodes tell when it has ended, if it had any.
    if owned().is_ok_and(|nodes| nodes == 0) {
        thread::sleep(left());
    } else {
        eventually(left(), || {
            let nodes = owned()?;
            ensure!(nodes == 0, "{nodes} nodes outlive their session");
            Ok(())
        })?;
    }
    match RawClient::open(port, &Opening::resume(SHORT_MS, worker.key)) {
        Err(RawError::Refused) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err(anyhow!("a session that was not taken up again is still there")),
    }
}

fn make(client: &mut RawClient, path: &str) -> Result<()> {
    let answer = client.call(&asks::create(path, b"", Mode::Persistent))?;
    ensure!(answer.is_ok(), "{path} cannot be created: {}", answer.header.err);
    Ok(())
}

fn stat(client: &mut RawClient, path: &str) -> Result<Stat> {
    let request = asks::exists(path);
    match client.call(&request)?.reply(request.op())? {
        Reply::Stat(stat) => Ok(stat),
        other => Err(anyhow!("{path} was answered with {other:?}")),
    }
}
