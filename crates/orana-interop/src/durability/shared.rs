//! What all workers write to at once: a queue of numbered nodes and a counter. No model can foresee the order, but
//! whatever it was, no number is given twice, numbers rise with transactions, and no version has two writers.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use orana_wire::zookeeper::{ErrorCode, Stat};

use super::{audit::Survey, deed::Deed, worker::Fact};

/// Above everything that is shared.
pub const ROOT: &str = "/shared";
/// Whose children are numbered.
pub const QUEUE: &str = "/shared/queue";
/// Whose version everybody raises.
pub const COUNTER: &str = "/shared/counter";

/// An unanswered deed: whose, at which place of theirs, and what.
pub type Unanswered<'a> = (usize, usize, &'a Deed);

/// What is known of it.
#[derive(Debug, Default)]
pub struct Shared {
    /// The nodes of the queue: data and transaction.
    queue: BTreeMap<String, (Vec<u8>, i64)>,
    /// The number given under each transaction, ever.
    numbers: BTreeMap<i64, i32>,
    deletions: i32,
    /// The newest transaction that changed the queue, if it is known for sure.
    pzxid: i64,
    version: i32,
}

impl Shared {
    /// Begins with an empty queue and a counter that nobody has written to.
    pub fn begin(queue: &Stat) -> Shared {
        Shared {
            pzxid: queue.pzxid,
            ..Shared::default()
        }
    }

