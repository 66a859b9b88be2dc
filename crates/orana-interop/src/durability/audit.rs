//! After a start: reads the whole tree and finds out how many of a worker's unanswered deeds took effect. All up to one
//! and none after it is the only way, for a connection's requests are performed in their order.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use orana_wire::zookeeper::{Reply, Stat};

use super::{
    deed::Deed,
    model::Model,
    worker::{Sent, Worker},
};
use crate::{
    asks,
    raw::{Answer, Incoming, PATIENCE, RawClient},
};

/// Nodes that are asked for at once.
const CHUNK: usize = 100;
/// Stands for the transaction in which a session ended that was not taken up again.
const EXPIRY: i64 = i64::MIN + 1;

/// A node as it was found.
#[derive(Debug)]
pub struct Seen {
    /// Its data.
    pub data: Vec<u8>,
    /// Its stat.
    pub stat: Stat,
}

/// Everything at and beneath a path.
pub type Survey = BTreeMap<String, Seen>;

/// Reads everything at and beneath `root`.
pub fn survey(client: &mut RawClient, root: &str) -> Result<Survey> {
    let mut found = Survey::new();
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let mut next = Vec::new();
        for chunk in level.chunks(CHUNK) {
            for path in chunk {
                client.queue(&asks::get(path));
                client.queue(&asks::children(path));
            }
            client.flush()?;
            for path in chunk {
                let (data, children) = (answer(client)?, answer(client)?);
                let (Reply::Data(data, stat), Reply::ChildrenStat(names, again)) = (
                    data.reply(asks::get(path).op())?,
                    children.reply(asks::children(path).op())?,
                ) else {
                    bail!("{path} was not answered with what was asked for");
                };
                ensure!(stat == again, "{path} has two stats at once: {stat:?} and {again:?}");
                ensure!(
                    usize::try_from(stat.num_children) == Ok(names.len()),
                    "{path} has {} children and says {}",
                    names.len(),
                    stat.num_children
                );
                next.extend(names.iter().map(|name| format!("{path}/{name}")));
                let data = data.unwrap_or_default().to_vec();
                found.insert(path.clone(), Seen { data, stat });
            }
        }
        level = next;
    }
    Ok(found)
}

fn answer(client: &mut RawClient) -> Result<Answer> {
    match client.receive(PATIENCE)? {
        Incoming::Reply(answer) => {
            ensure!(
                answer.is_ok(),
                "a node that is listed cannot be read: {}",
                answer.header.err
            );
            Ok(answer)
        }
        Incoming::Event(event) => bail!("an event that nobody asked for: {event:?}"),
    }
}

/// What is known otherwise about a worker's unanswered deeds.
#[derive(Debug, Default)]
pub struct Hints {
    /// Deeds, by their place, that took effect or did not.
    pub known: Vec<(usize, bool)>,
    /// Whether the session was there to be resumed; absent if that was not tried.
    pub resumed: Option<bool>,
    /// Whether the session has ended by itself since.
    pub expired: bool,
}

/// Brings a worker's model up to what was found, if some number of its unanswered deeds explains it; returns that number.
pub fn settle(worker: &mut Worker, found: &Survey, newest: i64, hints: &Hints) -> Result<usize> {
    let mut reasons = Vec::new();
    for count in 0..=worker.pending.len() {
        let explained = fits(worker, count, hints)
            .and_then(|()| suppose(worker, count, hints.expired))
            .and_then(|model| compare(&model, found, worker.newest, newest).map(|()| model));
        match explained {
            Ok(mut model) => {
                for (path, node) in &mut model.nodes {
                    if let Some(seen) = found.get(path) {
                        node.learn(&seen.stat);
                    }
                }
                worker.model = model;
                worker.pending.clear();
                return Ok(count);
            }
            Err(reason) => reasons.push(format!("  {count} of them: {reason:#}")),
        }
    }
    let pending: Vec<&Deed> = worker.pending.iter().map(|sent| &sent.deed).collect();
    bail!(
        "{} is not what it has to be, however many of the {} unanswered deeds took effect:\n{}\nthey are {pending:#?}",
        worker.home,
        pending.len(),
        reasons.join("\n")
    )
}

fn fits(worker: &Worker, count: usize, hints: &Hints) -> Result<()> {
    for (place, applied) in &hints.known {
        ensure!(
            *applied == (*place < count),
            "the shared deed at place {place} {} effect",
            if *applied { "took" } else { "did not take" }
        );
    }
    let close = worker.pending.iter().position(|sent| sent.deed == Deed::Close);
    let ended = worker.closed || close.is_some_and(|place| place < count);
    if let Some(resumed) = hints.resumed {
        ensure!(
            resumed != ended,
            "the session was {}",
            if resumed { "resumed" } else { "not there any more" }
        );
    }
    Ok(())
}

fn suppose(worker: &Worker, count: usize, expired: bool) -> Result<Model> {
    let mut model = worker.model.clone();
    let first = worker.pending.iter().take(count).enumerate();
    for (place, Sent { deed, .. }) in first.filter(|(_, sent)| !sent.deed.is_shared()) {
        model.perform(deed, -1 - i64::try_from(place)?, worker.key.id);
    }
    if expired {
        model.expire(worker.key.id, EXPIRY);
    }
    Ok(model)
}

/// Whether what was found is the model, with numbers in place of the transactions that were not answered: greater than
/// all answered ones, and in the order of their deeds.
fn compare(model: &Model, found: &Survey, answered: i64, newest: i64) -> Result<()> {
    let mut places: BTreeMap<i64, i64> = BTreeMap::new();
    for path in found.keys() {
        ensure!(model.nodes.contains_key(path), "{path} should not be there");
    }
    for (path, node) in &model.nodes {
        let seen = found.get(path).with_context(|| format!("{path} is not there"))?;
        ensure!(seen.data == node.data, "{path} has other data");
        let mut expected = node.clone();
        let zxids = [
            (&mut expected.czxid, seen.stat.czxid),
            (&mut expected.mzxid, seen.stat.mzxid),
            (&mut expected.pzxid, seen.stat.pzxid),
        ];
        for (zxid, seen) in zxids {
            if *zxid < 0 {
                // Places count down from -1; turned round they are in the order of the deeds.
                *zxid = *places.entry(-*zxid).or_insert(seen);
            }
        }
        let mut alone = Model::default();
        alone.nodes.insert(path.clone(), expected);
        let stat = Stat {
            cversion: model.stat(path).map_or(0, |stat| stat.cversion),
            num_children: model.stat(path).map_or(0, |stat| stat.num_children),
            ..alone.stat(path).unwrap_or_default()
        };
        let stat = Stat {
            ctime: node.ctime.unwrap_or(seen.stat.ctime),
            mtime: node.mtime.unwrap_or(seen.stat.mtime),
            ..stat
        };
        ensure!(stat == seen.stat, "{path} is {:?}, expected was {stat:?}", seen.stat);
    }
    let mut last = answered;
    for zxid in places.values() {
        ensure!(
            last < *zxid && *zxid <= newest,
            "unanswered deeds took effect under {places:x?}, after {answered:#x}"
        );
        last = *zxid;
    }
    Ok(())
}
