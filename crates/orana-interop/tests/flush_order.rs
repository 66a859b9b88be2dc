//! No write is acknowledged before the log that holds it is flushed: the server's own system calls prove it.

use std::{collections::BTreeMap, path::Path, thread};

use anyhow::{Context, Result, anyhow, ensure};
use orana_interop::{
    Drill, Product, Setup,
    asks::{self, Mode},
    drill,
    raw::{Incoming, PATIENCE, RawClient},
    trace::{Call, Deed, Tracer},
};

/// Bytes of a reply's header with its length, of which the first eight are length and number.
const REPLY_HEAD: usize = 8;

/// A write, and what its answer begins with on the wire.
struct Write {
    token: Vec<u8>,
    port: u16,
    xid: i32,
}

#[test]
fn each_of_many_single_writes_is_flushed_before_it_is_acknowledged() {
    drill("flush-single", 0, |drill| {
        proves(drill, |port| {
            let mut client = RawClient::connect(port, 20_000)?;
            let mut writes = Vec::new();
            for number in 0..50 {
                writes.extend(burst(&mut client, &format!("single-{number}"), 1)?);
            }
            Ok(writes)
        })
    });
}

#[test]
fn writes_that_share_a_flush_are_acknowledged_after_it() {
    drill("flush-concurrent", 0, |drill| {
        proves(drill, |port| {
            thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|session| {
                        scope.spawn(move || -> Result<Vec<Write>> {
                            let mut client = RawClient::connect(port, 20_000)?;
                            let mut writes = Vec::new();
                            for number in 0..10 {
                                writes.extend(burst(&mut client, &format!("many-{session}-{number}"), 16)?);
                            }
                            Ok(writes)
                        })
                    })
                    .collect();
                let writes = threads
                    .into_iter()
                    .map(|thread| thread.join().map_err(|_| anyhow!("a client broke"))?);
                Ok(writes.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
            })
        })
    });
}

#[test]
fn an_acknowledgement_before_the_flush_would_be_noticed() {
    let trace = |order: [&str; 4]| orana_interop::trace::calls(&order.join("\n")).expect("a trace");
    let received = "1 recvfrom(5<TCP:[127.0.0.1:9->127.0.0.1:7]>, \"\\x74\\x6f\\x6b\", 64, 0, NULL, NULL) = 3";
    let written = "2 write(6</d/log/0.jnl>, \"\\x74\\x6f\\x6b\", 3) = 3";
    let flushed = "2 fdatasync(6</d/log/0.jnl>) = 0";
    let sent =
        "1 sendto(5<TCP:[127.0.0.1:9->127.0.0.1:7]>, \"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\", 8, 0, NULL, 0) = 8";
    let write = Write {
        token: b"tok".to_vec(),
        port: 7,
        xid: 4,
    };
    let log = Path::new("/d/log");
    assert!(check(&trace([received, written, flushed, sent]), &write, log).is_ok());
    for wrong in [
        [received, written, sent, flushed],
        [received, flushed, written, sent],
        [written, flushed, sent, received],
    ] {
        assert!(check(&trace(wrong), &write, log).is_err(), "{wrong:?}");
    }
    let elsewhere = flushed.replace("/d/log", "/d/keep");
    assert!(check(&trace([received, written, &elsewhere, sent]), &write, log).is_err());
}

/// Sends `count` creations at once and reads their answers.
fn burst(client: &mut RawClient, name: &str, count: usize) -> Result<Vec<Write>> {
    let port = client.stream().local_addr()?.port();
    let mut writes = Vec::new();
    for number in 0..count {
        let token = format!("token:{name}-{number}:").into_bytes();
        let path = format!("/{name}-{number}");
        let xid = client.queue(&asks::create(&path, &token, Mode::Persistent));
        writes.push(Write { token, port, xid });
    }
    client.flush()?;
    for write in &writes {
        let Incoming::Reply(answer) = client.receive(PATIENCE)? else {
            return Err(anyhow!("an event that nobody asked for"));
        };
        ensure!(answer.is_ok() && answer.header.xid == write.xid, "{:?}", answer.header);
    }
    Ok(writes)
}

fn proves(drill: &Drill, work: impl FnOnce(u16) -> Result<Vec<Write>>) -> Result<()> {
    let mut server = drill.server(Setup::new(Product::Orana))?;
    let tracer = Tracer::attach(server.process()?.id(), &drill.dir().join("trace.txt"))?;
    let writes = work(server.port());
    let calls = tracer.detach()?;
    let writes = writes?;
    let log = server.data().join("log");
    let mut flushes: BTreeMap<usize, usize> = BTreeMap::new();
    for write in &writes {
        *flushes.entry(check(&calls, write, &log)?).or_default() += 1;
    }
    eprintln!("{} writes, proved by {} flushes", writes.len(), flushes.len());
    Ok(())
}

/// Received, then written to the log, then that file flushed, then answered. Returns where the flush ended.
fn check(calls: &[Call], write: &Write, log: &Path) -> Result<usize> {
    let name = String::from_utf8_lossy(&write.token).into_owned();
    let peer = format!("->127.0.0.1:{}]", write.port);
    let of_client = |call: &&Call| call.target.ends_with(&peer);
    let holds = |bytes: &[u8]| bytes.windows(write.token.len()).any(|window| window == write.token);
    let received = calls
        .iter()
        .filter(of_client)
        .find(|call| matches!(&call.deed, Deed::Received(bytes) if holds(bytes)))
        .with_context(|| format!("{name} was never received"))?;
    let written = calls
        .iter()
        .filter(|call| Path::new(&call.target).starts_with(log) && call.began > received.ended)
        .find(|call| matches!(&call.deed, Deed::Sent(bytes) if holds(bytes)))
        .with_context(|| format!("{name} was not written to {} after it was received", log.display()))?;
    let flushed = calls
        .iter()
        .filter(|call| call.deed == Deed::Flushed && call.target == written.target && call.began > written.ended)
        .min_by_key(|call| call.ended)
        .with_context(|| format!("{} was not flushed after {name} was written", written.target))?;
    let answered = calls
        .iter()
        .filter(of_client)
        .find(|call| matches!(&call.deed, Deed::Sent(bytes) if answers(bytes, write.xid)))
        .with_context(|| format!("{name} was never answered"))?;
    ensure!(
        flushed.ended < answered.began,
        "{name} was answered in line {} of the trace, but its flush ended in line {}",
        answered.began,
        flushed.ended
    );
    Ok(flushed.ended)
}

/// Whether these bytes, which begin and end with frames, hold the reply to this request.
fn answers(mut bytes: &[u8], xid: i32) -> bool {
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        if rest
            .get(..REPLY_HEAD - 4)
            .is_some_and(|number| number == xid.to_be_bytes())
        {
            return true;
        }
        let length = usize::try_from(i32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        bytes = rest.get(length..).unwrap_or_default();
    }
    false
}