    /// Holds what was found against what was answered. Returns which unanswered deeds did and did not take effect, as far
    /// as that can be told.
    pub fn audit(
        &mut self,
        found: &Survey,
        mut facts: Vec<Fact>,
        unanswered: &[Unanswered<'_>],
    ) -> Result<Vec<(usize, usize, bool)>> {
        facts.sort_by_key(|fact| fact.zxid);
        for fact in &facts {
            self.take(fact)?;
        }
        let mut told = Vec::new();
        let unsure = self.queue_as_found(found, unanswered, &mut told)?;
        self.queue_itself(found, unsure)?;
        self.counter(found, &facts, unanswered, &mut told)?;
        Ok(told)
    }

    fn take(&mut self, fact: &Fact) -> Result<()> {
        match (&fact.deed, &fact.path) {
            (Deed::Create { data, .. }, Some(path)) => self.enter(path, data.clone(), fact.zxid)?,
            (Deed::Delete { path, .. }, _) => {
                self.queue
                    .remove(path)
                    .with_context(|| format!("{path} was deleted twice"))?;
                self.deletions += 1;
            }
            _ => return Ok(()),
        }
        self.pzxid = fact.zxid;
        Ok(())
    }

    fn enter(&mut self, path: &str, data: Vec<u8>, zxid: i64) -> Result<()> {
        let number = path.rsplit_once("q-").and_then(|(_, number)| number.parse().ok());
        let number: i32 = number.with_context(|| format!("`{path}` has no number"))?;
        let before = self.numbers.range(..zxid).next_back();
        let after = self.numbers.range(zxid + 1..).next();
        ensure!(
            before.is_none_or(|(_, before)| *before < number) && after.is_none_or(|(_, after)| number < *after),
            "`{path}` of zxid {zxid:#x} has its number between {before:?} and {after:?}: given twice, or not rising"
        );
        self.numbers.insert(zxid, number);
        self.queue.insert(path.to_owned(), (data, zxid));
        Ok(())
    }

    /// Returns whether a deletion took effect under an unknown transaction.
    fn queue_as_found(
        &mut self,
        found: &Survey,
        unanswered: &[Unanswered<'_>],
        told: &mut Vec<(usize, usize, bool)>,
    ) -> Result<bool> {
        let mut unsure = false;
        for (worker, place, deed) in unanswered {
            if let Deed::Delete { path, .. } = deed {
                let gone = !found.contains_key(path);
                told.push((*worker, *place, gone));
                if gone && self.queue.remove(path).is_some() {
                    self.deletions += 1;
                    unsure = true;
                }
            }
        }
        let prefix = format!("{QUEUE}/");
        for (path, seen) in found
            .range(prefix.clone()..)
            .take_while(|(path, _)| path.starts_with(&prefix))
        {
            if let Some((data, zxid)) = self.queue.get(path) {
                ensure!(
                    *data == seen.data && *zxid == seen.stat.czxid,
                    "{path} is another node than the one that was answered: {:?}",
                    seen.stat
                );
                continue;
            }
            let creator = unanswered
                .iter()
                .find(|(.., deed)| matches!(deed, Deed::Create { data, .. } if *data == seen.data));
            let (worker, place, _) = creator.with_context(|| format!("nobody has created {path}"))?;
            told.push((*worker, *place, true));
            self.enter(path, seen.data.clone(), seen.stat.czxid)?;
            self.pzxid = self.pzxid.max(seen.stat.czxid);
        }
        for (worker, place, deed) in unanswered {
            let known = told.iter().any(|(who, which, _)| (who, which) == (worker, place));
            if matches!(deed, Deed::Create { .. }) && !known {
                told.push((*worker, *place, false));
            }
        }
        let lost = self.queue.keys().find(|path| !found.contains_key(*path));
        ensure!(
            lost.is_none(),
            "{} was acknowledged and is gone",
            lost.map_or("", String::as_str)
        );
        Ok(unsure)
    }

    fn queue_itself(&mut self, found: &Survey, unsure: bool) -> Result<()> {
        let stat = &found.get(QUEUE).context("the queue is gone")?.stat;
        let created = i32::try_from(self.numbers.len())?;
        ensure!(
            stat.cversion == created + self.deletions,
            "{created} creations and {} deletions, but the queue is {stat:?}",
            self.deletions
        );
        ensure!(
            stat.pzxid == self.pzxid || (unsure && stat.pzxid > self.pzxid),
            "the queue was last changed under {:#x}, but it is {stat:?}",
            self.pzxid
        );
        self.pzxid = stat.pzxid;
        Ok(())
    }

    fn counter(
        &mut self,
        found: &Survey,
        facts: &[Fact],
        unanswered: &[Unanswered<'_>],
        told: &mut Vec<(usize, usize, bool)>,
    ) -> Result<()> {
        let counter = found.get(COUNTER).context("the counter is gone")?;
        let mut versions: BTreeMap<i32, (&[u8], i64)> = BTreeMap::new();
        let mut last = self.version;
        for fact in facts.iter().filter(|fact| fact.code == ErrorCode::Ok) {
            let (Deed::Set { data, .. }, Some(stat)) = (&fact.deed, &fact.stat) else {
                continue;
            };
            ensure!(
                stat.version > last && stat.mzxid == fact.zxid,
                "version {} of the counter was given under zxid {:#x}, after version {last}",
                stat.version,
                fact.zxid
            );
            last = stat.version;
            versions.insert(stat.version, (data, fact.zxid));
        }
        let current = counter.stat.version;
        ensure!(
            current >= last,
            "version {last} of the counter was acknowledged, but it has {current}"
        );
        let sets: Vec<_> = unanswered
            .iter()
            .filter(|(.., deed)| matches!(deed, Deed::Set { .. }))
            .collect();
        let answered = versions.len();
        let raised = usize::try_from(current - self.version)?;
        ensure!(
            raised - answered <= sets.len(),
            "the counter was raised {raised} times, {answered} times with an answer, {} without",
            sets.len()
        );
        if let Some((data, zxid)) = versions.get(&current) {
            ensure!(
                counter.data == *data && counter.stat.mzxid == *zxid,
                "version {current} of the counter is another one than was acknowledged: {:?}",
                counter.stat
            );
        } else if current > self.version {
            let author = sets
                .iter()
                .find(|(.., deed)| matches!(deed, Deed::Set { data, .. } if *data == counter.data));
            let Some((worker, place, _)) = author else {
                bail!("nobody has written version {current} of the counter");
            };
            told.push((*worker, *place, true));
        }
        self.version = current;
        Ok(())
    }
}
