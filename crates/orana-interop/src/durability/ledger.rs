//! What holds for transactions over everything that was ever seen: no number twice, never back, and time goes with it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use orana_wire::zookeeper::Stat;

/// The transactions seen so far.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The newest one that anybody has seen.
    newest: i64,
    /// Those of the answers since the last kill.
    answered: BTreeSet<i64>,
    /// Where the last start began.
    floor: i64,
    /// When each transaction was, as far as nodes tell.
    times: BTreeMap<i64, i64>,
}

impl Ledger {
    /// The newest transaction that anybody has seen.
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// A write was answered under this transaction.
    pub fn answered(&mut self, zxid: i64) -> Result<()> {
        ensure!(
            zxid > self.floor,
            "a write was answered with zxid {zxid:#x}, but {:#x} had been seen before the last kill",
            self.floor
        );
        ensure!(self.answered.insert(zxid), "zxid {zxid:#x} was given to two writes");
        self.newest = self.newest.max(zxid);
        Ok(())
    }

    /// The server started again and answers a first request under this transaction.
    pub fn restarted(&mut self, zxid: i64) -> Result<()> {
        ensure!(
            zxid >= self.newest,
            "zxid went back over the kill: {zxid:#x} after {:#x}",
            self.newest
        );
        self.newest = zxid;
        self.floor = zxid;
        self.answered.clear();
        Ok(())
    }

    /// A node as it is now: its numbers must go with each other and with all other nodes'.
    pub fn node(&mut self, path: &str, stat: &Stat) -> Result<()> {
        ensure!(
            0 < stat.czxid && stat.czxid <= stat.mzxid && stat.czxid <= stat.pzxid,
            "zxids of {path} are out of order: {stat:?}"
        );
        ensure!(
            stat.ctime <= stat.mtime,
            "{path} was written before it was created: {stat:?}"
        );
        ensure!(
            stat.mzxid.max(stat.pzxid) <= self.newest,
            "{path} is newer than the server: {stat:?}"
        );
        self.time(path, stat.czxid, stat.ctime)?;
        self.time(path, stat.mzxid, stat.mtime)
    }

    fn time(&mut self, path: &str, zxid: i64, time: i64) -> Result<()> {
        let known = *self.times.entry(zxid).or_insert(time);
        ensure!(known == time, "{path}: zxid {zxid:#x} has the times {known} and {time}");
        let before = self.times.range(..zxid).next_back();
        let after = self.times.range(zxid + 1..).next();
        ensure!(
            before.is_none_or(|(_, before)| *before <= time) && after.is_none_or(|(_, after)| time <= *after),
            "{path}: time {time} of zxid {zxid:#x} does not fit its neighbours {before:?} and {after:?}"
        );
        Ok(())
    }

    /// Forgets the times of transactions that no node shows any more.
    pub fn keep_times_of(&mut self, shown: &BTreeSet<i64>) {
        self.times.retain(|zxid, _| shown.contains(zxid));
    }
}
